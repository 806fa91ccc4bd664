// Magnetic Cave: who wins, to the end of the game, and nothing else. Knows the rules and what a view shows; knows no
// evaluation, so that all it says is proven, and no clock: it views as many positions as it is allowed.
//
// It asks one question with two answers, "can the side to move get at least this much?" (0 a tie, +1 a win), and looks
// at all children of a position before it enters one: many are decided by their view or by the table, and of the others
// the one that leaves the opponent the fewest moves and the least prospects comes first. What it finds goes into the
// table that the main search uses too; a win then counts as one that takes until the board is full, which is the
// longest it can take.
//
// Several provers may work on one question, each on its own thread. They share the table, tell each other which
// positions they are in, and try those last that another one is in.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "core/worker.hpp"
#include "magnetic_cave/view.hpp"

namespace ludus::magnetic_cave {

/// The outcome of a game for the side to move, proven: -1, 0 or +1, and a move that gets it.
template <class Move>
struct Proof {
  int outcome;
  Move move;
};

/// What the provers of one search tell each other. A mark that is overwritten only costs work.
class ProverTeam {
 public:
  bool is_in(std::uint64_t key) const { return slot(key).load(std::memory_order_relaxed) == key; }
  void enter(std::uint64_t key) { slot(key).store(key, std::memory_order_relaxed); }
  void leave(std::uint64_t key) { slot(key).store(0, std::memory_order_relaxed); }

  std::atomic<bool> answered{false};  ///< one of them has proven the outcome at the root: it is in the table

 private:
  std::atomic<std::uint64_t>& slot(std::uint64_t key) { return slots_[key % slots_.size()]; }
  const std::atomic<std::uint64_t>& slot(std::uint64_t key) const { return slots_[key % slots_.size()]; }

  std::array<std::atomic<std::uint64_t>, 4096> slots_{};
};

template <class G>
class Prover {
 public:
  using State = typename G::State;
  using Move = typename G::Move;
  using View = magnetic_cave::View<G>;

  /// Alone, or with the `team` of the provers that work on the same position.
  Prover(const G& game, Table& table, const std::atomic<bool>& stop, ProverTeam* team = nullptr)
      : game_(game), table_(table), budget_(stop), team_(team) {}

  /// How many positions to view in all, once the search has taken that many nodes: none while the end is far; when it
  /// is near about as many, and nearly all the effort once the search has had its chance.
  std::uint64_t worth_while(const State& state, std::uint64_t nodes) const {
    const int left = cells_left(state);
    if (left > farthest) return 0;
    if (left > 32) return nodes;
    return nodes < 30'000 ? 4 * nodes : 32 * nodes;
  }

  /// Positions viewed so far.
  std::uint64_t nodes() const { return budget_.nodes(); }

  /// -1, 0 or +1 for the side to move of an open game, and a move that gets it, if that many more nodes suffice.
  std::optional<Proof<Move>> outcome(const State& state, std::uint64_t max_nodes) {
    const View view = View(game_, state);
    const auto answer = ask(state, view, max_nodes);
    if (!answer) return std::nullopt;
    told_ = true;
    const int outcome = *answer;
    if (view.plies_to_end != 0) return Proof<Move>{outcome, view.moves[0]};

    // The move that gets it is found again, since the table may have lost it: the one that it names first.
    const auto found = table_.find(view.key);
    const std::size_t hint = found && found->move < view.moves.size() ? found->move : 0;
    for (std::size_t i = 0; i < view.moves.size(); ++i) {
      const Move move = view.moves[(hint + i) % view.moves.size()];
      const auto kept = keeps(state, move, outcome, max_nodes);
      if (!kept) return std::nullopt;
      if (*kept) return Proof<Move>{outcome, move};
    }
    return std::nullopt;
  }

  /// Works on the outcome for the others of the team.
  void help(const State& state, std::uint64_t max_nodes) { ask(state, View(game_, state), max_nodes); }

  /// A move that keeps at least a tie, where an earlier proof of one is in the table.
  std::optional<Move> known_tie(const State& state) {
    if (cells_left(state) > farthest) return std::nullopt;
    const View view = View(game_, state);
    if (known(view).least != 0) return std::nullopt;
    for (const Move move : view.moves)
      if (keeps(state, move, 0, 1000).value_or(false)) return move;
    return std::nullopt;
  }

