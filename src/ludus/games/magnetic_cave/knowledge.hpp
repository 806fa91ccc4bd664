// Magnetic Cave: what the search wants to know of it. One look at a position finds every line that is about to be made,
// the moves that do not lose at once, and what can't happen any more; the evaluation is a weighted count of the rest.
//
// Four facts carry the proofs, all tested against plain exhaustive search:
//   - A brick that stands in no window open to its owner only fills its cell: whose it is does not matter. The key
//     leaves that out, so that many positions are one.
//   - A row whose empty cells lie in no open window of either side is only a store of moves to pass the turn with. All
//     such rows together are one number, and one move stands for all moves in them.
//   - A side without an open window that it has the time to fill cannot win any more. Neither can one whose windows
//     the other stops by answering (pairing.hpp).
#pragma once

#include "core/knowledge.hpp"
#include "magnetic_cave/evaluate.hpp"
#include "magnetic_cave/pairing.hpp"
#include "magnetic_cave/prover.hpp"
#include "magnetic_cave/threats.hpp"
#include "magnetic_cave/windows.hpp"

namespace ludus {

template <class Space>
struct Knowledge<magnetic_cave::MagneticCave<Space>> {
  using G = magnetic_cave::MagneticCave<Space>;
  using State = typename G::State;
  using Move = typename G::Move;
  using Bits = typename G::Bits;
  using Windows = magnetic_cave::Windows<Bits>;
  using Prover = magnetic_cave::Prover<G>;

  static constexpr std::size_t max_moves = 32;
  static constexpr int slots = 256;
  static constexpr double scale = 100;
  static constexpr bool reductions = true;

  /// What one look at a position shows.
  struct View {
    MoveList<Move, max_moves> moves;  ///< those that are not proven to lose at once or to equal another
    int ends_in = 0;                  ///< plies to a win (or, negative, a loss) that is plain to see
    int most = win_value;             ///< 0 once the side to move can't make a line any more
    int least = -win_value;           ///< 0 once the other side can't
    std::uint64_t key = 0;            ///< equal for positions that are the same game from here on
    Windows mine{}, theirs{};         ///< of the side to move; of the other
    Bits empty{};
    Bits my_gaps{}, their_gaps{};      ///< cells that would complete a line
    Bits strong{}, useful{}, sharp{};  ///< cells to try first: see urgency
  };

  explicit Knowledge(const G& of) : game(of) {}

  static int slot(Move move) { return move.cell; }

  View look(const State& state) const {
    const auto& board = game.board();
    View view;
    view.mine = Windows(board, state.mine, state.theirs);
    view.theirs = Windows(board, state.theirs, state.mine);
    const Bits bricks = game.occupied(state), free = game.free_cells(state);
    view.empty = board.all & ~bricks;

    // A window that its side has too few moves left to fill is as good as closed.
    const int left = count(view.empty);
    if (left < 2 * board.line) {
      view.mine.open = view.mine.holding_at_least(board, board.line - (left + 1) / 2);
      view.theirs.open = view.theirs.holding_at_least(board, board.line - left / 2);
    }
    const Bits my_live = cells_of(board, view.mine.open), their_live = cells_of(board, view.theirs.open);
    if (!my_live) view.most = 0;
    if (!their_live) view.least = 0;

    // Lines in one move, and moves that let the other side make one: onto its gap, or beside it.
    view.my_gaps = cells_of(board, view.mine.holding(board.line - 1)) & ~state.mine;
    view.their_gaps = cells_of(board, view.theirs.holding(board.line - 1)) & ~state.theirs;
    if (const Bits lines = view.my_gaps & free) {
      view.ends_in = 1;
      view.moves.push_back({static_cast<std::uint8_t>(lowest(lines))});
      return view;
    }
    const Bits threats = view.their_gaps & free;
    const Bits traps = beside(view.their_gaps & ~free);
    const Bits safe = (threats ? threats : free) & ~traps;
    if (!safe || count(threats) > 1) {
      view.ends_in = -2;
      view.moves.push_back({static_cast<std::uint8_t>(lowest(threats ? threats : free))});
      return view;
    }

    settle(view, free);
    if (view.ends_in != 0) {
      const Bits waiting = safe & ~beside(view.my_gaps);
      view.moves.push_back({static_cast<std::uint8_t>(lowest(waiting ? waiting : safe))});
      return view;
    }

    // Moves in rows where nothing can happen any more are all the same.
    const Bits rows = rows_of(board, (my_live | their_live) & view.empty);
    for_each_bit(safe & rows, [&](int cell) { view.moves.push_back({static_cast<std::uint8_t>(cell)}); });
    if (const Bits idle = safe & ~rows) view.moves.push_back({static_cast<std::uint8_t>(lowest(idle))});
    const int pool = count(view.empty & ~rows);

    const std::uint64_t key = mix(
        mix(mix(static_cast<std::uint64_t>(pool), state.mine & my_live), state.theirs & their_live), view.empty & rows);
    view.key = mix(key, key >> 32);

    view.strong = cells_of(board, view.mine.holding(board.line - 2)) & free;
    view.sharp = cells_of(board, view.theirs.holding(board.line - 2)) & free;
    view.useful = (my_live | their_live) & free;
    return view;
  }

