// Magnetic Cave: what is found out about a position once: every line that is about to be made, the moves that do not
// lose at once, and what can't happen any more. Knows the rules and windows; no search and no evaluation.
//
// These facts carry the proofs, all tested against plain exhaustive search:
//   - A window does not matter if it lacks all cells that another window of the same side lacks: that one is filled
//     sooner, or at the same time.
//   - A brick that stands in no window open to its owner only fills its cell: whose it is does not matter. The key
//     leaves that out, so that many positions are one.
//   - An empty cell that is in no open window and that nobody needs to fill on the way to one that is, is only a move
//     to wait with. So are all cells of a row where nothing can happen any more; and where one cell of a row counts and
//     is within reach already, all others. They can be played at any time. One move stands for all of them.
//   - Two moves to wait with are none: who does well without them answers one with the other. So only whether their
//     number is odd matters, and if it is even none of them need be tried.
//   - A side without an open window that it has the time to fill cannot win any more. Neither can one whose windows
//     the other stops by answering (pairing.hpp).
#pragma once

#include "core/knowledge.hpp"
#include "magnetic_cave/pairing.hpp"
#include "magnetic_cave/windows.hpp"

namespace ludus::magnetic_cave {

/// The most moves of any position: two in each of 16 rows.
inline constexpr std::size_t max_moves = 32;

/// The cells left and right of a set that lies at no wall.
template <class Bits>
Bits neighbours(Bits cells) {
  return (cells << 1) | (cells >> 1);
}

template <class G>
struct View {
  using State = typename G::State;
  using Move = typename G::Move;
  using Bits = typename G::Bits;

  MoveList<Move, max_moves> moves;  ///< those that are not proven to lose at once or to equal another
  Bits safe{};                      ///< cells that do not lose at once; of a decided position the one that is played
  int plies_to_end = 0;             ///< to a win (or, negative, a loss) that is plain to see
  ValueRange range;                 ///< high is 0 once the side to move can't make a line any more; low, the other side
  std::uint64_t key = 0;            ///< equal for positions that are the same game from here on, moves in one order
  Windows<Bits> mine{}, theirs{};   ///< of the side to move; of the other
  Bits empty{};
  Bits my_gaps{}, their_gaps{};          ///< cells that would complete a line
  Bits my_twos{}, their_twos{}, live{};  ///< cells in reach in windows that lack two bricks, and in any open window

  View() = default;
  View(const G& game, const State& state) {
    const auto& board = game.board();
    mine = Windows<Bits>(board, state.mine, state.theirs);
    theirs = Windows<Bits>(board, state.theirs, state.mine);
    const Bits bricks = game.occupied(state), free = game.free_cells(state);
    empty = board.all & ~bricks;

    // A window that its side has too few moves left to fill is as good as closed.
    const int left = count(empty);
    if (left < 2 * board.line) {
      mine.open = mine.holding_at_least(board, board.line - (left + 1) / 2);
      theirs.open = theirs.holding_at_least(board, board.line - left / 2);
    }
    my_gaps = cells_of(board, mine.holding(board.line - 1)) & ~state.mine;
    their_gaps = cells_of(board, theirs.holding(board.line - 1)) & ~state.theirs;

    // Lines in one move, and moves that let the other side make one: onto its gap, or beside it.
    if (const Bits lines = my_gaps & free) {
      decide(1, lines);
      return;
    }
    const Bits threats = their_gaps & free;
    const Bits traps = neighbours(their_gaps & ~free);
    safe = (threats ? threats : free) & ~traps;
    if (!safe || count(threats) > 1) {
      decide(-2, threats ? threats : free);
      return;
    }

    const Fan<Bits> my_least = mine.least(board, state.mine, my_gaps);
    const Fan<Bits> their_least = theirs.least(board, state.theirs, their_gaps);
    const Bits my_live = cells_of(board, my_least), their_live = cells_of(board, their_least);
    if (!my_live) range.high = 0;
    if (!their_live) range.low = 0;

    settle(game, my_least, their_least, free);
    if (plies_to_end != 0) return;

    const Bits counts = (my_live | their_live) & empty, rows = rows_of(board, counts);
    const Bits single = counts & ~rows_of(board, but_first_of_rows(board, counts)), near = single & free;
    const Bits waiting = empty & (~rows | (rows_of(board, near) & ~near)), rest = empty & ~waiting;
    const bool odd = count(waiting) % 2;
    for_each_bit(safe & ~waiting, [&](int cell) { moves.push_back({static_cast<std::uint8_t>(cell)}); });
    if (const Bits idle = safe & waiting; idle && (odd || !rest)) {
      moves.push_back({static_cast<std::uint8_t>(lowest(idle))});
    } else if (moves.size() == 0) {
      decide(-count(empty), safe);  // who can only wait, and is answered, has to play beside a gap in the end
      return;
    }

    // The number must not stand in the low bits of a key, where it could cancel bricks of the top row.
    const std::uint64_t mixed = mix(mix(mix(mix(0, odd), state.mine & my_live), state.theirs & their_live), rest);
    key = mix(mixed, mixed >> 32);

    my_twos = cells_of(board, mine.holding(board.line - 2)) & free;
    their_twos = cells_of(board, theirs.holding(board.line - 2)) & free;
    live = (my_live | their_live) & free;
  }

