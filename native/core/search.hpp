// The search: principal variation search with iterative deepening, one template for every game, one worker a thread.
// Knows the rules through Game and the game's wisdom through Knowledge; knows no clock and no thread but its own.
//
// Values are the side to move's. In scored games a value is the margin still to be won from here on, so that it does
// not depend on the points so far and the table is keyed by the board alone; a move's own points are added on the way
// up. In the others it is a proven win or loss (beyond `won`) or the evaluation.
//
// Contract of search(state, depth, alpha, beta), with v the true value at that depth and r what is returned:
//     r <= alpha: v <= r      alpha < r < beta: v = r      r >= beta: v >= r
// A result is `complete` when no evaluation has entered into it: what it says is then proven, at any depth.
#pragma once

#include <atomic>
#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "core/knowledge.hpp"
#include "core/table.hpp"

namespace ludus {

struct Result {
  int value = 0;
  bool complete = false;
};

/// What several workers share.
struct Shared {
  Table& table;
  const std::atomic<bool>& stop;
  std::uint64_t node_limit = 0;  ///< for a single worker; 0: none
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

template <Game G>
class Worker {
 public:
  using State = typename G::State;
  using Move = typename G::Move;
  using Wisdom = Knowledge<G>;
  using View = typename Wisdom::View;
  using Root = RootMove<Move>;

  Worker(const G& game, const Wisdom& knowledge, Shared& shared)
      : game_(game), knowledge_(knowledge), shared_(shared), lines_(max_ply + 2) {}

  std::uint64_t nodes() const { return nodes_.load(std::memory_order_relaxed); }
  bool stopped() const { return stopped_; }

  /// Searches the root moves from `first` on, inside the window; sorts the best to `first`. Complete if it is proven
  /// that no other of them is better.
  Result search_root(const State& state, std::vector<Root>& moves, std::size_t first, int depth, int alpha, int beta) {
    Result best{-win_value, true};
    for (std::size_t i = first; i < moves.size(); ++i) {
      Root& root = moves[i];
      const State after = game_.play(state, root.move);
      count_node();
      const Step_ step = step_to(state, after);
      Result r;
      if (i == first) {
        r = descend(after, step, depth - 1, alpha, beta, 1);
      } else {
        r = descend(after, step, depth - 1, alpha, alpha + 1, 1);
        if (r.value > alpha && r.value < beta && !stopped_) r = descend(after, step, depth - 1, alpha, beta, 1);
      }
      if (stopped_) break;
      best.complete = best.complete && r.complete;
      if (r.value > alpha || i == first) {
        root.value = r.value;
        root.complete = r.complete;
        root.line.assign(1, root.move);
        root.line.insert(root.line.end(), lines_[1].begin(), lines_[1].end());
      } else {
        root.value = -win_value;  // known to be worse, not by how much
        root.complete = r.complete;
      }
      if (r.value > best.value) best.value = r.value;
      alpha = std::max(alpha, r.value);
      if (alpha >= beta) {
        best.complete = r.complete;
        break;
      }
    }
    std::stable_sort(moves.begin() + static_cast<std::ptrdiff_t>(first), moves.end(),
                     [](const Root& a, const Root& b) { return a.value > b.value; });
    return best;
  }

 private:
  /// How a move changes the view: the points it makes, and whether the same side moves again.
  struct Step_ {
    int gain;
    bool same_side;
  };
  Step_ step_to(const State& before, const State& after) const {
    return {gain(game_, before, after), game_.side(before) == game_.side(after)};
  }

  /// Searches the position after a move; window and result are those of the mover.
  Result descend(const State& after, Step_ step, int depth, int alpha, int beta, int ply) {
    if (step.same_side) {
      const Result r = search(after, depth, alpha - step.gain, beta - step.gain, ply);
      return {step.gain + r.value, r.complete};
    }
    const Result r = search(after, depth, step.gain - beta, step.gain - alpha, ply);
    return {step.gain - r.value, r.complete};
  }

