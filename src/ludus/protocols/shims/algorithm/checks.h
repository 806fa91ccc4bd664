// What a player may not do, as the course's rules.h has it. These are templates so that a program may define functions
// of the same names: those are then called.
#ifndef LUDUS_CHECKS_H
#define LUDUS_CHECKS_H

#include "cell.h"
#include "player.h"

template <class Any = void>
bool index_range_illegal(int i, int j) {
  return i < 0 || i >= ROW || j < 0 || j >= COL;
}
template <class Any = void>
bool placement_illegal(Player player, Cell cell) {
  return cell.get_color() != 'w' && cell.get_color() != player.get_color();
}
template <class Any = void>
bool rules_violation(Player player) {
  return player.is_illegal();
}

#endif
