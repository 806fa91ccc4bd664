// Stands between the referee and a class with makeMove, getX and getY: a line of numbers in, row and column out.
// The student's file is included as it is, so everything of ours comes before it, out of reach of its macros. Whatever
// it prints goes to standard error.

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <type_traits>

// LUDUS_ENUM
namespace ludus_class {

// Made before any object of the student's file is: its constructors may print too.
struct Line {
  std::FILE* in = fdopen(dup(0), "r");
  std::FILE* out = fdopen(dup(1), "w");
  Line() {
    dup2(open("/dev/null", O_RDONLY), 0);
    dup2(2, 1);
  }
};
static Line line;

template <class Color, class = void>
struct Dead {
  static Color color() { return Color::White; }  // an enum of three colours
};
template <class Color>
struct Dead<Color, std::void_t<decltype(Color::Black)>> {
  static Color color() { return Color::Black; }
};

template <class Color>
Color read_color() {
  int number = 0;
  if (std::fscanf(line.in, "%d", &number) != 1) number = 0;
  return number == 1 ? Color::Blue : number == 2 ? Color::Red : number == 3 ? Dead<Color>::color() : Color::White;
}

template <class Number>
void read_numbers(Number (&board)[5][6]) {
  for (auto& row : board)
    for (auto& cell : row) {
      int number = 0;
      if (std::fscanf(line.in, "%d", &number) == 1) cell = static_cast<Number>(number);
    }
}

// The types are those of the student's function, whatever the enum is called and wherever it stands.
template <class Student, class Result, class Owner, class Count, class Limit, class Shown, class Color>
int converse(Result (Owner::*makeMove)(Count (*)[6], Limit (*)[6], Shown (*)[6], Color)) {
  static Student student{};
  for (int next = std::getc(line.in); next != EOF; next = std::getc(line.in)) {
    if (next == '\n' || next == '\r') continue;
    std::ungetc(next, line.in);
    std::remove_const_t<Count> record[5][6] = {};
    std::remove_const_t<Limit> max[5][6] = {};
    std::remove_const_t<Shown> color[5][6] = {};
    const Color mine = read_color<Color>();
    read_numbers(record);
    read_numbers(max);
    for (auto& row : color)
      for (auto& cell : row) cell = read_color<Color>();
    (student.*makeMove)(record, max, color, mine);
    std::fflush(stdout);
    std::fprintf(line.out, "%d %d\n", static_cast<int>(student.getX()), static_cast<int>(student.getY()));
    std::fflush(line.out);
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
