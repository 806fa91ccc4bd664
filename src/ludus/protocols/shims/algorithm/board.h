// The course's Board, with the rules of Ludus behind it: a value of 60 bytes that copies like a number, because
// searches copy it millions of times. Everything stands in the header so that place_orb becomes a part of the search's
// loops.
//
// A chain goes in waves: all full cells explode together, then those that became full. It stops as soon as nobody else
// owns anything, so no chain runs for ever. A colour is a letter: programs invent players of other letters than 'r' and
// 'b'. Places outside the board hold nothing, belong to neither side and are not free: a search for a free cell
// finds none there. Nothing can be placed there.
#ifndef LUDUS_BOARD_H
#define LUDUS_BOARD_H

#include <iostream>

#include "cell.h"
#include "checks.h"
#include "player.h"

namespace ludus_course {

// A template only so that several files may include its arrays.
template <class Any>
struct Squares {
  static const unsigned char capacity[ROW * COL];
  static const unsigned char neighbours[ROW * COL][4];  // as many as the capacity says
  static bool keeps_surplus;  // a cell that explodes keeps the orbs beyond its capacity; otherwise it loses all
};
template <class Any>
const unsigned char Squares<Any>::capacity[ROW * COL] = {2, 3, 3, 3, 3, 2, 3, 4, 4, 4, 4, 3, 3, 4, 4,
                                                         4, 4, 3, 3, 4, 4, 4, 4, 3, 2, 3, 3, 3, 3, 2};
template <class Any>
const unsigned char Squares<Any>::neighbours[ROW * COL][4] = {
    {1, 6},       {0, 2, 7},        {1, 3, 8},        {2, 4, 9},        {3, 5, 10},       {4, 11},
    {0, 7, 12},   {1, 6, 8, 13},    {2, 7, 9, 14},    {3, 8, 10, 15},   {4, 9, 11, 16},   {5, 10, 17},
    {6, 13, 18},  {7, 12, 14, 19},  {8, 13, 15, 20},  {9, 14, 16, 21},  {10, 15, 17, 22}, {11, 16, 23},
    {12, 19, 24}, {13, 18, 20, 25}, {14, 19, 21, 26}, {15, 20, 22, 27}, {16, 21, 23, 28}, {17, 22, 29},
    {18, 25},     {19, 24, 26},     {20, 25, 27},     {21, 26, 28},     {22, 27, 29},     {23, 28}};
template <class Any>
bool Squares<Any>::keeps_surplus = false;

}  // namespace ludus_course

class Board {
 public:
  Board() {
    for (int cell = 0; cell < ROW * COL; cell++) orbs[cell] = 0, color[cell] = 'w';
  }

  int get_orbs_num(int i, int j) const { return is_outside(i, j) ? 0 : orbs[i * COL + j]; }
  int get_capacity(int i, int j) const { return is_outside(i, j) ? 4 : Squares::capacity[i * COL + j]; }
  char get_cell_color(int i, int j) const { return is_outside(i, j) ? ' ' : color[i * COL + j]; }

  // Plays an orb and its whole chain; what is forbidden changes nothing but marks the player.
  bool place_orb(int i, int j, Player* player) {
    const char mine = player->get_color();
    if (is_outside(i, j) || (color[i * COL + j] != 'w' && color[i * COL + j] != mine)) {
      player->set_illegal();
      return false;
    }
    const int cell = i * COL + j;
    color[cell] = mine;
    if (++orbs[cell] >= Squares::capacity[cell]) react(cell, mine);
    return true;
  }
  bool place_orb(int i, int j, Player& player) { return place_orb(i, j, &player); }

  // Whether nobody else owns a cell, as the course has it: so also before both have played.
  bool win_the_game(Player player) const {
    for (int cell = 0; cell < ROW * COL; cell++)
      if (is_others(cell, player.get_color())) return false;
    return true;
  }

  void print_current_board(int i, int j, int round) const {
    std::cout << "Round: " << round << "\nPlace orb on (" << i << ", " << j << ")\n";
    for (int row = 0; row < ROW; row++) {
      for (int col = 0; col < COL; col++) {
        const int cell = row * COL + col;
        std::cout << '|' << (color[cell] == 'w' ? ' ' : color[cell]);
        for (int orb = 0; orb < 4; orb++) std::cout << (orb < orbs[cell] ? 'o' : ' ');
      }
      std::cout << "|\n";
    }
    std::cout << std::endl;
  }

  static void ludus_keep_surplus(bool keeps) { Squares::keeps_surplus = keeps; }

 private:
  typedef ludus_course::Squares<void> Squares;

  static bool is_outside(int i, int j) { return static_cast<unsigned>(i) >= ROW || static_cast<unsigned>(j) >= COL; }

  bool is_others(int cell, char mine) const { return color[cell] != 'w' && color[cell] != mine; }

  void react(int first, char mine) {
    unsigned char waves[2][ROW * COL];
    int count = 1, now = 0, left = 0;
    for (int cell = 0; cell < ROW * COL; cell++) left += is_others(cell, mine);
    waves[0][0] = static_cast<unsigned char>(first);
    while (count > 0) {
      int coming = 0;
      for (int k = 0; k < count; k++) {
        const int cell = waves[now][k], capacity = Squares::capacity[cell];
        orbs[cell] = static_cast<unsigned char>(Squares::keeps_surplus ? orbs[cell] - capacity : 0);
        if (orbs[cell] == 0) color[cell] = 'w';
        for (int n = 0; n < capacity; n++) {
          const int near = Squares::neighbours[cell][n];
          if (color[near] != mine) {
            left -= color[near] != 'w';
            color[near] = mine;
          }
          if (++orbs[near] == Squares::capacity[near]) waves[1 - now][coming++] = static_cast<unsigned char>(near);
        }
      }
      if (left == 0) return;
      count = coming;
      now = 1 - now;
    }
  }

  unsigned char orbs[ROW * COL];
  char color[ROW * COL];
};

#endif
