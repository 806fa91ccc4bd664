// The Fruit Rage's own search: another node function over the worker that every search shares (core/worker.hpp).
// Knows moves, atoms and the evaluation; knows no clock and no thread but its own.
//
// What it does differently. The groups of a node are found once, for the evaluation, the order and the moves. One ply
// above the horizon a move earns its points less an evaluation that is never negative, so only groups that earn more
// than alpha are looked at: three of thirty. Farther up only the largest groups are tried; moves are ordered by points
// less the evaluation behind them, and late ones are searched less deep first. Atoms (atoms.hpp) leave one move of
// their own and shorten the proof.
#pragma once

#include "core/engine.hpp"
#include "fruit_rage/atoms.hpp"
#include "fruit_rage/knowledge.hpp"

namespace ludus::fruit_rage {

template <class G>
class Worker : public RootWorker<Worker<G>, G> {
  using Base = RootWorker<Worker<G>, G>;
  using State = typename G::State;
  using Move = typename G::Move;

 public:
  Worker(const G& game, const Knowledge<G>&, Table& table, const std::atomic<bool>& stop, std::uint64_t node_limit)
      : Base(game, table, stop, node_limit) {}

  Result search(const State& state, int depth, int alpha, int beta, int ply) {
    this->line(ply).clear();
    if (budget_.must_stop()) return {};
    if (game_.verdict(state) != Verdict::open) return {0, true};
    if (depth <= 0 || ply >= max_ply) return {evaluate(game_, state), false};

    // What the atoms prove already; one of them, the largest that no other of its size cancels, is a candidate.
    Candidates moves;
    moves.all = game_.legal_moves(state);
    const Atoms<G> atoms(game_, state);
    typename G::OddSizes odd{};
    for (std::size_t i = 0; i < moves.all.size(); ++i) {
      const auto size = static_cast<std::size_t>(moves.all[i].size());
      if (atoms.contains(moves.all[i])) {
        odd[size / 64] ^= std::uint64_t{1} << (size % 64);
      } else {
        moves.add(i);
      }
    }
    const int sum = alternating_sum(odd);
    if (moves.size == 0) return {sum, true};
    if (sum + atoms.worth() <= alpha) return {sum + atoms.worth(), true};
    if (sum - atoms.worth() >= beta) return {sum - atoms.worth(), true};
    if (const int size = largest(odd); size > 0) {
      std::size_t i = 0;
      while (moves.all[i].size() != size || !atoms.contains(moves.all[i])) ++i;
      moves.add(i);
    }
    if (depth == 1) return search_last(state, moves, alpha, beta, ply);

    std::uint64_t key = atoms.key(state);
    for (const std::uint64_t word : odd) key = mix(key, word);
    const auto found = table_.find(key);
    if (found && found->depth >= depth && found->answers(found->value, alpha, beta)) {
      return {found->value, found->complete()};
    }
    // Out of reach of the end a small group is tried only where the table knows it to be good.
    const auto is_known = [&](Move move) { return found && found->move == table_move(move); };
    const bool narrowed = !tries_all_ && depth < static_cast<int>(moves.all.size()) && moves.keep_largest(is_known);
    for (std::size_t i = 0; i < moves.size; ++i) {
      auto& [rank, index] = moves.ranked[i];
      const Move move = moves.all[index];
      const bool known = is_known(move);
      rank = known ? win_value : move.points() - evaluate(game_, game_.play(state, move));
      budget_.count();
    }

    Result best{-win_value, !narrowed};
    Move best_move = moves.all[moves.ranked[0].index];
    const int old_alpha = alpha;
    for (std::size_t tried = 0; tried < moves.size; ++tried) {
      const Move move = moves.take(tried);
      const Result r = this->follow(state, move, depth - 1, reduction(depth, tried), tried == 0, alpha, beta, ply + 1);
      if (this->stopped()) return {};
      best.complete = best.complete && r.complete;
      if (r.value <= best.value) continue;
      best.value = r.value;
      best_move = move;
      if (r.value > alpha) {
        alpha = r.value;
        this->extend_line(ply, move);
      }
      if (alpha >= beta) {
        best.complete = r.complete;  // this move alone proves it
        break;
      }
    }
    table_.store(key, {best.value, best.complete ? Finding::complete_depth : depth,
                       bound_of(best.value, old_alpha, beta), table_move(best_move)});
    return best;
  }

  int root_reduction(int depth, std::size_t tried) const { return reduction(depth, tried); }

  /// From now on every move is searched to the full depth: a search to the end of the game then proves what it says.
  void try_all() { tries_all_ = true; }

 private:
  /// The moves of a node that are searched: those of the core, and at most one atom.
  struct Candidates {
    typename G::Moves all;
    std::array<RankedMove, Knowledge<G>::max_moves> ranked;
    std::size_t size = 0;

    void add(std::size_t index) { ranked[size++] = {all[index].size(), static_cast<std::uint16_t>(index)}; }
    /// Keeps the largest groups, and the one that is known to be good. False if there are no more than that.
    bool keep_largest(const auto& is_known) {
      constexpr std::size_t most = 10;
      if (size <= most) return false;
      for (std::size_t i = 0; i < size; ++i) {
        if (is_known(all[ranked[i].index])) ranked[i].rank = win_value;
      }
      std::nth_element(ranked.begin(), ranked.begin() + most, ranked.begin() + size, [](RankedMove a, RankedMove b) {
        return a.rank != b.rank ? a.rank > b.rank : a.index < b.index;
      });
      size = most;
      return true;
    }
    Move take(std::size_t at) { return all[take_best(ranked.data(), at, size).index]; }
  };

