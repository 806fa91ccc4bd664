// Repeatable random numbers (splitmix64): the same seed gives the same board on every machine.
#pragma once

#include <cstdint>
#include <utility>

namespace ludus {

class Random {
 public:
  explicit constexpr Random(std::uint64_t seed) : state_(seed) {}

  constexpr std::uint64_t next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }

  /// A number from 0 to bound - 1, by multiplication; the bias is below bound / 2^32.
  constexpr std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>(((next() >> 32) * bound) >> 32);
  }

  template <class Range>
  constexpr void shuffle(Range& range) {
    for (auto i = static_cast<std::uint32_t>(range.size()); i > 1; --i) std::swap(range[i - 1], range[below(i)]);
  }

 private:
  std::uint64_t state_;
};

}  // namespace ludus
