// Many states of one game that are played at once, with their arrays: what programs that learn need at each step. Knows
// the Game concept and threads; knows no game and no Python.
//
// Slot i of n plays the games i, i + n, i + 2n ... of the batch, and game g begins with `initial(seed + g)`. So what
// happens in a slot depends on the seed and the actions, never on the threads.
#pragma once

#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "core/any_state.hpp"
#include "core/random.hpp"
#include "core/team.hpp"

namespace ludus {

struct BatchOptions {
  std::size_t states;
  std::uint64_t seed;
  int threads;
  bool auto_reset;  ///< a finished game is followed by the next one in the same step
  bool points;      ///< rewards are the points of each step, not the outcome at the end
};

/// Memory on the borders that JAX asks for: elsewhere it would copy what it is given.
template <class T>
struct AlignedMemory {
  using value_type = T;
  static constexpr std::align_val_t border{64};

  AlignedMemory() = default;
  template <class Other>
  constexpr AlignedMemory(const AlignedMemory<Other>&) {}
  T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), border)); }
  void deallocate(T* memory, std::size_t) { ::operator delete(memory, border); }
  bool operator==(const AlignedMemory&) const = default;
};
template <class T>
using Column = std::vector<T, AlignedMemory<T>>;

/// The states and their arrays, which stay where they are as long as the batch lives. All arrays have one row a state.
/// The arrays only show the states: what others write into them changes no game, but for `seeds` and `random`, by which
/// a copy goes on as the original does. `turn` is for callers in several threads: the one that holds it may call.
class Batch {
 public:
  Batch(const BatchOptions& given, std::size_t legal_width, std::size_t plane_width)
      : options(given),
        action_count(legal_width),
        plane_cells(plane_width),
        legal(given.states * legal_width),
        done(given.states),
        sides(given.states),
        actions(given.states),
        observations(given.states * plane_width),
        rewards(2 * given.states),
        seeds(given.states),
        random(given.states, Random(0)) {}
  virtual ~Batch() = default;
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  /// Begins new games.
  virtual void reset(std::uint64_t seed) = 0;
  /// Plays one action in each state that is not finished. Where one is not legal nothing is played, and its slot is
  /// returned; else -1.
  virtual std::ptrdiff_t step(const std::int32_t* chosen) = 0;
  /// Plays that many random moves in each slot; the arrays show the last one. Returns how many games ended.
  virtual std::uint64_t random_steps(std::uint64_t count) = 0;
  /// Fills `actions` with a random legal action of each state; 0 where a game is over.
  virtual void choose_randomly() = 0;
  virtual std::unique_ptr<AnyState> state(std::size_t slot) const = 0;
  /// Puts another state into a slot. Throws std::invalid_argument for a state of another game.
  virtual void put(std::size_t slot, const AnyState& state) = 0;

  const BatchOptions options;
  const std::size_t action_count, plane_cells;
  Column<std::uint8_t> legal;  ///< 1 for each action that is legal
  Column<std::uint8_t> done;   ///< 1 where the last step ended a game, or where none goes on
  Column<std::uint8_t> sides;  ///< whose move it is
  Column<std::int32_t> actions;
  Column<float> observations;   ///< the planes as the side to move sees them
  Column<float> rewards;        ///< of both sides, by the last step
  Column<std::uint64_t> seeds;  ///< what each slot's game began with
  Column<Random> random;        ///< where each slot's random moves come from
  mutable std::mutex turn;
};

template <Game G>
class BatchOf final : public Batch {
 public:
  using State = typename G::State;

  BatchOf(std::shared_ptr<const G> game, const BatchOptions& given)
      : Batch(given, static_cast<std::size_t>(game->actions()), plane_size(*game)),
        game_(std::move(game)),
        states_(given.states),
        allowed_(legal.size()),
        chosen_(given.states),
        team_(given.threads) {
    BatchOf::reset(given.seed);
  }

  void reset(std::uint64_t seed) override {
    std::fill(rewards.begin(), rewards.end(), 0.0f);
    each([&](std::size_t slot) {
      random[slot] = Random(mix(mix(0, seed), slot + 1));
      seeds[slot] = seed + slot;
      states_[slot] = game_->initial(seeds[slot]);
      done[slot] = game_->verdict(states_[slot]) != Verdict::open;
      show(slot);
    });
  }

