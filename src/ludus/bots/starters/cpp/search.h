// Chooses a move. THIS IS THE FILE TO CHANGE: now, the bot plays the move after which the position looks best.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "rules.h"

// The best move of a position. `seconds` is about how long you can think about it.
//
// Next steps, one at a time:
// 1. Look at the opponent's best answer to each move, and at your answer to that: minimax to a fixed depth.
// 2. Stop searching a move once you know that another one is better: alpha-beta. Try good moves first.
// 3. Search depth 1, then 2, then 3 until `seconds` are nearly over (use std::chrono::steady_clock): iterative
//    deepening.
// 4. Improve State::value in rules.h. What do you look at when you play the game yourself?
inline std::string choose(const State& state, [[maybe_unused]] double seconds) {
  static std::mt19937 random(std::random_device{}());
  const int me = state.side;  // in Cantris with two removals per turn the same side can move twice: look at state.side
  std::vector<std::string> best_moves;
  int best_value = 0;
  for (const std::string& move : state.legal_moves()) {
    const int value = state.play(move).value(me);
    if (best_moves.empty() || value > best_value) {
      best_moves = {move};
      best_value = value;
    } else if (value == best_value) {
      best_moves.push_back(move);
    }
  }
  return best_moves[random() % best_moves.size()];
}
