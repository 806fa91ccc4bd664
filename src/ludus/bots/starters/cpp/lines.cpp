// Talks to the arena in the protocol `lines`: one move per line. Put your own ideas into search.h.
//
// Standard output is only for the protocol; print to std::cerr when you debug.

#include <iostream>
#include <string>

#include "rules.h"
#include "search.h"

const double seconds = 1.0;  // this protocol does not send the clock: set a bit less than your course allows

int main(int, char** arguments) {
  const int me = std::string(arguments[1]) == "first" ? 0 : 1;
  std::string line;
  std::getline(std::cin, line);
  State state = State::parse(line);
  while (!state.legal_moves().empty()) {
    std::string move;
    if (state.side == me) {
      move = choose(state, seconds);
      std::cout << move << std::endl;  // std::endl sends it at once; '\n' may stay in a buffer
    } else if (!(std::cin >> move)) {
      return 0;  // the arena has closed the connection
    }
    state = state.play(move);
  }
}
