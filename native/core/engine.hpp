// The engine: what the outside sees of the search. Starts it on threads of its own, deepens until a limit or a proof,
// and tells at any time what it has found. Knows no clock but the time it has taken.
#pragma once

#include <chrono>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <string>
#include <thread>

#include "core/cpu_time.hpp"
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
};

/// One line of play and what it is worth to the side to move.
struct Line {
  std::vector<std::string> moves;
  double value = 0;  ///< scored games: margin still to be won; others: -1 .. +1
  double win_chance = 0.5;
  bool exact = false;    ///< proven
  int plies_to_end = 0;  ///< of a proven win or loss in a game without points; else 0
};

/// What a search has found: lines, best first, at least one in an open position. A line is exact when its first move is
/// proven to be worth its value; the first one only when it is proven, too, that no move is better.
struct Report {
  int depth = 0;
  std::uint64_t nodes = 0;
  double seconds = 0;
  int table_permille = 0;
  std::vector<Line> lines;
};

/// A search for one game, whichever it is. One position at a time; the table is kept from one to the next.
template <class State>
class Searcher {
 public:
  virtual ~Searcher() = default;
  /// Begins to think about a position; an earlier search is stopped first.
  virtual void start(const State& state, const Limits& limits) = 0;
  /// Leaves a first report without a search, in the caller's thread: for whoever has no time to think.
  virtual void glance(const State& state) = 0;
  /// Asks the search to end, and does not wait for it: on a busy machine its thread may not run for a while.
  virtual void ask_stop() = 0;
  /// Asks the search to end and waits until it has.
  virtual void stop() = 0;
  /// Waits at most so long; true once the search has ended.
  virtual bool wait(std::chrono::microseconds most) = 0;
  virtual Report report() const = 0;
  /// The CPU time of its threads so far; that of a thread counts once it has ended.
  virtual std::int64_t cpu_nanoseconds() const = 0;
  /// Forgets everything learned.
  virtual void clear() = 0;
};

/// Runs one search after the other on a thread of its own, with a latest report that anyone may read.
/// A searcher derives from it and writes `think`, which returns when `stop_asked` or by itself.
template <class State>
class Thinking : public Searcher<State> {
 public:
  ~Thinking() override { join(); }

  void start(const State& state, const Limits& limits) final {
    glance(state);
    stop_ = false;
    finished_ = false;
    thread_ = std::jthread([this, state, limits] {
      {
        const CountCpuTime counted(cpu_nanoseconds_);
        think(state, limits);
      }
      const std::lock_guard lock(mutex_);
      finished_ = true;
      done_.notify_all();
    });
  }
  void glance(const State& state) final {
    join();
    began_ = std::chrono::steady_clock::now();
    prepare(state);
  }
  void ask_stop() final { stop_ = true; }
  void stop() final { join(); }
  bool wait(std::chrono::microseconds most) final {
    std::unique_lock lock(mutex_);
    return done_.wait_for(lock, most, [this] { return finished_; });
  }
  Report report() const final {
    const std::lock_guard lock(mutex_);
    return report_;
  }
  std::int64_t cpu_nanoseconds() const final { return cpu_nanoseconds_; }

 protected:
  /// Runs in the caller's thread: leaves a first report, so that there is a move to play at once.
  virtual void prepare(const State& state) = 0;
  virtual void think(const State& state, const Limits& limits) = 0;

  /// A derived class calls it in its destructor, before its own members go.
  void join() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
  }
  void publish(Report report) {
    report.seconds = seconds();
    const std::lock_guard lock(mutex_);
    report_ = std::move(report);
  }
  /// The same for lines that come from different searches: the best for the objective first, and exact only what is.
  void publish_in_order(Report report, bool win_only) {
    auto& lines = report.lines;
    const auto guesses = std::find_if(lines.begin(), lines.end(), [](const Line& line) { return !line.exact; });
    for (auto line = guesses; line != lines.end() && guesses != lines.begin();
         ++line) {  // nothing beats what is proven
      line->value = std::min(line->value, std::prev(guesses)->value);
      line->win_chance = std::min(line->win_chance, std::prev(guesses)->win_chance);
    }
    const auto worth = win_only ? &Line::win_chance : &Line::value;
    const auto better = [&](const Line& a, const Line& b) {
      if (a.*worth != b.*worth) return a.*worth > b.*worth;
      return a.value > 0 ? a.plies_to_end < b.plies_to_end : a.plies_to_end > b.plies_to_end;
    };
    std::stable_sort(lines.begin(), guesses, better);
    std::stable_sort(guesses, lines.end(), better);
    if (guesses == lines.begin() && !lines.empty()) lines[0].exact = false;  // another one may still be better
    publish(std::move(report));
  }
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count(); }
  std::atomic<bool>& stop_asked() { return stop_; }
  /// Where a helper's thread counts its CPU time.
  std::atomic<std::int64_t>& cpu_total() { return cpu_nanoseconds_; }

 private:
  std::jthread thread_;
  std::atomic<bool> stop_{false};
  std::atomic<std::int64_t> cpu_nanoseconds_{0};
  mutable std::mutex mutex_;
  std::condition_variable done_;
  bool finished_ = true;
  Report report_;
  std::chrono::steady_clock::time_point began_;
};

