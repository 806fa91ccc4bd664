// Cantris: the search that proves. Knows the frame, the tables and the evaluation; no clock and no thread but its own.
//
// A position is a set of tiles (frame.hpp draws the bits) and the removals made in this turn. Its value is what the
// side to move will still win by. The points so far and the side that moves do not matter to it, so one table of proven
// bounds serves both sides and all later moves of the game.
//
// search(tiles, removed, beta, depth) asks one question: is the value v at least beta? Its answer r:
//     r >= beta: v >= r      r < beta: v <= r
//     proven: v is the value at the end of the game; if not, the value as the evaluation sees it `depth` removals ahead
//
// The ideas, and how many times as many nodes the same proofs take without each. This list was measured at 757,308
// nodes in all, before quiet positions and dominated removals (README.md has those) were known
// (`build/module/searches cantris 1000000000 rows=8 cols=4 tiles=4 removals=1 second_removal=required`).
//     8.1  bounds from the numbers of tiles: most moves are decided by counting, before anything is searched
//     1.2  ... of which: a column of one tile can be cleared at once, which ends the game
//     1.9  ... and: the mover can first take the tile that most runs need
//     2.1  the table is asked about all moves before one is searched: any of them may answer the question
//      27  order by points: the largest gain is mostly the best move
//     1.1  first of all the move that the tables know: it was the best for another beta or a smaller depth
//     0.9  order by history: what cut elsewhere is tried first; no gain on these boards, 1.01 on those of README.md
//     1.1  dead tiles in any order are one position (frame.hpp): the table serves more of them
#pragma once

#include "cantris/evaluate.hpp"
#include "cantris/fact_table.hpp"
#include "core/worker.hpp"

namespace ludus::cantris {

/// The answer to a question about a value.
struct Answer {
  int value;
  bool proven;
};

/// What a move changes: values after it are those of the opponent if it ends the turn, else those of the mover.
struct MoveEffect {
  int points;
  bool turn_ends;

  Bounds for_mover(Bounds after) const {
    if (turn_ends) return {points - after.high, points - after.low};
    return {points + after.low, points + after.high};
  }
  Answer for_mover(Answer after) const {
    return {turn_ends ? points - after.value : points + after.value, after.proven};
  }
  /// The question after the move that answers "is the move worth at least `beta`?"; by a no if it ends the turn.
  int beta_after(int beta) const { return turn_ends ? points - beta + 1 : beta - points; }
};

/// What all workers share.
template <int Width>
struct SharedWork {
  static constexpr int no_guess = 10'000;

  const Frame<Width>& frame;
  FactTable& proofs;  ///< proven bounds
  FactTable& hints;   ///< what a search of limited depth found
  Rule rule;
  const std::atomic<bool>& stop;
  std::atomic<bool> over{false};                        ///< one worker has found the answer
  std::atomic<int> guess{no_guess};                     ///< what the deepening sees: where the proofs begin
  bool parallel;                                        ///< there is more than one worker
  std::array<std::atomic<std::uint64_t>, 4096> busy{};  ///< keys of positions that a worker is at
};

template <int Width>
class Solver {
  using Masks = typename Frame<Width>::Masks;
  using View = typename Frame<Width>::View;
  using CountBounds = typename Frame<Width>::CountBounds;

 public:
  static constexpr int to_the_end = 127;

  explicit Solver(SharedWork<Width>& shared) : shared_(shared), frame_(shared.frame), budget_(shared.stop) {}

  std::uint64_t nodes() const { return budget_.nodes(); }
  bool stopped() const { return budget_.stopped(); }
  /// Goes on after a stop, up to that many nodes in all.
  void resume(std::uint64_t limit) { budget_.resume(limit); }

