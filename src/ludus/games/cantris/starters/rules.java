// The rules of Cantris: positions as text, the legal moves, and what a move does.

import java.util.ArrayList;
import java.util.List;

/** A position. `play` returns a new one and does not change this one, so you can look ahead freely. */
class State {
  static int removals = 0; // per turn; 0 means the default: two on a board of 10 rows and 5 columns, else one
  static String secondRemoval = "required"; // or "optional": then "pass" is a move after a turn's first removal

  char[][] rows; // rows[row][col]: the digit of a tile, '.' for an empty cell; row 0 is the top
  int side; // whose move it is: 0 or 1; with two removals per turn it stays for the second
  int[] points = {0, 0};
  int removed; // removals already made in this turn

  static void setOption(String name, String value) {
    if (name.equals("removals")) removals = Integer.parseInt(value);
    if (name.equals("second_removal")) secondRemoval = value;
  }

  /** Reads a position text such as "12/21 1 0-0 0". */
  static State parse(String text) {
    String[] fields = text.trim().split("\\s+");
    String[] lines = fields[0].split("/");
    State state = new State();
    state.rows = new char[lines.length][];
    for (int row = 0; row < lines.length; row++) state.rows[row] = lines[row].toCharArray();
    state.side = fields.length > 1 ? Integer.parseInt(fields[1]) - 1 : 0;
    if (fields.length > 2) {
      String[] points = fields[2].split("-");
      state.points = new int[] {Integer.parseInt(points[0]), Integer.parseInt(points[1])};
    }
    state.removed = fields.length > 3 ? Integer.parseInt(fields[3]) : 0;
    return state;
  }

  /** The position as one line. */
  String text() {
    List<String> lines = new ArrayList<>();
    for (char[] row : rows) lines.add(new String(row));
    return String.join("/", lines) + " " + (side + 1) + " " + points[0] + "-" + points[1] + " " + removed;
  }

  int removalsInTurn() {
    if (removals > 0) return removals;
    return rows.length == 10 && rows[0].length == 5 ? 2 : 1;
  }

  /** Whether a column is empty: that ends the game. Tiles lie at the bottom, so the bottom row shows it. */
  boolean over() {
    return new String(rows[rows.length - 1]).indexOf('.') >= 0;
  }

  /** All moves as texts such as "2,1": row and column, both from 0; none when the game is over. */
  List<String> legalMoves() {
    List<String> moves = new ArrayList<>();
    if (over()) return moves;
    for (int row = 0; row < rows.length; row++)
      for (int col = 0; col < rows[0].length; col++) if (rows[row][col] != '.') moves.add(row + "," + col);
    if (removed == 1 && secondRemoval.equals("optional")) moves.add("pass");
    return moves;
  }

  /** The position after a move. */
  State play(String move) {
    State after = new State();
    after.rows = new char[rows.length][];
    for (int row = 0; row < rows.length; row++) after.rows[row] = rows[row].clone();
    after.points = points.clone();
    after.side = side;
    after.removed = removed;
    if (!move.equals("pass")) {
      String[] cell = move.split(",");
      List<int[]> taken = new ArrayList<>();
      taken.add(new int[] {Integer.parseInt(cell[0]), Integer.parseInt(cell[1])});
      while (!taken.isEmpty()) { // first the chosen tile, then runs until there are none
        after.points[side] += after.take(taken);
        taken = after.cellsInRuns();
      }
      after.removed++;
    }
    if (move.equals("pass") || after.removed == removalsInTurn() || after.over()) {
      after.side = 1 - side;
      after.removed = 0;
    }
    return after;
  }

  /** Takes tiles off the board, lets the others fall, and returns the sum of what was taken. */
  private int take(List<int[]> cells) {
    int sum = 0;
    for (int[] cell : cells)
      if (rows[cell[0]][cell[1]] != '.') {
        sum += rows[cell[0]][cell[1]] - '0';
        rows[cell[0]][cell[1]] = '.';
      }
    for (int col = 0; col < rows[0].length; col++) {
      int bottom = rows.length - 1;
      for (int row = rows.length - 1; row >= 0; row--) {
        char tile = rows[row][col];
        if (tile != '.') {
          rows[row][col] = '.';
          rows[bottom--][col] = tile;
        }
      }
    }
    return sum;
  }

  /** The cells of all runs: three or more equal tiles side by side in a row. A cell may be named more than once. */
  private List<int[]> cellsInRuns() {
    List<int[]> cells = new ArrayList<>();
    for (int row = 0; row < rows.length; row++)
      for (int col = 0; col + 2 < rows[0].length; col++) {
        char tile = rows[row][col];
        if (tile != '.' && tile == rows[row][col + 1] && tile == rows[row][col + 2])
          for (int i = 0; i < 3; i++) cells.add(new int[] {row, col + i});
      }
    return cells;
  }

  /** An estimate of how well a side stands. A better estimate makes a better bot. */
  int value(int of) {
    return points[of] - points[1 - of];
  }
}
