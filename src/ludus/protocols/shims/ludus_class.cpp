// Stands between the referee and a class with makeMove, getX and getY. The student's file is included as it is, so
// everything of ours comes before it, out of reach of its macros, and brings no names but ours.

#include "ludus_talk.cpp"

// LUDUS_ENUM
namespace ludus_class {

template <class Type>
struct Plain {
  typedef Type type;
};
template <class Type>
struct Plain<const Type> {
  typedef Type type;
};

// The names of the colours are those of the student's enum. Where there is none, the colours are the course's numbers.
template <class Color, class = void>
struct Dead {
  static Color color() { return Color::LUDUS_WHITE; }  // an enum of three colours
};
template <class Color>
struct Dead<Color, decltype(static_cast<void>(Color::LUDUS_BLACK))> {
  static Color color() { return Color::LUDUS_BLACK; }
};
template <class Color, bool = __is_enum(Color)>
struct Colors {
  static Color color(int number) { return static_cast<Color>(number); }
};
template <class Color>
struct Colors<Color, true> {
  static Color color(int number) {
    return number == 1   ? Color::LUDUS_BLUE
           : number == 2 ? Color::LUDUS_RED
           : number == 3 ? Dead<Color>::color()
                         : Color::LUDUS_WHITE;
  }
};
template <class Color>
Color colored(int number) {
  return Colors<typename Plain<Color>::type>::color(number);
}

// A board with rows above and below it, for those who look, or write, two steps beyond its edge.
template <class Given>
struct Padded {
  typedef typename Plain<Given>::type Cell;
  Cell above[4][6], cells[5][6], below[4][6];

  explicit Padded(Cell outside) {
    for (int row = 0; row < 4; row++)
      for (int col = 0; col < 6; col++) above[row][col] = below[row][col] = outside;
  }
};

template <class Number>
void read_numbers(Number (&board)[5][6]) {
  for (auto& row : board)
    for (auto& cell : row) cell = static_cast<Number>(ludus_number());
}

// The types are those of the student's function, whatever the enum is called and wherever it stands.
template <class Student, class Result, class Owner, class Count, class Limit, class Shown, class Color>
int converse(Result (Owner::*makeMove)(Count (*)[6], Limit (*)[6], Shown (*)[6], Color)) {
  static Student student{};
  while (ludus_has_more()) {
    Padded<Count> record(0);
    Padded<Limit> max(4);
    Padded<Shown> color(colored<Shown>(3));
    const Color mine = colored<Color>(ludus_number());
    read_numbers(record.cells);
    read_numbers(max.cells);
    for (auto& row : color.cells)
      for (auto& cell : row) cell = colored<Shown>(ludus_number());
    (student.*makeMove)(record.cells, max.cells, color.cells, mine);
    ludus_answer(static_cast<int>(student.getX()), static_cast<int>(student.getY()));
  }
  return 0;
}

}  // namespace ludus_class

#define main ludus_main_of_the_student
#include "LUDUS_FILE"
#undef main
#undef int
#undef return

int main() {
  return ludus_class::converse<LUDUS_CLASS>(&LUDUS_CLASS::makeMove);
}