  Result search(const State& state, int depth, int alpha, int beta, int ply) {
    lines_[static_cast<std::size_t>(ply)].clear();
    if (should_stop()) return {};

    // 1. A finished game has its value.
    if (const Verdict verdict = game_.verdict(state); verdict != Verdict::open) {
      if (ScoredGame<G> || verdict == Verdict::tie) return {0, true};
      return {verdict == win_for(game_.side(state)) ? win_value - ply : ply - win_value, true};
    }

    // 2. What is known without a search: how the game ends, or what is at most and at least to be had.
    const View view = knowledge_.view(state);
    if (const int plies = knowledge_.plies_to_end(state, view); plies != 0) {
      lines_[static_cast<std::size_t>(ply)].assign(1, knowledge_.moves(state, view)[0]);
      return {plies > 0 ? win_value - ply - plies : ply - plies - win_value, true};
    }
    const ValueRange range = knowledge_.range(state, view);
    if (range.high <= alpha || range.high == range.low) return {range.high, true};
    if (range.low >= beta) return {range.low, true};
    alpha = std::max(alpha, range.low);
    beta = std::min(beta, range.high);
    if (ply >= max_ply) return {knowledge_.evaluate(state, view), false};

    // 3. At the horizon the evaluation counts, once there is a choice again.
    const bool forced = knowledge_.forced_reply(state, view);
    if (depth <= 0 && !forced) {
      if (const int plies = knowledge_.forced_win(state, view)) return {win_value - ply - plies, true};
      return quiesce(state, view, alpha, beta, ply, knowledge_.quiescence_plies());
    }

    // 4. What is in the table.
    const auto [key, symmetry] = knowledge_.table_key(state, view);
    const auto found = shared_.table.find(key);
    if (found) {
      const int value = from_table(found->value, ply);
      const bool enough = found->depth >= depth || (!ScoredGame<G> && std::abs(value) >= won);
      const bool usable = found->bound == Bound::exact || (found->bound == Bound::lower && value >= beta) ||
                          (found->bound == Bound::upper && value <= alpha);
      if (enough && usable) return {value, found->complete()};
    }

    // 5. The moves, the most promising first.
    const auto moves = knowledge_.moves(state, view);
    std::array<Ranked, Wisdom::max_moves> ranked;
    const std::size_t size = rank(state, view, moves, found ? found->move : no_move, symmetry, ply, ranked);

    // 6. Each in turn: the first with the whole window, the others with an empty one that only asks "better?".
    Result best{-win_value, true};
    std::uint16_t best_index = 0;
    const int old_alpha = alpha;
    std::size_t tried = 0;
    for (; tried < size; ++tried) {
      const std::uint16_t index = take_best(ranked, tried, size).index;
      const Move move = moves[index];
      const State after = game_.play(state, move);
      count_node();
      const Step_ step = step_to(state, after);
      const int next = depth - 1 + forced;

      Result r;
      if (tried == 0) {
        r = descend(after, step, next, alpha, beta, ply + 1);
      } else {
        const int less = reduction(state, view, move, depth, tried);
        r = descend(after, step, next - less, alpha, alpha + 1, ply + 1);
        if (less > 0 && r.value > alpha && !stopped_) r = descend(after, step, next, alpha, alpha + 1, ply + 1);
        if (r.value > alpha && r.value < beta && !stopped_) r = descend(after, step, next, alpha, beta, ply + 1);
      }
      if (stopped_) return {};

      best.complete = best.complete && r.complete;
      if (r.value > best.value) {
        best.value = r.value;
        best_index = index;
        if (r.value > alpha) {
          alpha = r.value;
          auto& line = lines_[static_cast<std::size_t>(ply)];
          const auto& rest = lines_[static_cast<std::size_t>(ply) + 1];
          line.assign(1, move);
          line.insert(line.end(), rest.begin(), rest.end());
        }
        if (alpha >= beta) {
          best.complete = r.complete;  // this move alone proves it
          remember(state, move, moves, ranked, tried, depth, ply);
          break;
        }
      }
    }
    // A proven win needs no proof that others are no better.
    if (!ScoredGame<G> && std::abs(best.value) >= won) best.complete = true;

    // 7. Into the table.
    const Bound bound = best.value >= beta ? Bound::lower : best.value > old_alpha ? Bound::exact : Bound::upper;
    shared_.table.store(key,
                        {to_table(best.value, ply), best.complete ? Finding::complete_depth : std::max(depth, 0), bound,
                         static_cast<std::uint16_t>(knowledge_.table_move(moves[best_index], best_index, symmetry))});
    return best;
  }

  /// Beyond the horizon: the evaluation, or what a line of noisy moves makes of it. Quiet moves are left out, so only a
  /// win is proven here.
  Result quiesce(const State& state, const View& view, int alpha, int beta, int ply, int left) {
    if (should_stop()) return {};
    Result best{knowledge_.evaluate(state, view), false};
    if (best.value >= beta || left == 0 || ply >= max_ply) return best;
    const auto moves = knowledge_.moves(state, view);
    std::array<Ranked, Wisdom::max_moves> ranked;
    std::size_t size = 0;
    for (std::size_t i = 0; i < moves.size(); ++i) {
      const int urgency = knowledge_.urgency(state, view, moves[i]);
      if (urgency >= knowledge_.noisy_urgency()) ranked[size++] = {urgency, static_cast<std::uint16_t>(i)};
    }
    for (std::size_t i = 0; i < size; ++i) {
      const State after = game_.play(state, moves[take_best(ranked, i, size).index]);
      count_node();
      if (game_.verdict(after) == win_for(game_.side(state))) return {win_value - ply - 1, true};
      if (game_.verdict(after) != Verdict::open) continue;
      const int floor = std::max(alpha, best.value);
      const Result r = quiesce(after, knowledge_.view(after), -beta, -floor, ply + 1, left - 1);
      best.value = std::max(best.value, -r.value);
      if (best.value >= beta || stopped_) break;
    }
    best.complete = best.value >= won;
    return best;
  }

