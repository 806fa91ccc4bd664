// Magnetic Cave: every place where a line fits, looked at all at once. Knows bricks and directions, no search.
//
// A window is such a place, named by its first cell and its direction. It is open to a side while it holds no enemy
// brick. A Fan is one set of cells for each of the four directions; shifting it moves each set by its own step, so
// that one operation asks the same question of all windows of the board:
//
//     fan.ahead(2)    bit c of each direction: is the cell two steps on from c in the set?
//     fan.back(2)     the cells two steps on from those in the set
#pragma once

#include <array>

#include "magnetic_cave/rules.hpp"

namespace ludus::magnetic_cave {

template <class Bits>
struct Fan {
  std::array<Bits, 4> way{};

  static Fan of(const std::array<Bits, 4>& sets) { return {sets}; }
  static Fan same(Bits set) { return {{set, set, set, set}}; }
  Fan ahead(const Board<Bits>& board, int steps) const {
    Fan result;
    for (std::size_t d = 0; d < 4; ++d) result.way[d] = shifted(way[d], -steps * board.step[d]);
    return result;
  }
  Fan back(const Board<Bits>& board, int steps) const {
    Fan result;
    for (std::size_t d = 0; d < 4; ++d) result.way[d] = shifted(way[d], steps * board.step[d]);
    return result;
  }
  Bits any() const { return way[0] | way[1] | way[2] | way[3]; }
  Bits along(std::size_t d) const { return way[d]; }

  friend Fan operator&(Fan a, const Fan& b) {
    for (std::size_t d = 0; d < 4; ++d) a.way[d] &= b.way[d];
    return a;
  }
  friend Fan operator|(Fan a, const Fan& b) {
    for (std::size_t d = 0; d < 4; ++d) a.way[d] |= b.way[d];
    return a;
  }
  friend Fan operator^(Fan a, const Fan& b) {
    for (std::size_t d = 0; d < 4; ++d) a.way[d] ^= b.way[d];
    return a;
  }
  Fan operator~() const { return {{~way[0], ~way[1], ~way[2], ~way[3]}}; }

 private:
  /// A line that fits nowhere may ask for a shift beyond the last bit.
  static Bits shifted(Bits set, int by) {
    if (by >= int(8 * sizeof(Bits)) || -by >= int(8 * sizeof(Bits))) return Bits{};
    return by < 0 ? set >> -by : set << by;
  }
};

#ifdef __AVX2__
/// Four words in one register, where each can be shifted by its own amount; by 64 or more leaves nothing.
template <>
struct Fan<std::uint64_t> {
  using Bits = std::uint64_t;
  __m256i way;

  static Fan of(const std::array<Bits, 4>& sets) {
    return {
        _mm256_set_epi64x(std::int64_t(sets[3]), std::int64_t(sets[2]), std::int64_t(sets[1]), std::int64_t(sets[0]))};
  }
  static Fan same(Bits set) { return {_mm256_set1_epi64x(std::int64_t(set))}; }
  Fan ahead(const Board<Bits>& board, int steps) const { return {_mm256_srlv_epi64(way, amounts(board, steps))}; }
  Fan back(const Board<Bits>& board, int steps) const { return {_mm256_sllv_epi64(way, amounts(board, steps))}; }
  Bits any() const {
    const __m128i half = _mm_or_si128(_mm256_castsi256_si128(way), _mm256_extracti128_si256(way, 1));
    return Bits(_mm_cvtsi128_si64(half)) | Bits(_mm_extract_epi64(half, 1));
  }
  Bits along(std::size_t d) const {
    alignas(32) std::array<Bits, 4> sets;
    _mm256_store_si256(reinterpret_cast<__m256i*>(sets.data()), way);
    return sets[d];
  }

  friend Fan operator&(Fan a, Fan b) { return {_mm256_and_si256(a.way, b.way)}; }
  friend Fan operator|(Fan a, Fan b) { return {_mm256_or_si256(a.way, b.way)}; }
  friend Fan operator^(Fan a, Fan b) { return {_mm256_xor_si256(a.way, b.way)}; }
  Fan operator~() const { return {_mm256_xor_si256(way, _mm256_set1_epi64x(-1))}; }

