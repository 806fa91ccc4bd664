// Chooses a move. THIS IS THE FILE TO CHANGE: as it is, the bot takes whatever looks best after its own move.

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

class Search {
  static final Random random = new Random();

  /**
   * The best move of a position. `seconds` is about how long you may think about it.
   *
   * <p>Where to go from here, one step at a time:
   *
   * <p>1. Look at the opponent's best answer to each move, and at yours to that: minimax to a fixed depth.
   *
   * <p>2. Stop looking at a move once it is known to be worse than another: alpha-beta. Try good moves first.
   *
   * <p>3. Search depth 1, then 2, then 3 until `seconds` are nearly over: iterative deepening. System.nanoTime() tells.
   *
   * <p>4. Make State.value wiser. What do you look at when you play the game yourself?
   */
  static String choose(State state, double seconds) {
    int me = state.side; // in Cantris with two removals a turn the same side may move twice: always look at state.side
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
