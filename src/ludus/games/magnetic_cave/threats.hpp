// Magnetic Cave: wins by force. A move that threatens to complete a line leaves the opponent one reply, so a chain of
// threats is a tree of one branch on his side: it reaches many plies beyond what a full search can see.
// Knows the rules and what a view shows; what it finds is proven, what it does not find says nothing.
#pragma once

#include "magnetic_cave/view.hpp"

namespace ludus::magnetic_cave {

template <class G>
class Threats {
 public:
  using State = typename G::State;
  using View = magnetic_cave::View<G>;
  using Bits = typename G::Bits;

  Threats(const G& game, int max_views) : game_(game), views_left_(max_views) {}

  /// Plies in which the side to move wins by threats alone; 0 if it is not known to.
  int win(const State& state, const View& view) {
    const Bits cells = candidates(state, view);
    if (!cells) return 0;
    for (const auto move : view.moves) {
      if (!(bit<Bits>(move.cell) & cells)) continue;
      if (views_left_ <= 0) return 0;
      const State after = game_.play(state, move);
      if (game_.verdict(after) != Verdict::open) continue;
      const View reply = view_of(after);
      if (reply.plies_to_end < 0) return 1 - reply.plies_to_end;
      if (reply.plies_to_end > 0 || reply.moves.size() > 1) continue;
      const State next = game_.play(after, reply.moves[0]);
      if (game_.verdict(next) != Verdict::open) continue;
      const View mine = view_of(next);
      const int rest = mine.plies_to_end != 0 ? mine.plies_to_end : win(next, mine);
      if (rest > 0) return 2 + rest;
    }
    return 0;
  }

 private:
  /// Cells of windows that lack two bricks, both within reach; in a row also those side by side, of which the second
  /// comes within reach by the first. A few too many do no harm.
  Bits candidates(const State& state, const View& view) const {
    const auto& board = game_.board();
    const auto two = view.mine.holding(board.line - 2);
    const Bits free = game_.free_cells(state);
    const Bits cells = cells_of(board, two & ~windows_on(board, board.all & ~(state.mine | free)));
    Bits row = two.along(0), missing{};
    for (int i = 0; i < board.line; ++i, row = row << 1) missing |= row;
    missing = missing & ~state.mine;
    return free & (cells | (missing & ((missing << 1) | (missing >> 1))));
  }

  View view_of(const State& state) {
    --views_left_;
    return View(game_, state);
  }

  const G& game_;
  int views_left_;
};

}  // namespace ludus::magnetic_cave
