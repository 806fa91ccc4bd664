// The engine: what the outside sees of the search. `Engine` is the facade: it runs one search after the other on a
// thread of its own, and tells at any time what the search has found. `AlphaBeta` is the search that serves every game;
// a game may derive its own from either. Knows no clock but the time it has taken.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>

#include "core/any_state.hpp"
#include "core/cpu_time.hpp"
#include "core/proof.hpp"
#include "core/search.hpp"

namespace ludus {

/// When to stop thinking by itself. The hard limit of time is the caller's: it asks for `stop`.
struct Limits {
  int depth = max_ply - 20;
  std::uint64_t nodes = 0;                                        ///< 0: no limit; exact with one thread
  double soft_seconds = std::numeric_limits<double>::infinity();  ///< begin nothing that will hardly end before
  int threads = 1;
  int lines = 1;
  bool win_only = false;  ///< scored games: who wins is enough, by how much is not asked

  std::uint64_t node_limit() const { return threads == 1 && nodes != 0 ? nodes : NodeBudget::unlimited; }
};

/// The most threads of one search.
inline constexpr int most_threads = 256;

/// Starts a further thread of a search. False where the system has none left: the search then goes on with fewer.
inline bool start_helper(std::vector<std::jthread>& helpers, std::function<void()> work) {
  try {
    helpers.emplace_back(std::move(work));
  } catch (const std::system_error&) {
    return false;
  }
  return true;
}

/// A line of play and what it is worth to the side to move.
struct Variation {
  std::vector<std::string> moves;
  double value = 0;  ///< scored games: margin still to be won; others: -1 .. +1
  double win_chance = 0.5;
  bool exact = false;    ///< proven
  int plies_to_end = 0;  ///< of a proven win or loss in a game without points, with best play; 0 if not known
};

/// What a search has found: lines, best first, at least one in an open position. A line is exact when its first move is
/// proven to be worth its value; the first one only when it is proven, too, that no move is better.
struct SearchInfo {
  int depth = 0;
  std::uint64_t nodes = 0;
  double seconds = 0;
  int table_permille = 0;
  std::vector<Variation> lines;

  /// Puts lines that come from different searches in order: the best for the objective first, and exact only what is.
  void sort(bool win_only) {
    const auto guesses = std::find_if(lines.begin(), lines.end(), [](const Variation& line) { return !line.exact; });
    for (auto line = guesses; line != lines.end() && guesses != lines.begin(); ++line) {
      line->value = std::min(line->value, std::prev(guesses)->value);  // nothing beats what is proven
      line->win_chance = std::min(line->win_chance, std::prev(guesses)->win_chance);
    }
    const auto worth = win_only ? &Variation::win_chance : &Variation::value;
    const auto better = [&](const Variation& a, const Variation& b) {
      if (a.*worth != b.*worth) return a.*worth > b.*worth;
      return a.value > 0 ? a.plies_to_end < b.plies_to_end : a.plies_to_end > b.plies_to_end;
    };
    std::stable_sort(lines.begin(), guesses, better);
    std::stable_sort(guesses, lines.end(), better);
    if (guesses == lines.begin() && !lines.empty()) lines[0].exact = false;  // another one may still be better
  }
};

/// A search for one game: one position at a time; what it learns is kept from one to the next.
///
/// A derived class writes `set_position`, `think` and `clear`, and calls `stop` in its destructor, before its own
/// members go.
class Engine {
 public:
  virtual ~Engine() { stop(); }

  /// Begins to think about a position; an earlier search is stopped first.
  void start(const AnyState& state, const Limits& limits) {
    if (limits.threads < 1 || limits.threads > most_threads) {
      throw std::invalid_argument("a search has 1 to " + std::to_string(most_threads) + " threads, not " +
                                  std::to_string(limits.threads));
    }
    const std::lock_guard turn(turn_);
    take(state);
    stop_ = false;
    finished_ = false;
    thread_ = std::jthread([this, limits] {
      {
        const CountCpuTime counted(cpu_nanoseconds_);
        think(limits);
      }
      const std::lock_guard lock(mutex_);
      finished_ = true;
      done_.notify_all();
    });
  }
  /// Leaves a first answer without a search, in the caller's thread: for a caller that has no time to think.
  void answer_at_once(const AnyState& state) {
    const std::lock_guard turn(turn_);
    take(state);
  }
  /// Asks the search to end, and does not wait for it: on a busy machine its thread may not run for a while.
  void ask_stop() { stop_ = true; }
  /// Asks the search to end and waits until it has.
  void stop() {
    const std::lock_guard turn(turn_);
    end();
  }
  /// Waits at most so long; true once the search has ended.
  bool wait(std::chrono::microseconds longest) {
    std::unique_lock lock(mutex_);
    return done_.wait_for(lock, longest, [this] { return finished_; });
  }
  /// The latest that the search has published.
  SearchInfo info() const {
    const std::lock_guard lock(mutex_);
    return info_;
  }
  /// The CPU time that its threads have used since the last call; that of a thread counts once it has ended.
  std::int64_t take_cpu_nanoseconds() { return cpu_nanoseconds_.exchange(0); }
  /// Forgets everything learned.
  virtual void clear() = 0;

