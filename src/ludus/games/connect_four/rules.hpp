// Connect Four: the rules, on two sets of bits. Knows nothing of search or Python.
//
// Each column has one bit more than it has rows, which stays empty, so that no line goes on from the top of a column to
// the bottom of the next. On 6 rows and 7 columns:
//
//          .  .  .  .  .  .  .         the spare bits 6, 13, 20 ...
//      6   5 12 19 26 33 40 47         mine    the discs of the side to move
//      ...                             filled  those of both sides
//      2   1  8 15 22 29 36 43
//      1   0  7 14 21 28 35 42         a line goes on by steps of 1 (column), 7 (row), 8 or 6 (diagonals)
//          A  B  C  D  E  F  G
//
// A disc is dropped by an addition: filled + (the lowest bit of the column) sets the lowest empty bit of it.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/bitboard.hpp"
#include "core/game.hpp"
#include "core/text.hpp"

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
  constexpr Bits lines(Bits cells, int direction) const {
    int length = 1;
    for (; 2 * length <= line; length *= 2) cells &= cells >> (length * step[direction]);
    return length < line ? cells & (cells >> ((line - length) * step[direction])) : cells;
  }
  constexpr bool has_line(Bits cells) const {
    return (lines(cells, 0) | lines(cells, 1) | lines(cells, 2) | lines(cells, 3)) != 0;
  }

  /// Left and right swapped. It works on sums of sets too, since no column carries into the next.
  constexpr Bits mirror(Bits cells) const {
    const Bits whole = (Bits{1} << height) - 1;
    Bits result = 0;
    for (int col = 0; col < cols; ++col) result |= ((cells >> (col * height)) & whole) << ((cols - 1 - col) * height);
    return result;
  }
};

template <class Space>
class ConnectFour : public Space {
 public:
  struct State {
    Bits mine = 0, filled = 0;
    Side side = 0;
    Verdict verdict = Verdict::open;
    Bits theirs() const { return filled ^ mine; }
    auto operator<=>(const State&) const = default;
  };
  struct Move {
    std::uint8_t cell;
    bool operator==(const Move&) const = default;
  };
  using Moves = MoveList<Move, 8>;

  explicit ConnectFour(Space space) : Space(space) {}

  State initial(std::uint64_t) const { return {}; }
  Side side(const State& state) const { return state.side; }
  Verdict verdict(const State& state) const { return state.verdict; }
  int max_moves_left(const State& state) const { return count(this->board().all & ~state.filled); }

  /// The lowest empty cell of each column.
  Bits free_cells(const State& state) const { return (state.filled + this->board().bottom) & this->board().all; }

  Moves legal_moves(const State& state) const {
    return state.verdict == Verdict::open ? moves_to(free_cells(state)) : Moves{};
  }
  Moves moves_to(Bits cells) const {
    Moves moves;
    for_each_bit(cells, [&](int cell) { moves.push_back({static_cast<std::uint8_t>(cell)}); });
    return moves;
  }
  int col(Move move) const { return move.cell / this->board().height; }

  State play(const State& before, Move move) const {
    const Bits disc = bit<Bits>(move.cell);
    State state{before.theirs(), before.filled | disc, Side(before.side ^ 1)};
    if (this->board().has_line(before.mine | disc)) {
      state.verdict = win_for(before.side);
    } else if (state.filled == this->board().all) {
      state.verdict = Verdict::tie;
    }
    return state;
  }

  /// A column of k discs adds up to 2^k - 1 and what is mine of it, so the sum tells all positions apart.
  std::uint64_t key(const State& state) const { return mixed(state.side, state.mine + state.filled); }
  std::uint64_t mixed(Side side, Bits sum) const {
    const std::uint64_t key = mix(mix(0, side), sum);
    return mix(key, key >> 32);
  }

  State canonical(const State& state) const {
    const auto& board = this->board();
    return std::min(state, {board.mirror(state.mine), board.mirror(state.filled), state.side, state.verdict});
  }

  std::string text(const State& state) const { return board_text(state) + (state.side == 0 ? " 1" : " 2"); }

  State parse(std::string_view line) const {
    const auto& board = this->board();
    Reader reader(line);
    std::array<Bits, 2> discs{};
    for (int row = board.rows - 1; row >= 0; --row) {
      if (row < board.rows - 1) reader.row_end(board.cols);
      for (int col = 0; col < board.cols; ++col) {
        if (reader.take_if('.')) continue;
        if (reader.peek() != 'x' && reader.peek() != 'o') reader.expected({"connect_four.text.cell"});
        discs[reader.take() == 'x' ? 0 : 1] |= Bits{1} << (col * board.height + row);
      }
    }
    State state;
    state.filled = discs[0] | discs[1];
    if (const Bits loose = state.filled & ~board.bottom & ~(state.filled << 1)) {
      const int row = lowest(loose) % board.height, col = lowest(loose) / board.height;
      throw ParseFault({"connect_four.text.floating", {{"cell", letter_cell_text(col, row + 1)}}},
                       static_cast<std::size_t>((board.rows - 1 - row) * (board.cols + 1) + col + 1));
    }
    if (reader.next_field()) state.side = reader.side();
    reader.finish();
    state.mine = discs[state.side];
    for (const Side winner : {state.side, Side(1 - state.side)})
      if (board.has_line(discs[winner])) state.verdict = win_for(winner);
    if (state.verdict == Verdict::open && state.filled == board.all) state.verdict = Verdict::tie;
    return state;
  }

  std::string move_text(const State&, Move move) const { return column_name(col(move)); }

  Move find_move(const State& state, std::string_view text) const {
    const int col = text.size() == 1 ? (text[0] | 32) - 'a' : -1;
    if (col < 0 || col >= this->board().cols) {
      const auto last = column_name(this->board().cols - 1);
      throw IllegalMove({"connect_four.illegal.column", {{"text", quote(text)}, {"last", last}}});
    }
    if (state.verdict != Verdict::open) throw game_over();
    const Bits cell = free_cells(state) & this->board().column(col);
    if (!cell) throw IllegalMove({"connect_four.illegal.full", {{"column", column_name(col)}}});
    return {static_cast<std::uint8_t>(lowest(cell))};
  }

  std::vector<Step> steps(const State& state, Move move) const {
    const auto& board = this->board();
    const State after = play(state, move);
    std::vector<Step> result{{"place", cells(after.filled ^ state.filled), 0, board_text(after)}};
    if (after.verdict == win_for(state.side)) {
      const Bits discs = after.theirs();
      Bits in_lines = 0;
      for (int d = 0; d < 4; ++d)
        for (int i = 0; i < board.line; ++i) in_lines |= board.lines(discs, d) << (i * board.step[d]);
      result.push_back({"line", cells(in_lines), 0, board_text(after)});
    }
    return result;
  }

 private:
  static std::string column_name(int col) { return {static_cast<char>('A' + col)}; }

  std::vector<Cell> cells(Bits set) const {
    std::vector<Cell> result;
    for_each_bit(set, [&](int i) {
      result.push_back({this->board().rows - 1 - i % this->board().height, i / this->board().height});
    });
    return result;
  }

  std::string board_text(const State& state) const {
    std::string result;
    for (int row = this->board().rows - 1; row >= 0; --row) {
      for (int col = 0; col < this->board().cols; ++col) {
        const Bits here = Bits{1} << (col * this->board().height + row);
        result += !(here & state.filled) ? '.' : ((here & state.mine) != 0) == (state.side == 0) ? 'x' : 'o';
      }
      if (row > 0) result += '/';
    }
    return result;
  }
};

}  // namespace ludus::connect_four
