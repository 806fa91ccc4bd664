// Chain Reaction: the engine's evaluation. Counts of what matters, each with a weight that
// native/tune/chain_reaction.cpp fits to the outcomes of the engine's own games. Integers only; knows no search.
//
// A cell's *distance* is how many orbs it lacks to explode, 1 to 3 for an owned one; at distance 1 it is *loaded*. A
// cell is *exposed* when it lies beside a loaded cell of the enemy, which takes it by exploding.
#pragma once

#include <array>

#include "chain_reaction/rules.hpp"

namespace ludus::chain_reaction {

/// The cells next to some cell of a set.
template <class Board, class Bits>
Bits neighbours(const Board& board, Bits b) {
  return board.north(b) | board.south(b) | board.west(b) | board.east(b);
}

/// The owned cells of a resting board by how near they are to exploding, of both sides.
template <class Bits>
struct Distances {
  std::array<Bits, 3> at;  ///< at[d - 1]: cells at distance d

  Distances() = default;
  template <class Board>
  Distances(const Board& board, const std::array<Bits, 3>& count) {
    const Bits inner = board.all & ~(board.corners | board.edges);
    const Bits ones = count[0], twos = count[1];
    at[0] = (board.corners & ones) | (board.edges & twos) | (inner & ones & twos);
    at[1] = (board.edges & ones & ~twos) | (inner & twos & ~ones);
    at[2] = inner & ones & ~twos;
  }
};

/// What is counted. The terms of a side come twice, for the side to move and for its opponent: a threat is worth more
/// to the side that moves next.
enum Term : int {
  safe_cells = 0,     // + class: corner; edge at distance 2, 1; inner at distance 3, 2, 1
  exposed_cells = 6,  // + class
  links = 12,         // pairs of loaded neighbours of one side
  waiting = 13,       // moves that explode and expose nothing: empty or unloaded own cells away from loaded enemies
  side_terms = 14,    // the opponent's terms begin here
  tempo = 28,         // the right to move
  term_count
};

/// Calls `add(term, how many)` for every term.
template <class Space, Explosion rule, class Add>
void count_terms(const ChainReaction<Space, rule>& game, const typename ChainReaction<Space, rule>::State& state,
                 const Distances<typename Space::Bits>& distance, Add add) {
  using Bits = typename Space::Bits;
  const auto& board = game.board();
  const Bits inner = board.all & ~(board.corners | board.edges);
  const std::array<Bits, 2> own = {state.owned[state.side], state.owned[1 - state.side]};
  const Bits empty = board.all & ~(own[0] | own[1] | state.dead);
  for (int s = 0; s < 2; ++s) {
    const Bits mine = own[static_cast<std::size_t>(s)];
    const Bits load = mine & distance.at[0];
    const Bits reach = neighbours(board, own[static_cast<std::size_t>(1 - s)] & distance.at[0]);
    const int base = s * side_terms;
    const std::array<Bits, 6> classes = {mine & board.corners,  mine & board.edges & distance.at[1], load & board.edges,
                                         mine & distance.at[2], mine & inner & distance.at[1],       load & inner};
    for (int c = 0; c < 6; ++c) {
      const Bits cells = classes[static_cast<std::size_t>(c)];
      add(base + safe_cells + c, count(cells & ~reach));
      add(base + exposed_cells + c, count(cells & reach));
    }
    add(base + links, count(load & board.east(load)) + count(load & board.south(load)));
    add(base + waiting, count((empty | (mine & ~load)) & ~reach));
  }
  add(tempo, 1);
}

/// An evaluation of so much is a win chance of 73%: one unit of the logistic function.
inline constexpr int weight_unit = 400;

/// One row a side, one for the move.
inline constexpr std::array<int, term_count> weights = {
    // clang-format off
    123, 38, 103, 4, 40, 90, -40, 0, -30, -15, -3, -32, -42, 24,
    -191, -32, -122, 11, -5, -85, -4, -18, 44, 2, -3, 46, 52, -28,
    236,
    // clang-format on
};

/// How well the side to move stands.
template <class Space, Explosion rule>
int evaluate(const ChainReaction<Space, rule>& game, const typename ChainReaction<Space, rule>::State& state,
             const Distances<typename Space::Bits>& distance) {
  int value = 0;
  count_terms(game, state, distance,
              [&](int term, int number) { value += weights[static_cast<std::size_t>(term)] * number; });
  return value;
}

}  // namespace ludus::chain_reaction
