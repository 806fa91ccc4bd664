// Chain Reaction: how good a position is, at a glance. Integers only; a unit is a hundredth of an orb.
#pragma once

#include "chain_reaction/rules.hpp"

namespace ludus::chain_reaction {

/// Cells of one side that explode with the next orb.
template <class Space, Explosion rule>
typename Space::Bits loaded(const ChainReaction<Space, rule>& game, const typename ChainReaction<Space, rule>::State& s,
                            Side side) {
  const auto& board = game.board();
  const auto ones = s.count[0], twos = s.count[1];
  return s.owned[side] &
         ((board.corners & ones) | (board.edges & twos) | (ones & twos & ~(board.corners | board.edges)));
}

/// The orbs owned, less those that the enemy's loaded cells can take, plus a little for loaded cells and safe rims.
template <class Space, Explosion rule>
int evaluate(const ChainReaction<Space, rule>& game, const typename ChainReaction<Space, rule>::State& state) {
  using Bits = typename Space::Bits;
  const auto& board = game.board();
  auto orbs_in = [&](Bits cells) {
    return count(state.count[0] & cells) + 2 * count(state.count[1] & cells) + 4 * count(state.count[2] & cells);
  };
  auto neighbours = [&](Bits b) { return board.north(b) | board.south(b) | board.west(b) | board.east(b); };
  const Side me = state.side, foe = Side(1 - me);
  const Bits my_load = loaded(game, state, me), foe_load = loaded(game, state, foe);
  const Bits my_prey = neighbours(my_load) & state.owned[foe], foe_prey = neighbours(foe_load) & state.owned[me];

  int value = 100 * (orbs_in(state.owned[me]) - orbs_in(state.owned[foe]));
  value += 80 * orbs_in(my_prey) - 40 * orbs_in(foe_prey);  // it is my move: my threats come first
  value += 25 * (count(my_load & ~foe_prey) - count(foe_load & ~my_prey));
  value += 30 * (count(state.owned[me] & board.corners) - count(state.owned[foe] & board.corners));
  value += 15 * (count(state.owned[me] & board.edges) - count(state.owned[foe] & board.edges));
  return value;
}

}  // namespace ludus::chain_reaction
