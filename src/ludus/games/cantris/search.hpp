// Cantris's own search: what the engine does with the solver. Knows the root, threads and limits; no clock.
//
// Two kinds of work take turns: deepening ply by ply with the evaluation at the horizon, which always has a good move
// at hand, and the proof, which looks to the end of the game. Both fill the same tables. Further threads work at the
// proof alone. The solver only says whether a value is at least so much; the root asks again until both bounds meet.
#pragma once

#include "cantris/knowledge.hpp"
#include "cantris/solver.hpp"
#include "core/engine.hpp"

namespace ludus::cantris {

template <class G>
class Search final : public Engine {
  using State = typename G::State;
  using Move = typename G::Move;
  static constexpr int width = G::width;
  using Worker = Solver<width>;

 public:
  Search(std::shared_ptr<const G> game, std::size_t table_bytes)
      : game_(std::move(game)), table_bytes_(table_bytes), proofs_(table_bytes / 2), hints_(table_bytes / 4) {}
  ~Search() override { stop(); }

  void clear() override {
    stop();
    frame_.reset();
    if (general_) general_->clear();
  }

 private:
  /// How many nodes go into the proof for each four of the deepening: few at first, when a good move is still to be
  /// found; more later, and once few tiles are left and the proof is near. A guess from deep down is good enough.
  static std::uint64_t proof_share(int tiles, std::uint64_t nodes) {
    if (nodes > 2'000'000) return 60;
    return tiles <= 34 || nodes > 200'000 ? 12 : 1;
  }
  /// Removals ahead from which the deepening's value is a guess worth proving.
  static constexpr int guess_depth = 6;

  /// A move and the position after it. Of moves that lead to the same board only the first is kept. Other boards may
  /// have the same tiles here, since these are canonical: the moves are then worth the same, and each has its line.
  struct Root : MoveEffect {
    Move move;
    TileSet tiles;
    int removed;  ///< in the turn, after the move
    bool ends;    ///< the game

    bool is_worth_the_same(const Root& other) const {
      return tiles == other.tiles && points == other.points && turn_ends == other.turn_ends;
    }
  };
  /// What is known of the best of the moves from some place on.
  ///
  /// Contract: `bounds` are proven, `best` is the move that raised `bounds.low`, and both change together, in `prove`
  /// alone. So once the bounds meet, `best` is worth them, whatever `deepen` has done to the order of the moves
  /// between two parts of the proof. Without a `best` every move is worth at most `bounds.high`.
  struct RootAnswer {
    Bounds bounds;
    std::optional<Root> best;
    int value = 0;           ///< what it looks like; a guess as long as the bounds are apart
    bool improved = false;   ///< a move has been found for `value`
    std::vector<Move> line;  ///< once it is proven
  };

  void set_position(const AnyState& any) override {
    state_ = StateOf<G>::in(any, *game_);
    roots_.clear();
    SearchInfo first;
    if (game_->verdict(state_) == Verdict::open) {
      if (!frame_ || !frame_->find(state_.board)) make_frame();
      const auto moves = game_->legal_moves(state_);
      Move best = moves[0];
      for (std::size_t i = 1; i < moves.size(); ++i) {
        if (points_of(moves[i]) > points_of(best)) best = moves[i];
      }
      first.lines.push_back(make_variation(*game_, state_, {best}, points_of(best), false));
      if (frame_) list_roots();
    }
    publish(std::move(first));
  }

  int points_of(Move move) const { return gain(*game_, state_, game_->play(state_, move)); }
  int tiles_left() const { return Frame<width>::count_tiles(state_.board, game_->cols()); }

  void make_frame() {
    frame_.reset();
    if (tiles_left() > Frame<width>::most_tiles_held) return;
    frame_ = std::make_unique<Frame<width>>(state_.board, game_->cols());
    proofs_.reset(frame_->tiles() + 1);
    hints_.reset(frame_->tiles() + 1);
  }

