// A state of any game behind one interface, for those who know games by text: the Python module, the engine's facade,
// the native tests. What crosses it is texts and counts, never a hot loop. Knows the Game concept; no game, no Python.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/mcts.hpp"
#include "core/perft.hpp"
#include "core/teaching.hpp"

namespace ludus {

/// A position as numbers: planes, each a board of them.
struct Planes {
  std::array<std::size_t, 3> shape;
  std::vector<float> values;
};

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
  virtual int evaluation() const = 0;
  /// Whether both are the same state; both must come from games of equal options.
  virtual bool equals(const AnyState& other) const = 0;
  virtual std::uint64_t perft(int depth, const std::atomic<bool>& stop) const = 0;
  /// What a search of the textbook chooses in an open game. Throws std::invalid_argument for an unknown evaluator.
  virtual ChosenMove<std::string> look_ahead(Method method, int depth, std::string_view evaluator,
                                             const std::atomic<bool>& stop) const = 0;
  /// What a tree search of that many random play-outs chooses in an open game.
  virtual ChosenMove<std::string> play_out(std::uint32_t playouts, std::uint64_t seed,
                                           const std::atomic<bool>& stop) const = 0;
  /// How many moves a game of random moves from here takes: a measure of how long the game will go on.
  virtual std::uint64_t random_length(std::uint64_t seed) const = 0;
  /// No game from here has more moves than that, where the rules tell.
  virtual std::optional<int> max_moves_left() const = 0;
  /// The legal moves as numbers, ascending.
  virtual std::vector<int> legal_actions() const = 0;
  /// The state after a move by its number; nothing where that is not legal.
  virtual std::unique_ptr<AnyState> play_action(int action) const = 0;
  /// The position as numbers, as one side sees it.
  virtual Planes planes(Side viewer) const = 0;
  /// The state under each symmetry of the board, in the order of `AnyGame::symmetries`.
  virtual std::vector<std::unique_ptr<AnyState>> images() const = 0;
};

/// What a build of the rules alone says to those who ask it to search.
inline std::logic_error rules_only() {
  return std::logic_error("this build has rules and states only");
}

template <Game G>
class StateOf final : public AnyState {
 public:
  using State = typename G::State;

  StateOf(std::shared_ptr<const G> game, const State& state) : game_(std::move(game)), state_(state) {}

  /// The state inside. Throws std::invalid_argument for a state of another game, or of the same with other options: the
  /// registry makes one game for equal options.
  static const State& in(const AnyState& any, const G& game) {
    const auto* own = dynamic_cast<const StateOf*>(&any);
    if (own == nullptr || own->game_.get() != &game) throw std::invalid_argument("this state is of another game");
    return own->state_;
  }

  Side side() const override { return game_->side(state_); }
  Verdict verdict() const override { return game_->verdict(state_); }
  std::optional<std::array<int, 2>> scores() const override {
    if constexpr (ScoredGame<G>) return game_->scores(state_);
    return std::nullopt;
  }
  std::vector<std::string> legal_moves() const override {
    const auto moves = game_->legal_moves(state_);
    std::vector<std::string> result;
    result.reserve(moves.size());
    for (std::size_t i = 0; i < moves.size(); ++i) result.push_back(move_text(*game_, moves[i]));
    return result;
  }
  std::string move_name(std::string_view move) const override {
    return move_text(*game_, game_->find_move(state_, move));
  }
  std::unique_ptr<AnyState> play(std::string_view move) const override {
    return with(game_->play(state_, game_->find_move(state_, move)));
  }
  std::vector<Step> steps(std::string_view move) const override {
    return game_->steps(state_, game_->find_move(state_, move));
  }
  std::string text() const override { return game_->text(state_); }
  std::uint64_t key() const override { return game_->key(state_); }
  std::unique_ptr<AnyState> canonical() const override { return with(ludus::canonical(*game_, state_)); }
  bool equals(const AnyState& other) const override {
    const auto* same = dynamic_cast<const StateOf*>(&other);
    return same != nullptr && same->state_ == state_;
  }
  std::uint64_t perft(int depth, const std::atomic<bool>& stop) const override {
    return ludus::perft(*game_, state_, depth, stop);
  }
#ifndef LUDUS_RULES_ONLY
  int evaluation() const override { return plain_evaluation(*game_, state_); }
  ChosenMove<std::string> look_ahead(Method method, int depth, std::string_view evaluator,
                                     const std::atomic<bool>& stop) const override {
    return named(Textbook<G>(*game_, method, find_evaluation(*game_, evaluator), stop).choose(state_, depth));
  }
  ChosenMove<std::string> play_out(std::uint32_t playouts, std::uint64_t seed,
                                   const std::atomic<bool>& stop) const override {
    return named(TreeSearch<G>(*game_, seed, stop).choose(state_, playouts));
  }
#else  // the module that bots have: a bot that wants to search brings its own search
  int evaluation() const override { throw rules_only(); }
  ChosenMove<std::string> look_ahead(Method, int, std::string_view, const std::atomic<bool>&) const override {
    throw rules_only();
  }
  ChosenMove<std::string> play_out(std::uint32_t, std::uint64_t, const std::atomic<bool>&) const override {
    throw rules_only();
  }
#endif
  std::uint64_t random_length(std::uint64_t seed) const override {
    Random random(seed);
    State state = state_;
    return random_game(*game_, state, random);
  }
  std::optional<int> max_moves_left() const override { return game_->max_moves_left(state_); }
  std::vector<int> legal_actions() const override {
    const auto moves = game_->legal_moves(state_);
    std::vector<int> result;
    result.reserve(moves.size());
    for (std::size_t i = 0; i < moves.size(); ++i) result.push_back(game_->action_of(moves[i]));
    return result;
  }
  std::unique_ptr<AnyState> play_action(int action) const override {
    const auto moves = game_->legal_moves(state_);
    for (std::size_t i = 0; i < moves.size(); ++i) {
      if (game_->action_of(moves[i]) == action) return with(game_->play(state_, moves[i]));
    }
    return nullptr;
  }
  Planes planes(Side viewer) const override {
    const BoardSize size = game_->board_size();
    const auto rows = static_cast<std::size_t>(size.rows), cols = static_cast<std::size_t>(size.cols);
    Planes result{{game_->plane_names().size(), rows, cols}, {}};
    result.values.resize(result.shape[0] * rows * cols);
    game_->write_planes(state_, viewer, result.values.data());
    return result;
  }
  std::vector<std::unique_ptr<AnyState>> images() const override {
    std::vector<std::unique_ptr<AnyState>> result;
    game_->for_each_image(state_, [&](Symmetry, const State& image) { result.push_back(with(image)); });
    return result;
  }

 private:
  std::unique_ptr<AnyState> with(const State& state) const { return std::make_unique<StateOf>(game_, state); }
  [[maybe_unused]] ChosenMove<std::string> named(const ChosenMove<typename G::Move>& chosen) const {
    return {move_text(*game_, chosen.move), chosen.value, chosen.nodes, chosen.depth};
  }

  std::shared_ptr<const G> game_;
  State state_;
};

}  // namespace ludus
