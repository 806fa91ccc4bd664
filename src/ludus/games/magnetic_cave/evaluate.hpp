// Magnetic Cave: the engine's evaluation: a weighted count of what the view shows. native/tune/magnetic_cave.cpp fits
// the weights to the outcomes of the engine's own games. Integers only; knows no search.
#pragma once

#include <algorithm>
#include <array>

#include "magnetic_cave/teaching.hpp"
#include "magnetic_cave/view.hpp"

namespace ludus::magnetic_cave {

/// What counts in a position, each as the side to move's less the other's: windows that lack two, three and four
/// bricks, in rows, columns and diagonals; gaps; and who would have to give way beside a gap, early and late.
inline constexpr std::size_t features = 3 * 3 + 1 + 2;
using Features = std::array<int, features>;

template <class G>
Features features_of(const G& game, const View<G>& view) {
  const auto& board = game.board();
  Features result{};
  for (int missing = 2; missing <= std::min(4, board.line); ++missing) {
    const auto mine = view.mine.holding(board.line - missing), theirs = view.theirs.holding(board.line - missing);
    const auto at = static_cast<std::size_t>(3 * (missing - 2));
    result[at] = count(mine.along(0)) - count(theirs.along(0));
    result[at + 1] = count(mine.along(1)) - count(theirs.along(1));
    result[at + 2] = count(mine.along(2)) - count(theirs.along(2)) + count(mine.along(3)) - count(theirs.along(3));
  }
  // Neither side may play beside the other's gap. When all other cells are full, the side to move must give up a gap
  // of its own (which costs three moves and so passes the turn), or lose.
  const auto mine = view.my_gaps, theirs = view.their_gaps;
  if (mine | theirs) {
    const int ours = count(mine), others = count(theirs);
    const int waiting = count(view.empty & ~(mine | theirs | neighbours(mine) | neighbours(theirs)));
    const bool on_move = waiting % 2 == 0;
    result[9] = ours - others;
    result[count(view.empty) > 32 ? 10 : 11] = on_move ? (ours > others ? 1 : -1) : (others > ours ? -1 : 1);
  }
  return result;
}

inline constexpr Features weights{0, 34, 25, -1, 17, 15, -1, 7, 8, 70, 9, 20};

/// How well the side to move stands.
template <class G>
int evaluate(const G& game, const View<G>& view) {
  const Features found = features_of(game, view);
  int sum = 0;
  for (std::size_t i = 0; i < features; ++i) sum += weights[i] * found[i];
  return std::clamp(sum, std::max(view.range.low, 1 - won), std::min(view.range.high, won - 1));
}

}  // namespace ludus::magnetic_cave
