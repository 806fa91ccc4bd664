// Talks to the arena in the protocol `files`: started for every move, reads input.txt, writes output.txt. Put
// your own ideas into Search.java.
//
// Line 1 of input.txt is the position, line 2 the seconds left. output.txt gets the move.

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

public class Bot {
  public static void main(String[] arguments) throws IOException {
    List<String> lines = Files.readAllLines(Path.of("input.txt"));
    double seconds = Double.parseDouble(lines.get(1).trim());
    String move = Search.choose(State.parse(lines.get(0)), seconds / 40);
    Files.writeString(Path.of("output.txt"), move + "\n");
  }
}
