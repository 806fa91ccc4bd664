// Magnetic Cave: the learned evaluation of the 8 x 8 board with lines of five. Knows what a look shows and the weights
// of network_weights.hpp; knows no search. Sparse facts, each present or not, add their rows to 32 sums; what is
// positive of these, and a weight of each fact's own, make the value. Integers only.
//
// Facts, in this order: bricks (mine, theirs); how each row is filled; gaps out of reach (mine one step away, mine
// farther, theirs likewise); open windows (mine, theirs) that lack 2, 3 and 4 bricks, of which all, some or none of the
// missing cells are within reach; who moves first; how many cells are empty, by fours.
#pragma once

#include "magnetic_cave/network_weights.hpp"
#include "magnetic_cave/windows.hpp"

namespace ludus::magnetic_cave {

class Network {
  using Bits = std::uint64_t;
  static constexpr int sums = 32, places = 96, fillings = 37;
  static constexpr int at_rows = 128, at_gaps = at_rows + 8 * fillings, at_windows = at_gaps + 4 * 64;
  static constexpr int at_first = at_windows + 2 * 3 * 3 * places, at_empty = at_first + 1, facts = at_empty + 16;
  static constexpr int unit = 128, out_unit = 64, most = 4 * unit;  // a sum of 1; a weight of 1 behind it; the largest

 public:
  /// The one that was trained, decoded once.
  static const Network& trained() {
    static const Network network;
    return network;
  }

  /// The side to move's prospects: 100 is a win chance of 73%.
  template <class State, class View>
  int judge(const Board<Bits>& board, const State& state, const View& view, Bits free) const {
    Sums at{network_bias, 0};
    add_cells(at, state.mine, 0);
    add_cells(at, state.theirs, 64);
    const Bits bricks = state.mine | state.theirs, empty = view.empty;
    for (int row = 0; row < 8; ++row) add(at, at_rows + row * fillings + filling_[bricks >> (8 * row) & 255]);
    const Bits hidden = empty & ~free, near = hidden & (free << 1 | free >> 1);
    if (view.my_gaps | view.their_gaps) {
      add_cells(at, view.my_gaps & near, at_gaps);
      add_cells(at, view.my_gaps & hidden & ~near, at_gaps + 64);
      add_cells(at, view.their_gaps & near, at_gaps + 128);
      add_cells(at, view.their_gaps & hidden & ~near, at_gaps + 192);
    }
    const auto waiting = windows_on(board, hidden), reached = windows_on(board, free);
    const std::array<Fan<Bits>, 3> reach{~waiting, waiting & reached, ~reached};
    add_windows(at, view.mine, reach, at_windows);
    add_windows(at, view.theirs, reach, at_windows + 9 * places);
    if (state.side == 0) add(at, at_first);
    add(at, at_empty + std::min(count(empty), 63) / 4);

    int value = network_offset + at.direct * out_unit;
    for (std::size_t i = 0; i < sums; ++i) value += std::clamp<int>(at.sum[i], 0, most) * network_out[i];
    return value / 64 * 100 / (unit * out_unit / 64);
  }

 private:
  struct Sums {
    alignas(32) std::array<std::int16_t, sums> sum;
    int direct;
  };
  struct Row {
    alignas(32) std::array<std::int16_t, sums> weight;
  };

  Network() : rows_(facts), direct_(facts) {
    static_assert(sizeof network_rows == facts * (sums + 1) + 1);
    const char* text = network_rows;
    for (std::size_t fact = 0; fact < facts; ++fact) {
      for (auto& weight : rows_[fact].weight) weight = static_cast<std::int16_t>(*text++ - network_zero);
      direct_[fact] = *text++ - network_zero;
    }
    std::uint8_t next = 0;
    for (unsigned row = 0; row < 256; ++row) {  // bricks at both walls: zeros, if any, in one piece
      const unsigned gap = ~row & 255, low = gap & (0 - gap);
      if (((gap + low) & gap) == 0) filling_[row] = next++;
    }
    const Board<Bits> board(8, 8, 5);
    next = 0;
    for (std::size_t d = 0; d < 4; ++d)
      for_each_bit(board.starts[d], [&](int cell) { place_[d][static_cast<std::size_t>(cell)] = next++; });
  }

  void add(Sums& at, int fact) const {
    const Row& row = rows_[static_cast<std::size_t>(fact)];
    for (std::size_t i = 0; i < sums; ++i) at.sum[i] = static_cast<std::int16_t>(at.sum[i] + row.weight[i]);
    at.direct += direct_[static_cast<std::size_t>(fact)];
  }
  void add_cells(Sums& at, Bits cells, int first) const {
    for_each_bit(cells, [&](int cell) { add(at, first + cell); });
  }
  void add_windows(Sums& at, const Windows<Bits>& windows, const std::array<Fan<Bits>, 3>& reach, int first) const {
    for (int lack = 2; lack <= 4; ++lack) {
      const Fan<Bits> held = windows.holding(5 - lack);
      for (const Fan<Bits>& within : reach) {
        const Fan<Bits> found = held & within;
        for (std::size_t d = 0; d < 4; ++d) {
          for_each_bit(found.along(d), [&](int cell) { add(at, first + place_[d][static_cast<std::size_t>(cell)]); });
        }
        first += places;
      }
    }
  }

  std::vector<Row> rows_;
  std::vector<int> direct_;
  std::array<std::uint8_t, 256> filling_{};
  std::array<std::array<std::uint8_t, 64>, 4> place_{};
};

}  // namespace ludus::magnetic_cave
