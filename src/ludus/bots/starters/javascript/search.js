// Chooses a move. THIS IS THE FILE TO CHANGE: as it is, the bot takes whatever looks best after its own move.
"use strict";

/**
 * The best move of a position. `seconds` is about how long you may think about it.
 *
 * Where to go from here, one step at a time:
 * 1. Look at the opponent's best answer to each move, and at yours to that: minimax to a fixed depth.
 * 2. Stop looking at a move once it is known to be worse than another: alpha-beta. Try good moves first.
 * 3. Search depth 1, then 2, then 3 until `seconds` are nearly over (performance.now() tells): iterative deepening.
 * 4. Make State.value in rules.js wiser. What do you look at when you play the game yourself?
 */
function choose(state, seconds) {
  const me = state.side; // in Cantris with two removals a turn the same side may move twice: always look at state.side
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
