// Sets of board cells as bits: one machine word where it suffices, several where it does not, and the grid
// geometry (neighbours, mirrors) over either. Knows cells and shifts, no game.
//
// Cell (row, col) is bit row * cols + col, row 0 at the top:
//
//      0  1  2  3  4  5
//      6  7  8  9 10 11      a board of 5 x 6: north is >> 6, east is << 1 (but not out of column 5)
//     12 ...
#pragma once

#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#ifdef __BMI2__
#include <immintrin.h>
#endif

#include "core/game.hpp"

namespace ludus {

/// A set of up to 64 * Words bits with the operators of an unsigned integer.
template <int Words>
struct WideBits {
  std::array<std::uint64_t, Words> word{};

  constexpr WideBits() = default;
  constexpr explicit WideBits(std::uint64_t low) { word[0] = low; }

  constexpr auto operator<=>(const WideBits&) const = default;
  constexpr explicit operator bool() const {
    std::uint64_t any = 0;
    for (auto w : word) any |= w;
    return any != 0;
  }
  constexpr WideBits& operator&=(const WideBits& other) {
    for (int i = 0; i < Words; ++i) word[i] &= other.word[i];
    return *this;
  }
  constexpr WideBits& operator|=(const WideBits& other) {
    for (int i = 0; i < Words; ++i) word[i] |= other.word[i];
    return *this;
  }
  constexpr WideBits& operator^=(const WideBits& other) {
    for (int i = 0; i < Words; ++i) word[i] ^= other.word[i];
    return *this;
  }
  friend constexpr WideBits operator&(WideBits a, const WideBits& b) { return a &= b; }
  friend constexpr WideBits operator|(WideBits a, const WideBits& b) { return a |= b; }
  friend constexpr WideBits operator^(WideBits a, const WideBits& b) { return a ^= b; }
  constexpr WideBits operator~() const {
    WideBits result;
    for (int i = 0; i < Words; ++i) result.word[i] = ~word[i];
    return result;
  }
  constexpr WideBits operator<<(int n) const {
    WideBits result;
    const int skip = n / 64, shift = n % 64;
    for (int i = Words - 1; i >= skip; --i) {
      result.word[i] = word[i - skip] << shift;
      if (shift != 0 && i > skip) result.word[i] |= word[i - skip - 1] >> (64 - shift);
    }
    return result;
  }
  constexpr WideBits operator>>(int n) const {
    WideBits result;
    const int skip = n / 64, shift = n % 64;
    for (int i = 0; i + skip < Words; ++i) {
      result.word[i] = word[i + skip] >> shift;
      if (shift != 0 && i + skip + 1 < Words) result.word[i] |= word[i + skip + 1] << (64 - shift);
    }
    return result;
  }
};

constexpr int count(std::uint64_t bits) {
  return std::popcount(bits);
}
template <int Words>
constexpr int count(const WideBits<Words>& bits) {
  int sum = 0;
  for (auto w : bits.word) sum += std::popcount(w);
  return sum;
}

/// Index of the lowest bit of a set that is not empty.
constexpr int lowest(std::uint64_t bits) {
  return std::countr_zero(bits);
}
template <int Words>
constexpr int lowest(const WideBits<Words>& bits) {
  int i = 0;
  while (bits.word[i] == 0) ++i;
  return 64 * i + std::countr_zero(bits.word[i]);
}

/// The bits of `value` that `mask` picks, moved together at the low end (BMI2's pext).
inline std::uint64_t extract(std::uint64_t value, std::uint64_t mask) {
#ifdef __BMI2__
  return _pext_u64(value, mask);
#else
  std::uint64_t result = 0;
  for (int to = 0; mask != 0; mask &= mask - 1, ++to) result |= ((value >> std::countr_zero(mask)) & 1) << to;
  return result;
#endif
}

/// Index of the k-th set bit, counted from 0.
inline int select(std::uint64_t bits, std::size_t k) {
#ifdef __BMI2__
  return std::countr_zero(_pdep_u64(std::uint64_t{1} << k, bits));
#else
  for (; k > 0; --k) bits &= bits - 1;
  return std::countr_zero(bits);
#endif
}
template <int Words>
int select(const WideBits<Words>& bits, std::size_t k) {
  for (int i = 0;; ++i) {
    const auto here = static_cast<std::size_t>(std::popcount(bits.word[i]));
    if (k < here) return 64 * i + select(bits.word[i], k);
    k -= here;
  }
}

template <class Bits>
constexpr Bits bit(int index) {
  return Bits{1} << index;
}

/// Whether the set has that bit.
constexpr bool has(std::uint64_t bits, int index) {
  return (bits >> index & 1) != 0;
}
template <int Words>
constexpr bool has(const WideBits<Words>& bits, int index) {
  return has(bits.word[static_cast<std::size_t>(index) / 64], index % 64);
}

/// Folds a whole set into a 64-bit key, as `mix` does one word.
template <int Words>
constexpr std::uint64_t mix(std::uint64_t key, const WideBits<Words>& bits) {
  for (auto word : bits.word) key = mix(key, word);
  return key;
}

/// Calls `visit(index)` for each set bit, lowest first.
template <class Bits, class Visit>
constexpr void for_each_bit(Bits bits, Visit visit) {
  while (bits) {
    const int index = lowest(bits);
    visit(index);
    bits ^= bit<Bits>(index);
  }
}

/// A set of cells as a list of moves: the k-th move is the k-th set bit.
template <class Bits, class Move>
class BitMoves {
 public:
  constexpr explicit BitMoves(Bits bits = {}) : bits_(bits) {}
  std::size_t size() const { return static_cast<std::size_t>(count(bits_)); }
  Move operator[](std::size_t k) const { return Move{static_cast<std::uint8_t>(select(bits_, k))}; }
  Bits bits() const { return bits_; }

