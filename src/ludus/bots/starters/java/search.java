// Chooses a move. THIS IS THE FILE TO CHANGE: now, the bot plays the move after which the position looks best.

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

class Search {
  static final Random random = new Random();

  /**
   * The best move of a position. `seconds` is about how long you can think about it.
   *
   * <p>Next steps, one at a time:
   *
   * <p>1. Look at the opponent's best answer to each move, and at your answer to that: minimax to a fixed depth.
   *
   * <p>2. Stop searching a move once you know that another one is better: alpha-beta. Try good moves first.
   *
   * <p>3. Search depth 1, then 2, then 3 until `seconds` are nearly over: iterative deepening (use System.nanoTime()).
   *
   * <p>4. Improve State.value. What do you look at when you play the game yourself?
   */
  static String choose(State state, double seconds) {
    int me = state.side; // in Cantris with two removals per turn the same side can move twice: look at state.side
    List<String> bestMoves = new ArrayList<>();
    int bestValue = 0;
    for (String move : state.legalMoves()) {
      int value = state.play(move).value(me);
      if (bestMoves.isEmpty() || value > bestValue) {
        bestMoves.clear();
        bestValue = value;
      }
      if (value == bestValue) bestMoves.add(move);
    }
    return bestMoves.get(random.nextInt(bestMoves.size()));
  }
}
