// The course's Player: a colour, and whether it did something that the rules forbid.
#ifndef LUDUS_PLAYER_H
#define LUDUS_PLAYER_H

#include "cell.h"

class Player {
 public:
  Player(int color = RED) : color(static_cast<char>(color)), illegal(false) {}

  char get_color() const { return color; }
  bool is_illegal() const { return illegal; }
  void set_illegal() { illegal = true; }

 private:
  char color;
  bool illegal;
};

#endif
