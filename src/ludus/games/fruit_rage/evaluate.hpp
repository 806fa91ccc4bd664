// The Fruit Rage: how good a position is, at a glance. The unit is a point; points already made do not count.
#pragma once

#include "fruit_rage/rules.hpp"

namespace ludus::fruit_rage {

/// The margin still to be won if the groups stayed as they are and both took the largest in turn.
template <class Row, int Rows, int Planes>
int evaluate(const FruitRage<Row, Rows, Planes>& game, const typename FruitRage<Row, Rows, Planes>::State& state) {
  // Two groups of one size cancel out, whoever takes the first: a bit a size, set when their number is odd, is enough.
  std::array<std::uint64_t, Rows * Rows / 64 + 1> odd{};
  for (const auto move : game.legal_moves(state)) {
    const auto size = static_cast<std::size_t>(move.size());
    odd[size / 64] ^= std::uint64_t{1} << (size % 64);
  }
  int value = 0, sign = 1;
  for (std::size_t word = odd.size(); word-- > 0;) {
    for (; odd[word] != 0; sign = -sign) {
      const int high = 63 - std::countl_zero(odd[word]), size = static_cast<int>(64 * word) + high;
      value += sign * size * size;
      odd[word] ^= std::uint64_t{1} << high;
    }
  }
  return value;
}

}  // namespace ludus::fruit_rage
