// The searches of the textbook, to learn from and to be measured against: minimax to a fixed depth, and what pruning,
// ordering and a table each save of it. Knows the rules and an evaluation; none of the engine's knowledge.
//
// All methods give the same value and the same move at the same depth: pruning only leaves out what cannot matter.
// Depth counts moves, also where a side moves twice in a row. What a line is worth to the side to move at its start:
//     scored games    the points it makes on the line, less those the opponent makes
//     other games     the evaluation at the line's end; a game won on the line is worth more than any evaluation,
//                     and the more the sooner
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/text.hpp"
#include "core/worker.hpp"

namespace ludus {

/// Each does what the one before it does, and one thing more.
enum class Method : std::uint8_t { minimax, alphabeta, ordering, table };

inline constexpr int max_look_ahead = 100;

/// A way to judge an open position, from the side to move. Each game has a plain one; a game whose namespace
/// has a function `evaluations(game)` offers others in it, by name.
template <Game G>
using Evaluation = int (*)(const G&, const typename G::State&);

/// Throws std::invalid_argument for a name that the game does not have.
template <Game G>
Evaluation<G> find_evaluation(const G& game, std::string_view name) {
  if (name == "plain") return [](const G& g, const typename G::State& s) { return plain_evaluation(g, s); };
  std::string names = "plain";
  if constexpr (requires { evaluations(game); }) {
    for (const auto& [other, evaluation] : evaluations(game)) {
      if (name == other) return evaluation;
      names.append(", ").append(other);
    }
  }
  throw std::invalid_argument("this game has no evaluator " + quote(name) + "; its evaluators are " + names);
}

/// What a search chose, and what that took. `nodes` counts the moves played; the position at the root is none.
template <class Move>
struct ChosenMove {
  Move move{};
  double value = 0;  ///< to the side to move
  std::uint64_t nodes = 0;
  int depth = 0;
};

/// What the mover gains by a move, as the player `greedy` sees it: points, or how it stands after the move.
template <Game G>
int gain_at_once(const G& game, Evaluation<G> evaluation, const typename G::State& state,
                 const typename G::State& after) {
  if constexpr (ScoredGame<G>) {
    return gain(game, state, after);
  } else {
    constexpr int infinity = 1 << 30;
    const Verdict verdict = game.verdict(after);
    if (verdict == Verdict::tie) return 0;
    if (verdict != Verdict::open) return verdict == win_for(game.side(state)) ? infinity : -infinity;
    const int value = evaluation(game, after);
    return game.side(after) == game.side(state) ? value : -value;
  }
}

template <Game G>
class Textbook {
  using State = typename G::State;
  using Move = typename G::Move;

 public:
  /// Once `stop` is set the search is abandoned and its result means nothing.
  Textbook(const G& game, Method method, Evaluation<G> evaluation, const std::atomic<bool>& stop)
      : game_(game), method_(method), evaluation_(evaluation), budget_(stop) {
    if (method == Method::table) table_ = std::make_unique<Table>(std::size_t{16} << 20);
  }

  /// Looks `depth` moves ahead in an open game, 1 to max_look_ahead. Of equal moves the first in the game's order is
  /// chosen, whatever the order they are tried in: a move before the best so far need only be as good, one behind it
  /// better.
  ChosenMove<Move> choose(const State& root, int depth) {
    depth_ = depth;
    const auto moves = game_.legal_moves(root);
    const auto order = rank(root, moves, depth);
    std::size_t best = moves.size();
    int value = -infinity;
    for (const std::size_t i : order) {
      const int found = follow(root, moves[i], depth, i < best ? value - 1 : value, infinity);
      if (found > value || (found == value && i < best)) best = i, value = found;
    }
    return {moves[best], static_cast<double>(value), budget_.nodes(), depth};
  }

 private:
  static constexpr int infinity = 1 << 30;

  /// Plays a move and searches on; window and value are the mover's.
  int follow(const State& state, Move move, int depth, int alpha, int beta) {
    budget_.count();
    const State after = game_.play(state, move);
    const int points = gain(game_, state, after);
    if (game_.side(after) == game_.side(state)) {
      return points + search(after, depth - 1, alpha - points, beta - points);
    }
    return points - search(after, depth - 1, points - beta, points - alpha);
  }

  /// The contract is that of worker.hpp: exact inside the window, a bound outside. Minimax heeds no window.
  int search(const State& state, int depth, int alpha, int beta) {
    if (const Verdict verdict = game_.verdict(state); verdict != Verdict::open) return decided(state, verdict, depth);
    if (depth == 0) return ScoredGame<G> ? 0 : std::clamp(evaluation_(game_, state), 1 - won, won - 1);
    if (budget_.must_stop()) return 0;

    const std::uint64_t key = table_ ? game_.key(state) : 0;
    if (table_) {
      // Only findings of the very same depth: others are as good, but not what minimax would say.
      const auto found = table_->find(key);
      if (found && found->depth == depth && found->answers(found->value, alpha, beta)) return found->value;
    }
    const auto moves = game_.legal_moves(state);
    int best = -infinity;
    for (const std::size_t i : rank(state, moves, depth)) {
      best = std::max(best, follow(state, moves[i], depth, std::max(alpha, best), beta));
      if (best >= beta && method_ != Method::minimax) break;
    }
    if (table_) {
      table_->store(key, {best, depth, bound_of(best, alpha, beta), 0});
    }
    return best;
  }

  int decided(const State& state, Verdict verdict, int depth) const {
    if (ScoredGame<G> || verdict == Verdict::tie) return 0;
    const int value = win_value - (depth_ - depth);
    return verdict == win_for(game_.side(state)) ? value : -value;
  }

  /// The order to try moves in: the game's own, or by what each gains at once, as the player `greedy` sees it. One ply
  /// above the leaves ordering would cost as much as searching, so it is left out there.
  template <class Moves>
  std::vector<std::uint16_t> rank(const State& state, const Moves& moves, int depth) const {
    std::vector<std::uint16_t> order(moves.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint16_t>(i);
    if (method_ < Method::ordering || depth == 1) return order;
    std::vector<int> promise;
    for (std::size_t i = 0; i < order.size(); ++i)
      promise.push_back(gain_at_once(game_, evaluation_, state, game_.play(state, moves[i])));
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return promise[a] > promise[b]; });
    return order;
  }

  const G& game_;
  Method method_;
  Evaluation<G> evaluation_;
  NodeBudget budget_;
  std::unique_ptr<Table> table_;  ///< only for Method::table
  int depth_ = 0;                 ///< of the search in hand
};

}  // namespace ludus
