// Chain Reaction: what the search wants to know of it.
#pragma once

#include "chain_reaction/judgement.hpp"
#include "core/knowledge.hpp"

namespace ludus {

template <class Space, chain_reaction::Explosion rule>
struct Knowledge<chain_reaction::ChainReaction<Space, rule>> {
  using G = chain_reaction::ChainReaction<Space, rule>;
  using State = typename G::State;
  using Move = typename G::Move;
  using Bits = typename G::Bits;

  static constexpr std::size_t max_moves = 100;
  static constexpr int slots = 100;
  static constexpr double scale = chain_reaction::weight_unit;
  static constexpr bool reductions = true;
  /// Explosions that take something are followed to their end: a judgement between two of them is worth little.
  static constexpr int noisy = 8000;
  static constexpr int noisy_plies = 12;

  explicit Knowledge(const G& of) : game(of) {}

  static int slot(Move move) { return move.cell; }
  int evaluate(const State& state) const { return chain_reaction::judge(game, state); }
  /// Explosions that take enemy cells, above all loaded ones; the history knows best about the rest.
  int urgency(const State& state, Move move) const {
    const chain_reaction::Distances<Bits> distance(game.board(), state.count);
    const Bits here = bit<Bits>(move.cell);
    if (!(here & distance.at[0])) return 0;
    const Bits prey = chain_reaction::beside(game.board(), here) & state.owned[1 - state.side];
    return noisy * count(prey) + 12000 * count(prey & distance.at[0]);
  }
  bool quiet(const State& state, Move move) const {
    return !(bit<Bits>(move.cell) & chain_reaction::Distances<Bits>(game.board(), state.count).at[0]);
  }

  const G& game;
};

}  // namespace ludus
