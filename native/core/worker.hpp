// What every search shares, once: counting nodes and stopping, picking the next move, the loop over the root moves and
// the step from a position to the one after a move. Knows the rules through Game; no evaluation, no clock, no thread.
//
// Contract of search(state, depth, alpha, beta, ply), with v the true value at that depth and r what is returned:
//     r <= alpha: v <= r      alpha < r < beta: v = r      r >= beta: v >= r
// A result is `complete` when no evaluation has entered into it: what it says is then proven, at any depth.
#pragma once

#include <algorithm>
#include <atomic>
#include <limits>
#include <vector>

#include "core/knowledge.hpp"
#include "core/table.hpp"

namespace ludus {

/// Counts the nodes of one worker, and says when it has to stop: at its limit, or when it is asked to. A stopped search
/// returns at once from every depth, and its last result means nothing.
class NodeBudget {
 public:
  static constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

  explicit NodeBudget(const std::atomic<bool>& stop, std::uint64_t limit = unlimited) : stop_(stop), limit_(limit) {}

  std::uint64_t nodes() const { return nodes_.load(std::memory_order_relaxed); }
  void count(std::uint64_t nodes_more = 1) { nodes_.store(nodes() + nodes_more, std::memory_order_relaxed); }

  bool stopped() const { return stopped_; }
  bool must_stop() {
    stopped_ = stopped_ || stop_.load(std::memory_order_relaxed) || nodes() >= limit_;
    return stopped_;
  }

  void halt() { stopped_ = true; }

  std::uint64_t left() const { return limit_ - std::min(limit_, nodes()); }
  /// Sets another limit, counted from the first node on, and goes on.
  void resume(std::uint64_t limit) {
    limit_ = limit;
    stopped_ = false;
  }

 private:
  const std::atomic<bool>& stop_;
  std::atomic<std::uint64_t> nodes_{0};  ///< written by its worker, read by the one that reports
  std::uint64_t limit_;
  bool stopped_ = false;
};

/// A move by its index in a list, and how early it is to be tried.
struct RankedMove {
  int rank;
  std::uint16_t index;
};

/// Brings the best of the moves from `at` on to `at`; of equal ones the first in the list. The rest is left unsorted,
/// since most nodes need few of their moves.
inline RankedMove take_best(RankedMove* moves, std::size_t at, std::size_t size) {
  std::size_t best = at;
  for (std::size_t i = at + 1; i < size; ++i) {
    const bool earlier = moves[i].rank == moves[best].rank && moves[i].index < moves[best].index;
    if (moves[i].rank > moves[best].rank || earlier) best = i;
  }
  std::swap(moves[at], moves[best]);
  return moves[at];
}

/// Moves a number of the history towards `by` * 4,096 / |by|, which it never exceeds.
inline void shift_history(int& history, int by) {
  history += by - history * std::abs(by) / 4096;
}

struct Result {
  int value = 0;
  bool complete = false;
};

/// A move at the root and what is known of it.
template <class Move>
struct RootMove {
  Move move;
  std::uint16_t index;
  int value = -win_value;
  bool complete = false;
  std::vector<Move> line;
};

/// The part of a worker that all of them have. `Derived` brings
///     Result search(const State&, int depth, int alpha, int beta, int ply)
///     int root_reduction(int depth, std::size_t tried) const    plies to save at first on a late root move
template <class Derived, Game G>
class RootWorker {
 public:
  using State = typename G::State;
  using Move = typename G::Move;
  using Root = RootMove<Move>;

  RootWorker(const G& game, Table& table, const std::atomic<bool>& stop, std::uint64_t node_limit)
      : game_(game), table_(table), budget_(stop, node_limit), lines_(max_ply + 2) {}

  std::uint64_t nodes() const { return budget_.nodes(); }
  bool stopped() const { return budget_.stopped(); }
  void resume(std::uint64_t node_limit) { budget_.resume(node_limit); }

  /// Searches the root moves from `first` on, inside the window; sorts the best to `first`. Complete if it is proven
  /// that no other of them is better.
  Result search_root(const State& state, std::vector<Root>& moves, std::size_t first, int depth, int alpha, int beta) {
    Result best{-win_value, true};
    for (std::size_t i = first; i < moves.size(); ++i) {
      Root& root = moves[i];
      const int less = self().root_reduction(depth, i - first);
      const Result r = follow(state, root.move, depth - 1, less, i == first, alpha, beta, 1);
      if (stopped()) break;
      best.complete = best.complete && r.complete;
      root.value = -win_value;  // known to be worse, not by how much
      root.complete = r.complete;
      if (r.value > alpha || i == first) {
        root.value = r.value;
        root.line.assign(1, root.move);
        root.line.insert(root.line.end(), lines_[1].begin(), lines_[1].end());
      }
      best.value = std::max(best.value, r.value);
      alpha = std::max(alpha, r.value);
      if (alpha >= beta) {
        best.complete = r.complete;
        for (std::size_t j = i + 1; j < moves.size(); ++j) moves[j].value = -win_value;  // not asked in this search
        break;
      }
    }
    std::stable_sort(moves.begin() + static_cast<std::ptrdiff_t>(first), moves.end(),
                     [](const Root& a, const Root& b) { return a.value > b.value; });
    return best;
  }

 protected:
  /// Plays a move and searches on; window and result are the mover's. Only the first move gets the whole window at
  /// once. Of the others it is asked whether they are better, and with a `reduction` not so deep at first.
  /// Inlined by force: that saves Chain Reaction's search 2% of its instructions (callgrind).
  [[gnu::always_inline]] Result follow(const State& state, Move move, int depth, int reduction, bool first, int alpha,
                                       int beta, int ply) {
    const State after = game_.play(state, move);
    budget_.count();
    const Effect effect{gain(game_, state, after), game_.side(state) == game_.side(after)};
    if (first) return descend(after, effect, depth, alpha, beta, ply);
    Result r = descend(after, effect, depth - reduction, alpha, alpha + 1, ply);
    if (reduction > 0 && r.value > alpha && !stopped()) r = descend(after, effect, depth, alpha, alpha + 1, ply);
    if (r.value > alpha && r.value < beta && !stopped()) r = descend(after, effect, depth, alpha, beta, ply);
    return r;
  }

  std::vector<Move>& line(int ply) { return lines_[static_cast<std::size_t>(ply)]; }
  /// The best line from a ply on begins with this move and goes on as the one after it.
  void extend_line(int ply, Move move) {
    line(ply).assign(1, move);
    line(ply).insert(line(ply).end(), line(ply + 1).begin(), line(ply + 1).end());
  }

  const G& game_;
  Table& table_;
  NodeBudget budget_;

 private:
  /// What a move changes: the points it makes, and whether the same side moves again.
  struct Effect {
    int points;
    bool same_side;
  };

  Derived& self() { return static_cast<Derived&>(*this); }

  /// Searches the position after a move; window and result are those of the mover.
  Result descend(const State& after, Effect effect, int depth, int alpha, int beta, int ply) {
    const int points = effect.points;
    if (effect.same_side) {
      const Result r = self().search(after, depth, alpha - points, beta - points, ply);
      return {points + r.value, r.complete};
    }
    const Result r = self().search(after, depth, points - beta, points - alpha, ply);
    return {points - r.value, r.complete};
  }

  std::vector<std::vector<Move>> lines_;  ///< lines_[ply]: the best line from that ply on
};

}  // namespace ludus
