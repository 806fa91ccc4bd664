// The Fruit Rage's own search: takes the place of the general Worker (core/search.hpp), with its contract and
// interface. Knows moves, atoms and the evaluation; knows no clock and no thread but its own.
//
// What it does differently. The groups of a node are found once, for the evaluation, the order and the moves. One ply
// above the horizon a move earns its points less an evaluation that is never negative, so only groups that earn more
// than alpha are looked at: three of thirty. Farther up, moves are ordered by points less the evaluation behind them,
// and late ones are searched less deep first. Atoms (atoms.hpp) leave one move of their own and shorten the proof.
#pragma once

#include "core/search.hpp"
#include "fruit_rage/atoms.hpp"

namespace ludus {

template <class Row, int Rows, int Planes>
class Worker<fruit_rage::FruitRage<Row, Rows, Planes>> {
  using G = fruit_rage::FruitRage<Row, Rows, Planes>;

 public:
  using State = typename G::State;
  using Move = typename G::Move;
  using Wisdom = Knowledge<G>;
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
      const Result r = follow(state, root.move, depth, i - first, alpha, beta, 1);
      if (stopped_) break;
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
        break;
      }
    }
    std::stable_sort(moves.begin() + static_cast<std::ptrdiff_t>(first), moves.end(),
                     [](const Root& a, const Root& b) { return a.value > b.value; });
    return best;
  }

 private:
  struct Ranked {
    int rank;
    std::uint16_t index;
  };
  /// The moves of a node that are worth a look: those of the core, and at most one atom.
  struct Candidates {
    typename G::Moves all;
    std::array<Ranked, Rows * Rows> ranked;
    std::size_t size = 0;

    void add(std::size_t index) { ranked[size++] = {all[index].size(), static_cast<std::uint16_t>(index)}; }

    /// Brings the best of those not yet taken to the front: seldom are all of them needed. Equals keep the move order.
    Ranked take_best(std::size_t at) {
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
  };

  /// Plays a move, the `tried`-th of its node, and searches on; window and result are the mover's. Only the first gets
  /// the whole window at once: of the others it is asked whether they are better, and late ones not too deep.
  Result follow(const State& state, Move move, int depth, std::size_t tried, int alpha, int beta, int ply) {
    const State after = game_.play(state, move);
    count_node();
    const auto descend = [&](int to_depth, int low, int high) {
      const Result r = search(after, to_depth, move.points() - high, move.points() - low, ply);
      return Result{move.points() - r.value, r.complete};
    };
    if (tried == 0) return descend(depth - 1, alpha, beta);
    const int less = reduction(depth, tried);
    Result r = descend(depth - 1 - less, alpha, alpha + 1);
    if (less > 0 && r.value > alpha && !stopped_) r = descend(depth - 1, alpha, alpha + 1);
    if (r.value > alpha && r.value < beta && !stopped_) r = descend(depth - 1, alpha, beta);
    return r;
  }

  Result search(const State& state, int depth, int alpha, int beta, int ply) {
    lines_[static_cast<std::size_t>(ply)].clear();
    if (should_stop()) return {};
    if (game_.verdict(state) != Verdict::open) return {0, true};
    if (depth <= 0 || ply >= max_ply) return {fruit_rage::evaluate(game_, state), false};

    // What the atoms prove already; one of them, the largest that no other of its size cancels, is a candidate.
    Candidates moves;
    moves.all = game_.legal_moves(state);
    const fruit_rage::Atoms<G> atoms(game_, state);
    typename G::OddSizes odd{};
    for (std::size_t i = 0; i < moves.all.size(); ++i) {
      const auto size = static_cast<std::size_t>(moves.all[i].size());
      if (atoms.contains(moves.all[i])) {
        odd[size / 64] ^= std::uint64_t{1} << (size % 64);
      } else {
        moves.add(i);
      }
    }
    const int sum = fruit_rage::alternating_sum(odd);
    if (moves.size == 0) return {sum, true};
    if (sum + atoms.worth() <= alpha) return {sum + atoms.worth(), true};
    if (sum - atoms.worth() >= beta) return {sum - atoms.worth(), true};
    if (const int largest = fruit_rage::largest(odd); largest > 0) {
      std::size_t i = 0;
      while (moves.all[i].size() != largest || !atoms.contains(moves.all[i])) ++i;
      moves.add(i);
    }
    if (depth == 1) return search_last(state, moves, alpha, beta, ply);

    std::uint64_t key = atoms.key(state);
    for (const std::uint64_t word : odd) key = mix(key, word);
    const auto found = shared_.table.find(key);
    if (found && found->depth >= depth) {
      const bool usable = found->bound == Bound::exact || (found->bound == Bound::lower && found->value >= beta) ||
                          (found->bound == Bound::upper && found->value <= alpha);
      if (usable) return {found->value, found->complete()};
    }
    for (std::size_t i = 0; i < moves.size; ++i) {
      auto& [rank, index] = moves.ranked[i];
      const Move move = moves.all[index];
      const bool known = found && found->move == key_of(move);
      rank = known ? win_value : move.points() - fruit_rage::evaluate(game_, game_.play(state, move));
      count_node();
    }

    Result best{-win_value, true};
    Move best_move = moves.all[moves.ranked[0].index];
    const int old_alpha = alpha;
    for (std::size_t tried = 0; tried < moves.size; ++tried) {
      const Move move = moves.all[moves.take_best(tried).index];
      const Result r = follow(state, move, depth, tried, alpha, beta, ply + 1);
      if (stopped_) return {};
      best.complete = best.complete && r.complete;
      if (r.value <= best.value) continue;
      best.value = r.value;
      best_move = move;
      if (r.value > alpha) {
        alpha = r.value;
        auto& line = lines_[static_cast<std::size_t>(ply)];
        const auto& rest = lines_[static_cast<std::size_t>(ply) + 1];
        line.assign(1, move);
        line.insert(line.end(), rest.begin(), rest.end());
      }
      if (alpha >= beta) {
        best.complete = r.complete;  // this move alone proves it
        break;
      }
    }
    const Bound bound = best.value >= beta ? Bound::lower : best.value > old_alpha ? Bound::exact : Bound::upper;
    shared_.table.store(key, {best.value, best.complete ? Finding::complete_depth : depth, bound, key_of(best_move)});
    return best;
  }

  /// The last ply, largest groups first: once a group earns no more than what is had, nor does any after it.
  Result search_last(const State& state, Candidates& moves, int alpha, int beta, int ply) {
    int best = -win_value;
    for (std::size_t tried = 0; tried < moves.size && best < beta; ++tried) {
      const Move move = moves.all[moves.take_best(tried).index];
      if (move.points() <= std::max(alpha, best)) {
        best = std::max(best, move.points());
        break;
      }
      count_node();
      const int value = move.points() - fruit_rage::evaluate(game_, game_.play(state, move));
      if (value > std::max(alpha, best)) lines_[static_cast<std::size_t>(ply)].assign(1, move);
      best = std::max(best, value);
    }
    return {best, false};
  }

  /// The table remembers a move by its cell: equal cores have it in the same place, whatever atoms lie around.
  static std::uint16_t key_of(Move move) { return static_cast<std::uint16_t>(Wisdom::slot(move)); }

  /// Plies to save on the `tried`-th move: half the product of the two natural logarithms, in integers.
  static int reduction(int depth, std::size_t tried) {
    if (depth < 3 || tried < 3) return 0;
    const int product = quarter_log(static_cast<unsigned>(depth)) * quarter_log(static_cast<unsigned>(tried));
    return std::min(depth - 2, (product + 33) / 66);
  }
  /// Four times the logarithm to base 2, linear between powers of two.
  static int quarter_log(unsigned number) {
    const int whole = std::bit_width(number) - 1;
    return 4 * whole + static_cast<int>((number << 2 >> whole) & 3);
  }

  void count_node() { nodes_.store(nodes() + 1, std::memory_order_relaxed); }

  bool should_stop() {
    if (!stopped_) {
      stopped_ =
          shared_.stop.load(std::memory_order_relaxed) || (shared_.node_limit != 0 && nodes() >= shared_.node_limit);
    }
    return stopped_;
  }

  const G& game_;
  const Wisdom& knowledge_;
  Shared& shared_;
  std::atomic<std::uint64_t> nodes_{0};  ///< written by this worker, read by whoever reports
  bool stopped_ = false;
  std::vector<std::vector<Move>> lines_;  ///< lines_[ply]: the best line from that ply on
};

}  // namespace ludus
