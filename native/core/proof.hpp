// Proves the value of a position by questions, as solvers do: first whether the side to move wins, then whether it
// holds a draw, then how soon. A question is a search to the end of the game with an empty window, so its answer is
// "more" or "not more", and no evaluation enters. What it learns stays in the table, where the next question and the
// main search find it. Games without points that end after a known number of moves. Knows no clock.
#pragma once

#include <optional>

#include "core/worker.hpp"

namespace ludus {

template <class Worker, Game G>
class Proof {
 public:
  using State = typename G::State;
  using Root = RootMove<typename G::Move>;

  Proof(const G& game, const Knowledge<G>& knowledge, Table& table, const std::atomic<bool>& stop)
      : worker_(game, knowledge, table, stop, 0) {}

  /// Whether every line from here on ends before the search has to.
  static bool possible(const G& game, const State& state) {
    const std::optional<int> moves_left = game.max_moves_left(state);
    return !ScoredGame<G> && moves_left && *moves_left < max_ply;
  }

  std::uint64_t nodes() const { return worker_.nodes(); }

  /// Who wins is known; when `closed`, how soon too.
  bool decided() const { return low_ > 0 || high_ < 0 || closed(); }
  bool closed() const { return low_ == high_; }
  /// What is proven of the value once it is decided, and a move that gets it.
  int value() const { return closed() ? low_ : low_ > 0 ? won : -won; }
  const Root& best() const { return best_; }

  /// Asks on, until `enough` or the worker has taken that many nodes in all. `roots` are the moves, the best first.
  void ask(const State& state, const std::vector<Root>& roots, std::uint64_t node_limit,
           bool (Proof::*enough)() const) {
    worker_.resume(node_limit);
    if (low_ == -win_value) best_ = roots[0];
    while (!(this->*enough)()) {
      const int question = high_ > 0 && low_ <= 0 ? 0 : low_ < 0 && high_ >= 0 ? -1 : low_ + (high_ - low_) / 2;
      std::vector<Root> moves = roots;
      const Result answer = worker_.search_root(state, moves, 0, max_ply, question, question + 1);
      if (worker_.stopped()) return;
      if (answer.value > question) {
        low_ = answer.value;
        best_ = moves[0];
      } else {
        high_ = answer.value;
      }
    }
  }

 private:
  Worker worker_;
  int low_ = -win_value, high_ = win_value;
  Root best_{};
};

}  // namespace ludus
