// Magnetic Cave: the rules, on two sets of bits. Knows nothing of search or Python.
//
// The text shows the rows from the top, so the top row is row 0 here and bears the highest number:
//
//     8    0  1  2  3  4  5  6  7      mine    the bricks of the side to move
//     7    8  9 10 11 ...              theirs  those of the other: a move swaps the two
//     ...
//     1   56 57 58 59 60 61 62 63      a line goes on by steps of 1 (row), 8 (column), 9 or 7 (diagonals)
//          A  B  C  D  E  F  G  H
//
// Only the mover can complete a line, so each move tests one side, all cells at once: shifting the set by one step
// and keeping what is in both leaves the cells that begin a run of two; the same again doubles the run.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "core/bitboard.hpp"
#include "core/game.hpp"
#include "core/text.hpp"

namespace ludus::magnetic_cave {

/// A grid, the length of a line, and where lines fit.
template <class Bits_>
struct Board : Grid<Bits_> {
  using Bits = Bits_;
  static constexpr int directions = 4;
  int line;
  std::array<int, directions> step;       ///< from one cell of a line to the next
  std::array<Bits, directions> starts{};  ///< first cells of all lines that fit on the board

  constexpr Board(int row_count, int col_count, int line_length)
      : Grid<Bits>(row_count, col_count), line(line_length), step{1, col_count, col_count + 1, col_count - 1} {
    const int reach = line - 1;
    for (int row = 0; row < this->rows; ++row) {
      for (int col = 0; col < this->cols; ++col) {
        const Bits here = bit<Bits>(row * this->cols + col);
        const bool fits_right = col + reach < this->cols, fits_left = col >= reach,
                   fits_down = row + reach < this->rows;
        if (fits_right) starts[0] |= here;
        if (fits_down) starts[1] |= here;
        if (fits_down && fits_right) starts[2] |= here;
        if (fits_down && fits_left) starts[3] |= here;
      }
    }
  }

  /// First cells of the lines in that direction that lie wholly in `cells`.
  constexpr Bits lines(Bits cells, int direction) const {
    int length = 1;
    for (; 2 * length <= line; length *= 2) cells &= cells >> (length * step[direction]);
    if (length < line) cells &= cells >> ((line - length) * step[direction]);
    return cells & starts[direction];
  }
  constexpr bool has_line(Bits cells) const {
    Bits any{};
    for (int d = 0; d < directions; ++d) any |= lines(cells, d);
    return static_cast<bool>(any);
  }
};

template <class Space>
class MagneticCave : public Space {
 public:
  using Bits = typename Space::Bits;

  struct State {
    Bits mine{}, theirs{};
    Side side = 0;
    Verdict verdict = Verdict::open;

    auto operator<=>(const State&) const = default;
  };
  struct Move {
    std::uint8_t cell;
    bool operator==(const Move&) const = default;
  };
  using Moves = BitMoves<Bits, Move>;

  explicit MagneticCave(Space space) : Space(space) {}

  State initial(std::uint64_t) const { return {}; }
  Side side(const State& state) const { return state.side; }
  Verdict verdict(const State& state) const { return state.verdict; }

  /// Each move fills a cell.
  int max_moves_left(const State& state) const { return count(this->board().all & ~occupied(state)); }

  Moves legal_moves(const State& state) const {
    if (state.verdict != Verdict::open) return Moves{};
    return Moves{free_cells(state)};
  }

  State play(const State& before, Move move) const {
    State state{before.theirs, before.mine | bit<Bits>(move.cell), Side(before.side ^ 1)};
    if (this->board().has_line(state.theirs)) {
      state.verdict = win_for(before.side);
    } else if (occupied(state) == this->board().all) {
      state.verdict = Verdict::tie;
    }
    return state;
  }

  std::uint64_t key(const State& state) const {
    const std::uint64_t key = mix(mix(mix(0, state.side), state.mine), state.theirs);
    return mix(key, key >> 32);  // without it the last cells would reach the highest bits only
  }

  /// The walls are left and right, so the board may be mirrored and flipped, but not turned.
  State canonical(const State& state) const {
    const auto& board = this->board();
    State best = state;
    auto consider = [&](auto transform) {
      best = std::min(best, {transform(state.mine), transform(state.theirs), state.side, state.verdict});
    };
    consider([&](Bits b) { return board.mirror(b); });
    consider([&](Bits b) { return board.flip(b); });
    consider([&](Bits b) { return board.flip(board.mirror(b)); });
    return best;
  }

  std::string text(const State& state) const { return board_text(state) + (state.side == 0 ? " 1" : " 2"); }