  void count_node() { nodes_.store(nodes() + 1, std::memory_order_relaxed); }

  bool should_stop() {
    if (!stopped_) {
      stopped_ =
          shared_.stop.load(std::memory_order_relaxed) || (shared_.node_limit != 0 && nodes() >= shared_.node_limit);
    }
    return stopped_;
  }

  /// Wins and losses are stored by their distance from the position, not from the root.
  static int to_table(int value, int ply) {
    if (ScoredGame<G> || std::abs(value) < won) return value;
    return value > 0 ? value + ply : value - ply;
  }
  static int from_table(int value, int ply) {
    if (ScoredGame<G> || std::abs(value) < won) return value;
    return value > 0 ? value - ply : value + ply;
  }

  static constexpr int no_move = -1;

  struct Ranked {
    int rank;
    std::uint16_t index;
  };

  std::size_t rank(const State& state, const View& view, const auto& moves, int hint, int symmetry, int ply,
                   auto& ranked) const {
    const std::size_t size = moves.size();
    const auto& killers = killers_[static_cast<std::size_t>(ply)];
    const auto& history = history_[game_.side(state)];
    for (std::size_t i = 0; i < size; ++i) {
      const Move move = moves[i];
      const int slot = Wisdom::slot(move);
      int rank = knowledge_.urgency(state, view, move) + history[static_cast<std::size_t>(slot)];
      if (knowledge_.table_move(move, i, symmetry) == hint) {
        rank = 1 << 30;
      } else if (slot == killers[0] || slot == killers[1]) {
        rank += 4096;
      }
      ranked[i] = {rank, static_cast<std::uint16_t>(i)};
    }
    return size;
  }

  /// Brings the best of those not yet taken to the front: seldom are all of them needed. Equals keep the move order.
  static Ranked take_best(auto& ranked, std::size_t at, std::size_t size) {
    std::size_t best = at;
    for (std::size_t i = at + 1; i < size; ++i) {
      if (ranked[i].rank > ranked[best].rank ||
          (ranked[i].rank == ranked[best].rank && ranked[i].index < ranked[best].index)) {
        best = i;
      }
    }
    std::swap(ranked[at], ranked[best]);
    return ranked[at];
  }

  int reduction(const State& state, const View& view, Move move, int depth, std::size_t tried) const {
    if (depth < 3 || tried < 3 || !knowledge_.quiet(state, view, move)) return 0;
    return 1 + (tried >= 8 ? 1 : 0) + (depth >= 8 && tried >= 16 ? 1 : 0);
  }

  /// A move that cut: it is tried sooner next time, and those tried in vain before it later.
  void remember(const State& state, Move move, const auto& moves, const auto& ranked, std::size_t tried, int depth,
                int ply) {
    const int slot = Wisdom::slot(move);
    auto& killers = killers_[static_cast<std::size_t>(ply)];
    if (killers[0] != slot) killers = {slot, killers[0]};
    auto& history = history_[game_.side(state)];
    const int bonus = std::min(depth * depth, 400);
    auto shift = [&](int which, int by) {
      int& h = history[static_cast<std::size_t>(which)];
      h += by - h * std::abs(by) / 4096;
    };
    shift(slot, bonus);
    for (std::size_t i = 0; i < tried; ++i) shift(Wisdom::slot(moves[ranked[i].index]), -bonus);
  }

  const G& game_;
  const Wisdom& knowledge_;
  Shared& shared_;
  std::atomic<std::uint64_t> nodes_{0};  ///< written by this worker, read by whoever reports
  bool stopped_ = false;
  std::array<std::array<int, Wisdom::slots>, 2> history_{};
  std::array<std::array<int, 2>, max_ply + 2> killers_ = [] {
    std::array<std::array<int, 2>, max_ply + 2> none{};
    for (auto& pair : none) pair.fill(-1);
    return none;
  }();
  std::vector<std::vector<Move>> lines_;  ///< lines_[ply]: the best line from that ply on
};

}  // namespace ludus
