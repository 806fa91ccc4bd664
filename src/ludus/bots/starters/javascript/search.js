// Chooses a move. THIS IS THE FILE TO CHANGE: now, the bot plays the move after which the position looks best.
"use strict";

/**
 * The best move of a position. `seconds` is about how long you can think about it.
 *
 * Next steps, one at a time:
 * 1. Look at the opponent's best answer to each move, and at your answer to that: minimax to a fixed depth.
 * 2. Stop searching a move once you know that another one is better: alpha-beta. Try good moves first.
 * 3. Search depth 1, then 2, then 3 until `seconds` are nearly over (use performance.now()): iterative deepening.
 * 4. Improve State.value in rules.js. What do you look at when you play the game yourself?
 */
function choose(state, seconds) {
  const me = state.side; // in Cantris with two removals per turn the same side can move twice: look at state.side
  let bestMoves = [];
  let bestValue = -Infinity;
  for (const move of state.legalMoves()) {
    const value = state.play(move).value(me);
    if (value > bestValue) {
      bestMoves = [];
      bestValue = value;
    }
    if (value === bestValue) bestMoves.push(move);
  }
  return bestMoves[Math.floor(Math.random() * bestMoves.length)];
}

module.exports = { choose };