 protected:
  /// Takes a position over, in the caller's thread, and publishes a first answer: a move to play at once.
  virtual void set_position(const AnyState& state) = 0;
  /// Thinks about that position, in the engine's thread, and publishes. Returns when `stop_asked` or by itself.
  virtual void think(const Limits& limits) = 0;

  void publish(SearchInfo info) {
    info.seconds = seconds();
    const std::lock_guard lock(mutex_);
    info_ = std::move(info);
  }
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count(); }
  std::atomic<bool>& stop_asked() { return stop_; }
  /// Where a further thread counts its CPU time.
  std::atomic<std::int64_t>& cpu_total() { return cpu_nanoseconds_; }

 private:
  void end() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
  }
  void take(const AnyState& state) {
    end();
    began_ = std::chrono::steady_clock::now();
    set_position(state);
  }

  std::mutex turn_;  ///< of those that begin a search or wait for its end: several threads may share an engine
  std::jthread thread_;
  std::atomic<bool> stop_{false};
  std::atomic<std::int64_t> cpu_nanoseconds_{0};
  mutable std::mutex mutex_;
  std::condition_variable done_;
  bool finished_ = true;
  SearchInfo info_;
  std::chrono::steady_clock::time_point began_;
};

/// Turns the search's number into what people read.
template <Game G>
Variation make_variation(const G& game, const typename G::State& state, const std::vector<typename G::Move>& moves,
                         int value, bool complete) {
  Variation line;
  auto at = state;
  for (const auto& move : moves) {
    line.moves.push_back(move_text(game, move));
    at = game.play(at, move);
  }
  line.exact = complete;
  const double scale = Knowledge<G>::scale;
  if constexpr (ScoredGame<G>) {
    const auto scores = game.scores(state);
    const Side side = game.side(state);
    const int margin = scores[side] - scores[1 - side] + value;
    line.value = value;
    line.win_chance = complete ? (margin > 0 ? 1.0 : margin < 0 ? 0.0 : 0.5) : 1 / (1 + std::exp(-margin / scale));
  } else {
    // A win does not depend on the other moves; a loss is one only when all of them have been searched.
    const bool decided = value >= won || (complete && value <= -won);
    line.exact = complete || decided;
    line.value = decided ? (value > 0 ? 1.0 : -1.0) : complete ? 0.0 : std::tanh(value / (2 * scale));
    line.win_chance = (line.value + 1) / 2;
    const int plies = decided ? win_value - std::abs(value) : 0;
    const std::optional<int> most = game.max_moves_left(state);
    line.plies_to_end = plies <= most.value_or(plies) ? plies : 0;  // or only the winner is known
  }
  return line;
}

/// Iterative deepening of workers that share one table, on any number of threads. `WorkerOf<G>` searches one root to
/// one depth: the one of search.hpp, or a game's own.
template <Game G, template <class> class WorkerOf = Worker>
class AlphaBeta : public Engine {
 public:
  AlphaBeta(std::shared_ptr<const G> game, std::size_t table_bytes)
      : game_(std::move(game)), knowledge_(*game_), table_(table_bytes) {}
  ~AlphaBeta() override { this->stop(); }

  void clear() final {
    this->stop();
    table_.clear();
  }

 protected:
  using State = typename G::State;
  using Root = RootMove<typename G::Move>;
  using Proof = ludus::Proof<WorkerOf<G>, G>;

  void set_position(const AnyState& state) final {
    state_ = StateOf<G>::in(state, *game_);
    proof_.reset();
    plies_.clear();
    roots_.clear();
    const auto moves = game_->legal_moves(state_);
    for (std::size_t i = 0; i < moves.size(); ++i)
      roots_.push_back({moves[i], static_cast<std::uint16_t>(i), {}, {}, {}});
    const auto view = knowledge_.view(state_);
    std::stable_sort(roots_.begin(), roots_.end(), [&](const Root& a, const Root& b) {
      return knowledge_.urgency(state_, view, a.move) > knowledge_.urgency(state_, view, b.move);
    });
    SearchInfo first;
    if (!roots_.empty()) {
      const int value = knowledge_.evaluate(state_, view);
      first.lines.push_back(make_variation(*game_, state_, {roots_[0].move}, value, false));
    }
    this->publish(std::move(first));
  }

