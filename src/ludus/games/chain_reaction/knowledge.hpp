// Chain Reaction: what the search wants to know of it.
#pragma once

#include "chain_reaction/evaluate.hpp"
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
  static constexpr double scale = 600;
  static constexpr bool reductions = true;

  explicit Knowledge(const G& of) : game(of) {}

  static int slot(Move move) { return move.cell; }
  int evaluate(const State& state) const { return chain_reaction::evaluate(game, state); }
  /// Explosions first, those that take enemy cells before all.
  int urgency(const State& state, Move move) const {
    const Bits here = bit<Bits>(move.cell);
    if (!(here & chain_reaction::loaded(game, state, state.side))) return 0;
    const auto& board = game.board();
    const Bits near = board.north(here) | board.south(here) | board.west(here) | board.east(here);
    return 2000 + 8000 * count(near & state.owned[1 - state.side]);
  }
  bool quiet(const State& state, Move move) const {
    return !(bit<Bits>(move.cell) & chain_reaction::loaded(game, state, state.side));
  }

  const G& game;
};

}  // namespace ludus