  /// The last ply, largest groups first: once a group earns no more than the best so far, nor does any after it.
  Result search_last(const State& state, Candidates& moves, int alpha, int beta, int ply) {
    int best = -win_value;
    for (std::size_t tried = 0; tried < moves.size && best < beta; ++tried) {
      const Move move = moves.take(tried);
      if (move.points() <= std::max(alpha, best)) {
        best = std::max(best, move.points());
        break;
      }
      budget_.count();
      const int value = move.points() - evaluate(game_, game_.play(state, move));
      if (value > std::max(alpha, best)) this->line(ply).assign(1, move);
      best = std::max(best, value);
    }
    return {best, false};
  }

  /// The table remembers a move by its cell: equal cores have it in the same place, whatever atoms lie around.
  static std::uint16_t table_move(Move move) { return static_cast<std::uint16_t>(Knowledge<G>::slot(move)); }

  /// Plies to save on the `tried`-th move: half the product of the two natural logarithms, in integers.
  int reduction(int depth, std::size_t tried) const {
    if (depth < 3 || tried < 3 || tries_all_) return 0;
    const int product = quarter_log(static_cast<unsigned>(depth)) * quarter_log(static_cast<unsigned>(tried));
    return std::min(depth - 2, (product + 33) / 66);
  }
  /// Four times the logarithm to base 2, linear between powers of two.
  static int quarter_log(unsigned number) {
    const int whole = std::bit_width(number) - 1;
    return 4 * whole + static_cast<int>((number << 2 >> whole) & 3);
  }

  using Base::budget_, Base::game_, Base::table_;
  bool tries_all_ = false;
};

/// Iterative deepening with that worker, and a proof beside it once the deepening has come half-way to the end.
///
/// The deepening leaves late moves less deep, so that it proves a value only long after it has seen it. The proof asks
/// on both sides of that value, "is it at least n?", to the end of the game and with nothing left out.
template <class G>
class Search final : public AlphaBeta<G, Worker> {
  using Root = typename AlphaBeta<G, Worker>::Root;

 public:
  using AlphaBeta<G, Worker>::AlphaBeta;
  ~Search() override { this->stop(); }

 private:
  void think(const Limits& limits) override {
    prover_.emplace(*this->game_, this->knowledge_, this->table_, this->stop_asked(), 0);
    prover_->try_all();
    low_ = -win_value, high_ = win_value;
    best_.reset();
    win_only_ = limits.win_only;
    AlphaBeta<G, Worker>::think(limits);
  }

  std::uint64_t proof_nodes() const override { return prover_ ? prover_->nodes() : 0; }

  bool prove(const std::vector<Root>& roots, int depth, std::uint64_t nodes) override {
    const int groups = static_cast<int>(roots.size());
    if (roots[0].complete || 2 * depth < groups) return false;
    prover_->resume(3 * depth < 2 * groups ? nodes / 4 : nodes);
    const int level = -this->margin();
    for (int guess = roots[0].value; !settled(level);) {
      int beta = std::clamp(guess, low_ + 1, high_);
      if (win_only_) beta = high_ > level ? level + 1 : level;
      std::vector<Root> moves = roots;
      const Result answer = prover_->search_root(this->state_, moves, 0, max_ply, beta - 1, beta);
      if (prover_->stopped() || !answer.complete) return false;
      if (answer.value >= beta) {
        low_ = answer.value;
        best_ = moves[0];
      } else {
        high_ = answer.value;
      }
      guess = answer.value;
    }
    const bool lost = win_only_ && high_ < level;
    const int value = lost ? high_ : low_;
    Root best = lost || !best_ ? roots[0] : *best_;
    best.line.resize(1);
    publish_proof(best.line, value, depth, nodes);
    if (low_ != high_) return true;

    // The line behind it: the same search between the values next to it, mostly from the table.
    std::vector<Root> moves = roots;
    const auto found = std::find_if(moves.begin(), moves.end(), [&](const Root& r) { return r.index == best.index; });
    std::rotate(moves.begin(), found, found + 1);
    prover_->resume(prover_->nodes() + nodes);
    const Result again = prover_->search_root(this->state_, moves, 0, max_ply, value - 1, value + 1);
    if (!prover_->stopped() && again.complete && again.value == value) {
      publish_proof(moves[0].line, value, depth, nodes);
    }
    return true;
  }

  bool settled(int level) const { return low_ == high_ || (win_only_ && (low_ > level || high_ < level)); }

  void publish_proof(const std::vector<typename G::Move>& line, int value, int depth, std::uint64_t nodes) {
    SearchInfo info;
    info.depth = depth;
    info.nodes = nodes + proof_nodes();
    info.table_permille = this->table_.permille();
    info.lines.push_back(make_variation(*this->game_, this->state_, line, value, true));
    this->publish(std::move(info));
  }

  std::optional<Worker<G>> prover_;          ///< of the search in hand
  int low_ = -win_value, high_ = win_value;  ///< what it has proven of the value
  std::optional<Root> best_;                 ///< the move that raised `low_`: once the bounds meet, it is worth them
  bool win_only_ = false;
};

}  // namespace ludus::fruit_rage
