// Any game behind one interface: the seam between the compiled games and whoever drives them by text (the Python
// module, the native tests). Knows the Game concept; knows no game and no Python.
//
// The templates below are compiled once a game, in that game's own file, at full optimisation. What crosses the
// seam is texts and counts, never a hot loop.
#pragma once

#include <atomic>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/engine.hpp"
#include "core/game.hpp"
#include "core/mcts.hpp"
#include "core/perft.hpp"
#include "core/teaching.hpp"

namespace ludus {

/// A state of some game. Immutable.
class AnyState {
 public:
  virtual ~AnyState() = default;
  virtual Side side() const = 0;
  virtual Verdict verdict() const = 0;
  virtual std::optional<std::array<int, 2>> scores() const = 0;
  virtual std::vector<std::string> legal_moves() const = 0;
  /// The one name that `legal_moves` has for a move written in any allowed way. Throws IllegalMove.
  virtual std::string move_name(std::string_view move) const = 0;
  virtual std::unique_ptr<AnyState> play(std::string_view move) const = 0;
  virtual std::vector<Step> steps(std::string_view move) const = 0;
  virtual std::string text() const = 0;
  virtual std::uint64_t key() const = 0;
  virtual std::unique_ptr<AnyState> canonical() const = 0;
  virtual int evaluate() const = 0;
  /// Whether both are the same state; both must come from games of equal options.
  virtual bool equals(const AnyState& other) const = 0;
  virtual std::uint64_t perft(int depth, const std::atomic<bool>& stop) const = 0;
  /// What a search of the textbook chooses in an open game. Throws std::invalid_argument for an unknown evaluator.
  virtual Choice<std::string> look_ahead(Method method, int depth, std::string_view evaluator,
                                         const std::atomic<bool>& stop) const = 0;
  /// What so many random play-outs choose in an open game.
  virtual Choice<std::string> play_out(std::uint32_t playouts, std::uint64_t seed,
                                       const std::atomic<bool>& stop) const = 0;
  /// How many moves a game of random moves from here takes: a measure of how long the game will go on.
  virtual std::uint64_t random_length(std::uint64_t seed) const = 0;
  /// No game from here has more moves than that, where the rules tell.
  virtual std::optional<int> most_moves() const = 0;
};

/// An engine for some game. Its table is its own and is kept from one search to the next.
class AnyEngine {
 public:
  virtual ~AnyEngine() = default;
  /// Begins to think about a state of the engine's own game; an earlier search is stopped first.
  virtual void start(const AnyState& state, const Limits& limits) = 0;
  /// Leaves a first report without a search.
  virtual void glance(const AnyState& state) = 0;
  virtual void ask_stop() = 0;
  virtual void stop() = 0;
  virtual bool wait(std::chrono::microseconds most) = 0;
  virtual Report report() const = 0;
  virtual std::int64_t cpu_nanoseconds() const = 0;
  virtual void clear() = 0;
};

/// A game with its options settled.
class AnyGame : public std::enable_shared_from_this<AnyGame> {
 public:
  virtual ~AnyGame() = default;
  virtual std::unique_ptr<AnyState> initial(std::uint64_t seed) const = 0;
  virtual std::unique_ptr<AnyState> parse(std::string_view text) const = 0;
  /// Plays that many random games; returns the plies played in all.
  virtual std::uint64_t random_plies(std::uint64_t games, std::uint64_t seed) const = 0;
  virtual std::unique_ptr<AnyEngine> make_engine(std::size_t table_bytes) const = 0;
};

/// The search that plays a game: its own where its Knowledge names one, the general one otherwise.
template <Game G>
std::unique_ptr<Searcher<typename G::State>> make_searcher(const G& game, std::size_t table_bytes) {
  if constexpr (requires { typename Knowledge<G>::Search; }) {
    return std::make_unique<typename Knowledge<G>::Search>(game, table_bytes);
  } else {
    return std::make_unique<AlphaBeta<G>>(game, table_bytes);
  }
}

template <Game G>
class ErasedGame final : public AnyGame {
  using State = typename G::State;

  class ErasedState final : public AnyState {
   public:
    ErasedState(std::shared_ptr<const ErasedGame> owner, const State& state)
        : owner_(std::move(owner)), state_(state) {}

