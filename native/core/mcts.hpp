// Monte Carlo tree search, as the textbook has it (UCT): games played half at random from the leaves of a tree that
// grows where the results are good. Knows the rules, and what a move gains at once.
//
// A play-out walks down the tree by the upper confidence bound, adds one node, and plays on with the best of a few
// random moves at a time, as the player `greedy` sees them; a side that can win at once does, and neither side lets the
// opponent do so if it can avoid it. Its result is 1, 1/2 or 0 for the first player; in scored games the margin,
// squashed so that one as large as the play-outs' average is half way from a tie to a win. What is decided is proven up
// the tree, and not tried again. Floating point in a fixed order: the same seed gives the same choice.
#pragma once

#include <cmath>
#include <cstdlib>

#include "core/random.hpp"
#include "core/teaching.hpp"

namespace ludus {

/// A node a play-out, of 32 bytes.
inline constexpr std::uint32_t max_playouts = 10'000'000;

template <Game G>
class TreeSearch {
  using State = typename G::State;
  using Move = typename G::Move;

 public:
  /// Once `stop` is set the search is abandoned and its result means nothing.
  TreeSearch(const G& game, std::uint64_t seed, const std::atomic<bool>& stop)
      : game_(game), random_(seed), budget_(stop) {}

  /// The move of an open game that was tried most often, unless another is proven to win or this one to lose. Its value
  /// is its mean result, from -1 to 1.
  ChosenMove<Move> choose(const State& root, std::uint32_t playouts) {
    tree_.assign(1, Node{});
    deepest_ = 0, margins_ = 0, finished_ = 0;
    for (std::uint32_t i = 0; i < playouts && tree_[0].winner == undecided && !budget_.must_stop(); ++i) {
      play_out(root);
    }
    const Node* best = nullptr;
    for (std::uint32_t at = tree_[0].child; at != no_node; at = tree_[at].sibling) {
      if (best == nullptr || tree_[at].is_better_than(*best)) best = &tree_[at];
    }
    if (best == nullptr) return {};  // stopped before it began
    return {game_.legal_moves(root)[best->index], best->value(), budget_.nodes(), deepest_};
  }

 private:
  static constexpr std::uint32_t no_node = 0;  // node 0 is the root, which is the child of none
  static constexpr Side undecided = 2;
  static constexpr int samples = 20;  // random moves that a play-out chooses the next one from
  // The weight of what is little known against what looks good. Squashed margins lie closer together than wins.
  static constexpr double curiosity = ScoredGame<G> ? 0.15 : 0.4;

  struct Node {
    std::uint32_t child = no_node, sibling = no_node;  ///< the latest child; the child before this one
    std::uint32_t visits = 0;
    std::uint16_t index = 0;              ///< of the move that led here, among the legal ones
    std::uint16_t offset = 0, tried = 0;  ///< children are tried in the game's order from a random one on
    std::uint16_t moves = 0;              ///< how many there are to try, once one is tried
    Side mover = 0;                       ///< whose move led here, and whose results are summed up
    Side winner = undecided;              ///< of the game from here, proven
    double sum = 0;

    double mean() const { return sum / visits; }
    bool lost() const { return winner == 1 - mover; }
    double value() const { return winner == undecided ? 2 * mean() - 1 : lost() ? -1 : 1; }
    int rank() const { return winner == undecided ? 1 : lost() ? 0 : 2; }
    bool is_better_than(const Node& other) const {
      if (rank() != other.rank()) return rank() > other.rank();
      return visits != other.visits ? visits > other.visits : index < other.index;
    }
  };

  void play_out(const State& root) {
    State state = root;
    path_.assign(1, 0);
    for (bool grown = false; !grown && game_.verdict(state) == Verdict::open;) {
      const auto moves = game_.legal_moves(state);
      grown = tree_[path_.back()].tried < moves.size();
      path_.push_back(grown ? grow(path_.back(), moves.size(), game_.side(state)) : best_child(path_.back()));
      state = game_.play(state, moves[tree_[path_.back()].index]);
    }
    budget_.count(path_.size() - 1);
    deepest_ = std::max(deepest_, static_cast<int>(path_.size()) - 1);
    const bool decided = finish(state);
    const double first = result(root, state);
    for (const std::uint32_t at : path_) {
      ++tree_[at].visits;
      tree_[at].sum += tree_[at].mover == 0 ? first : 1 - first;
    }
    if (decided && first != 0.5) settle(first == 1 ? Side{0} : Side{1});
  }

