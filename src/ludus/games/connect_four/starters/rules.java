// The rules of Connect Four: positions as text, the legal moves, and what a move does.

import java.util.ArrayList;
import java.util.List;

/** A position. `play` returns a new one and does not change this one, so you can look ahead freely. */
class State {
  static int line = 4; // this many discs of one player in a row, a column or a diagonal win

  String board; // the rows from the top, joined by '/': 'x' first player, 'o' second, '.' empty
  int side; // whose move it is: 0 or 1
  int cols;

  State(String board, int side) {
    this.board = board;
    this.side = side;
    cols = board.indexOf('/');
  }

  static void setOption(String name, String value) {
    if (name.equals("line")) line = Integer.parseInt(value);
  }

  /** Reads a position text such as "......./ ... /...x... 2". */
  static State parse(String text) {
    String[] fields = text.trim().split("\\s+");
    return new State(fields[0], fields.length > 1 ? Integer.parseInt(fields[1]) - 1 : 0);
  }

  /** The position as one line. */
  String text() {
    return board + " " + (side + 1);
  }

  /** Whether a side has a line. From one cell of it to the next is always the same step in the text. */
  boolean hasLine(int of) {
    for (int step : new int[] {1, cols, cols + 1, cols + 2})
      for (int start = 0; start < board.length(); start++) {
        int length = 0;
        for (int at = start; at < board.length() && board.charAt(at) == "xo".charAt(of); at += step) length++;
        if (length >= line) return true;
      }
    return false;
  }

  /** The columns that are not full, such as "D"; none when the game is over. */
  List<String> legalMoves() {
    List<String> moves = new ArrayList<>();
    if (hasLine(0) || hasLine(1)) return moves;
    for (int col = 0; col < cols; col++) if (board.charAt(col) == '.') moves.add("" + (char) ('A' + col));
    return moves;
  }

  /** The position after a move: the disc falls to the lowest empty cell. */
  State play(String move) {
    int cell = move.charAt(0) - 'A', down = cols + 1;
    while (cell + down < board.length() && board.charAt(cell + down) == '.') cell += down;
    return new State(board.substring(0, cell) + "xo".charAt(side) + board.substring(cell + 1), 1 - side);
  }

  /** An estimate of how well a side stands: discs in the middle column. A better estimate makes a better bot. */
  int value(int of) {
    if (hasLine(of) || hasLine(1 - of)) return hasLine(of) ? 1000 : -1000;
    int lead = 0;
    for (int at = cols / 2; at < board.length(); at += cols + 1)
      lead += board.charAt(at) == "xo".charAt(of) ? 1 : board.charAt(at) == "xo".charAt(1 - of) ? -1 : 0;
    return lead;
  }
}
