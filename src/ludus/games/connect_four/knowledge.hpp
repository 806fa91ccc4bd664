// Connect Four: what the search wants to know of it. All of it is about threats: empty cells that complete a line.
//
// Forced moves: a threat that can be filled now decides the game, one of the other side must be answered, and nobody
// plays below a threat of the other side.
//
// Following up: a side that answers each disc with one on top of it gets every second cell of each column, if all
// columns have an even number of empty cells. This proves much of the far end of the game without a search: the proofs
// after DDDDD and DDDDDB take 81% and 74% fewer positions by it.
#pragma once

#include "connect_four/rules.hpp"
#include "core/knowledge.hpp"

namespace ludus {
namespace connect_four {

/// The empty cells that complete a line of these discs. `before` and `behind` are the cells with that many discs in a
/// row on either side; a line of n has its gap in one of n places.
inline Bits threats(const Board& board, Bits discs, Bits filled) {
  Bits result = 0;
  for (const int step : board.step) {
    std::array<Bits, 6> before{~0ull}, behind{~0ull};
    for (int i = 1; i < board.line; ++i) {
      const auto at = static_cast<std::size_t>(i);
      before[at] = before[at - 1] & (discs << (i * step));
      behind[at] = behind[at - 1] & (discs >> (i * step));
    }
    for (int i = 0; i < board.line; ++i)
      result |= before[static_cast<std::size_t>(i)] & behind[static_cast<std::size_t>(board.line - 1 - i)];
  }
  return result & board.all & ~filled;
}

/// The threats of a side, and once more those that it can wait for: the first player fills the odd rows when the other
/// columns are full, the second player the even ones.
inline int weigh(const Board& board, Bits threats, bool first) {
  const Bits odd = board.bottom * 0x55555555u;
  return count(threats) + count(threats & (first ? odd : ~odd));
}

template <class G>
struct View {
  Bits mine = 0, theirs = 0, moves = 0;  ///< my threats, those of the other side, the cells worth a move
  int plies_to_end = 0;

