// Talks to the arena in the protocol `files`, as the Fruit Rage course does: started for every move, reads
// input.txt, writes output.txt. Put your own ideas into Search.java.
//
// input.txt: the size of the board, the number of fruit types, the seconds left for the whole game, the rows.
// output.txt: the move, then the rows of the board after the fruits have fallen.

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

public class Bot {
  public static void main(String[] arguments) throws IOException {
    List<String> lines = Files.readAllLines(Path.of("input.txt"));
    int size = Integer.parseInt(lines.get(0).trim());
    double seconds = Double.parseDouble(lines.get(2).trim());
    State state = new State();
    state.rows = new char[size][];
    for (int row = 0; row < size; row++) state.rows[row] = lines.get(3 + row).trim().toCharArray();

    String move = Search.choose(state, seconds / 40);
    List<String> answer = new ArrayList<>();
    answer.add(move);
    for (char[] row : state.play(move).rows) answer.add(new String(row));
    Files.write(Path.of("output.txt"), answer);
  }
}
