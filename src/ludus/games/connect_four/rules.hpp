// Connect Four: the rules, on two sets of bits. Knows nothing of search or Python.
//
// Each column has one bit more than it has rows, which stays empty, so that no line goes on from the top of a column to
// the bottom of the next. On 6 rows and 7 columns:
//
//          .  .  .  .  .  .  .         the spare bits 6, 13, 20 ...
//      6   5 12 19 26 33 40 47         mine    the discs of the side to move
//      ...                             theirs  those of the other
//      2   1  8 15 22 29 36 43
//      1   0  7 14 21 28 35 42         a line goes on by steps of 1 (column), 7 (row), 8 or 6 (diagonals)
//          A  B  C  D  E  F  G
//
// A disc is dropped by an addition: all discs + (the lowest bit of the column) set the lowest empty bit of it.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <tuple>

#include "core/line_game.hpp"

namespace ludus::connect_four {

using Bits = std::uint64_t;

/// The size, and what follows from it.
struct Board {
  using Bits = connect_four::Bits;
  int rows, cols, line, height;
  std::array<int, 4> step;
  Bits bottom = 0, all = 0;
  Bits even = 0;  ///< cells, spare ones too, with an even number of cells above them in the column
  std::array<Bits, 5> lines_through{};  ///< how many lines go through each cell: bit i of the number is in set i

  constexpr Board(int row_count, int col_count, int line_length)
      : rows(row_count), cols(col_count), line(line_length), height(rows + 1), step{1, height, height + 1, height - 1} {
    for (int col = 0; col < cols; ++col) bottom |= Bits{1} << (col * height);
    all = bottom * ((Bits{1} << rows) - 1);
    for (int row = rows; row >= 0; row -= 2) even |= bottom << row;
    for (int d = 0; d < 4; ++d) {
      for (int i = 0; i < line; ++i) {
        Bits more = lines(all, d) << (i * step[d]);
        for (Bits& digit : lines_through) std::tie(digit, more) = std::pair(digit ^ more, digit & more);
      }
    }
  }

  constexpr Bits column(int col) const { return ((Bits{1} << rows) - 1) << (col * height); }

  /// The first cells of the lines in that direction.
  constexpr Bits lines(Bits cells, int direction) const { return runs(cells, line, step[direction]); }
  constexpr int cell(int row, int col) const { return col * height + rows - 1 - row; }

  /// Left and right swapped. It works on sums of sets too, since no column carries into the next.
  constexpr Bits mirror(Bits cells) const {
    const Bits whole = (Bits{1} << height) - 1;
    Bits result = 0;
    for (int col = 0; col < cols; ++col) result |= ((cells >> (col * height)) & whole) << ((cols - 1 - col) * height);
    return result;
  }
};

template <class Space>
class ConnectFour : public LineGame<ConnectFour<Space>, Space> {
 public:
  using Base = LineGame<ConnectFour, Space>;
  using typename Base::State, typename Base::Move;
  using Moves = MoveList<Move, 8>;
  using Base::occupied;

  explicit ConnectFour(Space space) : Base(space) {}

  /// The lowest empty cell of each column.
  Bits free_cells(const State& state) const { return (occupied(state) + this->board().bottom) & this->board().all; }

  Moves legal_moves(const State& state) const { return moves(state.verdict == Verdict::open ? free_cells(state) : 0); }
  Moves moves(Bits cells) const {
    Moves result;
    for_each_bit(cells, [&](int cell) { result.push_back({static_cast<std::uint8_t>(cell)}); });
    return result;
  }

  /// A column of k discs adds up to 2^k - 1 and what is mine of it, so the sum tells all positions apart.
  Bits sum(const State& state) const { return state.mine + occupied(state); }
  std::uint64_t key(const State& state) const { return mixed(state.side, sum(state)); }
  std::uint64_t mixed(Side side, Bits sum) const {
    const std::uint64_t key = mix(mix(0, side), sum);
    return mix(key, key >> 32);
  }

  /// Left and right may be swapped.
  template <class Visit>
  void for_each_image(const State& state, Visit visit) const {
    const auto mirror = [&](Bits cells) { return this->board().mirror(cells); };
    visit(Symmetry{true, false, false}, State{mirror(state.mine), mirror(state.theirs), state.side, state.verdict});
  }

  /// An action is a column.
  int actions() const { return this->board().cols; }
  int action_of(Move move) const { return move.cell / this->board().height; }
  Move move_of(const State& state, int action) const {
    return {static_cast<std::uint8_t>(lowest(free_cells(state) & this->board().column(action)))};
  }
  std::string action_text(int action) const { return {static_cast<char>('A' + action)}; }
  int image_of(int action, Symmetry symmetry) const { return symmetry.image_of(action, {1, this->board().cols}); }

  Move find_move(const State& state, std::string_view text) const {
    const int col = text.size() == 1 ? (text[0] | 32) - 'a' : -1;
    if (col < 0 || col >= this->board().cols) {
      const auto last = action_text(this->board().cols - 1);
      throw IllegalMove({"connect_four.illegal.column", {{"text", quote(text)}, {"last", last}}});
    }
    if (state.verdict != Verdict::open) throw game_over();
    const Bits cell = free_cells(state) & this->board().column(col);
    if (!cell) throw IllegalMove({"connect_four.illegal.full", {{"column", action_text(col)}}});
    return {static_cast<std::uint8_t>(lowest(cell))};
  }

  Bits floating(Bits discs) const { return discs & ~this->board().bottom & ~(discs << 1); }
  static Message floating_message(const std::string& cell) { return {"connect_four.text.floating", {{"cell", cell}}}; }
};

}  // namespace ludus::connect_four