  /// Whether a move keeps an outcome that is proven; no answer if that many nodes do not suffice.
  std::optional<bool> keeps(const State& state, Move move, int outcome, std::uint64_t max_nodes) {
    const State after = game_.play(state, move);
    if (const Verdict verdict = game_.verdict(after); verdict != Verdict::open) {
      return outcome <= (verdict == Verdict::tie ? 0 : 1);
    }
    budget_.resume(nodes() + max_nodes);
    const View view = View(game_, after);
    const Range seen = range(view);
    const int answer = 1 - outcome;
    if (seen.most < answer || answer > 1) return true;
    if (seen.least >= answer) return false;
    const bool refused = reaches(after, view, answer);
    if (budget_.stopped()) return std::nullopt;
    return !refused;
  }

 private:
  struct Range {
    int least = -1, most = 1;
  };
  struct Child {
    State state;
    View view;
    std::size_t index;  ///< of the move that leads there
  };

  static constexpr int farthest = 38;      ///< empty cells; with more the end is out of reach
  static constexpr int few_bricks = 9;     ///< up to here positions are looked up mirrored, too
  static constexpr int shared_above = 14;  ///< empty cells; with fewer a position is not worth a mark

  /// The position after a move that completes no line: a view that is not decided has no other.
  static State after(const State& state, Move move) {
    return {state.theirs, state.mine | bit<typename G::Bits>(move.cell), Side(state.side ^ 1)};
  }
  int cells_left(const State& state) const { return count(game_.board().all & ~game_.occupied(state)); }

  static Range range(const View& view) {
    if (view.plies_to_end != 0) return view.plies_to_end > 0 ? Range{1, 1} : Range{-1, -1};
    return {view.range.low >= 0 ? 0 : -1, view.range.high <= 0 ? 0 : 1};
  }
  /// What the table has proven.
  static Range range(const std::optional<Finding>& found) {
    if (!found || !(found->complete() || std::abs(found->value) >= won)) return {};
    const int value = found->value >= won ? 1 : found->value <= -won ? -1 : 0;
    if (std::abs(found->value) < won && found->value != 0) return {};  // a bound in the evaluation's units
    return {found->bound == Bound::upper ? -1 : value, found->bound == Bound::lower ? 1 : value};
  }

  /// What a view shows and the table has proven, together.
  Range known(const View& view) const {
    const Range seen = range(view);
    if (view.plies_to_end != 0) return seen;
    const Range found = range(table_.find(view.key));
    return {std::max(seen.least, found.least), std::min(seen.most, found.most)};
  }

  /// Proves the outcome, if that many nodes suffice or another of the team has it.
  std::optional<int> ask(const State& state, const View& view, std::uint64_t max_nodes) {
    budget_.resume(nodes() + max_nodes);
    const Range before = known(view);
    if (before.least == before.most) return before.least;
    const bool wins = reaches(state, view, 1);
    const bool holds = wins || reaches(state, view, 0);
    if (!budget_.stopped()) {
      if (team_) team_->answered = true;
      return wins ? 1 : holds ? 0 : -1;
    }
    const Range now = known(view);
    return now.least == now.most ? std::optional(now.least) : std::nullopt;
  }

