// Stands between the referee and a function algorithm_A(Board, Player, int[]). The student's file is included as it is,
// so everything of ours comes before it, out of reach of its macros, and brings no names but ours.
//
// A board is made by placing orbs on an empty one: fewer than its capacity never explode. So it is the same for our
// Board and for one that a student hands in.

#include "ludus_talk.cpp"

namespace ludus_algorithm {

template <class Board>
auto keep_surplus(bool keeps, int) -> decltype(Board::ludus_keep_surplus(keeps)) {
  Board::ludus_keep_surplus(keeps);
}
template <class Board>
void keep_surplus(bool, long) {}  // a student's own Board has its own rule

template <class Board, class Player>
int converse(void (*algorithm)(Board&, Player&, int*)) {
  static int index[64];  // has room for a wrong index
  while (ludus_has_more()) {
    Player mover(ludus_number() == 1 ? 'r' : 'b');
    keep_surplus<Board>(ludus_number() == 1, 0);
    for (int place = 0; place < 2; place++) index[place] = ludus_number();  // the opponent's move, as in the course
    Board board;
    for (int row = 0; row < 5; row++)
      for (int col = 0; col < 6; col++) {
        const int orbs = ludus_number();  // of Red; less than none are of Blue
        Player owner(orbs > 0 ? 'r' : 'b');
        for (int orb = 0; orb < orbs || orb < -orbs; orb++) board.place_orb(row, col, &owner);
      }
    algorithm(board, mover, index);
    ludus_answer(index[0], index[1]);
  }
  return 0;
}

}  // namespace ludus_algorithm

#define main ludus_main_of_the_student
#include "LUDUS_FILE"
#undef main
#undef int
#undef return
#undef static
#undef void

namespace ludus_algorithm {
// What a function takes: a value, a reference or a pointer.
template <class Thing>
struct Given {
  Thing& thing;
  operator Thing&() const { return thing; }
  operator Thing*() const { return &thing; }
};
}  // namespace ludus_algorithm

static void ludus_call(Board& ludus_board, Player& ludus_player, int* ludus_index) {
  LUDUS_FUNCTION(ludus_algorithm::Given<Board>{ludus_board}, ludus_algorithm::Given<Player>{ludus_player}, ludus_index);
}

int main() {
  return ludus_algorithm::converse<Board, Player>(ludus_call);
}