  void list_roots() {
    const auto moves = game_->legal_moves(state_);
    std::vector<State> known;
    for (std::size_t i = 0; i < moves.size(); ++i) {
      const State after = game_->play(state_, moves[i]);
      if (std::find(known.begin(), known.end(), after) != known.end()) continue;
      known.push_back(after);
      roots_.push_back(root_of(state_, moves[i]));
    }
    std::stable_sort(roots_.begin(), roots_.end(), [](const Root& a, const Root& b) { return a.points > b.points; });
  }

  Root root_of(const State& state, Move move) const {
    const State after = game_->play(state, move);
    return {{gain(*game_, state, after), after.side != state.side},
            move,
            frame_->canonical(*frame_->find(after.board)),
            after.removed,
            game_->verdict(after) != Verdict::open};
  }

  void think(const Limits& limits) override {
    if (game_->verdict(state_) != Verdict::open) return;
    if (!frame_) return think_in_general(limits);
    SharedWork<width> shared{*frame_, proofs_, hints_, game_->rule(), stop_asked(), {}, {}, limits.threads > 1, {}};
    std::vector<std::unique_ptr<Worker>> workers;
    for (int i = 0; i < limits.threads; ++i) workers.push_back(std::make_unique<Worker>(shared));
    const bool may_prove = limits.depth >= tiles_left();
    std::vector<std::jthread> helpers;
    for (std::size_t i = 1; may_prove && i < workers.size(); ++i) {
      const auto help = [&, i] {
        const CountCpuTime counted(cpu_total());
        shared.guess.wait(shared.no_guess);
        std::vector<Root> roots = roots_;
        RootAnswer answer;
        answer.value = shared.guess;
        if (prove(*workers[i], roots, 0, answer, level(limits))) shared.over = true;
      };
      if (!start_helper(helpers, help)) break;
    }
    lead(limits, shared, workers, may_prove);
    shared.over = true;
    tell_guess(shared, 0);
  }

  /// The first worker's work: deepens and proves by turns, and publishes. Line by line: each is proven before the next
  /// is; all that are not proven are deepened together. roots[i] is the move of line i.
  void lead(const Limits& limits, SharedWork<width>& shared, std::vector<std::unique_ptr<Worker>>& workers,
            bool may_prove) {
    Worker& worker = *workers[0];
    const std::uint64_t node_limit = limits.node_limit();
    const std::size_t lines = std::min(static_cast<std::size_t>(std::max(limits.lines, 1)), roots_.size());
    const int even = level(limits);
    std::vector<Root> roots = roots_;
    std::vector<RootAnswer> answers(lines);
    std::size_t proven = 0;  // lines
    std::uint64_t deepened = 0, proved = 0;
    int depth = 0;
    const auto done = [&] { return stop_asked() || worker.nodes() >= node_limit || seconds() > limits.soft_seconds; };
    const auto publish_lines = [&] {
      SearchInfo info;
      info.depth = proven == lines ? max_ply : depth;
      for (const auto& each : workers) info.nodes += each->nodes();
      info.table_permille = proofs_.permille();
      for (std::size_t i = 0; i < lines && (i < proven || depth > 0 || answers[i].improved); ++i) {
        const bool exact = i < proven;
        info.lines.push_back(make_variation(*game_, state_, exact ? answers[i].line : std::vector{roots[i].move},
                                            exact ? value_of(answers[i].bounds, even) : answers[i].value, exact));
      }
      info.sort(limits.win_only);
      publish(std::move(info));
    };

    while (proven < lines && !done()) {
      const std::uint64_t share = proof_share(tiles_left(), worker.nodes());
      // A ply deeper, if that is still of use.
      if (depth < limits.depth && (!may_prove || share * deepened <= 4 * proved)) {
        const std::uint64_t before = worker.nodes();
        worker.resume(node_limit);
        const std::vector<Root> roots_before = roots;
        std::vector<RootAnswer> now(lines);
        bool whole = true;
        for (std::size_t i = proven; i < lines && whole; ++i) {
          whole = deepen(worker, roots, i, now[i], answers[i].value, depth + 1);
        }
        if (whole) {
          ++depth;
          for (std::size_t i = proven; i < lines; ++i) answers[i].value = now[i].value;
          if (depth >= guess_depth) tell_guess(shared, answers[0].value);
          publish_lines();
        } else if (!now[proven].improved) {
          roots = roots_before;
        }
        deepened += worker.nodes() - before;
      } else if (!may_prove) {
        return;
      }
      // The proof goes on, for its share of the nodes.
      if (may_prove && !done()) {
        const std::uint64_t before = worker.nodes();
        const std::uint64_t more = std::max<std::uint64_t>(share * deepened / 4, 500);
        worker.resume(depth >= limits.depth ? node_limit : std::min(node_limit, before + more));
        RootAnswer& answer = answers[proven];
        bool is_proven = prove(worker, roots, proven, answer, even);
        proved += worker.nodes() - before;
        if (!is_proven && shared.over && !stop_asked()) {
          // A helper has it: what it proved is in the table.
          shared.over = false;
          worker.resume(node_limit);
          is_proven = prove(worker, roots, proven, answer, even);
        }
        if (is_proven) {
          worker.resume(node_limit);
          if (answer.best) bring_to(roots, proven, answer.best->move);
          answer.line = line_from(roots[proven], value_of(answer.bounds, even), !limits.win_only, worker);
          ++proven;
          publish_lines();
        }
      }
    }
    if (proven < lines && answers[proven].improved) publish_lines();
  }