/// From the search's number to what people read.
template <Game G>
Line make_line(const G& game, const typename G::State& state, const std::vector<typename G::Move>& moves, int value,
               bool complete) {
  Line line;
  auto at = state;
  for (const auto& move : moves) {
    line.moves.push_back(game.move_text(at, move));
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
    // A win needs no look at the other moves; a loss is one only when all of them have been searched.
    const bool decided = value >= won || (complete && value <= -won);
    line.exact = complete || decided;
    line.value = decided ? (value > 0 ? 1.0 : -1.0) : complete ? 0.0 : std::tanh(value / (2 * scale));
    line.win_chance = (line.value + 1) / 2;
    line.plies_to_end = decided ? win_value - std::abs(value) : 0;
  }
  return line;
}

/// The search of search.hpp behind the engine's interface, on any number of threads that share one table.
template <Game G>
class AlphaBeta final : public Thinking<typename G::State> {
  using State = typename G::State;
  using Root = RootMove<typename G::Move>;

 public:
  AlphaBeta(G game, std::size_t table_bytes) : game_(std::move(game)), knowledge_(game_), table_(table_bytes) {}
  ~AlphaBeta() override { this->join(); }

  void clear() override {
    this->stop();
    table_.clear();
  }

 private:
  void prepare(const State& state) override {
    roots_.clear();
    const auto moves = game_.legal_moves(state);
    for (std::size_t i = 0; i < moves.size(); ++i)
      roots_.push_back({moves[i], static_cast<std::uint16_t>(i), {}, {}, {}});
    const auto view = knowledge_.view(state);
    std::stable_sort(roots_.begin(), roots_.end(), [&](const Root& a, const Root& b) {
      return knowledge_.urgency(state, view, a.move) > knowledge_.urgency(state, view, b.move);
    });
    Report first;
    if (!roots_.empty())
      first.lines.push_back(make_line(game_, state, {roots_[0].move}, knowledge_.evaluate(state, view), false));
    this->publish(std::move(first));
  }

  void think(const State& state, const Limits& limits) override {
    if (roots_.empty()) return;
    table_.grow_older();
    Shared shared{table_, this->stop_asked(), limits.threads == 1 ? limits.nodes : 0};
    std::vector<std::unique_ptr<Worker<G>>> workers;
    for (int i = 0; i < limits.threads; ++i) workers.push_back(std::make_unique<Worker<G>>(game_, knowledge_, shared));
    std::vector<std::jthread> helpers;  // declared last: joined before what they use goes
    for (int i = 1; i < limits.threads; ++i) {
      helpers.emplace_back([&, i] {
        const CountCpuTime counted(this->cpu_total());
        deepen(*workers[static_cast<std::size_t>(i)], state, limits, i, workers);
      });
    }
    deepen(*workers[0], state, limits, 0, workers);
    this->stop_asked() = true;  // the helpers end with the first
  }

  /// Deepens ply by ply. Worker 0 reports and decides when it is enough; the others only fill the table. Lines that are
  /// proven stay as they are. Those that a depth did not come to are told as the depth before found them.
  void deepen(Worker<G>& worker, const State& state, const Limits& limits, int id,
              const std::vector<std::unique_ptr<Worker<G>>>& workers) {
    std::vector<Root> roots = roots_;
    const auto lines = std::min<std::size_t>(id == 0 ? static_cast<std::size_t>(limits.lines) : 1, roots.size());
    std::vector<Root> told;  // roots[i] as the last search that came to line i left it
    std::size_t proven = 0;  // lines, from the first on
    [[maybe_unused]] auto prover = make_prover();
    for (int depth = 1 + id % 2; depth <= limits.depth; ++depth) {
      std::vector<Root> now(told.begin(), told.begin() + static_cast<std::ptrdiff_t>(proven));
      for (std::size_t line = proven; line < lines && !worker.stopped(); ++line) {
        for (std::size_t i = line; i < roots.size(); ++i) roots[i].value = -win_value;
        const int guess = depth > 4 ? told[line].value : 0;
        const Result result = search_line(worker, state, roots, line, depth, guess, limits);
        if (roots[line].value == -win_value) break;  // stopped before its first move was searched
        roots[line].complete = result.complete && !worker.stopped();
        if (roots[line].complete && line == proven) ++proven;
        now.push_back(roots[line]);
      }
      for (const Root& root : told) {
        const auto same = [&](const Root& other) { return other.index == root.index; };
        if (now.size() < lines && std::none_of(now.begin(), now.end(), same)) now.push_back(root);
      }
      told = std::move(now);
      if (id == 0) {
        Report report;
        report.depth = depth - (worker.stopped() ? 1 : 0);
        for (const auto& each : workers) report.nodes += each->nodes();
        if constexpr (proves) report.nodes += prover.looks();
        report.table_permille = table_.permille();
        for (const Root& root : told)
          report.lines.push_back(make_line(game_, state, root.line, root.value, root.complete));
        if (!report.lines.empty()) this->publish_in_order(std::move(report), limits.win_only);
        if constexpr (proves) {
          const bool won_already = proven > 0 && told[0].value > 0;
          if (lines == 1 && !worker.stopped() && !won_already) {
            if (try_to_prove(prover, state, roots, depth, worker.nodes())) return;
          }
        }
        if (this->seconds() > limits.soft_seconds || (limits.nodes != 0 && worker.nodes() >= limits.nodes)) return;
      }
      if (worker.stopped() || proven == lines) return;
    }
  }