  /// Who can't win any more, and who must. Pairs stop windows; gaps out of reach are fought for by waiting. Nobody
  /// plays beside one as long as there is another cell. The side that runs out of those first gives up a gap of its own
  /// if it has one: it plays beside it, the other fills it, and the third cell is one more to wait with, so that now
  /// the other runs out. So each side can give up one gap after the other, and the one that has none left loses to what
  /// remains.
  void settle(View& view, Bits free) const {
    const Bits mine = view.my_gaps & ~free, theirs = view.their_gaps & ~free;
    const Bits all = mine | theirs, zones = all | beside(all);
    const int gaps = count(all), shared = count(mine & theirs);
    if (count(zones) != 3 * gaps || (shared > 0 && gaps > 1)) return;  // they touch: no such counting
    const bool i_run_out = (count(view.empty) - count(zones)) % 2 == 0;
    // How many gaps each must give up before the other has none left. One that is both sides' can't be given up.
    const int my_cost = count(theirs) - shared + i_run_out, their_cost = count(mine) - shared + !i_run_out;
    if (holds_out(view, view.theirs, mine, theirs, my_cost, free, zones)) {
      view.ends_in = count(view.empty);
    } else if (holds_out(view, view.mine, theirs, mine, their_cost, free, zones)) {
      view.ends_in = -count(view.empty);
    } else {
      if (view.most > 0 && count(mine) <= my_cost && stopped(view, view.mine, mine, free, zones)) view.most = 0;
      if (view.least < 0 && count(theirs) <= their_cost &&
          (stopped(view, view.theirs, theirs, free, zones) || stops_now(view, theirs, free, zones)))
        view.least = 0;
    }
  }

  /// Whether the owner of the gaps `own` keeps one in the end, and pairs stop the other's windows that do without it.
  bool holds_out(const View& view, const Windows& others, Bits own, Bits other, int cost, Bits free, Bits zones) const {
    if (count(own) <= cost) return false;
    if (cost == 0) return stopped(view, others, own | other, free, zones);
    for (Bits gaps = own; gaps; gaps ^= bit<Bits>(lowest(gaps))) {
      if (stopped(view, others, other | bit<Bits>(lowest(gaps)), free, zones)) return true;
    }
    return false;
  }

