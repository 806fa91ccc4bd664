// The rules of Connect Four: positions as text, the legal moves, and what a move does.
#pragma once

#include <sstream>
#include <string>
#include <vector>

inline int line_length = 4;  // this many discs of one player in a row, a column or a diagonal win

inline void set_option(const std::string& name, const std::string& value) {
  if (name == "line") line_length = std::stoi(value);
}

// A position. `play` returns a new one and does not change this one, so you can look ahead freely.
struct State {
  std::string board;  // the rows from the top, joined by '/': 'x' first player, 'o' second, '.' empty
  int side = 0;       // whose move it is: 0 or 1

  // Reads a position text such as "......./ ... /...x... 2".
  static State parse(const std::string& text) {
    State state;
    int side = 1;
    std::istringstream(text) >> state.board >> side;
    state.side = side - 1;
    return state;
  }

  // The position as one line.
  std::string text() const { return board + ' ' + std::to_string(side + 1); }

  std::size_t cols() const { return board.find('/'); }
  static char mark(int side) { return side == 0 ? 'x' : 'o'; }

  // Whether a side has a line. From one cell of it to the next is always the same step in the text.
  bool has_line(int of) const {
    for (const std::size_t step : {std::size_t{1}, cols(), cols() + 1, cols() + 2})
      for (std::size_t start = 0; start < board.size(); start++) {
        int length = 0;
        for (std::size_t at = start; at < board.size() && board[at] == mark(of); at += step) length++;
        if (length >= line_length) return true;
      }
    return false;
  }

  // The columns that are not full, such as "D"; none when the game is over.
  std::vector<std::string> legal_moves() const {
    std::vector<std::string> moves;
    if (has_line(0) || has_line(1)) return moves;
    for (std::size_t col = 0; col < cols(); col++)
      if (board[col] == '.') moves.push_back(std::string(1, static_cast<char>('A' + col)));
    return moves;
  }

  // The position after a move: the disc falls to the lowest empty cell.
  State play(const std::string& move) const {
    State after{board, 1 - side};
    std::size_t cell = move[0] - 'A', down = cols() + 1;
    while (cell + down < board.size() && board[cell + down] == '.') cell += down;
    after.board[cell] = mark(side);
    return after;
  }

  // An estimate of how well a side stands: discs in the middle column. A better estimate makes a better bot.
  int value(int of) const {
    if (has_line(of) || has_line(1 - of)) return has_line(of) ? 1000 : -1000;
    int lead = 0;
    for (std::size_t at = cols() / 2; at < board.size(); at += cols() + 1)
      lead += (board[at] == mark(of)) - (board[at] == mark(1 - of));
    return lead;
  }
};
