// The rules of Chain Reaction: positions as text, the legal moves, and what a move does.
#pragma once

#include <sstream>
#include <string>
#include <utility>
#include <vector>

inline std::string explosion = "empties";  // what happens to a cell that explodes; or "keeps-surplus" or "dies"
const int ply_limit = 1000;                // a game of this many moves is a draw

inline void set_option(const std::string& name, const std::string& value) {
  if (name == "explosion") explosion = value;
}

// A position. `play` returns a new one and does not change this one, so you can look ahead freely.
struct State {
  struct Cell {
    char owner = '.';  // 'r' first player, 'b' second, '.' nobody, '#' dead
    int orbs = 0;
  };
  std::vector<std::vector<Cell>> cells;  // cells[row][col]; row 0 is the top
  int side = 0;                          // whose move it is: 0 or 1
  int ply = 0;                           // moves played so far

  // Reads a position text such as "r1.b2.../....../....../....../...... 1 2".
  static State parse(const std::string& text) {
    State state;
    std::string board;
    int side = 1;
    std::istringstream(text) >> board >> side >> state.ply;
    state.side = side - 1;
    state.cells.emplace_back();
    for (char c : board) {
      if (c == '/')
        state.cells.emplace_back();
      else if (c >= '0' && c <= '9')
        state.cells.back().back().orbs = c - '0';
      else
        state.cells.back().push_back({c, 0});
    }
    return state;
  }

  // The position as one line.
  std::string text() const {
    std::string board;
    for (const auto& row : cells) {
      if (!board.empty()) board += '/';
      for (const Cell& cell : row) {
        board += cell.owner;
        if (cell.orbs > 0) board += std::to_string(cell.orbs);
      }
    }
    return board + ' ' + std::to_string(side + 1) + ' ' + std::to_string(ply);
  }

  int rows() const { return static_cast<int>(cells.size()); }
  int cols() const { return static_cast<int>(cells[0].size()); }
  static char letter(int side) { return side == 0 ? 'r' : 'b'; }

  // The cells above, below, left and right; a cell explodes when it holds as many orbs as it has of these.
  std::vector<std::pair<int, int>> neighbours(int row, int col) const {
    std::vector<std::pair<int, int>> near;
    if (row > 0) near.push_back({row - 1, col});
    if (row < rows() - 1) near.push_back({row + 1, col});
    if (col > 0) near.push_back({row, col - 1});
    if (col < cols() - 1) near.push_back({row, col + 1});
    return near;
  }

  // The orbs of a side.
  int count(int of) const {
    int sum = 0;
    for (const auto& row : cells)
      for (const Cell& cell : row)
        if (cell.owner == letter(of)) sum += cell.orbs;
    return sum;
  }

  // The side that has won, or -1 while nobody has.
  int winner() const {
    const int mine = count(side), theirs = count(1 - side);
    if (ply < 2 && mine + theirs < 2) return -1;  // both must have played
    if (mine == 0 || theirs == 0) return mine > 0 ? side : 1 - side;
    return free_cells().empty() ? 1 - side : -1;
  }

  std::vector<std::string> free_cells() const {
    std::vector<std::string> found;
    for (int row = 0; row < rows(); row++)
      for (int col = 0; col < cols(); col++)
        if (cells[row][col].owner == '.' || cells[row][col].owner == letter(side))
          found.push_back(static_cast<char>('A' + col) + std::to_string(row + 1));
    return found;
  }

  // All moves as texts such as "C4"; none when the game is over.
  std::vector<std::string> legal_moves() const {
    if (ply >= ply_limit || winner() != -1) return {};
    return free_cells();
  }

  // The position after a move.
  State play(const std::string& move) const {
    State after = *this;
    const char me = letter(side);
    Cell& chosen = after.cells[std::stoi(move.substr(1)) - 1][move[0] - 'A'];
    chosen.owner = me;
    chosen.orbs++;
    for (auto full = after.full_cells(); !full.empty(); full = after.full_cells()) {  // a wave: all explode together
      for (auto [row, col] : full) after.explode(row, col, me);
      if (after.count(1 - side) == 0) break;  // won: the chain could go on forever
    }
    after.side = 1 - side;
    after.ply = ply + 1;
    return after;
  }

  std::vector<std::pair<int, int>> full_cells() const {
    std::vector<std::pair<int, int>> found;
    for (int row = 0; row < rows(); row++)
      for (int col = 0; col < cols(); col++)
        if (cells[row][col].orbs >= static_cast<int>(neighbours(row, col).size())) found.push_back({row, col});
    return found;
  }

  void explode(int row, int col, char me) {
    const auto near = neighbours(row, col);
    Cell& cell = cells[row][col];
    cell.orbs = explosion == "keeps-surplus" ? cell.orbs - static_cast<int>(near.size()) : 0;
    cell.owner = explosion == "dies" ? '#' : cell.orbs > 0 ? me : '.';
    for (auto [r, c] : near)
      if (cells[r][c].owner != '#') {
        cells[r][c].owner = me;
        cells[r][c].orbs++;
      }
  }

  // An estimate of how well a side stands. A better estimate makes a better bot.
  int value(int of) const {
    const int won = winner();
    if (won != -1) return won == of ? 1000 : -1000;
    return count(of) - count(1 - of);
  }
};
