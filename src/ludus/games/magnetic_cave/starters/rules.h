// The rules of Magnetic Cave: positions as text, the legal moves, and what a move does.
#pragma once

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

inline int line_length = 5;  // this many bricks of one player in a row, a column or a diagonal win

inline void set_option(const std::string& name, const std::string& value) {
  if (name == "line") line_length = std::stoi(value);
}

// A position. `play` returns a new one and does not change this one, so you can look ahead freely.
struct State {
  std::vector<std::string> cells;  // cells[row][col]: 'x' first player, 'o' second, '.' empty; row 0 is the top
  int side = 0;                    // whose move it is: 0 or 1

  // Reads a position text such as "x......./......../ ... /........ 2".
  static State parse(const std::string& text) {
    State state;
    std::string board, row;
    int side = 1;
    std::istringstream(text) >> board >> side;
    state.side = side - 1;
    for (std::istringstream rows(board); std::getline(rows, row, '/');) state.cells.push_back(row);
    return state;
  }

  // The position as one line.
  std::string text() const {
    std::string board;
    for (const auto& row : cells) board += (board.empty() ? "" : "/") + row;
    return board + ' ' + std::to_string(side + 1);
  }

  int rows() const { return static_cast<int>(cells.size()); }
  int cols() const { return static_cast<int>(cells[0].size()); }
  static char mark(int side) { return side == 0 ? 'x' : 'o'; }

  // What is on a cell; outside the board there is nothing.
  char at(int row, int col) const {
    return row >= 0 && row < rows() && col >= 0 && col < cols() ? cells[row][col] : ' ';
  }

  // The length of a side's longest line.
  int longest(int of) const {
    const int directions[4][2] = {{0, 1}, {1, 0}, {1, 1}, {1, -1}};
    int best = 0;
    for (int row = 0; row < rows(); row++)
      for (int col = 0; col < cols(); col++)
        for (const auto& way : directions) {
          int length = 0;
          while (at(row + length * way[0], col + length * way[1]) == mark(of)) length++;
          best = std::max(best, length);
        }
    return best;
  }

  // All moves as texts such as "A8"; none when the game is over. Row 1 is the bottom row.
  std::vector<std::string> legal_moves() const {
    std::vector<std::string> moves;
    if (longest(0) >= line_length || longest(1) >= line_length) return moves;
    for (int row = 0; row < rows(); row++)
      for (int col = 0; col < cols(); col++)
        // A brick must touch a wall, or a brick to its left or right.
        if (at(row, col) == '.' && !(at(row, col - 1) == '.' && at(row, col + 1) == '.'))
          moves.push_back(static_cast<char>('A' + col) + std::to_string(rows() - row));
    return moves;
  }

  // The position after a move.
  State play(const std::string& move) const {
    State after = *this;
    after.cells[rows() - std::stoi(move.substr(1))][move[0] - 'A'] = mark(side);
    after.side = 1 - side;
    return after;
  }

  // An estimate of how well a side stands. A better estimate makes a better bot.
  int value(int of) const {
    const int mine = longest(of), theirs = longest(1 - of);
    if (mine >= line_length) return 1000;
    if (theirs >= line_length) return -1000;
    return mine - theirs;
  }
};
