// The Fruit Rage: what the search wants to know of it.
#pragma once

#include "core/knowledge.hpp"
#include "fruit_rage/evaluate.hpp"
#include "fruit_rage/search.hpp"

namespace ludus {

template <class Row, int Rows, int Planes>
struct Knowledge<fruit_rage::FruitRage<Row, Rows, Planes>> {
  using G = fruit_rage::FruitRage<Row, Rows, Planes>;
  using State = typename G::State;
  using Move = typename G::Move;

  static constexpr std::size_t max_moves = Rows * Rows;
  static constexpr int slots = 1024;
  static constexpr double scale = 20;

  explicit Knowledge(const G& of) : game(of) {}

  static int slot(Move move) { return static_cast<int>(move.code & 1023); }

  /// Three quarters of the alternating sum of the groups, never below 0: falling fruits take back a part of what the
  /// mover seems to be ahead.
  int evaluate(const State& state) const { return fruit_rage::alternating_sum(game.odd_sizes(state)) * 3 / 4; }

  int urgency(const State&, Move move) const { return 4096 * move.size(); }

  const G& game;
};

}  // namespace ludus
