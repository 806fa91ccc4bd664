// A Chain Reaction player for the course with algorithm_A: plays every move and every answer on a copy of the board, and
// takes the move after which it has the most orbs more than its opponent.
//
// This is the `algorithm` protocol: no main, no input, no output; the arena has the headers, and calls the function for
// every move. Red moves first.

#include "../include/algorithm.h"

static const int LOST = -1000, WON = 1000;

// My orbs minus those of the opponent.
static int lead(Board board, Player me) {
  int sum = 0;
  for (int i = 0; i < ROW; i++)
    for (int j = 0; j < COL; j++) {
      const int orbs = board.get_orbs_num(i, j);
      sum += board.get_cell_color(i, j) == me.get_color() ? orbs : -orbs;
    }
  return sum;
}

// What is left of my lead after the opponent's best answer.
static int after_answer(Board board, Player me, Player opponent) {
  int worst = WON;
  for (int i = 0; i < ROW; i++)
    for (int j = 0; j < COL; j++) {
      Board next = board;
      Player mover = opponent;
      if (!next.place_orb(i, j, &mover)) continue;
      if (next.win_the_game(opponent)) return LOST;
      const int value = lead(next, me);
      if (value < worst) worst = value;
    }
  return worst;
}

void algorithm_A(Board board, Player player, int index[]) {
  const Player opponent(player.get_color() == RED ? BLUE : RED);
  int best = LOST - 1;
  for (int i = 0; i < ROW; i++)
    for (int j = 0; j < COL; j++) {
      Board next = board;
      Player mover = player;
      if (!next.place_orb(i, j, &mover)) continue;
      const int value = next.win_the_game(player) ? WON : after_answer(next, player, opponent);
      if (value > best) {
        best = value;
        index[0] = i;
        index[1] = j;
      }
    }
}
