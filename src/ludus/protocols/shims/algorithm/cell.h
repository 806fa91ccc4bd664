// The course's Cell: what one square of the board holds. A plain value. Its capacity is that of a square inside: boards
// that students make of cells set it for corners and edges only.
#ifndef LUDUS_CELL_H
#define LUDUS_CELL_H

#define ROW 5
#define COL 6
#define RED 'r'
#define BLUE 'b'

class Cell {
 public:
  Cell() : orbs_num(0), capacity(4), color('w'), explode(false) {}

  int get_orbs_num() const { return orbs_num; }
  int get_capacity() const { return capacity; }
  char get_color() const { return color; }
  bool get_explode() const { return explode; }
  void set_orbs_num(int number) { orbs_num = number; }
  void set_capacity(int number) { capacity = number; }
  void set_color(char owner) { color = owner; }
  void set_explode(bool full) { explode = full; }

 private:
  int orbs_num, capacity;
  char color;
  bool explode;
};

#endif
