// Magnetic Cave: windows that a side can never fill, because the other answers cell for cell. Knows windows and which
// cells are within reach; knows no search, and whose turn it is does not matter to it.
//
// Two empty cells are a pair if the second can be played as soon as the first has been:
//     - both are within reach already (a cell within reach stays so until it is filled), or
//     - they are neighbours in a row (filling one brings the other within reach).
// A defender who answers a brick on one cell of a pair with his own on the other gets a brick into every window that
// holds both cells. If disjoint pairs can be chosen so that each open window holds one, none will ever be filled.
#pragma once

#include <array>

#include "magnetic_cave/windows.hpp"

namespace ludus::magnetic_cave {

template <class Bits>
class Pairing {
 public:
  /// `reach` is where a brick may be put now; no pair may use a cell of `banned`.
  Pairing(const Board<Bits>& board, Bits empty, Bits reach, Bits banned)
      : board_(board), usable_(empty & ~banned), reach_(reach & ~banned), empty_(empty), paired_(places()) {}

  /// Whether disjoint pairs stop all these windows. False may also mean that it is too much to find out.
  bool stops(const Fan<Bits>& windows) {
    if ((windows & ~paired_).any()) return false;
    size_ = 0;
    for (std::size_t d = 0; d < 4; ++d) {
      for (Bits starts = windows.along(d); starts; starts ^= bit<Bits>(lowest(starts))) {
        if (size_ == windows_.size()) return false;
        windows_[size_++] = cells_of_line(lowest(starts), d) & usable_;
      }
    }
    tries_left_ = 40;
    return stop_from(0, 0);
  }

  /// The cells that all windows without a pair have in common.
  Bits in_all_unpaired(const Fan<Bits>& windows) const {
    const Fan<Bits> unpaired = windows & ~paired_;
    Bits result = empty_;
    for (std::size_t d = 0; d < 4 && result; ++d) {
      for (Bits starts = unpaired.along(d); starts && result; starts ^= bit<Bits>(lowest(starts)))
        result &= cells_of_line(lowest(starts), d);
    }
    return result;
  }

 private:
  Bits cells_of_line(int start, std::size_t d) const {
    Bits cells{};
    for (int i = 0; i < board_.line; ++i) cells |= bit<Bits>(start + i * board_.step[d]);
    return cells;
  }
  /// The places of a line that hold a pair, all at once. Only those along a row hold neighbours.
  Fan<Bits> places() const {
    const Fan<Bits> near = Fan<Bits>::same(reach_);
    Fan<Bits> one = near, two = Fan<Bits>::same(Bits{});
    for (int i = 1; i < board_.line; ++i) {
      const Fan<Bits> more = near.ahead(board_, i);
      two = two | (one & more);
      one = one | more;
    }
    Bits row{}, first = neighbours(usable_);
    for (int i = 0; i + 1 < board_.line; ++i, first = first >> 1) row |= first;
    return two | Fan<Bits>::of({row, Bits{}, Bits{}, Bits{}});
  }
  /// The first cells of neighbours. No window has cells at both ends of the wrap from one row to the next.
  static Bits neighbours(Bits missing) { return missing & (missing >> 1); }

  /// Chooses a pair for each window from that one on; `chosen` pairs stand already.
  bool stop_from(std::size_t window, std::size_t chosen) {
    if (window == size_) return true;
    const Bits missing = windows_[window];
    Bits left = missing;
    for (std::size_t i = 0; i < chosen; ++i) {
      if (!(pairs_[i] & ~missing)) return stop_from(window + 1, chosen);
      left = left & ~pairs_[i];
    }
    const auto try_pair = [&](Bits pair) {
      pairs_[chosen] = pair;
      return --tries_left_ > 0 && stop_from(window + 1, chosen + 1);
    };
    for (Bits first = neighbours(left); first; first ^= bit<Bits>(lowest(first))) {
      const Bits cell = bit<Bits>(lowest(first));
      if (try_pair(cell | cell << 1)) return true;
    }
    for (Bits first = left & reach_; first;) {
      const Bits cell = bit<Bits>(lowest(first));
      first ^= cell;
      for (Bits second = first & ~(cell << 1); second; second ^= bit<Bits>(lowest(second))) {
        if (try_pair(cell | bit<Bits>(lowest(second)))) return true;
      }
    }
    return false;
  }

  const Board<Bits>& board_;
  Bits usable_, reach_, empty_;
  Fan<Bits> paired_;  ///< the places of a line that hold a pair
  std::array<Bits, 16> windows_;
  std::array<Bits, 16> pairs_;
  std::size_t size_ = 0;
  int tries_left_ = 0;
};

}  // namespace ludus::magnetic_cave
