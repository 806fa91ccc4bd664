// Talks to the arena in the protocol `files`: started for every move, reads input.txt, writes output.txt. Put
// your own ideas into search.h.
//
// Line 1 of input.txt is the position, line 2 the seconds left. output.txt gets the move.

#include <fstream>
#include <string>

#include "rules.h"
#include "search.h"

int main() {
  std::ifstream input("input.txt");
  std::string position;
  double seconds = 1;
  std::getline(input, position);
  input >> seconds;
  std::ofstream("output.txt") << choose(State::parse(position), seconds / 40) << '\n';
}
