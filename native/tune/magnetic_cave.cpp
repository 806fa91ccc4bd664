// Fits the weights of Magnetic Cave's evaluation to the outcomes of its own games, by logistic regression.
// Plays short searches against itself from random openings, notes what the evaluation sees in every quiet position,
// and prints the weights for evaluate.hpp: a hundred of them together make a win chance of 73%.
//
// Usage: tune_magnetic_cave GAMES NODES SEED, as in `build/module/tune_magnetic_cave 3000 4000 1`
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "core/engine.hpp"
#include "core/random.hpp"
#include "magnetic_cave/search.hpp"

namespace {

using namespace ludus;
using G = magnetic_cave::MagneticCave<FixedBoard<magnetic_cave::Board<std::uint64_t>, 8, 8, 5>>;

/// What the evaluation saw, who moves first or second, and how the game ended for the side that was to move.
struct Sample {
  magnetic_cave::Features features;
  double first, result;
};

/// One game of the engine against itself. Its end is the proof of its outcome, where there is one.
void play_game(const std::shared_ptr<const G>& owner, Engine& engine, std::uint64_t nodes, Random& random,
               std::vector<Sample>& samples) {
  const G& game = *owner;
  G::State state = game.initial(0);
  const auto opening = 4 + random.below(10);
  for (std::uint32_t ply = 0; ply < opening && state.verdict == Verdict::open; ++ply) {
    const auto moves = game.legal_moves(state);
    state = game.play(state, moves[random.below(static_cast<std::uint32_t>(moves.size()))]);
  }
  std::vector<std::pair<Side, magnetic_cave::Features>> seen;
  double first_result = 0.5;
  while (true) {
    if (state.verdict != Verdict::open) {
      if (state.verdict != Verdict::tie) first_result = state.verdict == Verdict::first_wins;
      break;
    }
    const magnetic_cave::View<G> view(game, state);
    if (view.plies_to_end == 0 && view.moves.size() > 1)
      seen.emplace_back(state.side, magnetic_cave::features_of(game, view));
    Limits limits;
    limits.nodes = nodes;
    engine.start(StateOf<G>(owner, state), limits);
    engine.wait(std::chrono::hours(1));
    const Variation line = engine.info().lines[0];
    if (line.exact) {
      first_result = state.side == 0 ? line.win_chance : 1 - line.win_chance;
      break;
    }
    state = game.play(state, game.find_move(state, line.moves[0]));
  }
  for (const auto& [side, features] : seen) {
    samples.push_back({features, side == 0 ? 1.0 : -1.0, side == 0 ? first_result : 1 - first_result});
  }
}

/// Gradient descent with a step of its own for each weight (Adagrad); the last two, whose turn it is and who moved
/// first, only keep the others honest.
std::vector<double> fit(const std::vector<Sample>& samples) {
  constexpr std::size_t size = magnetic_cave::features + 2;
  std::vector<double> weights(size, 0.0), squares(size, 1e-9);
  for (int round = 0; round < 600; ++round) {
    std::vector<double> slope(size, 0.0);
    for (const Sample& sample : samples) {
      double sum = weights[size - 2] + weights[size - 1] * sample.first;
      for (std::size_t i = 0; i < magnetic_cave::features; ++i) sum += weights[i] * sample.features[i];
      const double error = 1 / (1 + std::exp(-sum)) - sample.result;
      for (std::size_t i = 0; i < magnetic_cave::features; ++i) slope[i] += error * sample.features[i];
      slope[size - 2] += error;
      slope[size - 1] += error * sample.first;
    }
    for (std::size_t i = 0; i < size; ++i) {
      const double step = slope[i] / static_cast<double>(samples.size()) + 1e-5 * weights[i];
      squares[i] += step * step;
      weights[i] -= 0.05 * step / std::sqrt(squares[i]);
    }
  }
  return weights;
}

}  // namespace

int main(int count, char** words) {
  if (count != 4) return std::puts("usage: tune GAMES NODES SEED"), 2;
  const auto game = std::make_shared<const G>(G{{}});
  magnetic_cave::Search<G> engine(game, 16 << 20);
  Random random(std::strtoull(words[3], nullptr, 10));
  std::vector<Sample> samples;
  double ends[3] = {};
  for (int i = 0; i < std::atoi(words[1]); ++i) {
    engine.clear();
    const std::size_t before = samples.size();
    play_game(game, engine, std::strtoull(words[2], nullptr, 10), random, samples);
    if (samples.size() > before) {
      const Sample& last = samples.back();
      ++ends[static_cast<int>(2 * (last.first > 0 ? last.result : 1 - last.result))];
    }
  }
  std::printf("%zu positions; the first player lost %.0f, tied %.0f, won %.0f\n", samples.size(), ends[0], ends[1],
              ends[2]);
  for (const double weight : fit(samples)) std::printf("%.1f, ", 100 * weight);
  std::puts("");
}
