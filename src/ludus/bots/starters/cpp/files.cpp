// Talks to the arena in the protocol `files`: started once a move, reads input.txt, leaves output.txt. Your own
// thoughts go to search.h.
//
// Line 1 of input.txt is the position, line 2 the seconds that are left. output.txt holds the move.

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