  /// Whether the side to move can get at least `goal`. The answer means nothing once cut short.
  bool reaches(const State& state, const View& view, int goal) {
    if (budget_.must_stop()) return false;
    if (team_ && !told_ && team_->answered.load(std::memory_order_relaxed)) {
      told_ = true;  // it stops once: then the move that gets this outcome is to be found
      budget_.halt();
      return false;
    }
    const auto found = table_.find(view.key);
    Range proven = range(found);
    if (count(view.empty) + few_bricks >= count(game_.board().all)) proven = known_of_twins(state, proven);
    if (proven.least >= goal) return true;
    if (proven.most < goal) return false;

    // Look at all children. One that the opponent can't save settles it; those that he is known to save are left out.
    // The table is asked for each after the view of the next, by when its answer has come from memory.
    Child* const children = &children_[static_cast<std::size_t>(count(view.empty)) * max_moves];
    RankedMove order[max_moves];
    std::size_t viewed = 0, asked = 0, size = 0;
    const int answer = 1 - goal;  // what the opponent must reach to refuse us ours
    auto& history = history_[game_.side(state)];
    for (std::size_t i = 0; i < view.moves.size() || asked < viewed; ++i) {
      const bool more = i < view.moves.size();
      if (more) {
        Child& child = children[viewed];
        child.index = i;
        child.state = after(state, view.moves[i]);
        Range seen{0, 0};  // a full board
        if (game_.occupied(child.state) != game_.board().all) {
          std::construct_at(&child.view, game_, child.state);  // where it stays: to copy a view takes time
          budget_.count();
          seen = range(child.view);
        }
        if (seen.most < answer) return settle(view, found, goal, true, i);
        if (seen.least < answer) {
          table_.prefetch(child.view.key);
          ++viewed;
        }
      }
      if (asked + more >= viewed) continue;
      Child& child = children[asked];
      const Range known_after = range(table_.find(child.view.key));
      if (known_after.most < answer) return settle(view, found, goal, true, child.index);
      if (known_after.least < answer) {
        int rank = history[view.moves[child.index].cell] - 600 * static_cast<int>(child.view.moves.size()) +
                   80 * potential(child.view.theirs) - 80 * potential(child.view.mine);
        if (found && found->complete() && found->move == child.index) rank += 1 << 20;
        order[size++] = {rank, static_cast<std::uint16_t>(asked)};
      }
      ++asked;
    }

    const bool together = team_ && count(view.empty) > shared_above;
    std::size_t postponed = 0;
    for (std::size_t tried = 0; tried < size; ++tried) {
      const Child* next = &children[take_best(order, tried, size).index];
      for (; together && postponed < size && team_->is_in(next->view.key); ++postponed) {
        order[tried].rank -= 1 << 24;
        next = &children[take_best(order, tried, size).index];
      }
      const Child& child = *next;
      if (together) team_->enter(child.view.key);
      const bool refused = reaches(child.state, child.view, answer);
      if (together) team_->leave(child.view.key);
      if (budget_.stopped()) return false;
      if (refused) continue;
      shift_history(history[view.moves[child.index].cell], 64);
      for (std::size_t i = 0; i < tried; ++i)
        shift_history(history[view.moves[children[order[i].index].index].cell], -64);
      return settle(view, found, goal, true, child.index);
    }
    return settle(view, found, goal, false, 0);
  }

  /// Adds what is proven of the positions that are this one mirrored or flipped: near an empty board, where a proof of
  /// the whole game comes to all of them.
  Range known_of_twins(const State& state, Range proven) const {
    const auto& board = game_.board();
    const auto add = [&](auto transform) {
      const Range twin =
          known(View(game_, {transform(state.mine), transform(state.theirs), state.side, state.verdict}));
      proven = {std::max(proven.least, twin.least), std::min(proven.most, twin.most)};
    };
    add([&](auto cells) { return board.mirror(cells); });
    add([&](auto cells) { return board.flip(cells); });
    add([&](auto cells) { return board.flip(board.mirror(cells)); });
    return proven;
  }

  /// Puts an answer into the table, together with what is there already, and passes it on.
  bool settle(const View& view, const std::optional<Finding>& found, int goal, bool reached, std::size_t index) {
    Range now = range(found);
    if (reached) {
      now.least = std::max(now.least, goal);
    } else {
      now.most = std::min(now.most, goal - 1);
      if (found) index = found->move;  // which may be the one that holds the tie
    }
    const int longest = count(view.empty);
    const int value = now.least > 0 ? win_value - longest : now.most < 0 ? longest - win_value : 0;
    const Bound bound = now.least == 0 && now.most == 0 ? Bound::exact : reached ? Bound::lower : Bound::upper;
    table_.store(view.key, {value, Finding::complete_depth, bound, static_cast<std::uint16_t>(index)});
    return reached;
  }

  /// What the windows of a side promise, roughly: the order to try moves in stands on it, no proof.
  int potential(const Windows<typename G::Bits>& w) const {
    const auto& board = game_.board();
    int sum = 0;
    constexpr int worth[] = {0, 70, 30, 16, 8};  // by the bricks that are missing
    for (int missing = 1; missing <= std::min(4, board.line); ++missing) {
      const auto held = w.holding(board.line - missing);
      sum += worth[missing] * (count(held.along(1)) + count(held.along(2)) + count(held.along(3)));
    }
    return sum;
  }

  const G& game_;
  Table& table_;
  NodeBudget budget_;
  ProverTeam* team_;
  bool told_ = false;  ///< that the team has the answer
  std::array<std::array<int, 256>, 2> history_{};
  std::vector<Child> children_ =
      std::vector<Child>((farthest + 1) * max_moves);  ///< of each position on the way, by its empty cells
};

}  // namespace ludus::magnetic_cave