  /// Is the value at least `beta`? Looks `depth` removals ahead.
  Answer search(TileSet tiles, int removed, int beta, int depth) {
    if (must_stop()) return {0, false};
    budget_.count();
    const std::uint64_t nodes_before = nodes();
    const View view = frame_.view(tiles);
    if (depth <= 0) return {evaluate(frame_, view), false};
    if (depth == 1) return search_last(view, removed, beta);

    // 1. What the tables know of this position: the best move, and with a limited depth perhaps the answer.
    const std::uint64_t own_key = key(tiles, removed);
    const bool to_end = depth >= to_the_end / 2;
    int first_choice = no_tile;
    if (const std::uint32_t fact = shared_.proofs.find(own_key)) first_choice = Proof::move(fact);
    if (!to_end || first_choice == no_tile) {
      if (const std::uint32_t hint = shared_.hints.find(own_key)) {
        if (!to_end && Hint::depth(hint) >= depth) {
          const int value = Hint::value(hint);
          if (Hint::is_low(hint) ? value >= beta : value < beta) return {value, false};
        }
        first_choice = Hint::move(hint);
      }
    }

    Answer best{-Bounds::most, true};
    int best_tile = no_tile;
    const auto raise = [&](int value, bool proven, int tile) {
      if (value > best.value) best.value = value, best_tile = tile;
      best.proven = value >= beta ? proven : best.proven && proven;
      return value >= beta;
    };
    const auto finish = [&] {
      keep(own_key, best, beta, best_tile, depth, nodes() - nodes_before);
      return best;
    };

    // 2. The removals. Those that the numbers of tiles decide need no search.
    Child children[Frame<Width>::most_tiles_held + 1];
    std::size_t size = 0;
    const bool turn_ends = removed + 1 == shared_.rule.removals;
    const int removed_after = turn_ends ? 0 : removed + 1;
    for (int col = 0; col < Width; ++col) {
      // Two plain removals of one number from one column leave the same numbers of tiles.
      std::array<CountBounds, most_tiles + 1> counted;
      std::uint32_t numbers = 0;
      for (std::uint32_t left = frame_.removals(view, col); left != 0; left &= left - 1) {
        const int tile = std::countr_zero(left), bit = frame_.shift(col) + tile;
        const auto removal = frame_.remove(view, col, tile);
        if (removal.ends) {
          if (raise(removal.points, true, bit)) return finish();
          continue;
        }
        Child child{{removal.points, turn_ends}, 0, 0, bit, {}};
        const int slot = removal.makes_run ? 0 : removal.points;
        if (removal.makes_run || !(numbers >> slot & 1)) counted[at(slot)] = count(removal.masks, removed_after);
        numbers |= 1u << slot;
        child.bounds = bounds_of(child, counted[at(slot)], removal.masks, removed_after, beta);
        if (child.bounds.low >= beta && raise(child.bounds.low, true, bit)) return finish();
        if (child.bounds.high < beta) {
          raise(child.bounds.high, true, bit);
          continue;
        }
        child.tiles = frame_.canonical(removal.masks);
        child.key = key(child.tiles, removed_after);
        shared_.proofs.prefetch(child.key);
        children[size++] = child;
      }
    }
    if (shared_.rule.optional_rest && removed > 0) {
      Child child{{0, true}, tiles, key(tiles, 0), pass, {}};
      child.bounds = bounds_of(child, count(view.masks, 0), view.masks, 0, beta);
      children[size++] = child;
    }

    // 3. What is proven of the positions after them.
    RankedMove order[Frame<Width>::most_tiles_held + 1];
    std::size_t open = 0;
    for (std::size_t i = 0; i < size; ++i) {
      Child child = children[i];
      if (const std::uint32_t fact = shared_.proofs.find(child.key)) {
        child.bounds.tighten(child.for_mover(Proof::bounds(fact)));
      }
      if (child.bounds.low >= beta && raise(child.bounds.low, true, child.bit)) return finish();
      if (child.bounds.high < beta) {
        raise(child.bounds.high, true, child.bit);
        continue;
      }
      order[open] = {child.bit == first_choice ? 1 << 30 : rank(child, removed), static_cast<std::uint16_t>(open)};
      children[open++] = child;
    }

    // 4. The rest is searched, the most promising first; what another worker is at comes last.
    const bool share = shared_.parallel && to_end && std::popcount(tiles) >= 14;
    std::size_t postponed = 0;
    for (std::size_t i = 0; i < open; ++i) {
      const Child& child = children[take_best(order, i, open).index];
      std::atomic<std::uint64_t>& sign = shared_.busy[child.key % shared_.busy.size()];
      if (share && order[i].rank > postponed_rank && i > 0 && postponed < open &&
          sign.load(std::memory_order_relaxed) == child.key) {
        order[i].rank = postponed_rank - static_cast<int>(postponed++);
        --i;
        continue;
      }
      if (share) sign.store(child.key, std::memory_order_relaxed);
      const int removed_next = child.turn_ends ? 0 : removed + 1;
      const Answer answer = child.for_mover(search(child.tiles, removed_next, child.beta_after(beta), depth - 1));
      if (share) sign.store(0, std::memory_order_relaxed);
      if (stopped()) return {0, false};
      if (raise(answer.value, answer.proven, child.bit)) {
        auto& history = history_[at(removed)];
        for (std::size_t j = 0; j < i; ++j) {
          int& h = history[at(children[order[j].index].bit)];
          h -= 8 + h * 8 / 4096;
        }
        int& h = history[at(child.bit)];
        h += 32 - h * 32 / 8192;
        break;
      }
    }
    return finish();
  }

  /// All that is proven of a position so far.
  Bounds known(const Masks& masks, int removed) const {
    const auto counted = count(masks, removed);
    Bounds bounds{counted.low, counted.high};
    if (const std::uint32_t fact = shared_.proofs.find(key(frame_.canonical(masks), removed))) {
      bounds.tighten(Proof::bounds(fact));
    }
    return bounds;
  }