  /// The leaf's game is decided: so are those above it where the winner had the move, or the other has no better one.
  void settle(Side winner) {
    for (std::size_t i = path_.size(); i-- > 0; tree_[path_[i]].winner = winner) {
      if (i + 1 < path_.size() && tree_[path_[i + 1]].mover != winner && !all_lost(tree_[path_[i]])) return;
    }
  }
  bool all_lost(const Node& parent) const {
    bool lost = parent.tried == parent.moves;
    for (std::uint32_t at = parent.child; lost && at != no_node; at = tree_[at].sibling) lost = tree_[at].lost();
    return lost;
  }

  std::uint32_t grow(std::uint32_t at, std::size_t moves, Side mover) {
    Node& parent = tree_[at];
    const auto size = static_cast<std::uint32_t>(moves);
    if (parent.tried == 0) {
      parent.offset = static_cast<std::uint16_t>(random_.below(size));
      parent.moves = static_cast<std::uint16_t>(size);
    }
    Node node;
    node.index = static_cast<std::uint16_t>((parent.offset + parent.tried++) % size);
    node.mover = mover;
    node.sibling = parent.child;
    parent.child = static_cast<std::uint32_t>(tree_.size());
    tree_.push_back(node);
    return tree_[at].child;
  }

  /// The child with the highest upper confidence bound that is not proven to lose; of equals the latest.
  std::uint32_t best_child(std::uint32_t parent) const {
    const double log_visits = std::log(tree_[parent].visits);
    std::uint32_t best = no_node;
    double highest = 0;
    for (std::uint32_t at = tree_[parent].child; at != no_node; at = tree_[at].sibling) {
      const Node& node = tree_[at];
      if (node.lost()) continue;
      const double bound = node.mean() + curiosity * std::sqrt(log_visits / node.visits);
      if (best == no_node || bound > highest) highest = bound, best = at;
    }
    return best;
  }

  /// Plays to the end of the game, half at random; true if chance had no part in who wins.
  bool finish(State& state) {
    if constexpr (!ScoredGame<G>) {
      if (game_.verdict(state) != Verdict::open || win_at_once(state)) return true;
    }
    while (game_.verdict(state) == Verdict::open) step(state);
    return false;
  }

  /// Plays the one of a few random moves that gains most at once. No move wins at once here; where that move lets the
  /// opponent do so, plays the first from another random one on that does not, if there is one.
  void step(State& state) {
    const auto moves = game_.legal_moves(state);
    const auto size = static_cast<std::uint32_t>(moves.size());
    State best = state;
    int most = 0;
    for (int i = 0; i < samples; ++i) {
      const State after = game_.play(state, moves[random_.below(size)]);
      budget_.count();
      const int gained = gain_at_once(game_, evaluation_, state, after);
      if (i == 0 || gained > most) best = after, most = gained;
    }
    if constexpr (!ScoredGame<G>) {
      const Verdict loss = win_for(static_cast<Side>(1 - game_.side(state)));
      const auto lets_win = [&](State& after) {
        if (game_.verdict(after) == Verdict::open) win_at_once(after);
        return game_.verdict(after) == loss;
      };
      if (lets_win(best)) {
        const std::uint32_t offset = random_.below(size);
        for (std::uint32_t i = 0; i < size && game_.verdict(best) == loss; ++i) {
          best = game_.play(state, moves[(offset + i) % size]);
          budget_.count();
          lets_win(best);
        }
      }
    }
    state = best;
  }

  /// Plays the first move that wins, if there is one.
  bool win_at_once(State& state) {
    const Verdict win = win_for(game_.side(state));
    const auto moves = game_.legal_moves(state);
    for (std::size_t i = 0; i < moves.size(); ++i) {
      const State after = game_.play(state, moves[i]);
      budget_.count();
      if (game_.verdict(after) == win) {
        state = after;
        return true;
      }
    }
    return false;
  }

  /// From 0 to 1, for the first player.
  double result(const State& root, const State& end) {
    if constexpr (ScoredGame<G>) {
      const auto before = game_.scores(root), after = game_.scores(end);
      const int margin = (after[0] - before[0]) - (after[1] - before[1]);
      margins_ += std::abs(margin);
      ++finished_;
      return margin == 0 ? 0.5 : 0.5 + 0.5 * margin / (std::abs(margin) + margins_ / finished_);
    } else {
      const Verdict verdict = game_.verdict(end);
      return verdict == Verdict::tie ? 0.5 : verdict == Verdict::first_wins ? 1 : 0;
    }
  }

  const G& game_;
  const Evaluation<G> evaluation_ = find_evaluation(game_, "plain");
  Random random_;
  NodeBudget budget_;
  std::vector<Node> tree_;
  std::vector<std::uint32_t> path_;
  int deepest_ = 0;
  double margins_ = 0, finished_ = 0;  ///< of the play-outs so far: the sum of their margins, and their number
};

}  // namespace ludus
