// The Fruit Rage: what the search wants to know of it.
#pragma once

#include "core/knowledge.hpp"
#include "fruit_rage/evaluate.hpp"

namespace ludus {

template <class Row, int Rows, int Planes>
struct Knowledge<fruit_rage::FruitRage<Row, Rows, Planes>> final : Hooks<fruit_rage::FruitRage<Row, Rows, Planes>> {
  using G = fruit_rage::FruitRage<Row, Rows, Planes>;
  using State = typename G::State;
  using Move = typename G::Move;

  static constexpr std::size_t max_moves = Rows * Rows;
  static constexpr int slots = 1024;
  static constexpr double scale = 20;

  using Hooks<G>::Hooks;

  static int slot(Move move) { return static_cast<int>(move.code & 1023); }

  int evaluate(const State& state, const NoView&) const override { return fruit_rage::evaluate(this->game, state); }

  int urgency(const State&, const NoView&, Move move) const override { return 4096 * move.size(); }
};

}  // namespace ludus
