// Talks to the arena in the protocol `ugi`: the whole game and the clock before every move. Put your own ideas into
// Search.java.
//
// Standard output is only for the protocol; print to System.err when you debug.

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;

public class Bot {
  /** Reads `position fen TEXT moves M1 M2 ...`: the start, and every move since. */
  static State readPosition(String line) {
    String[] parts = line.substring("position fen ".length()).split(" moves ");
    State state = State.parse(parts[0]);
    if (parts.length > 1) {
      for (String move : parts[1].trim().split("\\s+")) state = state.play(move);
    }
    return state;
  }

  /** Reads `go movetime MS`, or `go p1time MS p2time MS ...`: from a bank, each move gets a small part. */
  static double readSeconds(String[] words, int side) {
    for (int i = 1; i + 1 < words.length; i++) {
      if (words[i].equals("movetime")) return Double.parseDouble(words[i + 1]) / 1000 * 0.8;
      if (words[i].equals("p" + (side + 1) + "time")) return Double.parseDouble(words[i + 1]) / 1000 / 40;
    }
    return 1.0;
  }

  public static void main(String[] arguments) throws IOException {
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
    State state = null;
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      String[] words = line.trim().split("\\s+");
      switch (words[0]) {
        case "ugi":
          System.out.println("id name starter\nugiok");
          break;
        case "isready":
          System.out.println("readyok");
          break;
        case "setoption": // setoption name NAME value VALUE: an option of the game that differs from its default
          State.setOption(words[2], words[4]);
          break;
        case "position":
          state = readPosition(line.trim());
          break;
        case "go":
          System.out.println("bestmove " + Search.choose(state, readSeconds(words, state.side)));
          break;
        case "quit":
          return;
        default:
          break;
      }
      System.out.flush();
    }
  }
}
