// What games share in which a move adds a mark and a line of marks wins: states, texts, and how such a game ends. Knows
// nothing of where a mark may go: that is the game's own.
//
// A game `Game` derives from LineGame<Game, Space> and adds `legal_moves`, `find_move`, `key`, the actions,
// the images, `floating` (the marks that nothing holds in their place) and `floating_message`. Its board has `rows`,
// `cols`, `line`, `all`, the `step` from one cell of a line to the next in each direction, `lines` (the first cells of
// lines), and `cell(row, col)`, the bit of a cell, rows counted from the top.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "core/bitboard.hpp"
#include "core/game.hpp"
#include "core/text.hpp"

namespace ludus {

/// The cells that begin a run of that length: shifting the set by one step and keeping what is in both leaves the cells
/// that begin a run of two; the same again doubles the run.
template <class Bits>
constexpr Bits runs(Bits cells, int length, int step) {
  int reached = 1;
  for (; 2 * reached <= length; reached *= 2) cells &= cells >> (reached * step);
  return reached < length ? cells & (cells >> ((length - reached) * step)) : cells;
}

template <class Game, class Space>
class LineGame : public Space {
 public:
  using Bits = typename Space::Bits;

  struct State {
    Bits mine{}, theirs{};  ///< the marks of the side to move, and of the other: a move swaps the two
    Side side = 0;
    Verdict verdict = Verdict::open;

    auto operator<=>(const State&) const = default;
  };
  struct Move {
    std::uint8_t cell;
    bool operator==(const Move&) const = default;
  };

  explicit LineGame(Space space) : Space(space) {}

  State initial(std::uint64_t) const { return {}; }
  Side side(const State& state) const { return state.side; }
  Verdict verdict(const State& state) const { return state.verdict; }
  Bits occupied(const State& state) const { return state.mine | state.theirs; }

  /// Each move fills a cell.
  int max_moves_left(const State& state) const { return count(this->board().all & ~occupied(state)); }

  bool has_line(Bits cells) const {
    Bits any{};
    for (int d = 0; d < directions; ++d) any |= this->board().lines(cells, d);
    return static_cast<bool>(any);
  }

  /// Only the mover can complete a line, so each move tests one side.
  State play(const State& before, Move move) const {
    State state{before.theirs, before.mine | bit<Bits>(move.cell), Side(before.side ^ 1)};
    if (has_line(state.theirs)) {
      state.verdict = win_for(before.side);
    } else if (occupied(state) == this->board().all) {
      state.verdict = Verdict::tie;
    }
    return state;
  }

  std::string text(const State& state) const { return board_text(state) + (state.side == 0 ? " 1" : " 2"); }

  State parse(std::string_view line) const {
    const auto& board = this->board();
    Reader reader(line);
    std::array<Bits, 2> marks{};
    for (int row = 0; row < board.rows; ++row) {
      if (row > 0) reader.row_end(board.cols);
      for (int col = 0; col < board.cols; ++col) {
        if (reader.take_if('.')) continue;
        if (reader.peek() != 'x' && reader.peek() != 'o') reader.expected({"rules.text.mark"});
        marks[reader.take() == 'x' ? 0 : 1] |= bit<Bits>(board.cell(row, col));
      }
    }
    const auto loose = cells(own().floating(marks[0] | marks[1]));
    if (!loose.empty()) {
      const auto [row, col] = loose.front();
      throw ParseFault(own().floating_message(letter_cell_text(col, board.rows - row)),
                       static_cast<std::size_t>(row * (board.cols + 1) + col + 1));
    }
    State state;
    if (reader.next_field()) state.side = reader.side();
    reader.finish();
    state.mine = marks[state.side];
    state.theirs = marks[1 - state.side];
    if (occupied(state) == board.all) state.verdict = Verdict::tie;
    for (const Side winner : {state.side, Side(1 - state.side)})  // if both have a line, the one who moved last
      if (has_line(marks[winner])) state.verdict = win_for(winner);
    return state;
  }

  BoardSize board_size() const { return {this->board().rows, this->board().cols}; }
  std::vector<std::string> plane_names() const { return {"mine", "theirs"}; }
  void write_planes(const State& state, Side viewer, float* out) const {
    const bool own = viewer == state.side;
    out = write_plane(this->board(), own ? state.mine : state.theirs, out);
    write_plane(this->board(), own ? state.theirs : state.mine, out);
  }

  std::vector<Step> steps(const State& state, Move move) const {
    const State after = play(state, move);
    std::vector<Step> result{{"place", cells(bit<Bits>(move.cell)), 0, board_text(after)}};
    if (after.verdict == win_for(state.side)) {
      result.push_back({"line", cells(cells_in_lines(after.theirs)), 0, board_text(after)});
    }
    return result;
  }

 private:
  static constexpr int directions = 4;

  const Game& own() const { return static_cast<const Game&>(*this); }

  Bits cells_in_lines(Bits marks) const {
    const auto& board = this->board();
    Bits result{};
    for (int d = 0; d < directions; ++d) {
      Bits found = board.lines(marks, d);
      for (int i = 0; i < board.line; ++i, found = found << board.step[d]) result |= found;
    }
    return result;
  }

  /// The cells of a set as a person sees them, row by row from the top.
  std::vector<Cell> cells(Bits set) const {
    std::vector<Cell> result;
    for (int row = 0; row < this->board().rows; ++row)
      for (int col = 0; col < this->board().cols; ++col)
        if (bit<Bits>(this->board().cell(row, col)) & set) result.push_back({row, col});
    return result;
  }

  std::string board_text(const State& state) const {
    const auto& board = this->board();
    const char mine = state.side == 0 ? 'x' : 'o', theirs = state.side == 0 ? 'o' : 'x';
    std::string result;
    for (int row = 0; row < board.rows; ++row) {
      if (row > 0) result += '/';
      for (int col = 0; col < board.cols; ++col) {
        const Bits here = bit<Bits>(board.cell(row, col));
        result += (here & state.mine) ? mine : (here & state.theirs) ? theirs : '.';
      }
    }
    return result;
  }
};

}  // namespace ludus
