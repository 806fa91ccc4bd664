// Cantris: the table of facts about positions, shared by all threads without a lock. Knows keys and bits, no game.
//
// A fact is one 64-bit word. Its key is not hashed but shuffled, which can be undone, so that one position is never
// taken for another; the place in the table is a part of the key and need not be stored:
//
//     63 ...................... 30 29 ............. 4 3 ....... 0
//     the rest of the shuffled key   what is known     what its loss would cost
//
// A word is read and written whole, so threads see no halves; of two facts stored at once one is lost.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>

#include "core/memory.hpp"

namespace ludus::cantris {

class FactTable {
 public:
  static constexpr int payload_bits = 30, key_bits = 51;

  /// Takes the largest power of two that fits into that many bytes, but 8 MB at least: with fewer, keys would not fit.
  explicit FactTable(std::size_t bytes)
      : most_bits_(std::max(key_bits + payload_bits - 64, static_cast<int>(std::bit_width(bytes / bucket_bytes)) - 1)),
        memory_(bucket_bytes << most_bits_),
        words_(static_cast<std::uint64_t*>(memory_.start())) {
    memory_.prefer_large_pages();
  }

  /// Forgets everything; from now on keys have that many bits.
  void reset(int bits) {
    memory_.clear();
    bits_ = std::max(bits, 8);
    keys_ = (std::uint64_t{1} << bits_) - 1;
    index_bits_ = std::min(most_bits_, bits_ - 3);
  }

  /// Multiplying by an odd number and folding the upper half in are both reversible.
  std::uint64_t shuffle(std::uint64_t key) const {
    key = (key * 0x9E3779B97F4A7C15u) & keys_;
    key ^= key >> (bits_ / 2);
    key = (key * 0xD1342543DE82EF95u) & keys_;
    return key ^ key >> (bits_ / 2);
  }

  void prefetch(std::uint64_t shuffled) const { __builtin_prefetch(bucket(shuffled)); }

  /// The payload, or 0.
  std::uint32_t find(std::uint64_t shuffled) const {
    const std::uint64_t* words = bucket(shuffled);
    const std::uint64_t rest = shuffled >> index_bits_;
    for (int i = 0; i < bucket_words; ++i) {
      const std::uint64_t word = read(words + i);
      if (word >> payload_bits == rest && (word & payload_mask) != 0)
        return static_cast<std::uint32_t>(word & payload_mask);
    }
    return 0;
  }

  /// Stores a payload, never 0, over the same key, an empty word, or the word whose loss costs least.
  void store(std::uint64_t shuffled, std::uint32_t payload) {
    std::uint64_t* words = bucket(shuffled);
    const std::uint64_t rest = shuffled >> index_bits_;
    int victim = 0;
    std::uint64_t least = 16;
    for (int i = 0; i < bucket_words; ++i) {
      const std::uint64_t word = read(words + i);
      if (word == 0 || word >> payload_bits == rest) {
        victim = i;
        break;
      }
      if ((word & 15) < least) least = word & 15, victim = i;
    }
    std::atomic_ref(words[victim]).store(rest << payload_bits | payload, std::memory_order_relaxed);
  }

  /// Thousandths of the table in use, from a sample.
  int permille() const {
    int used = 0;
    for (int i = 0; i < 1000; ++i) used += read(words_ + i % (bucket_words << std::min(index_bits_, 7))) != 0;
    return used;
  }

 private:
  static constexpr int bucket_words = 8;
  static constexpr std::size_t bucket_bytes = 64;
  static constexpr std::uint64_t payload_mask = (std::uint64_t{1} << payload_bits) - 1;

  static std::uint64_t read(const std::uint64_t* word) {
    return std::atomic_ref(*const_cast<std::uint64_t*>(word)).load(std::memory_order_relaxed);
  }
  std::uint64_t* bucket(std::uint64_t shuffled) const {
    return words_ + bucket_words * (shuffled & ((std::uint64_t{1} << index_bits_) - 1));
  }

  int most_bits_, bits_ = 8, index_bits_ = 0;
  std::uint64_t keys_ = 0;
  ZeroedMemory memory_;
  std::uint64_t* words_;
};

/// What is proven of a value.
struct Bounds {
  static constexpr int most = 511;
  int low = -most, high = most;

  void tighten(const Bounds& other) { low = std::max(low, other.low), high = std::min(high, other.high); }
};

/// The payload of a proof: low 10 bits, high 10, move 6, worth 4.
struct Proof {
  static std::uint32_t pack(Bounds b, int move, int worth) {
    return static_cast<std::uint32_t>((b.low + 512) << 20 | (b.high + 512) << 10 | move << 4 | worth);
  }
  static Bounds bounds(std::uint32_t fact) {
    return {static_cast<int>(fact >> 20) - 512, static_cast<int>(fact >> 10 & 1023) - 512};
  }
  static int move(std::uint32_t fact) { return static_cast<int>(fact >> 4 & 63); }
  static int worth(std::uint32_t fact) { return static_cast<int>(fact & 15); }
};

/// The payload of a hint, what a search of limited depth found: value 10 bits, is_low 1, depth 7, move 6, worth 4.
struct Hint {
  static std::uint32_t pack(int value, bool low, int depth, int move) {
    return static_cast<std::uint32_t>((value + 512) << 18 | (low ? 1 << 17 : 0) | depth << 10 | move << 4 |
                                      std::min(depth, 15));
  }
  static int value(std::uint32_t hint) { return static_cast<int>(hint >> 18 & 1023) - 512; }
  static bool is_low(std::uint32_t hint) { return (hint >> 17 & 1) != 0; }
  static int depth(std::uint32_t hint) { return static_cast<int>(hint >> 10 & 127); }
  static int move(std::uint32_t hint) { return static_cast<int>(hint >> 4 & 63); }
};

}  // namespace ludus::cantris