  /// Lets the other workers begin, if they wait for a guess.
  static void tell_guess(SharedWork<width>& shared, int guess) {
    int none = shared.no_guess;
    if (shared.guess.compare_exchange_strong(none, guess)) shared.guess.notify_all();
  }

  /// Moves a move to a place, and those from there on one further.
  static void bring_to(std::vector<Root>& roots, std::size_t place, Move move) {
    const auto from = roots.begin() + static_cast<std::ptrdiff_t>(place);
    const auto found = std::find_if(from, roots.end(), [&](const Root& root) { return root.move == move; });
    std::rotate(from, found, found + 1);
  }

  /// The margin at which the game is level, if only the winner is asked for.
  static constexpr int no_level = 10'000;
  int level(const Limits& limits) const {
    if (!limits.win_only) return no_level;
    const auto scores = game_->scores(state_);
    return scores[1 - state_.side] - scores[state_.side];
  }
  static bool is_settled(const Bounds& bounds, int level) {
    return bounds.low == bounds.high || (level != no_level && (bounds.low > level || bounds.high < level));
  }
  static int value_of(const Bounds& bounds, int level) {
    return bounds.high < level && level != no_level ? bounds.high : bounds.low;
  }

  /// Is one of the moves from `first` on worth `beta`? The best is brought to `first`.
  Answer ask(Worker& worker, std::vector<Root>& roots, std::size_t first, int beta, int depth) {
    Answer best{-Bounds::most, true};
    for (std::size_t i = first; i < roots.size(); ++i) {
      const Root root = roots[i];
      const auto from = roots.begin() + static_cast<std::ptrdiff_t>(first),
                 at = roots.begin() + static_cast<std::ptrdiff_t>(i);
      if (std::any_of(from, at, [&](const Root& other) { return other.is_worth_the_same(root); })) continue;
      Answer answer{root.points, true};
      if (!root.ends) answer = root.for_mover(known_or_search(worker, root, root.beta_after(beta), depth - 1));
      if (worker.stopped()) return {0, false};
      best.value = std::max(best.value, answer.value);
      best.proven = best.proven && answer.proven;
      if (answer.value >= beta) {
        bring_to(roots, first, root.move);
        return answer;
      }
    }
    return best;
  }

  Answer known_or_search(Worker& worker, const Root& root, int beta, int depth) {
    const Bounds bounds = worker.known(frame_->view(root.tiles).masks, root.removed);
    if (bounds.low >= beta) return {bounds.low, true};
    if (bounds.high < beta) return {bounds.high, true};
    return worker.search(root.tiles, root.removed, beta, depth);
  }

