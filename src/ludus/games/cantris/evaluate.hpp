// Cantris: how good a position looks, in points: the most that one removal scores. The side to move will be about that
// much ahead for it. Points made so far do not count.
#pragma once

#include "cantris/frame.hpp"

namespace ludus::cantris {

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

/// The same for a board of a frame.
template <int Width>
int evaluate(const Frame<Width>& frame, const typename Frame<Width>::View& view) {
  int best = 0;
  for (int col = 0; col < Width; ++col) {
    for (std::uint32_t left = frame.removals(view, col); left != 0; left &= left - 1) {
      best = std::max(best, frame.remove(view, col, std::countr_zero(left)).points);
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
