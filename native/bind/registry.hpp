// Compiled games by name: what a game is to those who know it by text, and the registry that its native.cpp enters it
// in. Knows the Game concept; knows no game and no Python.
//
// The templates are compiled once a game, in that game's own file, at full optimisation.
#pragma once

#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/batch.hpp"
#include "core/engine.hpp"

namespace ludus {

/// What is known of a game's actions and planes before any state.
struct Encoding {
  struct Image {
    Symmetry symmetry;
    std::vector<int> actions;  ///< where each action goes
  };
  std::vector<std::string> action_texts, plane_names;
  BoardSize size;
  std::vector<Image> symmetries;  ///< all but the identity
};

/// A game with its options settled.
class AnyGame {
 public:
  virtual ~AnyGame() = default;
  virtual std::unique_ptr<AnyState> initial(std::uint64_t seed) const = 0;
  virtual std::unique_ptr<AnyState> parse(std::string_view text) const = 0;
  /// Plays that many random games; returns the plies played in all.
  virtual std::uint64_t random_plies(std::uint64_t games, std::uint64_t seed) const = 0;
  virtual std::unique_ptr<Engine> make_engine(std::size_t table_bytes) const = 0;
  virtual Encoding encoding() const = 0;
  virtual std::unique_ptr<Batch> make_batch(const BatchOptions& options) const = 0;
};

/// `Search<G>` is the engine that plays the game.
template <Game G, template <class> class Search>
class GameOf final : public AnyGame {
 public:
  explicit GameOf(G game) : game_(std::make_shared<const G>(std::move(game))) {}

  std::unique_ptr<AnyState> initial(std::uint64_t seed) const override { return state(game_->initial(seed)); }
  std::unique_ptr<AnyState> parse(std::string_view text) const override { return state(game_->parse(text)); }
  std::uint64_t random_plies(std::uint64_t games, std::uint64_t seed) const override {
    Random random(seed);
    std::uint64_t plies = 0;
    for (std::uint64_t i = 0; i < games; ++i) {
      auto state = game_->initial(seed + i);
      plies += random_game(*game_, state, random);
    }
    return plies;
  }
  std::unique_ptr<Engine> make_engine(std::size_t table_bytes) const override {
#if defined(LUDUS_WITHOUT_ENGINES) || defined(LUDUS_RULES_ONLY)  // engines are most of the compiler's work
    (void)table_bytes;
    throw std::logic_error("this build has no engines");
#else
    return std::make_unique<Search<G>>(game_, table_bytes);
#endif
  }
  Encoding encoding() const override {
    Encoding result{{}, game_->plane_names(), game_->board_size(), {}};
    const int actions = game_->actions();
    for (int action = 0; action < actions; ++action) result.action_texts.push_back(game_->action_text(action));
    game_->for_each_image(game_->initial(0), [&](Symmetry symmetry, const typename G::State&) {
      Encoding::Image image{symmetry, {}};
      for (int action = 0; action < actions; ++action) image.actions.push_back(game_->image_of(action, symmetry));
      result.symmetries.push_back(std::move(image));
    });
    return result;
  }
  std::unique_ptr<Batch> make_batch(const BatchOptions& options) const override {
#ifdef LUDUS_RULES_ONLY
    (void)options;
    throw rules_only();
#else
    return std::make_unique<BatchOf<G>>(game_, options);
#endif
  }

 private:
  std::unique_ptr<AnyState> state(const typename G::State& state) const {
    return std::make_unique<StateOf<G>>(game_, state);
  }
  std::shared_ptr<const G> game_;
};

/// The search that serves every game.
template <class G>
using GeneralSearch = AlphaBeta<G>;

/// A game for the registry, played by the general search or by its own: `compiled<MySearch>(MyGame(...))`.
template <template <class> class Search = GeneralSearch, Game G>
std::shared_ptr<const AnyGame> compiled(G game) {
  return std::make_shared<const GameOf<G, Search>>(std::move(game));
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
  const std::map<std::string, std::string>& values() const { return values_; }

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
/// The same game again for equal options. Throws std::invalid_argument for an unknown name or a bad option.
std::shared_ptr<const AnyGame> make_game(const std::string& name, const Options& options);

}  // namespace ludus