 private:
  void decide(int plies, Bits cells) {
    plies_to_end = plies;
    if (cells) safe = bit<Bits>(lowest(cells));  // a full board has none
    moves.push_back({static_cast<std::uint8_t>(lowest(cells))});
  }

  /// Who can't win any more, and who must. Pairs stop windows; gaps out of reach are fought for by waiting. Nobody
  /// plays beside one as long as there is another cell. The side that runs out of those first gives up a gap of its own
  /// if it has one: it plays beside it, the other fills it, and the third cell is one more to wait with, so that now
  /// the other runs out. So each side can give up one gap after the other, and the one that has none left loses to what
  /// remains.
  void settle(const G& game, const Fan<Bits>& my_open, const Fan<Bits>& their_open, Bits free) {
    const Bits my_far = my_gaps & ~free, their_far = their_gaps & ~free;
    const Bits all = my_far | their_far, zones = all | neighbours(all);
    const int gaps = count(all), shared = count(my_far & their_far);
    if (count(zones) != 3 * gaps || (shared > 0 && gaps > 1)) return;  // they touch: no such counting
    // Cells between two of one row are out of reach, and nobody can wait there.
    if (gaps > 1 && count(rows_of(game.board(), all)) != gaps * game.board().cols) return;
    const bool i_run_out = (count(empty) - count(zones)) % 2 == 0;
    // How many gaps each must give up before the other has none left. One that is both sides' can't be given up.
    const int my_cost = count(their_far) - shared + i_run_out, their_cost = count(my_far) - shared + !i_run_out;
    Pairing<Bits> pairs(game.board(), empty, free, zones);
    if (const Bits kept = holds_out(game, their_open, my_far, their_far, my_cost, pairs)) {
      const Bits elsewhere = safe & ~neighbours(my_gaps);
      decide(count(empty), elsewhere ? elsewhere : safe & ~neighbours(kept));
    } else if (holds_out(game, my_open, their_far, my_far, their_cost, pairs)) {
      decide(-count(empty), safe);
    } else {
      if (range.high > 0 && count(my_far) <= my_cost && stopped(game, my_open, my_far, pairs)) range.high = 0;
      if (range.low < 0 && count(their_far) <= their_cost &&
          (stopped(game, their_open, their_far, pairs) || stops_now(game, their_open, their_far, free, zones, pairs)))
        range.low = 0;
    }
  }

  /// The gaps of `own` that their owner keeps to the end, if pairs stop the other's windows that do without those; none
  /// if that is not known. Which one is given up first matters: the other gets a brick there.
  Bits holds_out(const G& game, const Fan<Bits>& others, Bits own, Bits other, int cost, Pairing<Bits>& pairs) const {
    if (count(own) <= cost) return {};
    if (cost == 0) return stopped(game, others, own | other, pairs) ? own : Bits{};
    for (Bits gaps = own; gaps; gaps ^= bit<Bits>(lowest(gaps))) {
      const Bits kept = bit<Bits>(lowest(gaps));
      if (stopped(game, others, other | kept, pairs)) return kept;
    }
    return {};
  }

  /// Whether one move of the side to move, and pairs after it, stop all windows of the other that do without `lost`.
  bool stops_now(const G& game, Fan<Bits> open, Bits lost, Bits free, Bits banned, const Pairing<Bits>& pairs) const {
    if (lost) open = open & ~windows_on(game.board(), lost);
    Bits cells = pairs.in_all_unpaired(open) & free & ~banned;
    for (; cells; cells ^= bit<Bits>(lowest(cells))) {
      const Bits here = bit<Bits>(lowest(cells));
      const auto rest = open & ~windows_on(game.board(), here);
      if (!rest.any() || Pairing<Bits>(game.board(), empty, free, banned | here).stops(rest)) return true;
    }
    return false;
  }

  /// Whether pairs stop all windows of a side that do without the cells `lost` to it.
  bool stopped(const G& game, Fan<Bits> open, Bits lost, Pairing<Bits>& pairs) const {
    if (lost) open = open & ~windows_on(game.board(), lost);
    return !open.any() || pairs.stops(open);
  }
};

}  // namespace ludus::magnetic_cave
