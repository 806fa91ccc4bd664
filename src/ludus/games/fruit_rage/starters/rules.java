// The rules of The Fruit Rage: positions as text, the legal moves, and what a move does.

import java.util.ArrayList;
import java.util.List;

/** A position. `play` returns a new one and does not change this one, so you can look ahead freely. */
class State {
  char[][] rows; // rows[row][col]: a digit for a fruit, '*' for an empty cell; row 0 is the top
  int side; // whose move it is: 0 or 1
  int[] points = {0, 0};

  static void setOption(String name, String value) {} // there are no options that the board does not show

  /** Reads a position text such as "01/21 1 0-0". */
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
    return state;
  }

  /** The position as one line. */
  String text() {
    List<String> lines = new ArrayList<>();
    for (char[] row : rows) lines.add(new String(row));
    return String.join("/", lines) + " " + (side + 1) + " " + points[0] + "-" + points[1];
  }

  /** Counts the cells that one move on this cell claims: all of its fruit that are connected. They become '*'. */
  static int takeGroup(char[][] board, int row, int col) {
    char fruit = board[row][col];
    List<int[]> cells = new ArrayList<>();
    cells.add(new int[] {row, col});
    board[row][col] = '*';
    for (int i = 0; i < cells.size(); i++) { // the list grows while we walk through it
      int r = cells.get(i)[0], c = cells.get(i)[1];
      int[][] near = {{r - 1, c}, {r + 1, c}, {r, c - 1}, {r, c + 1}};
      for (int[] cell : near) {
        int y = cell[0], x = cell[1];
        if (y >= 0 && y < board.length && x >= 0 && x < board.length && board[y][x] == fruit) {
          board[y][x] = '*';
          cells.add(cell);
        }
      }
    }
    return cells.size();
  }

  private char[][] copyOfRows() {
    char[][] copy = new char[rows.length][];
    for (int row = 0; row < rows.length; row++) copy[row] = rows[row].clone();
    return copy;
  }

  /** One move for each group, such as "B13"; none when the board is empty. */
  List<String> legalMoves() {
    List<String> moves = new ArrayList<>();
    char[][] board = copyOfRows();
    for (int row = 0; row < board.length; row++)
      for (int col = 0; col < board.length; col++)
        if (board[row][col] != '*') {
          takeGroup(board, row, col);
          moves.add((char) ('A' + col) + "" + (row + 1));
        }
    return moves;
  }

  /** The position after a move. */
  State play(String move) {
    State after = new State();
    after.rows = copyOfRows();
    after.side = 1 - side;
    after.points = points.clone();
    int claimed = takeGroup(after.rows, Integer.parseInt(move.substring(1)) - 1, move.charAt(0) - 'A');
    after.points[side] += claimed * claimed;
    for (int col = 0; col < rows.length; col++) { // what is left falls down
      int bottom = rows.length - 1;
      for (int row = rows.length - 1; row >= 0; row--) {
        char fruit = after.rows[row][col];
        if (fruit != '*') {
          after.rows[row][col] = '*';
          after.rows[bottom--][col] = fruit;
        }
      }
    }
    return after;
  }

  /** An estimate of how well a side stands. A better estimate makes a better bot. */
  int value(int of) {
    return points[of] - points[1 - of];
  }
}