  void think(const Limits& limits) override {
    if (roots_.empty()) return;
    table_.grow_older();
    std::vector<std::unique_ptr<WorkerOf<G>>> workers;
    for (int i = 0; i < limits.threads; ++i) {
      workers.push_back(
          std::make_unique<WorkerOf<G>>(*game_, knowledge_, table_, this->stop_asked(), limits.node_limit()));
    }
    std::vector<std::jthread> helpers;  // declared last: joined before what they use goes
    for (int i = 1; i < limits.threads; ++i) {
      const auto help = [&, i] {
        const CountCpuTime counted(this->cpu_total());
        deepen(workers, static_cast<std::size_t>(i), limits);
      };
      if (!start_helper(helpers, help)) break;
    }
    deepen(workers, 0, limits);
    this->stop_asked() = true;  // the helpers end with the first
  }

  /// A proof beside the search: called by the first worker after each depth, where one line is asked for. Returns true
  /// once it has published the proven outcome. `roots` are in the order of the search, which has taken that many nodes.
  /// The proof takes as many, and three times as many in a long search; then about as many again, and a million at
  /// least, to find how soon the game ends.
  virtual bool prove(const std::vector<Root>& roots, int depth, std::uint64_t nodes) {
    if (!Proof::possible(*game_, state_)) return false;
    if (!proof_) proof_.emplace(*game_, knowledge_, table_, this->stop_asked());
    const std::uint64_t many = std::max<std::uint64_t>(nodes, 1'000'000);
    const std::uint64_t share = roots[0].complete ? many : nodes < 4'000'000 ? nodes : 3 * nodes;
    proof_->ask(state_, roots, share, &Proof::decided);
    if (!proof_->decided()) return false;
    publish_proof(depth, nodes);
    proof_->ask(state_, roots, proof_->nodes() + many, &Proof::closed);
    if (proof_->closed()) publish_proof(depth, nodes);
    return true;
  }
  /// Called by the other workers after each of their depths, so that they can take part in the proof.
  virtual void help_prove(std::size_t /*id*/, std::uint64_t /*nodes*/) {}
  /// Passes on what the search found at a depth.
  virtual void answer(SearchInfo info, const std::vector<Root>& /*lines*/) { this->publish(std::move(info)); }
  /// The nodes of that proof so far.
  virtual std::uint64_t proof_nodes() const { return proof_ ? proof_->nodes() : 0; }

  /// Points that the side to move is ahead.
  int margin() const {
    if constexpr (ScoredGame<G>) {
      const auto scores = game_->scores(state_);
      const Side side = game_->side(state_);
      return scores[side] - scores[1 - side];
    }
    return 0;
  }

  std::shared_ptr<const G> game_;
  Knowledge<G> knowledge_;
  Table table_;
  State state_{};  ///< the position to think about

 private:
  /// Deepens ply by ply. Worker 0 reports and decides when it is enough; the others only fill the table. Lines that are
  /// proven stay as they are. Those that a depth did not reach are published as the depth before found them, behind the
  /// lines that it did reach: values of two depths cannot be compared.
  void deepen(const std::vector<std::unique_ptr<WorkerOf<G>>>& workers, std::size_t id, const Limits& limits) {
    WorkerOf<G>& worker = *workers[id];
    std::vector<Root> roots = roots_;
    const auto lines = std::min<std::size_t>(id == 0 ? static_cast<std::size_t>(limits.lines) : 1, roots.size());
    std::vector<Root> latest;  // roots[i] as the last search that came to line i left it
    std::size_t proven = 0;    // lines, from the first on
    for (int depth = 1 + static_cast<int>(id % 2); depth <= limits.depth; ++depth) {
      std::vector<Root> now(latest.begin(), latest.begin() + static_cast<std::ptrdiff_t>(proven));
      int least = win_value;  // of the lines that this depth has come to: no other move is worth more there
      for (std::size_t line = proven; line < lines && !worker.stopped(); ++line) {
        for (std::size_t i = line; i < roots.size(); ++i) roots[i].value = -win_value;
        const int guess = depth > 4 ? latest[line].value : 0;
        const Result result = search_line(worker, roots, line, depth, guess, limits);
        if (roots[line].value == -win_value) break;  // stopped before its first move was searched
        roots[line].complete = result.complete && !worker.stopped();
        if (roots[line].complete && line == proven) ++proven;
        now.push_back(roots[line]);
        least = roots[line].value;
      }
      for (const Root& root : latest) {
        const auto same = [&](const Root& other) { return other.index == root.index; };
        if (now.size() == lines || std::any_of(now.begin(), now.end(), same)) continue;
        now.push_back(root);
        if (!root.complete) now.back().value = std::min(root.value, least);
      }
      latest = std::move(now);
      if (id == 0) {
        if (!latest.empty()) publish_lines(latest, depth - (worker.stopped() ? 1 : 0), workers, limits);
        if (lines == 1 && !worker.stopped() && prove(roots, depth, worker.nodes())) return;
        if (this->seconds() > limits.soft_seconds || (limits.nodes != 0 && worker.nodes() >= limits.nodes)) return;
      } else if (limits.lines == 1 && !worker.stopped()) {
        help_prove(id, worker.nodes());
      }
      if (worker.stopped() || proven == lines) return;
    }
  }

