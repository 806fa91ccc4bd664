// The Fruit Rage: how good a position looks. The unit is a point; points already made do not count.
#pragma once

#include "fruit_rage/rules.hpp"

namespace ludus::fruit_rage {

/// How many points the mover is ahead if both take the largest in turn. Two of one size cancel out, no matter who takes
/// the first. So one bit per size is enough: set if the number of groups of this size is odd.
template <std::size_t Words>
int alternating_sum(std::array<std::uint64_t, Words> odd) {
  int value = 0, sign = 1;
  for (std::size_t word = Words; word-- > 0;) {
    for (; odd[word] != 0; sign = -sign) {
      const int high = 63 - std::countl_zero(odd[word]), size = static_cast<int>(64 * word) + high;
      value += sign * size * size;
      odd[word] ^= std::uint64_t{1} << high;
    }
  }
  return value;
}

/// The plain evaluation, of the teaching players and of `State.evaluation`: the margin still to be won if the groups
/// stayed as they are and both took the largest in turn.
template <class Row, int Rows, int Planes>
int plain_evaluation(const FruitRage<Row, Rows, Planes>& game,
                     const typename FruitRage<Row, Rows, Planes>::State& state) {
  return alternating_sum(game.odd_sizes(state));
}

/// The engine's evaluation: three quarters of that, never below 0: falling fruits take back a part of what the mover
/// seems to be ahead; on boards of more than 16 x 16 with more than 7 types, with their many groups, a half.
template <class Row, int Rows, int Planes>
int evaluate(const FruitRage<Row, Rows, Planes>& game, const typename FruitRage<Row, Rows, Planes>::State& state) {
  return plain_evaluation(game, state) * (Rows > 16 && game.types() > 7 ? 2 : 3) / 4;
}

}  // namespace ludus::fruit_rage