  /// The value at some depth, by questions on both sides of a guess. False if interrupted.
  bool deepen(Worker& worker, std::vector<Root>& roots, std::size_t first, RootAnswer& found, int guess, int depth) {
    Bounds bounds;
    while (bounds.low < bounds.high) {
      const int beta = guess <= bounds.low ? bounds.low + 1 : std::min(guess, bounds.high);
      const Answer answer = ask(worker, roots, first, beta, depth);
      if (worker.stopped()) return false;
      found.improved = found.improved || answer.value >= beta;
      if (answer.value >= beta) {
        bounds.low = answer.value;
      } else {
        bounds.high = answer.value;
      }
      found.value = guess = answer.value;
    }
    return true;
  }

  /// The same to the end of the game. Keeps what it has found if it is interrupted; goes on from there.
  bool prove(Worker& worker, std::vector<Root>& roots, std::size_t first, RootAnswer& found, int level) {
    Bounds& bounds = found.bounds;
    while (!is_settled(bounds, level)) {
      int beta = std::clamp(found.value, bounds.low + 1, bounds.high);
      if (level != no_level) beta = bounds.high > level ? level + 1 : level;
      const Answer answer = ask(worker, roots, first, beta, Worker::to_the_end);
      if (worker.stopped()) return false;
      if (answer.value >= beta) {
        bounds.low = answer.value;
        found.best = roots[first];
        found.improved = true;
      } else {
        bounds.high = answer.value;
      }
      found.value = answer.value;
    }
    return true;
  }

  /// The best line of play behind a proven move, as far as it can be found: from the table first, then by proving.
  std::vector<Move> line_from(const Root& root, int value, bool exact, Worker& worker) {
    std::vector<Move> line{root.move};
    if (!exact) return line;
    State at = state_;
    Root last = root;
    for (bool found = true; found;) {
      at = game_->play(at, last.move);
      value = last.turn_ends ? last.points - value : value - last.points;
      if (game_->verdict(at) != Verdict::open || stop_asked()) break;
      const auto moves = game_->legal_moves(at);
      found = false;
      for (int searching = 0; searching < 2 && !found; ++searching) {
        for (std::size_t i = 0; i < moves.size() && !found; ++i) {
          last = root_of(at, moves[i]);
          if (last.ends) {
            found = last.points >= value;
            continue;
          }
          const int beta = last.beta_after(value);
          const Answer after =
              searching ? known_or_search(worker, last, beta, Worker::to_the_end) : known(worker, last, beta);
          if (worker.stopped()) return line;
          found = after.proven && (last.turn_ends ? after.value < beta : after.value >= beta);
        }
      }
      if (found) line.push_back(last.move);
    }
    return line;
  }
  Answer known(Worker& worker, const Root& root, int beta) const {
    const Bounds bounds = worker.known(frame_->view(root.tiles).masks, root.removed);
    if (bounds.low >= beta) return {bounds.low, true};
    return {bounds.high, bounds.high < beta};
  }

  /// Boards of more tiles than a frame holds are left to the search that serves every game.
  void think_in_general(const Limits& limits) {
    if (!general_) general_ = std::make_unique<AlphaBeta<G>>(game_, table_bytes_ / 4);
    general_->start(StateOf<G>(game_, state_), limits);
    while (!general_->wait(std::chrono::milliseconds(1)) && !stop_asked()) publish(general_->info());
    general_->stop();
    cpu_total() += general_->take_cpu_nanoseconds();
    publish(general_->info());
  }

  std::shared_ptr<const G> game_;
  std::size_t table_bytes_;
  FactTable proofs_, hints_;
  std::unique_ptr<Frame<width>> frame_;  ///< of the game in hand; none for boards that are too large
  std::unique_ptr<AlphaBeta<G>> general_;
  State state_{};  ///< the position to think about
  std::vector<Root> roots_;
};

}  // namespace ludus::cantris
