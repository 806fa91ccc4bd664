// Magnetic Cave: how good a position is, at a glance. Integers only; a unit is a quarter of a line's first brick.
//
// A window is a place where a line fits. It is open to a side as long as it holds no enemy brick, and worth more the
// fewer bricks it lacks. All windows of a direction are counted at once, as sets of their first cells.
#pragma once

#include <algorithm>
#include <array>

#include "magnetic_cave/rules.hpp"

namespace ludus::magnetic_cave {

/// The scale, far apart: the sum over windows stays below 4 * 256 * 256.
inline constexpr int game_won = 4'000'000;   ///< the game is over
inline constexpr int line_next = 3'000'000;  ///< the side to move completes a line
inline constexpr int line_soon = 2'000'000;  ///< the side to move cannot stop the opponent's line
inline constexpr int must_block = 150;       ///< what a forced reply costs

/// What an open window is worth that lacks so many bricks.
constexpr int window_value(int missing) {
  return 256 >> (2 * (missing - 1));
}

/// What the bricks of one side promise.
template <class Bits>
struct Prospects {
  int value = 0;  ///< the sum over its open windows
  Bits gaps{};    ///< the empty cells that would complete a line
};

template <class Space>
std::array<Prospects<typename Space::Bits>, 2> prospects(const MagneticCave<Space>& game,
                                                         const typename MagneticCave<Space>::State& state) {
  using Bits = typename Space::Bits;
  const auto& board = game.board();
  const Bits empty = board.all & ~game.occupied(state);
  std::array<Prospects<Bits>, 2> result;
  for (int d = 0; d < board.directions; ++d) {
    std::array<std::array<Bits, 9>, 2> at_least{};  // [side][n]: windows with n or more bricks of that side
    for (std::size_t side = 0; side < 2; ++side) {
      auto& windows = at_least[side];
      windows[0] = board.starts[d];
      Bits brick = state.bricks[side];
      for (std::size_t i = 0; i < static_cast<std::size_t>(board.line); ++i, brick = brick >> board.step[d]) {
        for (std::size_t n = i + 1; n > 0; --n) windows[n] |= windows[n - 1] & brick;
      }
    }
    for (std::size_t side = 0; side < 2; ++side) {
      const Bits open = ~at_least[1 - side][1];
      int below = 0;
      for (int n = 1; n < board.line; ++n) {
        const int value = window_value(board.line - n);
        result[side].value += (value - below) * count(at_least[side][static_cast<std::size_t>(n)] & open);
        below = value;
      }
      Bits cells = at_least[side][static_cast<std::size_t>(board.line - 1)] & open;
      for (int i = 0; i < board.line; ++i, cells = cells << board.step[d]) result[side].gaps |= cells & empty;
    }
  }
  return result;
}

/// Open windows of the mover less the opponent's, unless somebody is about to complete a line.
template <class Space>
int evaluate(const MagneticCave<Space>& game, const typename MagneticCave<Space>::State& state) {
  const Side me = state.side, foe = Side(1 - me);
  if (state.verdict == Verdict::tie) return 0;
  if (state.verdict != Verdict::open) return state.verdict == win_for(me) ? game_won : -game_won;
  const auto near = game.free_cells(state);
  const auto both = prospects(game, state);
  if (both[me].gaps & near) return line_next;
  const int value = both[me].value - both[foe].value;
  const auto threats = both[foe].gaps & near;
  if (!threats) return value;
  // The brick that stops a threat lets the opponent play beside it.
  const auto opened = game.board().east(threats) | game.board().west(threats);
  const bool stopped = count(threats) == 1 && !(both[foe].gaps & opened);
  return stopped ? value - must_block : value - line_soon;
}

}  // namespace ludus::magnetic_cave