  View() = default;
  View(const G& game, const typename G::State& state)
      : mine(threats(game.board(), state.mine, game.occupied(state))),
        theirs(threats(game.board(), state.theirs, game.occupied(state))),
        moves(game.free_cells(state)) {
    if (state.verdict != Verdict::open) return;
    const Bits wins = moves & mine, forced = moves & theirs;
    if (wins) {
      moves = wins & -wins;
      plies_to_end = 1;
      return;
    }
    const Bits legal = forced ? forced & -forced : moves;
    moves = legal & ~(theirs >> 1);
    if (!moves || forced & (forced - 1)) {  // whatever is played, the other side completes a line
      moves = legal;
      plies_to_end = -2;
    }
  }
};

/// Threats, and the lines that go through the discs of each side.
template <class G>
int balance(const G& game, const typename G::State& state, const View<G>& view) {
  const auto& board = game.board();
  int result = 15 * (weigh(board, view.mine, state.side == 0) - weigh(board, view.theirs, state.side == 1));
  for (std::size_t i = 0; i < board.lines_through.size(); ++i)
    result += (count(state.mine & board.lines_through[i]) - count(state.theirs & board.lines_through[i])) << i;
  return result;
}

template <class Space>
int plain_evaluation(const ConnectFour<Space>& game, const typename ConnectFour<Space>::State& state) {
  return balance(game, state, View<ConnectFour<Space>>(game, state));
}

}  // namespace connect_four

template <class Space>
struct Knowledge<connect_four::ConnectFour<Space>> final
    : Hooks<connect_four::ConnectFour<Space>, connect_four::View<connect_four::ConnectFour<Space>>> {
  using G = connect_four::ConnectFour<Space>;
  using View = connect_four::View<G>;
  using Base = Hooks<G, View>;
  using typename Base::State, typename Base::Move, typename Base::Moves;
  using Bits = connect_four::Bits;
  using Base::Base;

  static constexpr std::size_t max_moves = 8;
  static constexpr int slots = 64;
  static constexpr double scale = 60;
  static int slot(Move move) { return move.cell; }

  View view(const State& state) const override { return View(this->game, state); }
  int plies_to_end(const State&, const View& view) const override { return view.plies_to_end; }
  bool forced_reply(const State&, const View& view) const override { return (view.moves & (view.moves - 1)) == 0; }
  Moves moves(const State&, const View& view) const override { return this->game.moves(view.moves); }

  /// Nobody wins with the next move, nor loses by the answer to it. A side that has no room for a line cannot win. And
  /// where the columns are even, or a threat closes the one that is not, the other side may follow up; where one column
  /// is odd, the mover fills it and follows up then.
  ValueRange range(const State& state, const View& view) const override {
    if (view.plies_to_end != 0) return {};
    const auto& board = this->game.board();
    const Bits empty = board.all & ~this->game.occupied(state), theirs = state.theirs;
    ValueRange range{this->game.has_line(empty | theirs) ? 4 - win_value : 0,
                     this->game.has_line(empty | state.mine) ? win_value - 3 : 0};
    const Bits odd = (this->game.occupied(state) + board.bottom) & ~board.even;  // free, in columns with an odd rest
    if (odd & (odd - 1)) return range;
    const Bits column = odd ? board.column(lowest(odd) / board.height) : 0;
    if (!odd || (view.theirs & board.even & column))
      range.high = std::min(range.high, follow_up(state.mine, theirs, view.theirs, empty, board.even ^ column));
    if (odd & view.moves) {
      const Bits after = state.mine | odd;
      range.low = std::max(range.low, -follow_up(theirs, after, view.mine & ~odd, empty & ~odd, board.even));
    }
    return range;
  }

  TableKey table_key(const State& state, const View&) const override { return key(state.side, this->game.sum(state)); }
  int table_move(Move move, std::size_t, int symmetry) const override {
    const int col = this->game.action_of(move);
    return symmetry ? this->game.board().cols - 1 - col : col;
  }
  std::optional<std::uint64_t> key_after(const State& state, Move move) const override {
    return key(Side(state.side ^ 1), this->game.sum({state.theirs, state.mine | bit<Bits>(move.cell)})).key;
  }

  int evaluate(const State& state, const View& view) const override {
    const auto range = this->range(state, view);
    const int standing = connect_four::balance(this->game, state, view);
    return std::clamp(std::clamp(standing, range.low, range.high), 1 - won, won - 1);
  }

  /// Moves that make threats first, then those in the middle.
  int urgency(const State& state, const View&, Move move) const override {
    const auto& board = this->game.board();
    const Bits disc = bit<Bits>(move.cell);
    const Bits made = connect_four::threats(board, state.mine | disc, this->game.occupied(state) | disc);
    return 1500 * weigh(board, made, state.side == 0) - 900 * std::abs(2 * this->game.action_of(move) - board.cols + 1);
  }

 private:
  TableKey key(Side side, Bits sum) const {
    const Bits mirrored = this->game.board().mirror(sum);
    return mirrored < sum ? TableKey{this->game.mixed(side, mirrored), 1} : TableKey{this->game.mixed(side, sum)};
  }

  /// The most that a side gets when the other one follows up. It plays in the cells `first` alone, and not above a
  /// threat of the other side, for below that it would have to play last: the other side then completes its line.
  int follow_up(Bits side, Bits other, Bits threats, Bits empty, Bits first) const {
    const auto& board = this->game.board();
    const Bits closed = threats & ~first;
    Bits above = closed;
    for (int i = 1; i < board.rows; ++i) above |= (above << 1) & board.all;
    if (this->game.has_line(side | (empty & first & ~above))) return win_value;
    return closed || this->game.has_line(other | (empty & ~first)) ? max_ply - win_value : 0;
  }
};

}  // namespace ludus
