// Talks to the arena in the protocol `lines`: moves, one a line. Your own thoughts go to search.h.
//
// Standard output belongs to the conversation; print to std::cerr when you debug.

#include <iostream>
#include <string>

#include "rules.h"
#include "search.h"

const double seconds = 1.0;  // this protocol does not tell the clock: set what your course allows, less a little

int main(int, char** arguments) {
  const int me = std::string(arguments[1]) == "first" ? 0 : 1;
  std::string line;
  std::getline(std::cin, line);
  State state = State::parse(line);
  while (!state.legal_moves().empty()) {
    std::string move;
    if (state.side == me) {
      move = choose(state, seconds);
      std::cout << move << std::endl;  // std::endl sends it off at once; '\n' might wait
    } else if (!(std::cin >> move)) {
      return 0;  // the arena has hung up
    }
    state = state.play(move);
  }
}
