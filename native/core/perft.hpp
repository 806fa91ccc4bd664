// Counting and random play: the two ways to drive a game's rules at full speed.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/game.hpp"
#include "core/random.hpp"

namespace ludus {

/// Number of move sequences of exactly that length. A finished game has no sequence longer than none.
/// Once `stop` is set the count is abandoned and means nothing.
template <Game G>
std::uint64_t perft(const G& game, const typename G::State& state, int depth, const std::atomic<bool>& stop) {
  if (depth == 0) return 1;
  if (depth > 2 && stop.load(std::memory_order_relaxed)) return 0;
  const auto moves = game.legal_moves(state);
  const std::size_t size = moves.size();
  if (depth == 1) return size;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < size; ++i) sum += perft(game, game.play(state, moves[i]), depth - 1, stop);
  return sum;
}

/// Plays uniformly random moves to the end of the game; returns the number of moves.
template <Game G>
std::uint64_t random_game(const G& game, typename G::State& state, Random& random) {
  std::uint64_t length = 0;
  for (; game.verdict(state) == Verdict::open; ++length) {
    const auto moves = game.legal_moves(state);
    state = game.play(state, moves[random.below(static_cast<std::uint32_t>(moves.size()))]);
  }
  return length;
}

}  // namespace ludus
