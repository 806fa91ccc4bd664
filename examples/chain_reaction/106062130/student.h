// The Chain Reaction player 106062130, as its author's report describes it, written again: one look at every cell,
// no search. It loads cells beside enemies that are slower, keeps away from those that are faster, and lets a full cell
// explode only when an enemy beside it is full too.
//
// This is the `class` protocol as the course taught it: no main, no input, no output; the arena calls makeMove and then
// asks for the cell. The same player is built in under the name 106062130.

#include <vector>

class Student {
 public:
  void makeMove(int Record[5][6], int Max[5][6], Color color[5][6], Color inputColor) {
    bool found = false;
    int best = 0;
    for (int row = 0; row < 5; row++) {
      for (int col = 0; col < 6; col++) {
        if (color[row][col] != White && color[row][col] != inputColor) continue;
        const int value = worth(row, col, Record, Max, color, inputColor);
        // Of equal cells the first counts, but an empty one before one of mine.
        const bool better = value > best || (value == best && color[x][y] != White && color[row][col] == White);
        if (!found || better) {
          found = true;
          best = value;
          x = row;
          y = col;
        }
      }
    }
  }

  int getX() { return x; }
  int getY() { return y; }

 private:
  // What playing on a cell promises.
  int worth(int row, int col, int Record[5][6], int Max[5][6], Color color[5][6], Color mine) {
    const int missing = Max[row][col] - Record[row][col];  // orbs until it explodes
    int value = 0;
    for (const Cell& near : neighbours(row, col)) {
      const Color owner = color[near.row][near.col];
      if (owner == White || owner == Black) continue;
      const int its_missing = Max[near.row][near.col] - Record[near.row][near.col];
      if (owner == mine) {
        value -= its_missing;  // loaded cells side by side go off together
      } else if (missing == 1) {
        return its_missing == 1 ? 1000000000 : -100000000;  // fire before it fires; otherwise let it grow fat
      } else {
        value += missing <= its_missing ? 1000 : -1000;  // who will be full first?
      }
    }
    if (missing == 1) return -10000000;
    return color[row][col] == White ? value - missing : value - 10 * missing;
  }

  struct Cell {
    int row, col;
  };

  std::vector<Cell> neighbours(int row, int col) {
    std::vector<Cell> cells;
    if (row > 0) cells.push_back({row - 1, col});
    if (row < 4) cells.push_back({row + 1, col});
    if (col > 0) cells.push_back({row, col - 1});
    if (col < 5) cells.push_back({row, col + 1});
    return cells;
  }

  int x = 0;
  int y = 0;
};
