// The rules of The Fruit Rage: positions as text, the legal moves, and what a move does.
#pragma once

#include <sstream>
#include <string>
#include <utility>
#include <vector>

inline void set_option(const std::string&, const std::string&) {}  // there are no options that the board does not show

// A position. `play` returns a new one and does not change this one, so you can look ahead freely.
struct State {
  std::vector<std::string> rows;  // rows[row][col]: a digit for a fruit, '*' for an empty cell; row 0 is the top
  int side = 0;                   // whose move it is: 0 or 1
  int points[2] = {0, 0};

  // Reads a position text such as "01/21 1 0-0".
  static State parse(const std::string& text) {
    State state;
    std::string board, row;
    int side = 1;
    char dash;
    std::istringstream(text) >> board >> side >> state.points[0] >> dash >> state.points[1];
    state.side = side - 1;
    for (std::istringstream lines(board); std::getline(lines, row, '/');) state.rows.push_back(row);
    return state;
  }

  // The position as one line.
  std::string text() const {
    std::string board;
    for (const auto& row : rows) board += (board.empty() ? "" : "/") + row;
    return board + ' ' + std::to_string(side + 1) + ' ' + std::to_string(points[0]) + '-' + std::to_string(points[1]);
  }

  int size() const { return static_cast<int>(rows.size()); }

  // The cells that one move on this cell claims: all of its fruit that are connected. They become '*' in `board`.
  static std::vector<std::pair<int, int>> take_group(std::vector<std::string>& board, int row, int col) {
    const char fruit = board[row][col];
    const int size = static_cast<int>(board.size());
    std::vector<std::pair<int, int>> cells = {{row, col}};
    board[row][col] = '*';
    for (std::size_t i = 0; i < cells.size(); i++) {  // the list grows while we walk through it
      const auto [r, c] = cells[i];
      const int near[4][2] = {{r - 1, c}, {r + 1, c}, {r, c - 1}, {r, c + 1}};
      for (const auto& [y, x] : near)
        if (y >= 0 && y < size && x >= 0 && x < size && board[y][x] == fruit) {
          board[y][x] = '*';
          cells.push_back({y, x});
        }
    }
    return cells;
  }

  // One move for each group, such as "B13"; none when the board is empty.
  std::vector<std::string> legal_moves() const {
    std::vector<std::string> moves;
    std::vector<std::string> board = rows;
    for (int row = 0; row < size(); row++)
      for (int col = 0; col < size(); col++)
        if (board[row][col] != '*') {
          take_group(board, row, col);
          moves.push_back(static_cast<char>('A' + col) + std::to_string(row + 1));
        }
    return moves;
  }

  // The position after a move.
  State play(const std::string& move) const {
    State after = *this;
    const auto claimed = take_group(after.rows, std::stoi(move.substr(1)) - 1, move[0] - 'A');
    after.points[side] += static_cast<int>(claimed.size() * claimed.size());
    for (int col = 0; col < size(); col++) {  // what is left falls down
      int bottom = size() - 1;
      for (int row = size() - 1; row >= 0; row--)
        if (after.rows[row][col] != '*') std::swap(after.rows[bottom--][col], after.rows[row][col]);
    }
    after.side = 1 - side;
    return after;
  }

  // An estimate of how well a side stands. A better estimate makes a better bot.
  int value(int of) const { return points[of] - points[1 - of]; }
};
