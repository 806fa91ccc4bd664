/* Magnetic Cave in C: asks for x and y from 1, y from the bottom, and prints the same. */
#include <stdio.h>
#include <stdlib.h>

int b[9][9];

int legal(int x, int y) {
  if (x < 1 || x > 8 || y < 1 || y > 8 || b[y][x]) return 0;
  return x == 1 || x == 8 || b[y][x - 1] || b[y][x + 1];
}

int wins(int p) {
  int d[4][2] = {{0, 1}, {1, 0}, {1, 1}, {1, -1}};
  for (int y = 1; y <= 8; y++)
    for (int x = 1; x <= 8; x++)
      for (int k = 0; k < 4; k++) {
        int n = 0, v = y, u = x;
        while (v >= 1 && v <= 8 && u >= 1 && u <= 8 && b[v][u] == p) n++, v += d[k][0], u += d[k][1];
        if (n >= 5) return 1;
      }
  return 0;
}

int main() {
  int order, p = 1;
  printf("Who goes first?\n 1 - you\n 2 - computer\n> ");
  scanf("%d", &order);
  while (1) {
    int x = 0, y = 0, some = 0;
    for (int i = 1; i <= 8; i++)
      for (int j = 1; j <= 8; j++) some |= legal(j, i);
    if (!some) break;
    if (p == order) {
      printf("Input x y (1-8): ");
      if (scanf("%d %d", &x, &y) != 2) return 2;
      if (!legal(x, y)) {
        printf("wrong input\n");
        continue;
      }
    } else {
      do {
        x = rand() % 8 + 1;
        y = rand() % 8 + 1;
      } while (!legal(x, y));
      printf("I put my brick on x = %d, y = %d\n", x, y);
    }
    b[y][x] = p;
    if (wins(p)) {
      printf("player %d has won\n", p);
      return 0;
    }
    p = 3 - p;
  }
  printf("tie\n");
  return 0;
}
