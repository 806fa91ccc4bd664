// Magnetic Cave: the plain evaluation, which the teaching players and `State.evaluation` use; the engine has its own,
// in evaluate.hpp. Integers only, in units of no meaning of their own.
//
// A window is a place where a line fits. It is open to a side as long as it holds no enemy brick, and worth more the
// fewer bricks it lacks. All windows of a direction are counted at once, as sets of their first cells.
#pragma once

#include <array>

#include "magnetic_cave/rules.hpp"

namespace ludus::magnetic_cave {

/// The scale, far apart: a side has at most 4 * 256 windows, so their sum stays below 70,000.
inline constexpr int game_won = 4'000'000;   ///< the game is over
inline constexpr int line_next = 3'000'000;  ///< the side to move completes a line
inline constexpr int line_soon = 2'000'000;  ///< the opponent can complete lines on two cells, too many to stop

/// What an open window is worth that lacks `missing` bricks: each brick in it doubles it.
constexpr int window_value(int missing) {
  return 128 >> missing;
}

/// What the bricks of one side promise.
template <class Bits>
struct Prospects {
  int value = 0;  ///< the sum over its open windows
  Bits gaps{};    ///< the empty cells that would complete a line
};

/// The prospects of `bricks` against `enemies`.
template <class Bits>
Prospects<Bits> prospects(const Board<Bits>& board, Bits bricks, Bits enemies) {
  Prospects<Bits> result;
  for (int d = 0; d < board.directions; ++d) {
    std::array<Bits, 9> holding{};  // holding[n]: the open windows with n bricks or more
    holding[0] = board.starts[d];
    Bits enemy = enemies, brick = bricks;
    for (int i = 0; i < board.line; ++i, enemy = enemy >> board.step[d]) holding[0] &= ~enemy;
    for (std::size_t i = 0; i < std::size_t(board.line); ++i, brick = brick >> board.step[d]) {
      for (std::size_t n = i + 1; n > 0; --n) holding[n] |= holding[n - 1] & brick;
    }
    int below = 0;
    for (int n = 1; n < board.line; ++n) {
      const int value = window_value(board.line - n);
      result.value += (value - below) * count(holding[std::size_t(n)]);
      below = value;
    }
    Bits cells = holding[std::size_t(board.line - 1)];
    for (int i = 0; i < board.line; ++i, cells = cells << board.step[d]) result.gaps |= cells & ~bricks;
  }
  return result;
}

/// Open windows of the side to move less the opponent's, once no side is about to complete a line.
template <class Space>
int plain_evaluation(const MagneticCave<Space>& game, const typename MagneticCave<Space>::State& state) {
  using Move = typename MagneticCave<Space>::Move;
  if (state.verdict == Verdict::tie) return 0;
  if (state.verdict != Verdict::open) return state.verdict == win_for(state.side) ? game_won : -game_won;
  const auto near = game.free_cells(state);
  const auto mine = prospects(game.board(), state.mine, state.theirs);
  if (mine.gaps & near) return line_next;
  const auto theirs = prospects(game.board(), state.theirs, state.mine);
  const auto threats = theirs.gaps & near;
  if (!threats) return mine.value - theirs.value;
  if (count(threats) > 1) return mine.value - theirs.value - line_soon;
  // One threat leaves one move, which may open the cell beside it to the opponent: look on from there.
  return -plain_evaluation(game, game.play(state, Move{static_cast<std::uint8_t>(lowest(threats))}));
}

}  // namespace ludus::magnetic_cave
