// Chain Reaction: the evaluations of the teaching players, and of `State.evaluation`; the engine has its own, in
// evaluate.hpp. Integers only; a unit is a hundredth of an orb.
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "chain_reaction/evaluate.hpp"

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
int plain_evaluation(const ChainReaction<Space, rule>& game, const typename ChainReaction<Space, rule>::State& state) {
  using Bits = typename Space::Bits;
  const auto& board = game.board();
  auto orbs_in = [&](Bits cells) { return game.orbs_in(state, cells); };
  const Side me = state.side, foe = Side(1 - me);
  const Bits my_load = loaded(game, state, me), foe_load = loaded(game, state, foe);
  const Bits my_prey = neighbours(board, my_load) & state.owned[foe],
             foe_prey = neighbours(board, foe_load) & state.owned[me];

  int value = 100 * (orbs_in(state.owned[me]) - orbs_in(state.owned[foe]));
  value += 80 * orbs_in(my_prey) - 40 * orbs_in(foe_prey);  // it is my move: my threats come first
  value += 25 * (count(my_load & ~foe_prey) - count(foe_load & ~my_prey));
  value += 30 * (count(state.owned[me] & board.corners) - count(state.owned[foe] & board.corners));
  value += 15 * (count(state.owned[me] & board.edges) - count(state.owned[foe] & board.edges));
  return value;
}

/// Orbs owned less the opponent's: what `heithoff` sees.
template <class Space, Explosion rule>
int orb_margin(const ChainReaction<Space, rule>& game, const typename ChainReaction<Space, rule>::State& state) {
  return game.orbs_of(state, state.side) - game.orbs_of(state, Side(1 - state.side));
}

/// What players of the game look at, in hundredths of an orb; the weights are from matches (see README.md). What
/// `rlawrenc` sees.
template <class Space, Explosion rule>
int prospects(const ChainReaction<Space, rule>& game, const typename ChainReaction<Space, rule>::State& state) {
  using Bits = typename Space::Bits;
  const auto& board = game.board();
  auto orbs_in = [&](Bits cells) { return game.orbs_in(state, cells); };
  auto of = [&](Side side, int threat_weight) {
    const Bits own = state.owned[side], load = loaded(game, state, side);
    const Bits threatened = neighbours(board, loaded(game, state, Side(1 - side))), safe = own & ~threatened;
    int value = 100 * orbs_in(own) + 30 * count(own);
    value += threat_weight * orbs_in(neighbours(board, load) & state.owned[1 - side]);
    value += 120 * count(safe & board.corners) + 60 * count(safe & board.edges) + 10 * count(safe & load);
    // A run of loaded cells: who starts it takes it all, and that is mostly the enemy.
    return value - 30 * count(load & neighbours(board, load));
  };
  return of(state.side, 100) - of(Side(1 - state.side), 40);  // the side to move carries its threats out first
}

/// The evaluations beside the plain one, by name.
template <class Space, Explosion rule>
auto evaluations(const ChainReaction<Space, rule>&) {
  using G = ChainReaction<Space, rule>;
  using Entry = std::pair<std::string_view, int (*)(const G&, const typename G::State&)>;
  return std::array<Entry, 2>{{{"orbs", orb_margin<Space, rule>}, {"prospects", prospects<Space, rule>}}};
}

}  // namespace ludus::chain_reaction