 private:
  static constexpr int no_tile = 63, pass = 62;
  static constexpr int postponed_rank = -(1 << 30);

  static constexpr std::size_t at(int index) { return static_cast<std::size_t>(index); }

  /// What the numbers of tiles prove.
  CountBounds count(const Masks& masks, int removed) const {
    return frame_.count_bounds(masks, shared_.rule.removals - removed, shared_.rule.removals);
  }

  std::uint64_t key(TileSet tiles, int removed) const {
    return shared_.proofs.shuffle(tiles << 1 | static_cast<std::uint64_t>(removed));
  }

  /// A move and the position after it.
  struct Child : MoveEffect {
    TileSet tiles;
    std::uint64_t key;
    int bit;
    Bounds bounds;  ///< of the move, for its mover
  };

  /// Bounds of a move from the numbers of tiles. Whether the position after it is quiet is only asked where that
  /// answers the question.
  Bounds bounds_of(const MoveEffect& move, const CountBounds& counted, const Masks& masks, int removed,
                   int beta) const {
    Bounds bounds = move.for_mover(Bounds{counted.low, counted.high});
    if (counted.quiet_high >= counted.high) return bounds;
    const Bounds quiet = move.for_mover(Bounds{counted.low, counted.quiet_high});
    const bool answers =
        move.turn_ends ? bounds.low < beta && quiet.low >= beta : bounds.high >= beta && quiet.high < beta;
    if (answers && frame_.is_quiet(masks, shared_.rule.removals - removed)) return quiet;
    return bounds;
  }

  /// Points, and what has cut before. With two removals a turn it also counts what is proven of the move already (of
  /// 16 boards of 10 x 5 after 6 removals, proofs took 0.69 times the nodes), which run the next removal can make, and
  /// whose removal that is; with one, neither makes proofs shorter.
  int rank(const Child& child, int removed) const {
    int rank = 64 * child.points + history_[at(removed)][at(child.bit)] / 64;
    if (shared_.rule.removals == 1) return rank;
    rank += 16 * child.bounds.low;
    const int threat = 32 * 3 * frame_.threat(frame_.view(child.tiles));
    return child.turn_ends ? rank - threat : rank + threat;
  }

  /// A search of depth 1, without the table. The evaluation is no less than the largest tile, which often says enough.
  Answer search_last(const View& view, int removed, int beta) const {
    const bool turn_ends = removed + 1 == shared_.rule.removals;
    int best = -Bounds::most;
    if (shared_.rule.optional_rest && removed > 0) best = -evaluate(frame_, view);
    for (int col = 0; col < Width && best < beta; ++col) {
      for (std::uint32_t left = frame_.removals(view, col); left != 0 && best < beta; left &= left - 1) {
        const auto removal = frame_.remove(view, col, std::countr_zero(left));
        int value = removal.points;
        if (!removal.ends) {
          const View after = frame_.view(removal.masks);
          if (!turn_ends) {
            value += evaluate(frame_, after);
          } else if (value -= frame_.top(after); value >= beta) {
            value = removal.points - evaluate(frame_, after);
          }
        }
        best = std::max(best, value);
      }
    }
    return {best, false};
  }

  /// Stores what a search has found: a proof together with what is proven already, a guess as a hint.
  void keep(std::uint64_t own, Answer best, int beta, int move, int depth, std::uint64_t work) {
    if (budget_.stopped()) return;
    const bool low = best.value >= beta;
    if (!best.proven) {
      shared_.hints.store(
          own, Hint::pack(std::clamp(best.value, -Bounds::most, Bounds::most), low, std::min(depth, 127), move));
      return;
    }
    Bounds bounds;
    int worth = std::min(15, (static_cast<int>(std::bit_width(work + 1)) + 1) / 2);
    if (const std::uint32_t fact = shared_.proofs.find(own)) {
      bounds.tighten(Proof::bounds(fact));
      worth = std::max(worth, Proof::worth(fact));
      if (!low) move = Proof::move(fact) == no_tile ? move : Proof::move(fact);
    }
    (low ? bounds.low : bounds.high) = low ? std::max(bounds.low, best.value) : std::min(bounds.high, best.value);
    shared_.proofs.store(own, Proof::pack(bounds, move, worth));
  }

  bool must_stop() {
    if (shared_.over.load(std::memory_order_relaxed)) budget_.halt();
    return budget_.must_stop();
  }

  SharedWork<Width>& shared_;
  const Frame<Width>& frame_;
  NodeBudget budget_;
  std::array<std::array<int, 64>, 2> history_{};
};

}  // namespace ludus::cantris
