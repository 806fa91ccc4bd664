// Cantris: what the search wants to know of it.
#pragma once

#include "cantris/evaluate.hpp"
#include "cantris/solver.hpp"
#include "core/knowledge.hpp"

namespace ludus {

template <class Size>
struct Knowledge<cantris::Cantris<Size>> {
  using G = cantris::Cantris<Size>;
  using State = typename G::State;
  using Move = typename G::Move;
  using Search = cantris::Solver<G>;

  static constexpr std::size_t max_moves = cantris::most_rows * cantris::most_cols + 1;
  static constexpr int slots = 256;
  static constexpr double scale = 4;

  explicit Knowledge(const G& of) : game(of) {}

  static int slot(Move move) { return move.place; }
  int evaluate(const State& state) const { return cantris::evaluate(game, state); }
  /// The points it makes.
  int urgency(const State& state, Move move) const {
    return move.is_pass() ? 0 : 4096 * gain(game, state, game.play(state, move));
  }
  /// Nobody can score more than the tiles that are left.
  int most(const State& state) const { return state.board.sum(); }
  int least(const State& state) const { return -state.board.sum(); }

  const G& game;
};

}  // namespace ludus
