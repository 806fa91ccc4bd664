// Plays Magnetic Cave's engine against itself for bench/fit_magnetic_cave.py, and writes down every quiet position: the
// bricks, what the search thought of it, and how the game ended. Every second game has a random move now and then.
//
// Usage: tune_magnetic_cave_games FILE GAMES NODES SEED; it adds to the file
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "core/engine.hpp"
#include "core/random.hpp"
#include "magnetic_cave/knowledge.hpp"

namespace {

using namespace ludus;
using G = magnetic_cave::MagneticCave<FixedBoard<magnetic_cave::Board<std::uint64_t>, 8, 8, 5>>;

/// As the script reads it; `result` is 0, 1 or 2 halves of a win for the side to move.
struct Sample {
  std::uint64_t mine, theirs;
  float chance;
  std::uint8_t result, side;
  std::uint16_t unused;
  std::uint32_t game, unused_too;
};

Line think(AlphaBeta<G>& engine, const G::State& state, std::uint64_t nodes) {
  Limits limits;
  limits.nodes = nodes;
  engine.start(state, limits);
  engine.wait(std::chrono::hours(1));
  return engine.report().lines[0];
}

/// One game from 2 to 10 random moves on. Its end is the proof of its outcome, where there is one.
std::vector<Sample> play_game(const G& game, AlphaBeta<G>& engine, std::uint32_t nodes, Random& random,
                              std::uint32_t number) {
  const Knowledge<G> knowledge(game);
  const auto any = [&](const auto& moves) { return moves[random.below(static_cast<std::uint32_t>(moves.size()))]; };
  G::State state = game.initial(0);
  for (auto plies = 2 + random.below(9); plies > 0; --plies) state = game.play(state, any(game.legal_moves(state)));
  const bool noisy = random.below(2) == 0;
  std::vector<Sample> samples;
  long first_result = 1;
  while (state.verdict == Verdict::open) {
    const auto view = knowledge.look(state);
    const Line line = think(engine, state, nodes / 2 + random.below(nodes));
    if (line.exact) {
      first_result = std::lround(2 * (state.side == 0 ? line.win_chance : 1 - line.win_chance));
      break;
    }
    const bool open = view.ends_in == 0 && view.moves.size() > 1;
    if (open) samples.push_back({state.mine, state.theirs, float(line.win_chance), 0, state.side, 0, number, 0});
    const bool slip = noisy && open && random.below(12) == 0;
    state = game.play(state, slip ? any(view.moves) : game.find_move(state, line.moves[0]));
  }
  if (state.verdict == Verdict::first_wins || state.verdict == Verdict::second_wins) {
    first_result = state.verdict == Verdict::first_wins ? 2 : 0;
  }
  for (Sample& sample : samples) {
    sample.result = static_cast<std::uint8_t>(sample.side == 0 ? first_result : 2 - first_result);
  }
  return samples;
}

}  // namespace

int main(int count, char** words) {
  if (count != 5) return std::puts("usage: tune_magnetic_cave_games FILE GAMES NODES SEED"), 2;
  std::FILE* file = std::fopen(words[1], "ab");
  if (file == nullptr) return std::perror(words[1]), 1;
  const G game{{}};
  AlphaBeta<G> engine(game, 16 << 20);
  const auto seed = static_cast<std::uint32_t>(std::atoi(words[4]));
  Random random(seed);
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(std::atoi(words[2])); ++i) {
    engine.clear();
    const auto nodes = static_cast<std::uint32_t>(std::atoi(words[3]));
    const auto samples = play_game(game, engine, nodes, random, seed * 100'000 + i);
    std::fwrite(samples.data(), sizeof(Sample), samples.size(), file);
  }
  std::fclose(file);
}
