// The Fruit Rage: which groups no longer take part in the game, except as numbers to be taken. Knows the rules' board,
// no search.
//
// The *field* of a fruit is all fruits of its type in the run of neighbouring columns that hold the type. Fruits of
// different fields can never touch: columns do not move sideways, and a column without the type stays without it.
// A field is *firm* when it is one group and stays one, whatever is taken around it: a bar in a single column, or a
// group of bars that all stand on the floor. An *atom* is a firm field with nothing but atoms above it. Taking it moves
// only atoms, up to the next thing above, which changes nothing for anyone; so it earns its square and passes the turn.
// What is not an atom is the *core*. With V the margin still to be won, and a, b squares of atoms:
//
// - V(core + a + a) = V(core): if one side takes the first, the other takes the second, and only the turns have passed.
// - Of two atoms the larger is the better move: |V(X + a) - V(X + b)| <= a - b, as each side can play as if a were b,
//   hence a - V(X + b) >= b - V(X + a).
// - V(atoms alone) is their alternating sum, largest first: the mover takes the largest, by the line above.
// - With W the most that the core's fields can earn, sum of (fruits of a field)^2: a side that always takes the largest
//   atom has at least its part of the alternating sum s, and loses no more than W: s - W <= V <= s + W.
#pragma once

#include <algorithm>

#include "fruit_rage/evaluate.hpp"

namespace ludus::fruit_rage {

/// The largest size of which there is an odd number; 0 if there is none.
template <std::size_t Words>
int largest(const std::array<std::uint64_t, Words>& odd) {
  for (std::size_t word = Words; word-- > 0;) {
    if (odd[word] != 0) return static_cast<int>(64 * word) + 63 - std::countl_zero(odd[word]);
  }
  return 0;
}

/// The atoms of a board and what they leave.
template <class G>
class Atoms;

template <class Row, int Rows, int Planes>
class Atoms<FruitRage<Row, Rows, Planes>> {
  using G = FruitRage<Row, Rows, Planes>;
  using State = typename G::State;
  using Board = std::array<Row, Rows>;

 public:
  Atoms(const G& game, const State& state) {
    const auto size = static_cast<std::size_t>(game.size());
    const int types = game.types();
    std::array<Board, (1 << Planes) - 1> fruits;
    std::array<Row, (1 << Planes) - 1> present{}, wide{};
    Board occupied{}, firm{};
    for (int type = 0; type < types; ++type) {
      const auto t = static_cast<std::size_t>(type);
      Board& here = fruits[t];
      for (std::size_t r = 0; r < Rows; ++r) {
        Row same = Row(~Row{0});
        for (std::size_t p = 0; p < Planes; ++p) {
          same &= ((t + 1) >> p & 1) != 0 ? state.plane[p][r] : Row(~state.plane[p][r]);
        }
        here[r] = same;
        occupied[r] |= same;
      }
      Row above = 0, once = 0, split = 0;
      for (std::size_t r = 0; r < size; ++r) {
        const Row begins = Row(here[r] & ~above);
        split |= Row(once & begins);
        once |= begins;
        above = here[r];
      }
      present[t] = once;
      const Row lone = Row(once & ~(once << 1) & ~(once >> 1));
      const Row standing = Row(here[size - 1] & ~split);
      wide[t] = Row(once & ~lone & ~spread(once, Row(once & ~standing)));
      const Row columns = Row((lone & ~split) | wide[t]);
      for (std::size_t r = 0; r < Rows; ++r) firm[r] |= Row(here[r] & columns);
    }
    Row open = Row(~Row{0});  // columns with nothing but atoms so far
    for (std::size_t r = 0; r < size; ++r) {
      atoms_[r] = Row(firm[r] & open);
      open &= Row(~(occupied[r] & ~firm[r]));
    }
    for (int type = 0; type < types; ++type) {  // a wide group must be free in all its columns
      const auto t = static_cast<std::size_t>(type);
      if (wide[t] != 0) {
        Row buried = 0;
        for (std::size_t r = 0; r < size; ++r) buried |= Row(fruits[t][r] & wide[t] & ~atoms_[r]);
        if (buried != 0) {
          buried = spread(present[t], buried);
          for (std::size_t r = 0; r < size; ++r) atoms_[r] &= Row(~(fruits[t][r] & buried));
        }
      }
      Row fields = 0;
      for (std::size_t r = 0; r < Rows; ++r) {
        fruits[t][r] &= Row(~atoms_[r]);
        fields |= fruits[t][r];
      }
      while (fields != 0) {
        const Row field = spread(fields, Row(fields & (~fields + 1)));
        fields &= Row(~field);
        int count = 0;
        for (std::size_t r = 0; r < Rows; ++r) count += std::popcount(Row(fruits[t][r] & field));
        worth_ += count * count;
      }
    }
  }

  /// Whether the group that a move takes is an atom.
  bool contains(typename G::Move move) const {
    return (atoms_[static_cast<std::size_t>(move.row())] >> (std::numeric_limits<Row>::digits - 1 - move.col()) & 1) !=
           0;
  }

  /// The most that the core's fields can earn.
  int worth() const { return worth_; }

  /// A key of the core alone. The side to move is not in it: values are the mover's.
  std::uint64_t key(const State& state) const {
    constexpr std::size_t packed = 64 / std::numeric_limits<Row>::digits;
    std::uint64_t key = 0;
    for (const auto& plane : state.plane) {
      for (std::size_t r = 0; r < Rows; r += packed) {
        std::uint64_t word = 0;
        for (std::size_t i = 0; i < packed; ++i) {
          word |= std::uint64_t{Row(plane[r + i] & ~atoms_[r + i])} << (i * std::numeric_limits<Row>::digits);
        }
        key = mix(key, word);
      }
    }
    return key;
  }

 private:
  /// The runs of neighbouring columns that have a seed in them.
  static Row spread(Row columns, Row seeds) {
    Row all = Row(seeds & columns);
    for (;;) {
      const Row next = Row((all | (all << 1) | (all >> 1)) & columns);
      if (next == all) return all;
      all = next;
    }
  }

  Board atoms_{};
  int worth_ = 0;
};

}  // namespace ludus::fruit_rage
