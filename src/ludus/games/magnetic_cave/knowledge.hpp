// Magnetic Cave: what the search wants to know of it.
#pragma once

#include "core/knowledge.hpp"
#include "magnetic_cave/evaluate.hpp"

namespace ludus {

template <class Space>
struct Knowledge<magnetic_cave::MagneticCave<Space>> {
  using G = magnetic_cave::MagneticCave<Space>;
  using State = typename G::State;
  using Move = typename G::Move;

  static constexpr std::size_t max_moves = 32;
  static constexpr int slots = 256;
  static constexpr double scale = 100;

  explicit Knowledge(const G& of) : game(of) {}

  static int slot(Move move) { return move.cell; }
  int evaluate(const State& state) const { return std::clamp(magnetic_cave::evaluate(game, state), 1 - won, won - 1); }
  int urgency(const State&, Move) const { return 0; }

  const G& game;
};

}  // namespace ludus