  static constexpr bool proves = requires { typename Knowledge<G>::Prover; };
  auto make_prover() {
    if constexpr (proves) {
      return typename Knowledge<G>::Prover(game_, table_, this->stop_asked());
    } else {
      return 0;
    }
  }

  /// Gives the prover its share of effort; reports and returns true once the outcome is proven.
  bool try_to_prove(auto& prover, const State& state, const std::vector<Root>& roots, int depth, std::uint64_t nodes) {
    const std::uint64_t allowed = prover.worth_while(state, nodes);
    if (allowed <= prover.looks()) return false;
    const auto proof = prover.outcome(state, allowed - prover.looks());
    if (!proof) return false;
    const auto tell = [&](typename G::Move move) {
      Report report;
      report.depth = depth;
      report.nodes = nodes + prover.looks();
      report.table_permille = table_.permille();
      report.lines.push_back(make_line(game_, state, {move}, proof->outcome * won, true));
      report.lines[0].plies_to_end = 0;  // who wins is proven, not how soon
      this->publish(std::move(report));
    };
    tell(proof->move);

    // Of the moves that keep a win, the one that the search likes best. Of those that keep less, the one after which
    // the most replies would give the opponent's share away.
    const std::uint64_t effort = nodes / 16 + 1000;
    int best = -1;
    for (const Root& root : roots) {
      if (!prover.keeps(state, root.move, proof->outcome, effort).value_or(false)) continue;
      const State after = game_.play(state, root.move);
      const auto replies = game_.legal_moves(after);
      int pitfalls = 0;
      for (std::size_t i = 0; i < replies.size() && proof->outcome < 1; ++i) {
        pitfalls += !prover.keeps(after, replies[i], -proof->outcome, effort).value_or(true);
      }
      const int rank = replies.size() == 0 ? 0 : 1000 * pitfalls / static_cast<int>(replies.size());
      if (rank > best) best = rank, tell(root.move);
      if (proof->outcome > 0 || this->stop_asked()) break;
    }
    return true;
  }

  /// One line at one depth, with a narrow window around what the depth before found, widened as long as it fails.
  /// Where only the winner is asked for, and the depth before leaves little doubt, only that is asked again: the best
  /// move so far stays the best as long as it seems to win, and the proof is nearer.
  Result search_line(Worker<G>& worker, const State& state, std::vector<Root>& roots, std::size_t line, int depth,
                     int guess, const Limits& limits) {
    const int level = -margin(state);  // winning is making more than the opponent is ahead
    if (ScoredGame<G> && limits.win_only && depth > 4 && std::abs(guess - level) >= Knowledge<G>::scale) {
      const Result result = worker.search_root(state, roots, line, depth, level - 1, level + 1);
      if (result.complete && !worker.stopped()) return result;
      for (std::size_t i = line; i < roots.size(); ++i) roots[i].value = -win_value;  // bounds are no margins
      if (worker.stopped()) return {};
      if ((result.value > level) == (guess > level)) {
        roots[line].value = guess;
        return {guess, false};
      }
    }
    const int low = -win_value, high = win_value;
    if (depth <= 4 || std::abs(guess) >= won) return worker.search_root(state, roots, line, depth, low, high);
    for (int width = std::max(1, static_cast<int>(Knowledge<G>::scale / 4));; width *= 4) {
      const int alpha = width > won / 8 ? low : std::max(low, guess - width);
      const int beta = width > won / 8 ? high : std::min(high, guess + width);
      const Result result = worker.search_root(state, roots, line, depth, alpha, beta);
      if (worker.stopped() || (result.value > alpha && result.value < beta)) return result;
      if (result.complete && std::abs(result.value) >= won) return result;
      if (alpha == low && beta == high) return result;
    }
  }

  int margin(const State& state) const {
    if constexpr (ScoredGame<G>) {
      const auto scores = game_.scores(state);
      const Side side = game_.side(state);
      return scores[side] - scores[1 - side];
    }
    return 0;
  }

  G game_;
  Knowledge<G> knowledge_;
  Table table_;
  std::vector<Root> roots_;
};

}  // namespace ludus