  /// Whether one move of the side to move, and pairs after it, stop all windows of the other that do without `lost`.
  bool stops_now(const View& view, Bits lost, Bits free, Bits banned) const {
    const auto& board = game.board();
    auto open = view.theirs.open;
    if (lost) open = open & ~windows_on(board, lost);
    Bits cells = magnetic_cave::Pairing<Bits>(board, view.empty, free, banned).in_all_unpaired(open) & free & ~banned;
    for (; cells; cells ^= bit<Bits>(lowest(cells))) {
      const Bits here = bit<Bits>(lowest(cells));
      const auto rest = open & ~windows_on(board, here);
      if (!rest.any() || magnetic_cave::Pairing<Bits>(board, view.empty, free, banned | here).stops(rest)) return true;
    }
    return false;
  }

  /// Whether pairs outside `banned` stop all windows of a side that do without the cells `lost` to it.
  bool stopped(const View& view, const Windows& windows, Bits lost, Bits free, Bits banned) const {
    const auto& board = game.board();
    auto open = windows.open;
    if (lost) open = open & ~windows_on(board, lost);
    return !open.any() || magnetic_cave::Pairing<Bits>(board, view.empty, free, banned).stops(open);
  }

  /// Cells that make or stop three of four first, those in no open window last.
  int urgency(const State&, const View& view, Move move) const {
    const Bits here = bit<Bits>(move.cell);
    return (here & view.strong ? 3000 : 0) + (here & view.sharp ? 2000 : 0) + (here & view.useful ? 1000 : 0);
  }
  bool quiet(const State&, const View& view, Move move) const {
    return !(bit<Bits>(move.cell) & (view.strong | view.sharp));
  }

  /// What counts in a position, each as the side to move's less the other's: windows that lack two, three and four
  /// bricks, in rows, columns and diagonals; gaps; and who would have to give way beside a gap, early and late.
  static constexpr std::size_t features = 3 * 3 + 1 + 2;
  using Features = std::array<int, features>;

  Features features_of(const State&, const View& view) const {
    const auto& board = game.board();
    Features result{};
    for (int missing = 2; missing <= std::min(4, board.line); ++missing) {
      const auto mine = view.mine.holding(board.line - missing), theirs = view.theirs.holding(board.line - missing);
      const auto at = static_cast<std::size_t>(3 * (missing - 2));
      result[at] = count(mine.along(0)) - count(theirs.along(0));
      result[at + 1] = count(mine.along(1)) - count(theirs.along(1));
      result[at + 2] = count(mine.along(2)) - count(theirs.along(2)) + count(mine.along(3)) - count(theirs.along(3));
    }
    // Neither side may play beside the other's gap. When all other cells are full, the side to move must give up a gap
    // of its own (which costs three moves and so passes the turn), or lose.
    const Bits mine = view.my_gaps, theirs = view.their_gaps;
    if (mine | theirs) {
      const int ours = count(mine), others = count(theirs);
      const int waiting = count(view.empty & ~(mine | theirs | beside(mine) | beside(theirs)));
      const bool on_move = waiting % 2 == 0;
      result[9] = ours - others;
      result[count(view.empty) > 32 ? 10 : 11] = on_move ? (ours > others ? 1 : -1) : (others > ours ? -1 : 1);
    }
    return result;
  }

  static constexpr std::array<int, features> weights{0, 34, 25, -1, 17, 15, -1, 7, 8, 70, 9, 20};

  int evaluate(const State& state, const View& view) const {
    const Features found = features_of(state, view);
    int sum = 0;
    for (std::size_t i = 0; i < features; ++i) sum += weights[i] * found[i];
    return std::clamp(sum, std::max(view.least, 1 - won), std::min(view.most, won - 1));
  }

  /// A win by threats that lies beyond the horizon. Twenty looks find most of what a thousand do.
  int forced(const State& state, const View& view) const {
    return magnetic_cave::Threats<G>(game, *this, 20).win(state, view);
  }

  /// The cells left and right of a set that lies at no wall.
  Bits beside(Bits cells) const { return (cells << 1) | (cells >> 1); }

  const G& game;
};

}  // namespace ludus
