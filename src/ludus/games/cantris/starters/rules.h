// The rules of Cantris: positions as text, the legal moves, and what a move does.
#pragma once

#include <sstream>
#include <string>
#include <utility>
#include <vector>

inline int removals = 0;  // per turn; 0 means the default: two on a board of 10 rows and 5 columns, else one
inline std::string second_removal = "required";  // or "optional": then "pass" is a move after a turn's first removal

inline void set_option(const std::string& name, const std::string& value) {
  if (name == "removals") removals = std::stoi(value);
  if (name == "second_removal") second_removal = value;
}

// A position. `play` returns a new one and does not change this one, so you can look ahead freely.
struct State {
  std::vector<std::string> rows;  // rows[row][col]: the digit of a tile, '.' for an empty cell; row 0 is the top
  int side = 0;                   // whose move it is: 0 or 1; with two removals per turn it stays for the second
  int points[2] = {0, 0};
  int removed = 0;  // removals already made in this turn

  // Reads a position text such as "12/21 1 0-0 0".
  static State parse(const std::string& text) {
    State state;
    std::string board, row;
    int side = 1;
    char dash;
    std::istringstream(text) >> board >> side >> state.points[0] >> dash >> state.points[1] >> state.removed;
    state.side = side - 1;
    for (std::istringstream lines(board); std::getline(lines, row, '/');) state.rows.push_back(row);
    return state;
  }

  // The position as one line.
  std::string text() const {
    std::string board;
    for (const auto& row : rows) board += (board.empty() ? "" : "/") + row;
    return board + ' ' + std::to_string(side + 1) + ' ' + std::to_string(points[0]) + '-' + std::to_string(points[1]) +
           ' ' + std::to_string(removed);
  }

  int height() const { return static_cast<int>(rows.size()); }
  int width() const { return static_cast<int>(rows[0].size()); }
  int removals_in_turn() const { return removals > 0 ? removals : height() == 10 && width() == 5 ? 2 : 1; }

  // Whether a column is empty: that ends the game. Tiles lie at the bottom, so the bottom row shows it.
  bool over() const { return rows.back().find('.') != std::string::npos; }

  // All moves as texts such as "2,1": row and column, both from 0; none when the game is over.
  std::vector<std::string> legal_moves() const {
    std::vector<std::string> moves;
    if (over()) return moves;
    for (int row = 0; row < height(); row++)
      for (int col = 0; col < width(); col++)
        if (rows[row][col] != '.') moves.push_back(std::to_string(row) + ',' + std::to_string(col));
    if (removed == 1 && second_removal == "optional") moves.push_back("pass");
    return moves;
  }

  // The position after a move.
  State play(const std::string& move) const {
    State after = *this;
    if (move != "pass") {
      const int row = std::stoi(move), col = std::stoi(move.substr(move.find(',') + 1));
      int gained = after.take({{row, col}});
      for (auto runs = after.cells_in_runs(); !runs.empty(); runs = after.cells_in_runs()) gained += after.take(runs);
      after.points[side] += gained;
      after.removed++;
    }
    if (move == "pass" || after.removed == removals_in_turn() || after.over()) {
      after.side = 1 - side;
      after.removed = 0;
    }
    return after;
  }

  // Takes tiles off the board, lets the others fall, and returns the sum of what was taken.
  int take(const std::vector<std::pair<int, int>>& cells) {
    int sum = 0;
    for (auto [row, col] : cells)
      if (rows[row][col] != '.') {
        sum += rows[row][col] - '0';
        rows[row][col] = '.';
      }
    for (int col = 0; col < width(); col++) {
      int bottom = height() - 1;
      for (int row = height() - 1; row >= 0; row--)
        if (rows[row][col] != '.') std::swap(rows[bottom--][col], rows[row][col]);
    }
    return sum;
  }

  // The cells of all runs: three or more equal tiles side by side in a row. A cell may be named more than once.
  std::vector<std::pair<int, int>> cells_in_runs() const {
    std::vector<std::pair<int, int>> cells;
    for (int row = 0; row < height(); row++)
      for (int col = 0; col + 2 < width(); col++) {
        const std::string& line = rows[row];
        if (line[col] != '.' && line[col] == line[col + 1] && line[col] == line[col + 2])
          for (int i = 0; i < 3; i++) cells.push_back({row, col + i});
      }
    return cells;
  }

  // An estimate of how well a side stands. A better estimate makes a better bot.
  int value(int of) const { return points[of] - points[1 - of]; }
};
