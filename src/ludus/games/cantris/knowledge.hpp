// Cantris: what the search wants to know of it.
#pragma once

#include "cantris/evaluate.hpp"
#include "core/knowledge.hpp"

namespace ludus {

template <class Size>
struct Knowledge<cantris::Cantris<Size>> final : Hooks<cantris::Cantris<Size>> {
  using G = cantris::Cantris<Size>;
  using State = typename G::State;
  using Move = typename G::Move;

  static constexpr std::size_t max_moves = cantris::most_rows * cantris::most_cols + 1;
  static constexpr int slots = 256;
  static constexpr double scale = 4;

  using Hooks<G>::Hooks;

  static int slot(Move move) { return move.place; }

  int evaluate(const State& state, const NoView&) const override { return cantris::evaluate(this->game, state); }

  /// The points it makes.
  int urgency(const State& state, const NoView&, Move move) const override {
    return move.is_pass() ? 0 : 4096 * gain(this->game, state, this->game.play(state, move));
  }

  /// No side can score more than the tiles that are left.
  ValueRange range(const State& state, const NoView&) const override { return {-state.board.sum(), state.board.sum()}; }
};

}  // namespace ludus
