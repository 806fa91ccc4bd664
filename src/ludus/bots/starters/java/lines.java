// Talks to the arena in the protocol `lines`: one move per line. Put your own ideas into Search.java.
//
// Standard output is only for the protocol; print to System.err when you debug.

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;

public class Bot {
  static final double SECONDS = 1.0; // the clock is not sent here: set a bit less than your course allows

  public static void main(String[] arguments) throws IOException {
    int me = arguments[0].equals("first") ? 0 : 1;
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
    State state = State.parse(input.readLine());
    while (!state.legalMoves().isEmpty()) {
      String move;
      if (state.side == me) {
        move = Search.choose(state, SECONDS);
        System.out.println(move);
        System.out.flush();
      } else {
        move = input.readLine();
        if (move == null) return; // the arena has closed the connection
      }
      state = state.play(move.trim());
    }
  }
}
