// Magnetic Cave with the three modes of the handout as a menu, a drawn board, and moves such as A5.
import java.util.Scanner;

public class CaveMenu {
    static char[][] board = new char[8][8];
    static Scanner in = new Scanner(System.in);

    static boolean legal(int r, int c) {
        if (r < 0 || r > 7 || c < 0 || c > 7 || board[r][c] != ' ') return false;
        return c == 0 || c == 7 || board[r][c - 1] != ' ' || board[r][c + 1] != ' ';
    }

    static boolean wins(char p) {
        int[][] ways = {{0, 1}, {1, 0}, {1, 1}, {1, -1}};
        for (int r = 0; r < 8; r++)
            for (int c = 0; c < 8; c++)
                for (int[] w : ways) {
                    int n = 0, y = r, x = c;
                    while (y >= 0 && y < 8 && x >= 0 && x < 8 && board[y][x] == p && n < 5) {
                        n++; y += w[0]; x += w[1];
                    }
                    if (n == 5) return true;
                }
        return false;
    }

    static void print() {
        System.out.println("\n  A B C D E F G H");
        for (int r = 7; r >= 0; r--) {
            System.out.print((r + 1) + " ");
            for (int c = 0; c < 8; c++) System.out.print(board[r][c] + " ");
            System.out.println(r + 1);
        }
        System.out.println("  A B C D E F G H\n");
    }

    static void human(char p) {
        while (true) {
            System.out.print("Player " + p + ", enter position (e.g. A5): ");
            String s = in.next().toUpperCase();
            int c = s.charAt(0) - 'A', r = s.charAt(1) - '1';
            if (legal(r, c)) { board[r][c] = p; return; }
            System.out.println("Invalid move, try again");
        }
    }

    static void computer(char p) {
        int best = -1, br = 0, bc = 0;
        for (int r = 0; r < 8; r++)
            for (int c = 0; c < 8; c++)
                if (legal(r, c)) {
                    board[r][c] = p;
                    int score = wins(p) ? 100 : 8 - Math.abs(2 * r - 7) - Math.abs(2 * c - 7) / 2 + 8;
                    board[r][c] = ' ';
                    if (score > best) { best = score; br = r; bc = c; }
                }
        board[br][bc] = p;
        System.out.println("Computer plays: " + (char) ('A' + bc) + (br + 1));
    }

    public static void main(String[] args) {
        for (char[] row : board) java.util.Arrays.fill(row, ' ');
        System.out.println("MAGNETIC CAVE");
        System.out.println("1. Manual entry for both players");
        System.out.println("2. Manual entry for \u25A0, automatic moves for \u25A1");
        System.out.println("3. Manual entry for \u25A1, automatic moves for \u25A0");
        System.out.print("Your choice: ");
        int mode = in.nextInt();
        print();
        for (int ply = 0; ply < 64; ply++) {
            char p = ply % 2 == 0 ? '\u25A0' : '\u25A1';
            if (mode == 1 || (mode == 2) == (ply % 2 == 0)) human(p); else computer(p);
            print();
            if (wins(p)) { System.out.println(p + " wins!"); break; }
        }
        System.out.print("Press Enter to exit...");
        in.nextLine(); in.nextLine();
    }
}
