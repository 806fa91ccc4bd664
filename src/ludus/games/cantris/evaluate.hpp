// Cantris: what a position is worth at a glance, in points. Not the points made so far: those are in the state.
#pragma once

#include "cantris/rules.hpp"

namespace ludus::cantris {

/// The most points that one removal scores: the side to move will be about that much ahead for it.
template <class Size>
int evaluate(const Cantris<Size>& game, const typename Cantris<Size>::State& state) {
  if (state.verdict != Verdict::open) return 0;
  int best = 0;
  for (int col = 0; col < game.cols(); ++col) {
    for (int height = state.board.height(col); height-- > 0;) {
      auto board = state.board;
      best = std::max(best, board.remove(col, height));
    }
  }
  return best;
}

/// The plain evaluation, of the teaching players and of `State.evaluation`, is the same.
template <class Size>
int plain_evaluation(const Cantris<Size>& game, const typename Cantris<Size>::State& state) {
  return evaluate(game, state);
}

}  // namespace ludus::cantris
