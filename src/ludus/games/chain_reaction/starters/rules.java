// The rules of Chain Reaction: positions as text, the legal moves, and what a move does.

import java.util.ArrayList;
import java.util.List;

/** A position. `play` returns a new one and does not change this one, so you can look ahead freely. */
class State {
  static String explosion = "empties"; // what happens to a cell that explodes; or "keeps-surplus" or "dies"
  static final int PLY_LIMIT = 1000; // a game of this many moves is a draw

  char[][] owner; // owner[row][col]: 'r' first player, 'b' second, '.' nobody, '#' dead; row 0 is the top
  int[][] orbs;
  int side; // whose move it is: 0 or 1
  int ply; // moves played so far

  static void setOption(String name, String value) {
    if (name.equals("explosion")) explosion = value;
  }

  /** Reads a position text such as "r1.b2.../....../....../....../...... 1 2". */
  static State parse(String text) {
    String[] fields = text.trim().split("\\s+");
    String[] lines = fields[0].split("/");
    State state = new State();
    state.owner = new char[lines.length][];
    state.orbs = new int[lines.length][];
    for (int row = 0; row < lines.length; row++) {
      state.owner[row] = lines[row].replaceAll("[0-9]", "").toCharArray();
      state.orbs[row] = new int[state.owner[row].length];
      int col = -1;
      for (char c : lines[row].toCharArray()) {
        if (Character.isDigit(c)) state.orbs[row][col] = c - '0';
        else col++;
      }
    }
    state.side = fields.length > 1 ? Integer.parseInt(fields[1]) - 1 : 0;
    state.ply = fields.length > 2 ? Integer.parseInt(fields[2]) : 0;
    return state;
  }

  /** The position as one line. */
  String text() {
    StringBuilder board = new StringBuilder();
    for (int row = 0; row < rows(); row++) {
      if (row > 0) board.append('/');
      for (int col = 0; col < cols(); col++) {
        board.append(owner[row][col]);
        if (orbs[row][col] > 0) board.append(orbs[row][col]);
      }
    }
    return board + " " + (side + 1) + " " + ply;
  }

  int rows() {
    return owner.length;
  }

  int cols() {
    return owner[0].length;
  }

  static char letter(int side) {
    return side == 0 ? 'r' : 'b';
  }

  /** The cells above, below, left and right; a cell explodes when it holds as many orbs as it has of these. */
  List<int[]> neighbours(int row, int col) {
    List<int[]> near = new ArrayList<>();
    if (row > 0) near.add(new int[] {row - 1, col});
    if (row < rows() - 1) near.add(new int[] {row + 1, col});
    if (col > 0) near.add(new int[] {row, col - 1});
    if (col < cols() - 1) near.add(new int[] {row, col + 1});
    return near;
  }

  /** The orbs of a side. */
  int count(int of) {
    int sum = 0;
    for (int row = 0; row < rows(); row++)
      for (int col = 0; col < cols(); col++) if (owner[row][col] == letter(of)) sum += orbs[row][col];
    return sum;
  }

  /** The side that has won, or -1 while nobody has. */
  int winner() {
    int mine = count(side), theirs = count(1 - side);
    if (ply < 2 && mine + theirs < 2) return -1; // both must have played
    if (mine == 0 || theirs == 0) return mine > 0 ? side : 1 - side;
    return freeCells().isEmpty() ? 1 - side : -1;
  }

  List<String> freeCells() {
    List<String> found = new ArrayList<>();
    for (int row = 0; row < rows(); row++)
      for (int col = 0; col < cols(); col++)
        if (owner[row][col] == '.' || owner[row][col] == letter(side)) found.add((char) ('A' + col) + "" + (row + 1));
    return found;
  }

  /** All moves as texts such as "C4"; none when the game is over. */
  List<String> legalMoves() {
    return ply >= PLY_LIMIT || winner() != -1 ? new ArrayList<>() : freeCells();
  }

  /** The position after a move. */
  State play(String move) {
    State after = new State();
    after.owner = new char[rows()][];
    after.orbs = new int[rows()][];
    for (int row = 0; row < rows(); row++) {
      after.owner[row] = owner[row].clone();
      after.orbs[row] = orbs[row].clone();
    }
    after.side = 1 - side;
    after.ply = ply + 1;
    int row = Integer.parseInt(move.substring(1)) - 1, col = move.charAt(0) - 'A';
    after.owner[row][col] = letter(side);
    after.orbs[row][col]++;
    List<int[]> full = after.fullCells();
    while (!full.isEmpty()) { // a wave: all full cells explode together
      for (int[] cell : full) after.explode(cell[0], cell[1], letter(side));
      if (after.count(1 - side) == 0) break; // won: the chain could go on forever
      full = after.fullCells();
    }
    return after;
  }

  private List<int[]> fullCells() {
    List<int[]> found = new ArrayList<>();
    for (int row = 0; row < rows(); row++)
      for (int col = 0; col < cols(); col++)
        if (orbs[row][col] >= neighbours(row, col).size()) found.add(new int[] {row, col});
    return found;
  }

  private void explode(int row, int col, char me) {
    List<int[]> near = neighbours(row, col);
    orbs[row][col] = explosion.equals("keeps-surplus") ? orbs[row][col] - near.size() : 0;
    owner[row][col] = explosion.equals("dies") ? '#' : orbs[row][col] > 0 ? me : '.';
    for (int[] cell : near)
      if (owner[cell[0]][cell[1]] != '#') {
        owner[cell[0]][cell[1]] = me;
        orbs[cell[0]][cell[1]]++;
      }
  }

  /** An estimate of how well a side stands. A better estimate makes a better bot. */
  int value(int of) {
    int won = winner();
    if (won != -1) return won == of ? 1000 : -1000;
    return count(of) - count(1 - of);
  }
}
