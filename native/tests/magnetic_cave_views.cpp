// What a view of Magnetic Cave claims, and what the prover says, against a search through everything: of small random
// boards every position that can come. Who wins or cannot win, that the moves left hold a best one, and that positions
// with one key have one value. Usage: magnetic_cave_views BOARDS SEED
#include <cstdlib>
#include <iostream>
#include <map>
#include <unordered_map>

#include "core/random.hpp"
#include "magnetic_cave/prover.hpp"

namespace {

using namespace ludus;

std::uint64_t seed = 7;

/// The values of all positions from one on, by trying everything; says where a view is wrong.
template <class G>
class Truth {
 public:
  using State = typename G::State;
  using Bits = typename G::Bits;

  explicit Truth(const G& game) : game_(game) {}

  int value(const State& state) {
    if (state.verdict != Verdict::open)
      return state.verdict == Verdict::tie ? 0 : state.verdict == win_for(state.side) ? 1 : -1;
    if (const auto known = values_.find({state.mine, state.theirs}); known != values_.end()) return known->second;
    int best = -1;
    Bits good[3]{};  // the moves by their value, which is -1, 0 or 1
    const auto moves = game_.legal_moves(state);
    for (std::size_t i = 0; i < moves.size(); ++i) {
      const int value = -this->value(game_.play(state, moves[i]));
      good[value + 1] |= bit<Bits>(moves[i].cell);
      best = std::max(best, value);
    }
    values_[{state.mine, state.theirs}] = best;
    compare(state, best, good[best + 1]);
    return best;
  }

  void forget_values() { values_.clear(); }
  std::size_t positions = 0, faults = 0;

  void expect(bool truth, const char* what, const State& state) {
    if (truth) return;
    if (++faults <= 10) std::cout << "FAILED: " << what << " of " << game_.text(state) << '\n';
  }

 private:
  void compare(const State& state, int value, Bits best_moves) {
    ++positions;
    const magnetic_cave::View<G> view(game_, state);
    const int end = view.plies_to_end;
    expect(end == 0 || (end > 0 ? value > 0 : value < 0), "the decision", state);
    Bits moves{};
    for (const auto move : view.moves) moves |= bit<Bits>(move.cell);
    expect(static_cast<bool>(moves & best_moves), "the moves", state);
    if (end != 0) return;
    expect(value <= 0 || view.range.high > 0, "the upper bound", state);
    expect(value >= 0 || view.range.low < 0, "the lower bound", state);
    expect(by_key_.try_emplace(view.key, value).first->second == value, "the key", state);
  }

  const G& game_;
  std::map<std::pair<Bits, Bits>, int> values_;
  std::unordered_map<std::uint64_t, int> by_key_;  ///< of the positions of all boards
};

/// A board with that many empty cells, in gaps of all widths, where nobody has a line.
template <class G>
typename G::State random_board(const G& game, int empty, Random& random) {
  const int rows = game.board().rows, cols = game.board().cols;
  const auto below = [&](int most) { return static_cast<int>(random.below(static_cast<std::uint32_t>(most))); };
  while (true) {
    std::vector<std::string> lines;
    for (int left = empty; static_cast<int>(lines.size()) < rows;) {
      const int width = std::min(left, below(2) ? below(4) : below(cols + 1)), before = below(cols - width + 1);
      left -= width;
      lines.emplace_back();
      for (int col = 0; col < cols; ++col) lines.back() += col >= before && col < before + width ? '.' : "xo"[below(2)];
    }
    for (int row = rows - 1; row > 0; --row) std::swap(lines[std::size_t(row)], lines[std::size_t(below(row + 1))]);
    std::string text;
    for (const auto& line : lines) text += (text.empty() ? "" : "/") + line;
    const auto state = game.parse(text + (below(2) ? " 1" : " 2"));
    if (state.verdict == Verdict::open) return state;
  }
}

template <class Space>
bool check(Space space, int empty, int boards, const char* known = nullptr) {
  const magnetic_cave::MagneticCave<Space> game(space);
  Random random(seed);
  Truth<magnetic_cave::MagneticCave<Space>> truth(game);
  Table table(1 << 20);
  const std::atomic<bool> stop{false};
  for (int board = 0; board < boards; ++board) {
    const auto state = board == 0 && known ? game.parse(known) : random_board(game, empty, random);
    const int value = truth.value(state);
    table.clear();
    magnetic_cave::Prover prover(game, table, stop);
    const auto proof = prover.outcome(state, 10'000'000);
    truth.expect(proof && proof->outcome == value && truth.value(game.play(state, proof->move)) == -value, "the proof",
                 state);
    truth.forget_values();
  }
  std::cout << game.board().rows << " x " << game.board().cols << ": " << truth.positions << " positions\n";
  return truth.faults == 0;
}

using Board = magnetic_cave::Board<std::uint64_t>;
using WideBoard = magnetic_cave::Board<WideBits<4>>;

}  // namespace

int main(int argc, char** argv) {
  const int boards = argc > 1 ? std::atoi(argv[1]) : 40;
  if (argc > 2) seed = std::strtoull(argv[2], nullptr, 10);
  bool right = check(AnyBoard<Board>{{5, 5, 3}}, 10, boards);
  right &= check(AnyBoard<Board>{{5, 5, 4}}, 11, 5 * boards, "xx.../ooxox/xxxoo/x...x/oxxxo 1");
  right &= check(AnyBoard<Board>{{6, 6, 4}}, 10, boards);
  right &= check(AnyBoard<Board>{{5, 8, 4}}, 10, boards);
  right &= check(FixedBoard<Board, 8, 8, 5>{}, 9, boards);
  right &= check(AnyBoard<WideBoard>{{9, 9, 5}}, 8, boards);
  return right ? 0 : 1;
}