  std::ptrdiff_t step(const std::int32_t* given) override {
    std::memcpy(chosen_.data(), given, chosen_.size() * sizeof(std::int32_t));  // others may write to it meanwhile
    const std::int32_t* chosen = chosen_.data();
    for (std::size_t slot = 0; slot < states_.size(); ++slot) {
      const auto action = static_cast<std::uint32_t>(chosen[slot]);
      const bool legal_here = action < action_count && allowed_[slot * action_count + action] != 0;
      if (!legal_here && is_open(slot)) return static_cast<std::ptrdiff_t>(slot);
    }
    each([&](std::size_t slot) {
      play(slot, [&](const State& state) { return game_->move_of(state, chosen[slot]); });
      show(slot);
    });
    return -1;
  }

  std::uint64_t random_steps(std::uint64_t count) override {
    std::atomic<std::uint64_t> ended{0};
    each([&](std::size_t slot) {
      std::uint64_t here = 0;
      for (std::uint64_t i = 0; i < count; ++i) {
        here += play(slot, [&](const State& state) { return random_move(state, slot); }) ? 1 : 0;
      }
      ended += here;
      show(slot);
    });
    return ended;
  }

  void choose_randomly() override {
    each([&](std::size_t slot) {
      actions[slot] = is_open(slot) ? game_->action_of(random_move(states_[slot], slot)) : 0;
    });
  }

  std::unique_ptr<AnyState> state(std::size_t slot) const override {
    return std::make_unique<StateOf<G>>(game_, states_.at(slot));
  }

  void put(std::size_t slot, const AnyState& state) override {
    states_.at(slot) = StateOf<G>::in(state, *game_);
    done[slot] = !is_open(slot);
    rewards[2 * slot] = rewards[2 * slot + 1] = 0;
    show(slot);
  }

 private:
  static std::size_t plane_size(const G& game) {
    const BoardSize size = game.board_size();
    return game.plane_names().size() * static_cast<std::size_t>(size.rows * size.cols);
  }

  bool is_open(std::size_t slot) const { return game_->verdict(states_[slot]) == Verdict::open; }

  typename G::Move random_move(const State& state, std::size_t slot) {
    const auto moves = game_->legal_moves(state);
    return moves[random[slot].below(static_cast<std::uint32_t>(moves.size()))];
  }

  /// Plays a move where a game goes on; whether that ended it.
  template <class Choose>
  bool play(std::size_t slot, Choose choose) {
    State& state = states_[slot];
    float* reward = &rewards[2 * slot];
    reward[0] = reward[1] = 0;
    if (!is_open(slot)) return false;
    const State before = state;
    state = game_->play(before, choose(before));
    const Verdict verdict = game_->verdict(state);
    const bool over = verdict != Verdict::open;
    done[slot] = over;
    pay(before, state, verdict, reward);
    if (over && options.auto_reset) {
      seeds[slot] += states_.size();
      state = game_->initial(seeds[slot]);
    }
    return over;
  }

  void pay(const State& before, const State& after, Verdict verdict, float* reward) const {
    if constexpr (ScoredGame<G>) {
      if (options.points) {
        const auto old = game_->scores(before), now = game_->scores(after);
        reward[0] = static_cast<float>((now[0] - old[0]) - (now[1] - old[1]));
        reward[1] = -reward[0];
        return;
      }
    }
    if (verdict == Verdict::first_wins || verdict == Verdict::second_wins) {
      reward[0] = verdict == Verdict::first_wins ? 1.0f : -1.0f;
      reward[1] = -reward[0];
    }
  }

  /// Writes what the arrays say of a slot.
  void show(std::size_t slot) {
    const State& state = states_[slot];
    sides[slot] = game_->side(state);
    std::uint8_t* mask = &allowed_[slot * action_count];
    std::memset(mask, 0, action_count);
    const auto moves = game_->legal_moves(state);
    const std::size_t size = moves.size();
    for (std::size_t i = 0; i < size; ++i) mask[game_->action_of(moves[i])] = 1;
    std::memcpy(&legal[slot * action_count], mask, action_count);
    game_->write_planes(state, game_->side(state), &observations[slot * plane_cells]);
  }

  template <class Work>
  void each(Work work) {
    team_.run(states_.size(), [&](std::size_t begin, std::size_t end) {
      for (std::size_t slot = begin; slot < end; ++slot) work(slot);
    });
  }

  std::shared_ptr<const G> game_;
  std::vector<State> states_;
  std::vector<std::uint8_t> allowed_;  ///< what `legal` shows
  std::vector<std::int32_t> chosen_;   ///< what is being played
  Team team_;
};

}  // namespace ludus
