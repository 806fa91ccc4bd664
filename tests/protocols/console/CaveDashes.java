
import java.util.*;
public class CaveDashes {
    static final char E = 0;
    static char[][] b = new char[8][8];

    static boolean ok(int r, int c) {
        if (r < 0 || r > 7 || c < 0 || c > 7 || b[r][c] != E) return false;
        return c == 0 || c == 7 || b[r][c-1] != E || b[r][c+1] != E;
    }
    static boolean won(char p) {
        int[][] d = {{0,1},{1,0},{1,1},{1,-1}};
        for (int r = 0; r < 8; r++) for (int c = 0; c < 8; c++) for (int[] k : d) {
            int n = 0;
            while (n < 5) { int x = r + k[0]*n, y = c + k[1]*n; if (x > 7 || y > 7 || y < 0 || b[x][y] != p) break; n++; }
            if (n == 5) return true;
        }
        return false;
    }
    static int[] think() {
        while (true) { int r = (int)(Math.random()*8), c = (int)(Math.random()*8); if (ok(r, c)) return new int[]{r, c}; }
    }

    static Scanner in = new Scanner(System.in);
    static void show() {
        System.out.println("    a     b     c     d     e     f     g     h");
        for (int r = 0; r < 8; r++) {
            String line = (r + 1) + "  ";
            for (int c = 0; c < 8; c++) line += (b[r][c] == 0 ? " " : b[r][c] == 1 ? "x" : "o") + "  |  ";
            System.out.println(line);
            System.out.println("==================================================");
        }
    }
    public static void main(String[] x) {
        show();
        System.out.println("What shall it be?\n1- by hand\n2-with the computer\n");
        int mode = in.nextInt(), color = 0;
        if (mode == 2) { System.out.println("And your colour?\n1-White\n2-Black\n"); color = in.nextInt(); }
        int n = 0;
        while (n < 64) {
            boolean black = n % 2 == 0;
            System.out.println((black ? "Black" : "White") + " to move (column and row, e.g. (A5)");
            int r, c;
            if (mode == 1 || black == (color == 2)) {
                String s = in.next().toUpperCase();
                c = s.charAt(0) - 'A'; r = s.length() > 1 ? s.charAt(1) - '1' : -1;
                if (!ok(r, c)) { System.out.println("That cell is wrong, once more please"); continue; }
            } else { int[] m = think(); r = m[0]; c = m[1]; System.out.println("it took 412 ms"); }
            b[r][c] = (char)(black ? 1 : 2);
            show();
            if (won(b[r][c])) { System.out.println((black ? "Black" : "White") + " has won"); return; }
            n++;
        }
        System.out.println("Nobody has won");
    }
}
