// The rules of Magnetic Cave: positions as text, the legal moves, and what a move does.

import java.util.ArrayList;
import java.util.List;

/** A position. `play` returns a new one and does not change this one, so you can look ahead freely. */
class State {
  static int line = 5; // this many bricks of one player in a row, a column or a diagonal win
  static final int[][] DIRECTIONS = {{0, 1}, {1, 0}, {1, 1}, {1, -1}};

  char[][] cells; // cells[row][col]: 'x' first player, 'o' second, '.' empty; row 0 is the top
  int side; // whose move it is: 0 or 1

  static void setOption(String name, String value) {
    if (name.equals("line")) line = Integer.parseInt(value);
  }

  /** Reads a position text such as "x......./......../ ... /........ 2". */
  static State parse(String text) {
    String[] fields = text.trim().split("\\s+");
    String[] rows = fields[0].split("/");
    State state = new State();
    state.cells = new char[rows.length][];
    for (int row = 0; row < rows.length; row++) state.cells[row] = rows[row].toCharArray();
    state.side = fields.length > 1 ? Integer.parseInt(fields[1]) - 1 : 0;
    return state;
  }

  /** The position as one line. */
  String text() {
    List<String> rows = new ArrayList<>();
    for (char[] row : cells) rows.add(new String(row));
    return String.join("/", rows) + " " + (side + 1);
  }

  static char mark(int side) {
    return side == 0 ? 'x' : 'o';
  }

  /** What is on a cell; outside the board there is nothing. */
  char at(int row, int col) {
    return row >= 0 && row < cells.length && col >= 0 && col < cells[0].length ? cells[row][col] : ' ';
  }

  /** The length of a side's longest line. */
  int longest(int of) {
    int best = 0;
    for (int row = 0; row < cells.length; row++)
      for (int col = 0; col < cells[0].length; col++)
        for (int[] way : DIRECTIONS) {
          int length = 0;
          while (at(row + length * way[0], col + length * way[1]) == mark(of)) length++;
          best = Math.max(best, length);
        }
    return best;
  }

  /** All moves as texts such as "A8"; none when the game is over. Row 1 is the bottom row. */
  List<String> legalMoves() {
    List<String> moves = new ArrayList<>();
    if (longest(0) >= line || longest(1) >= line) return moves;
    for (int row = 0; row < cells.length; row++)
      for (int col = 0; col < cells[0].length; col++)
        // A brick must touch a wall, or a brick to its left or right.
        if (at(row, col) == '.' && !(at(row, col - 1) == '.' && at(row, col + 1) == '.'))
          moves.add((char) ('A' + col) + "" + (cells.length - row));
    return moves;
  }

  /** The position after a move. */
  State play(String move) {
    State after = new State();
    after.cells = new char[cells.length][];
    for (int row = 0; row < cells.length; row++) after.cells[row] = cells[row].clone();
    after.cells[cells.length - Integer.parseInt(move.substring(1))][move.charAt(0) - 'A'] = mark(side);
    after.side = 1 - side;
    return after;
  }

  /** An estimate of how well a side stands. A better estimate makes a better bot. */
  int value(int of) {
    int mine = longest(of), theirs = longest(1 - of);
    if (mine >= line) return 1000;
    if (theirs >= line) return -1000;
    return mine - theirs;
  }
}
