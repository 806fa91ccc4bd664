// Fits the weights of Chain Reaction's evaluation to the outcomes of the engine's own games: logistic regression by
// Newton's method. Prints the table for evaluate.hpp and how well it foretells games that it was not fitted to.
// Usage: tune_chain_reaction GAMES NODES SEED
#include <cstdlib>
#include <iomanip>
#include <iostream>

#include "chain_reaction/knowledge.hpp"
#include "core/engine.hpp"
#include "core/random.hpp"

namespace {

using namespace ludus;
using namespace ludus::chain_reaction;
using Rules = ChainReaction<FixedBoard<Board<std::uint64_t>, 5, 6>, Explosion::empties>;
using Vector = std::array<double, term_count>;

struct Sample {
  Vector counts{};
  bool won = false;
};

/// One game from a random opening of 4 to 15 plies, with a random move now and then so that games differ; what came
/// before a random move is not used, for the outcome is no longer its own. A proof ends the game.
void play_game(const std::shared_ptr<const Rules>& owner, std::uint64_t nodes, std::uint64_t seed,
               std::vector<Sample>& samples) {
  const Rules& game = *owner;
  AlphaBeta<Rules> engine(owner, std::size_t{1} << 20);
  Random random(seed);
  Limits limits;
  limits.nodes = nodes;
  auto state = game.initial(0);
  const unsigned opening = 4 + random.below(12);
  std::vector<std::pair<Side, Sample>> seen;
  Verdict verdict = Verdict::open;
  while ((verdict = state.verdict) == Verdict::open) {
    const auto moves = game.legal_moves(state);
    if (state.ply < opening || random.below(30) == 0) {
      seen.clear();
      state = game.play(state, moves[random.below(static_cast<std::uint32_t>(moves.size()))]);
      continue;
    }
    Sample sample;
    count_terms(game, state, Distances<std::uint64_t>(game.board(), state.count),
                [&](int term, int number) { sample.counts[static_cast<std::size_t>(term)] = number; });
    seen.push_back({state.side, sample});
    engine.start(StateOf<Rules>(owner, state), limits);
    while (!engine.wait(std::chrono::seconds(1))) {
    }
    const Variation line = engine.info().lines.at(0);
    if (line.exact) {
      verdict = line.value > 0 ? win_for(state.side) : line.value < 0 ? win_for(Side(1 - state.side)) : Verdict::tie;
      break;
    }
    state = game.play(state, game.find_move(state, line.moves[0]));
  }
  if (verdict == Verdict::tie) return;
  for (auto& [side, sample] : seen) {
    sample.won = verdict == win_for(side);
    samples.push_back(sample);
  }
}

double chance(const Vector& weights, const Vector& counts) {
  double sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) sum += weights[i] * counts[i];
  return 1 / (1 + std::exp(-sum));
}

/// One step of Newton's method, with a light pull towards zero that keeps terms that never occur in place.
void improve(Vector& weights, const std::vector<Sample>& samples, std::size_t used) {
  constexpr double pull = 5;
  Vector slope{};
  std::array<Vector, term_count> curve{};
  for (std::size_t n = 0; n < used; ++n) {
    const auto& [counts, won] = samples[n];
    const double p = chance(weights, counts);
    for (std::size_t i = 0; i < term_count; ++i) {
      slope[i] += (won - p) * counts[i];
      for (std::size_t j = 0; j < term_count; ++j) curve[i][j] += p * (1 - p) * counts[i] * counts[j];
    }
  }
  for (std::size_t i = 0; i < term_count; ++i) slope[i] -= pull * weights[i], curve[i][i] += pull;
  for (std::size_t i = 0; i < term_count; ++i) {
    for (std::size_t row = i + 1; row < term_count; ++row) {
      const double factor = curve[row][i] / curve[i][i];
      for (std::size_t k = i; k < term_count; ++k) curve[row][k] -= factor * curve[i][k];
      slope[row] -= factor * slope[i];
    }
  }
  for (std::size_t i = term_count; i-- > 0;) {
    for (std::size_t k = i + 1; k < term_count; ++k) slope[i] -= curve[i][k] * slope[k];
    slope[i] /= curve[i][i];
    weights[i] += slope[i];
  }
}

/// The mean surprise at the outcomes from sample `first` on; a coin's is 0.693.
double surprise(const Vector& weights, const std::vector<Sample>& samples, std::size_t first) {
  double sum = 0;
  for (std::size_t n = first; n < samples.size(); ++n) {
    const double p = chance(weights, samples[n].counts);
    sum -= std::log(samples[n].won ? p : 1 - p);
  }
  return sum / static_cast<double>(samples.size() - first);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: tune_chain_reaction GAMES NODES SEED\n";
    return 2;
  }
  const auto games = std::strtoull(argv[1], nullptr, 10), nodes = std::strtoull(argv[2], nullptr, 10);
  const auto seed = std::strtoull(argv[3], nullptr, 10);
  const auto game = std::make_shared<const Rules>(Rules({}));
  std::vector<Sample> samples;
  for (std::uint64_t i = 0; i < games; ++i) play_game(game, nodes, mix(seed, i), samples);
  if (samples.size() < 1000) {
    std::cerr << "only " << samples.size() << " positions from " << games << " games; play at least 100 games\n";
    return 1;
  }

  const std::size_t used = samples.size() / 10 * 9;
  Vector fitted{}, present{};
  for (int step = 0; step < 12; ++step) improve(fitted, samples, used);
  for (std::size_t i = 0; i < term_count; ++i) present[i] = double(weights[i]) / weight_unit;
  std::cout << samples.size() << " positions; surprise on the last tenth: " << std::fixed << std::setprecision(4)
            << surprise(fitted, samples, used) << ", with the present weights " << surprise(present, samples, used)
            << '\n';
  for (std::size_t i = 0; i < term_count; ++i) {
    std::cout << std::lround(fitted[i] * weight_unit) << (i % side_terms == side_terms - 1 ? ",\n" : ", ");
  }
  std::cout << '\n';
}
