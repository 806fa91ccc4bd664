// Magnetic Cave in the protocol `lines`: one Java file with a main of its own. It wins where it can, blocks where it
// must, and otherwise makes its longest line longer.

import java.util.ArrayList;
import java.util.List;
import java.util.Scanner;

public class Cave {
  static final int LINE = 5;
  static char[][] board;

  static char at(int row, int col) {
    return row >= 0 && row < board.length && col >= 0 && col < board[0].length ? board[row][col] : ' ';
  }

  /** The longest line through a cell, if a player put a brick there. */
  static int lineThrough(int row, int col, char brick) {
    int best = 0;
    for (int[] way : new int[][] {{0, 1}, {1, 0}, {1, 1}, {1, -1}}) {
      int length = 1;
      for (int sign = -1; sign <= 1; sign += 2) {
        for (int i = 1; at(row + sign * i * way[0], col + sign * i * way[1]) == brick; i++) length++;
      }
      best = Math.max(best, length);
    }
    return best;
  }

  static String choose(char mine, char theirs) {
    String best = null;
    int bestWorth = -1;
    for (int row = 0; row < board.length; row++) {
      for (int col = 0; col < board[0].length; col++) {
        boolean loose = at(row, col - 1) == '.' && at(row, col + 1) == '.';
        if (at(row, col) != '.' || loose) continue;
        int own = lineThrough(row, col, mine), other = lineThrough(row, col, theirs);
        int worth = own >= LINE ? 1000 : other >= LINE ? 500 : 2 * own + other;
        if (worth > bestWorth) {
          bestWorth = worth;
          best = (char) ('A' + col) + "" + (board.length - row);
        }
      }
    }
    return best;
  }

  static void play(String move, char brick) {
    board[board.length - Integer.parseInt(move.substring(1))][move.charAt(0) - 'A'] = brick;
  }

  public static void main(String[] arguments) {
    Scanner input = new Scanner(System.in);
    String[] start = input.nextLine().split(" ");
    List<char[]> rows = new ArrayList<>();
    for (String row : start[0].split("/")) rows.add(row.toCharArray());
    board = rows.toArray(new char[0][]);
    boolean first = arguments[0].equals("first");
    char mine = first ? 'x' : 'o', theirs = first ? 'o' : 'x';
    boolean myTurn = start[1].equals(first ? "1" : "2");
    while (myTurn || input.hasNextLine()) { // after the last move the arena says nothing more
      if (myTurn) {
        String move = choose(mine, theirs);
        if (move == null) break;
        System.out.println("My move: " + move); // a prompt before the move is tolerated
        play(move, mine);
      } else {
        play(input.nextLine().trim(), theirs);
      }
      myTurn = !myTurn;
    }
  }
}