    Side side() const override { return game().side(state_); }
    Verdict verdict() const override { return game().verdict(state_); }
    std::optional<std::array<int, 2>> scores() const override {
      if constexpr (ScoredGame<G>) return game().scores(state_);
      return std::nullopt;
    }
    std::vector<std::string> legal_moves() const override {
      const auto moves = game().legal_moves(state_);
      std::vector<std::string> result;
      result.reserve(moves.size());
      for (std::size_t i = 0; i < moves.size(); ++i) result.push_back(game().move_text(state_, moves[i]));
      return result;
    }
    std::string move_name(std::string_view move) const override {
      return game().move_text(state_, game().find_move(state_, move));
    }
    std::unique_ptr<AnyState> play(std::string_view move) const override {
      return with(game().play(state_, game().find_move(state_, move)));
    }
    std::vector<Step> steps(std::string_view move) const override {
      return game().steps(state_, game().find_move(state_, move));
    }
    std::string text() const override { return game().text(state_); }
    std::uint64_t key() const override { return game().key(state_); }
    std::unique_ptr<AnyState> canonical() const override { return with(game().canonical(state_)); }
    int evaluate() const override { return plain_evaluation(game(), state_); }
    bool equals(const AnyState& other) const override {
      const auto* same = dynamic_cast<const ErasedState*>(&other);
      return same != nullptr && same->state_ == state_;
    }
    std::uint64_t perft(int depth, const std::atomic<bool>& stop) const override {
      return ludus::perft(game(), state_, depth, stop);
    }
    Choice<std::string> look_ahead(Method method, int depth, std::string_view evaluator,
                                   const std::atomic<bool>& stop) const override {
      return named(Textbook<G>(game(), method, find_evaluation(game(), evaluator), stop).choose(state_, depth));
    }
    Choice<std::string> play_out(std::uint32_t playouts, std::uint64_t seed,
                                 const std::atomic<bool>& stop) const override {
      return named(TreeSearch<G>(game(), seed, stop).choose(state_, playouts));
    }

    std::uint64_t random_length(std::uint64_t seed) const override {
      Random random(seed);
      State state = state_;
      return random_game(game(), state, random);
    }
    std::optional<int> most_moves() const override {
      if constexpr (requires { game().most_moves(state_); }) return game().most_moves(state_);
      return std::nullopt;
    }

    const State& inner() const { return state_; }

   private:
    const G& game() const { return owner_->game_; }
    std::unique_ptr<AnyState> with(const State& state) const { return std::make_unique<ErasedState>(owner_, state); }
    Choice<std::string> named(const Choice<typename G::Move>& choice) const {
      return {game().move_text(state_, choice.move), choice.value, choice.nodes, choice.depth};
    }

    std::shared_ptr<const ErasedGame> owner_;
    State state_;
  };

  class ErasedEngine final : public AnyEngine {
   public:
    explicit ErasedEngine(std::unique_ptr<Searcher<State>> searcher) : searcher_(std::move(searcher)) {}
    void start(const AnyState& state, const Limits& limits) override { searcher_->start(own(state), limits); }
    void glance(const AnyState& state) override { searcher_->glance(own(state)); }
    void ask_stop() override { searcher_->ask_stop(); }
    void stop() override { searcher_->stop(); }
    bool wait(std::chrono::microseconds most) override { return searcher_->wait(most); }
    Report report() const override { return searcher_->report(); }
    std::int64_t cpu_nanoseconds() const override { return searcher_->cpu_nanoseconds(); }
    void clear() override { searcher_->clear(); }

   private:
    static const State& own(const AnyState& state) {
      const auto* erased = dynamic_cast<const ErasedState*>(&state);
      if (erased == nullptr) throw std::invalid_argument("this engine was made for a game of other options");
      return erased->inner();
    }
    std::unique_ptr<Searcher<State>> searcher_;
  };

 public:
  explicit ErasedGame(G game) : game_(std::move(game)) {}

  std::unique_ptr<AnyState> initial(std::uint64_t seed) const override { return wrap(game_.initial(seed)); }
  std::unique_ptr<AnyState> parse(std::string_view text) const override { return wrap(game_.parse(text)); }
  std::uint64_t random_plies(std::uint64_t games, std::uint64_t seed) const override {
    Random random(seed);
    std::uint64_t plies = 0;
    for (std::uint64_t i = 0; i < games; ++i) {
      State state = game_.initial(seed + i);
      plies += random_game(game_, state, random);
    }
    return plies;
  }
  std::unique_ptr<AnyEngine> make_engine(std::size_t table_bytes) const override {
#ifdef LUDUS_WITHOUT_ENGINES  // for builds that run none: engines are most of the compiler's work
    (void)table_bytes;
    throw std::logic_error("this build has no engines");
#else
    return std::make_unique<ErasedEngine>(make_searcher(game_, table_bytes));
#endif
  }

 private:
  std::unique_ptr<AnyState> wrap(const State& state) const {
    return std::make_unique<ErasedState>(std::static_pointer_cast<const ErasedGame>(shared_from_this()), state);
  }
  G game_;
};

template <Game G>
std::shared_ptr<const AnyGame> erase(G game) {
  return std::make_shared<const ErasedGame<G>>(std::move(game));
}

/// The options of a game as texts. A value that is missing or out of range throws std::invalid_argument.
class Options {
 public:
  explicit Options(std::map<std::string, std::string> values) : values_(std::move(values)) {}
  /// From words such as `rows=5`, as a command line has them.
  Options(const char* const* first, const char* const* last);
  int number(const std::string& name, int low, int high) const;
  /// Index of the value among the choices.
  std::size_t choice(const std::string& name, std::initializer_list<std::string_view> choices) const;

 private:
  const std::string& value(const std::string& name) const;
  std::map<std::string, std::string> values_;
};

using MakeGame = std::shared_ptr<const AnyGame> (*)(const Options&);

/// A static object of this type in a game's native.cpp enters that game in the registry.
struct Registration {
  Registration(const std::string& name, MakeGame make);
};

std::vector<std::string> game_names();
/// Throws std::invalid_argument for an unknown name or a bad option.
std::shared_ptr<const AnyGame> make_game(const std::string& name, const Options& options);

}  // namespace ludus
