// Magnetic Cave: the rules, on two sets of bits. Knows nothing of search or Python.
//
// The text shows the rows from the top, so the top row is row 0 here and bears the highest number:
//
//     8    0  1  2  3  4  5  6  7      mine    the bricks of the side to move
//     7    8  9 10 11 ...              theirs  those of the other: a move swaps the two
//     ...
//     1   56 57 58 59 60 61 62 63      a line goes on by steps of 1 (row), 8 (column), 9 or 7 (diagonals)
//          A  B  C  D  E  F  G  H
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "core/line_game.hpp"

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
    return runs(cells, line, step[direction]) & starts[direction];
  }
};

template <class Space>
class MagneticCave : public LineGame<MagneticCave<Space>, Space> {
 public:
  using Base = LineGame<MagneticCave, Space>;
  using typename Base::Bits, typename Base::State, typename Base::Move;
  using Moves = BitMoves<Bits, Move>;
  using Base::occupied;

  explicit MagneticCave(Space space) : Base(space) {}

  Moves legal_moves(const State& state) const {
    if (state.verdict != Verdict::open) return Moves{};
    return Moves{free_cells(state)};
  }

  std::uint64_t key(const State& state) const {
    const std::uint64_t key = mix(mix(mix(0, state.side), state.mine), state.theirs);
    return mix(key, key >> 32);  // without it the last cells would reach the highest bits only
  }

  /// The walls are left and right, so the board may be mirrored and flipped, but not turned.
  template <class Visit>
  void for_each_image(const State& state, Visit visit) const {
    const auto& board = this->board();
    auto image = [&](Symmetry symmetry, auto transform) {
      visit(symmetry, State{transform(state.mine), transform(state.theirs), state.side, state.verdict});
    };
    image({true, false, false}, [&](Bits b) { return board.mirror(b); });
    image({false, true, false}, [&](Bits b) { return board.flip(b); });
    image({true, true, false}, [&](Bits b) { return board.flip(board.mirror(b)); });
  }

  int actions() const { return this->board().rows * this->board().cols; }
  int action_of(Move move) const { return move.cell; }
  Move move_of(const State&, int action) const { return {static_cast<std::uint8_t>(action)}; }
  std::string action_text(int action) const { return cell_text(action); }
  int image_of(int action, Symmetry symmetry) const { return symmetry.image_of(action, this->board_size()); }

  Move find_move(const State& state, std::string_view text) const {
    const auto& board = this->board();
    const auto named = letter_cell(text);
    if (!named || named->col >= board.cols || named->number < 1 || named->number > board.rows) {
      throw no_such_cell(text, "A1", cell_text(board.cols - 1));
    }
    if (state.verdict != Verdict::open) throw game_over();
    const int cell = board.cell(board.rows - named->number, named->col);
    const Bits here = bit<Bits>(cell);
    if (here & occupied(state)) throw IllegalMove({"magnetic_cave.illegal.occupied", {{"cell", cell_text(cell)}}});
    if (!(here & free_cells(state))) {
      throw IllegalMove({"magnetic_cave.illegal.out_of_reach", {{"cell", cell_text(cell)}}});
    }
    return Move{static_cast<std::uint8_t>(cell)};
  }

  /// Empty cells at a wall or beside a brick. A shift that leaves its row arrives at a wall, so it does no harm.
  Bits free_cells(const State& state) const {
    const auto& board = this->board();
    const Bits bricks = occupied(state);
    return board.all & ~bricks & (board.left | board.right | (bricks << 1) | (bricks >> 1));
  }

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
  static Message floating_message(const std::string& cell) { return {"magnetic_cave.text.floating", {{"cell", cell}}}; }

 private:
  std::string cell_text(int cell) const {
    return letter_cell_text(cell % this->board().cols, this->board().rows - cell / this->board().cols);
  }
};

}  // namespace ludus::magnetic_cave
