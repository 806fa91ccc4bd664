// Magnetic Cave: wins by force. A move that threatens to complete a line leaves the opponent one reply, so a chain of
// threats is a tree of one branch on his side: it reaches many plies beyond what a full search can see.
// Knows the rules and what a look shows; what it finds is proven, what it does not find says nothing.
#pragma once

#include "core/knowledge.hpp"
#include "magnetic_cave/windows.hpp"

namespace ludus::magnetic_cave {

template <class G>
class Threats {
 public:
  using State = typename G::State;
  using View = typename Knowledge<G>::View;
  using Bits = typename G::Bits;

  Threats(const G& game, const Knowledge<G>& knowledge, int most_looks)
      : game_(game), knowledge_(knowledge), looks_left_(most_looks) {}

  /// Plies in which the side to move wins by threats alone; 0 if it is not known to.
  int win(const State& state, const View& view) {
    const Bits cells = candidates(state, view);
    if (!cells) return 0;
    for (const auto move : view.moves) {
      if (!(bit<Bits>(move.cell) & cells)) continue;
      if (looks_left_ <= 0) return 0;
      const State after = game_.play(state, move);
      if (game_.verdict(after) != Verdict::open) continue;
      const View reply = look(after);
      if (reply.ends_in < 0) return 1 - reply.ends_in;
      if (reply.ends_in > 0 || reply.moves.size() > 1) continue;
      const State next = game_.play(after, reply.moves[0]);
      if (game_.verdict(next) != Verdict::open) continue;
      const View mine = look(next);
      const int rest = mine.ends_in != 0 ? mine.ends_in : win(next, mine);
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

  View look(const State& state) {
    --looks_left_;
    return knowledge_.look(state);
  }

  const G& game_;
  const Knowledge<G>& knowledge_;
  int looks_left_;
};

}  // namespace ludus::magnetic_cave