 private:
  Bits bits_;
};

/// Writes a set of cells as a plane: 1 for each cell in it, 0 for the others, row by row from the top. Returns its end.
/// A conversion instead of a choice: no branch can guess which cells are in the set (63 ns a plane of 6 x 7, now 2 to
/// 5).
template <class Board, class Bits>
constexpr float* write_plane(const Board& board, const Bits& cells, float* out) {
  for (int row = 0; row < board.rows; ++row) {
    for (int col = 0; col < board.cols; ++col) {
      *out++ = static_cast<float>(static_cast<int>(has(cells, board.cell(row, col))));
    }
  }
  return out;
}

/// A rectangle of cells: its neighbours and mirrors. All members can be computed at compile time.
template <class Bits>
struct Grid {
  int rows, cols;
  Bits all{}, top{}, bottom{}, left{}, right{};

  constexpr Grid(int row_count, int col_count) : rows(row_count), cols(col_count) {
    for (int i = 0; i < rows * cols; ++i) {
      const Bits cell = bit<Bits>(i);
      all |= cell;
      if (i / cols == 0) top |= cell;
      if (i / cols == rows - 1) bottom |= cell;
      if (i % cols == 0) left |= cell;
      if (i % cols == cols - 1) right |= cell;
    }
  }

  constexpr int cell(int row, int col) const { return row * cols + col; }
  constexpr BoardSize size() const { return {rows, cols}; }

  constexpr Bits north(Bits b) const { return b >> cols; }
  constexpr Bits south(Bits b) const { return (b << cols) & all; }
  constexpr Bits west(Bits b) const { return (b & ~left) >> 1; }
  constexpr Bits east(Bits b) const { return (b & ~right) << 1; }

  /// Left and right swapped: every column moves as a whole.
  constexpr Bits mirror(Bits b) const {
    Bits result{};
    for (int c = 0; c < cols; ++c) result |= ((b >> c) & left) << (cols - 1 - c);
    return result;
  }
  /// Top and bottom swapped: every row moves as a whole.
  constexpr Bits flip(Bits b) const {
    Bits result{};
    for (int r = 0; r < rows; ++r) result |= ((b >> (r * cols)) & top) << ((rows - 1 - r) * cols);
    return result;
  }
  /// Rows and columns swapped; for square boards.
  constexpr Bits transpose(Bits b) const {
    Bits result{};
    for_each_bit(b, [&](int i) { result |= bit<Bits>((i % cols) * cols + i / cols); });
    return result;
  }
};

/// A board whose size the compiler knows, so that every mask is a constant. `Board` is a game's own kind of grid.
template <class Board, int... Size>
struct FixedBoard {
  using Bits = typename Board::Bits;
  static constexpr Board value{Size...};
  static constexpr const Board& board() { return value; }
};

/// A board of any size that its bits can hold.
template <class Board>
struct AnyBoard {
  using Bits = typename Board::Bits;
  Board value;
  const Board& board() const { return value; }
};

}  // namespace ludus
