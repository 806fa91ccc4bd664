// Proves the value of a position by questions, as solvers do: first whether the side to move wins, then whether it
// holds a draw, then how soon. A question is a search to the end of the game with an empty window, so its answer is
// "more" or "not more", and no evaluation enters. What it learns stays in the table, where the next question and the
// main search find it. Games without points that end after a known number of moves. Knows no clock.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <vector>

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

/// How soon a side that is known to win does so, by the rules alone. A search finds a win, and a game's knowledge may
/// prove one from afar; neither says that there is no shorter one. Games without points.
template <Game G>
class Distance {
 public:
  using State = typename G::State;

  Distance(const G& game, const std::atomic<bool>& stop) : game_(game), budget_(stop), known_(table_size) {}

  /// Plies to the end if `winner` hurries and the other side delays; 0 if that takes more than `most`, or more looks.
  int plies(const State& state, Side winner, int most, std::uint64_t looks) {
    budget_.resume(budget_.nodes() + looks);
    for (int plies = 1; plies <= most; ++plies) {
      const bool ends = forces(state, winner, plies);
      if (budget_.stopped()) return 0;
      if (ends) return plies;
    }
    return 0;
  }

 private:
  static constexpr std::size_t table_size = 1 << 16;

  /// Of a position: within how many plies the winner does not win, and within how many it does.
  struct Known {
    std::uint64_t key = 0;
    int not_within = -1, within = std::numeric_limits<int>::max();
  };

  bool forces(const State& state, Side winner, int plies) {
    if (const Verdict verdict = game_.verdict(state); verdict != Verdict::open) return verdict == win_for(winner);
    if (plies <= 0 || budget_.must_stop()) return false;
    budget_.count();
    const std::uint64_t key = mix(game_.key(state), winner);
    const std::size_t slot = key % table_size;
    if (known_[slot].key != key) known_[slot] = {key};
    if (plies <= known_[slot].not_within || plies >= known_[slot].within) return plies >= known_[slot].within;

    const bool own = game_.side(state) == winner;
    const auto moves = game_.legal_moves(state);
    std::size_t& last = last_[static_cast<std::size_t>(std::min(plies, max_ply))];
    const std::size_t first = std::min(last, moves.size() - 1);  // what decided another position may decide this one
    bool ends = !own;
    for (std::size_t n = 0; n < moves.size() && ends != own; ++n) {
      const std::size_t i = n == 0 ? first : n <= first ? n - 1 : n;
      if (forces(game_.play(state, moves[i]), winner, plies - 1) == own) ends = own, last = i;
    }
    if (budget_.stopped()) return false;
    if (known_[slot].key != key) known_[slot] = {key};
    if (ends) {
      known_[slot].within = std::min(known_[slot].within, plies);
    } else {
      known_[slot].not_within = std::max(known_[slot].not_within, plies);
    }
    return ends;
  }

  const G& game_;
  NodeBudget budget_;
  std::vector<Known> known_;
  std::array<std::size_t, max_ply + 1> last_{};
};

}  // namespace ludus