 private:
  static __m256i amounts(const Board<Bits>& board, int steps) {
    return _mm256_set_epi64x(steps * board.step[3], steps * board.step[2], steps * board.step[1],
                             steps * board.step[0]);
  }
};
#endif

/// All places of a line that have a cell in the set.
template <class Bits>
[[gnu::always_inline]] inline Fan<Bits> windows_on(const Board<Bits>& board, Bits cells) {
  Fan<Bits> result = Fan<Bits>::same(cells);
  int length = 1;
  for (; 2 * length <= board.line; length *= 2) result = result | result.ahead(board, length);
  if (length < board.line) result = result | result.ahead(board, board.line - length);
  return result;
}

/// The windows of one side: which are open to it, and how many of its bricks they hold, as binary digits of a Fan each.
template <class Bits>
struct Windows {
  Fan<Bits> open, ones, twos, fours;

  Windows() = default;
  Windows(const Board<Bits>& board, Bits bricks, Bits enemies) {
    open = Fan<Bits>::of(board.starts) & ~windows_on(board, enemies);

    const Fan<Bits> held = Fan<Bits>::same(bricks);
    ones = held;
    twos = fours = Fan<Bits>::same(Bits{});
    for (int i = 1; i < board.line; ++i) {
      const Fan<Bits> more = held.ahead(board, i), carry = ones & more;
      ones = ones ^ more;
      fours = fours | (twos & carry);  // eight bricks are a line, and the game is over
      twos = twos ^ carry;
    }
  }

  /// The open windows with that many bricks.
  Fan<Bits> holding(int bricks) const {
    return open & (bricks & 1 ? ones : ~ones) & (bricks & 2 ? twos : ~twos) & (bricks & 4 ? fours : ~fours);
  }
  /// The open windows without those that lack all that another lacks; of equal ones the first is left. Along one line
  /// it is enough to look at the next window, which is one cell further on: if the cell that it leaves behind holds a
  /// brick, it lacks no less. Windows of two directions have one cell in common, so that the other lacks only that gap.
  Fan<Bits> least(const Board<Bits>& board, Bits bricks, Bits gaps) const {
    const Fan<Bits> held = Fan<Bits>::same(bricks);
    Fan<Bits> result = open & ~((open & held).back(board, 1));
    result = result & ~(open.ahead(board, 1) & held.ahead(board, board.line) & ~held);
    if (gaps) result = result & (~windows_on(board, gaps) | holding(board.line - 1));
    return result;
  }
  /// The open windows with at least that many.
  Fan<Bits> holding_at_least(const Board<Bits>& board, int bricks) const {
    Fan<Bits> result = Fan<Bits>::same(Bits{});
    for (int n = std::max(bricks, 0); n < board.line; ++n) result = result | holding(n);
    return result;
  }
};

/// All cells of those windows.
template <class Bits>
[[gnu::always_inline]] inline Bits cells_of(const Board<Bits>& board, Fan<Bits> windows) {
  int length = 1;
  for (; 2 * length <= board.line; length *= 2) windows = windows | windows.back(board, length);
  if (length < board.line) windows = windows | windows.back(board, board.line - length);
  return windows.any();
}

/// All cells of the rows that have a cell in the set.
template <class Bits>
Bits rows_of(const Board<Bits>& board, Bits set) {
  if constexpr (std::is_integral_v<Bits>) {
    // Adding carries any cell of a row into its last one; subtracting its first from that fills the row.
    const Bits low = board.all & ~board.right;
    const Bits last = (((set & low) + low) | set) & board.right;
    return last | (last - (last >> (board.cols - 1)));
  } else {
    Bits result{};
    for (int row = 0; row < board.rows; ++row) {
      const Bits cells = board.top << (row * board.cols);
      if (set & cells) result |= cells;
    }
    return result;
  }
}

/// The set without the first cell of each row.
template <class Bits>
Bits but_first_of_rows(const Board<Bits>& board, Bits set) {
  if constexpr (std::is_integral_v<Bits>) {
    // Taking one from each row by itself turns its lowest bit off and those below on.
    return set & (((set | board.right) - board.left) ^ (~set & board.right));
  } else {
    Bits result{};
    for (int row = 0; row < board.rows; ++row) {
      const Bits cells = set & (board.top << (row * board.cols));
      if (cells) result |= cells ^ bit<Bits>(lowest(cells));
    }
    return result;
  }
}

}  // namespace ludus::magnetic_cave
