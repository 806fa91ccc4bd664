// A bot in the protocol `class`: the arena calls makeMove, then asks getX and getY for the cell. THIS IS THE FILE TO
// CHANGE. It needs no main, no input and no output; what you print goes to standard error.
//
// The arena defines `enum Color { White, Blue, Red, Black }` before it includes this file: White is an empty cell,
// Black a dead one. One object lives for the whole game, so you can keep what you learn in it.

#include <cstdlib>
#include <vector>

class Student {
 public:
  // Record: orbs on each cell. Max: orbs at which a cell explodes. color: who owns it. inputColor: what you play.
  //
  // Next steps, one at a time:
  // 1. Improve `worth`: is an enemy next to the cell about to explode? Is it a corner, an edge?
  // 2. Write a function that plays a move on a copy of the board, with all explosions.
  // 3. With it, look at the opponent's best answer to each move: minimax, then alpha-beta.
  void makeMove(int Record[5][6], int Max[5][6], Color color[5][6], Color inputColor) {
    std::vector<int> best_cells;
    int best_worth = 0;
    for (int row = 0; row < 5; row++) {
      for (int col = 0; col < 6; col++) {
        if (color[row][col] != White && color[row][col] != inputColor) continue;  // we cannot play there
        const int value = worth(row, col, Record, Max, color, inputColor);
        if (best_cells.empty() || value > best_worth) {
          best_cells.clear();
          best_worth = value;
        }
        if (value == best_worth) best_cells.push_back(row * 6 + col);
      }
    }
    const int chosen = best_cells[std::rand() % best_cells.size()];
    x = chosen / 6;
    y = chosen % 6;
  }

  int getX() { return x; }  // the row, 0 at the top
  int getY() { return y; }  // the column, 0 at the left

 private:
  // How good a move on this cell looks: the enemy's orbs around it, if it explodes now.
  int worth(int row, int col, int Record[5][6], int Max[5][6], Color color[5][6], Color mine) {
    if (Record[row][col] + 1 < Max[row][col]) return 0;
    int captured = 0;
    const int near[4][2] = {{row - 1, col}, {row + 1, col}, {row, col - 1}, {row, col + 1}};
    for (const auto& cell : near) {
      const int r = cell[0], c = cell[1];
      if (r < 0 || r > 4 || c < 0 || c > 5) continue;
      if (color[r][c] != White && color[r][c] != Black && color[r][c] != mine) captured += Record[r][c];
    }
    return captured;
  }

  int x = 0;
  int y = 0;
};