  State parse(std::string_view line) const {
    const auto& board = this->board();
    Reader reader(line);
    std::array<Bits, 2> bricks{};
    for (int row = 0; row < board.rows; ++row) {
      if (row > 0) reader.row_end(board.cols);
      for (int col = 0; col < board.cols; ++col) read_cell(reader, bricks, row * board.cols + col);
    }
    if (const Bits loose = floating(bricks[0] | bricks[1])) {
      const int cell = lowest(loose);
      throw ParseFault({"magnetic_cave.text.floating", {{"cell", cell_text(cell)}}},
                       static_cast<std::size_t>(cell + cell / board.cols + 1));
    }
    State state;
    if (reader.next_field()) state.side = reader.side();
    reader.finish();
    state.mine = bricks[state.side];
    state.theirs = bricks[1 - state.side];
    if (board.has_line(state.theirs)) {
      state.verdict = win_for(Side(1 - state.side));
    } else if (board.has_line(state.mine)) {
      state.verdict = win_for(state.side);
    } else if (occupied(state) == board.all) {
      state.verdict = Verdict::tie;
    }
    return state;
  }

  std::string move_text(const State&, Move move) const { return cell_text(move.cell); }

  Move find_move(const State& state, std::string_view text) const {
    const auto& board = this->board();
    const auto named = letter_cell(text);
    if (!named || named->col >= board.cols || named->number < 1 || named->number > board.rows) {
      throw no_such_cell(text, "A1", cell_text(board.cols - 1));
    }
    if (state.verdict != Verdict::open) throw game_over();
    const int cell = (board.rows - named->number) * board.cols + named->col;
    const Bits here = bit<Bits>(cell);
    if (here & occupied(state)) throw IllegalMove({"magnetic_cave.illegal.occupied", {{"cell", cell_text(cell)}}});
    if (!(here & free_cells(state))) {
      throw IllegalMove({"magnetic_cave.illegal.out_of_reach", {{"cell", cell_text(cell)}}});
    }
    return Move{static_cast<std::uint8_t>(cell)};
  }

  std::vector<Step> steps(const State& state, Move move) const {
    const State after = play(state, move);
    std::vector<Step> result{{"place", screen_cells(bit<Bits>(move.cell)), 0, board_text(after)}};
    if (after.verdict == win_for(state.side)) {
      result.push_back({"line", screen_cells(cells_in_lines(after.theirs)), 0, board_text(after)});
    }
    return result;
  }

  Bits occupied(const State& state) const { return state.mine | state.theirs; }

  /// Empty cells at a wall or beside a brick. A shift that leaves its row arrives at a wall, so it does no harm.
  Bits free_cells(const State& state) const {
    const auto& board = this->board();
    const Bits bricks = occupied(state);
    return board.all & ~bricks & (board.left | board.right | (bricks << 1) | (bricks >> 1));
  }

 private:
  /// Bricks that no chain of bricks in their row holds to a wall.
  Bits floating(Bits bricks) const {
    const auto& board = this->board();
    Bits held = bricks & (board.left | board.right);
    for (Bits before{}; held != before;) {
      before = held;
      held |= bricks & (board.east(held) | board.west(held));
    }
    return bricks & ~held;
  }

  Bits cells_in_lines(Bits bricks) const {
    const auto& board = this->board();
    Bits result{};
    for (int d = 0; d < board.directions; ++d) {
      Bits cells = board.lines(bricks, d);
      for (int i = 0; i < board.line; ++i, cells = cells << board.step[d]) result |= cells;
    }
    return result;
  }

  std::vector<Cell> screen_cells(Bits cells) const {
    std::vector<Cell> result;
    for_each_bit(cells, [&](int i) { result.push_back({i / this->board().cols, i % this->board().cols}); });
    return result;
  }

  std::string cell_text(int cell) const {
    return letter_cell_text(cell % this->board().cols, this->board().rows - cell / this->board().cols);
  }

  std::string board_text(const State& state) const {
    const auto& board = this->board();
    const char mine = state.side == 0 ? 'x' : 'o', theirs = state.side == 0 ? 'o' : 'x';
    std::string result;
    for (int cell = 0; cell < board.rows * board.cols; ++cell) {
      const Bits here = bit<Bits>(cell);
      if (cell > 0 && cell % board.cols == 0) result += '/';
      result += (here & state.mine) ? mine : (here & state.theirs) ? theirs : '.';
    }
    return result;
  }

  static void read_cell(Reader& reader, std::array<Bits, 2>& bricks, int cell) {
    if (reader.take_if('.')) return;
    if (reader.peek() != 'x' && reader.peek() != 'o') reader.expected({"magnetic_cave.text.cell"});
    bricks[reader.take() == 'x' ? 0 : 1] |= bit<Bits>(cell);
  }
};

}  // namespace ludus::magnetic_cave