  void publish_proof(int depth, std::uint64_t nodes) {
    SearchInfo info;
    info.depth = depth;
    info.nodes = nodes + proof_->nodes();
    info.table_permille = table_.permille();
    info.lines.push_back(make_variation(*game_, state_, proof_->best().line, proof_->value(), true));
    if (!proof_->closed()) info.lines[0].plies_to_end = 0;  // who wins is proven, not how soon
    this->publish(std::move(info));
  }

  void publish_lines(const std::vector<Root>& lines, int depth, const auto& workers, const Limits& limits) {
    SearchInfo info;
    info.depth = depth;
    info.nodes = proof_nodes();
    for (const auto& worker : workers) info.nodes += worker->nodes();
    info.table_permille = table_.permille();
    for (const Root& root : lines) {
      info.lines.push_back(make_variation(*game_, state_, root.line, root.value, root.complete));
    }
    info.sort(limits.win_only);
    if constexpr (!ScoredGame<G>) {
      for (Variation& line : info.lines) {
        const int plies = plies_of(line, &line == &info.lines[0], info.nodes);
        if (plies != 0 && plies != line.plies_to_end) line.moves.resize(1);  // the rest took longer
        line.plies_to_end = plies;
      }
    }
    answer(std::move(info), lines);
  }

  /// Plies to the end after the first move of a proven line; 0 if they are not known. The first line says how soon the
  /// game ends with best play, so there its move has to be one that does. The search has only shown that it is over by
  /// then. Looked into once, with four looks for each node of the proof: they are that much cheaper, and more.
  int plies_of(const Variation& line, bool first, std::uint64_t nodes) {
    if (!line.exact || line.plies_to_end == 0) return 0;
    const auto [known, is_new] = plies_.try_emplace(std::pair(line.moves[0], first), 0);
    if (!is_new) return known->second;
    const std::uint64_t looks = 100'000 + 4 * nodes;
    const Side winner = line.value > 0 ? game_->side(state_) : static_cast<Side>(1 - game_->side(state_));
    Distance<G> distance(*game_, this->stop_asked());
    const State after = game_->play(state_, game_->find_move(state_, line.moves[0]));
    int plies = 1;
    if (game_->verdict(after) == Verdict::open) {
      const int rest = distance.plies(after, winner, line.plies_to_end, looks);
      plies = rest == 0 ? 0 : rest + 1;
    }
    if (plies > 1 && first && distance.plies(state_, winner, plies, looks) != plies) plies = 0;
    return known->second = plies;
  }

  /// One line at one depth, with a narrow window around what the depth before found, widened as long as it fails.
  /// Where only the winner is asked for, and the depth before leaves little doubt, only that is asked again: the best
  /// move so far stays the best as long as it seems to win, and the proof is nearer.
  Result search_line(WorkerOf<G>& worker, std::vector<Root>& roots, std::size_t line, int depth, int guess,
                     const Limits& limits) {
    const int level = -margin();  // winning is making more than the opponent is ahead
    if (ScoredGame<G> && limits.win_only && depth > 4 && std::abs(guess - level) >= Knowledge<G>::scale) {
      const Result result = worker.search_root(state_, roots, line, depth, level - 1, level + 1);
      if (result.complete && !worker.stopped()) return result;
      for (std::size_t i = line; i < roots.size(); ++i) roots[i].value = -win_value;  // bounds are no margins
      if (worker.stopped()) return {};
      if ((result.value > level) == (guess > level)) {
        roots[line].value = guess;
        return {guess, false};
      }
    }
    const int low = -win_value, high = win_value;
    if (depth <= 4 || std::abs(guess) >= won) return worker.search_root(state_, roots, line, depth, low, high);
    for (int width = std::max(1, static_cast<int>(Knowledge<G>::scale / 4));; width *= 4) {
      const int alpha = width > won / 8 ? low : std::max(low, guess - width);
      const int beta = width > won / 8 ? high : std::min(high, guess + width);
      const Result result = worker.search_root(state_, roots, line, depth, alpha, beta);
      if (worker.stopped() || (result.value > alpha && result.value < beta)) return result;
      if (result.complete && std::abs(result.value) >= won) return result;
      if (alpha == low && beta == high) return result;
    }
  }

  std::vector<Root> roots_;
  std::map<std::pair<std::string, bool>, int> plies_;  ///< what `plies_of` has found
  std::optional<Proof> proof_;                         ///< of the search in hand, where the end is near enough
};

}  // namespace ludus
