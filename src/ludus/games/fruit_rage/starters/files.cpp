// Talks to the arena in the protocol `files`, as the Fruit Rage course does: started for every move, reads
// input.txt, writes output.txt. Put your own ideas into search.h.
//
// input.txt: the size of the board, the number of fruit types, the seconds left for the whole game, the rows.
// output.txt: the move, then the rows of the board after the fruits have fallen.

#include <fstream>
#include <string>

#include "rules.h"
#include "search.h"

int main() {
  std::ifstream input("input.txt");
  int size = 0, types = 0;
  double seconds = 1;
  input >> size >> types >> seconds;
  State state;
  state.rows.resize(size);
  for (std::string& row : state.rows) input >> row;

  const std::string move = choose(state, seconds / 40);
  std::ofstream output("output.txt");
  output << move << '\n';
  for (const std::string& row : state.play(move).rows) output << row << '\n';
}
