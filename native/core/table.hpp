// The transposition table: what earlier searches found out about a position, shared by all threads without a lock.
// Knows keys and numbers, no game.
//
// The race, and why it is harmless: a slot is two words, `data` and `key ^ data`, each atomic by itself but not
// together. A reader that meets a half-written slot gets words of two different entries, whose exclusive or is not
// its key (but for one chance in 2^64 a probe), and takes the slot for empty. Nothing is ever waited for.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/memory.hpp"

namespace ludus {

/// What a value says about the true one.
enum class Bound : std::uint8_t { none, lower, upper, exact };

/// One finding. `depth` is how far it looked; `complete` means that it looked to the end of every line that counts.
struct Finding {
  static constexpr int complete_depth = 255;

  int value = 0;  ///< within 24 bits
  int depth = 0;  ///< 0..254, or complete_depth
  Bound bound = Bound::none;
  std::uint16_t move = 0;  ///< index into the position's list of legal moves

  bool complete() const { return depth == complete_depth; }
};

class Table {
 public:
  /// Takes the largest power of two of slots that fits into so many bytes; at least one bucket.
  explicit Table(std::size_t size)
      : mask_(std::bit_floor(std::max(size / sizeof(Bucket), std::size_t{1})) - 1),
        memory_((mask_ + 1) * sizeof(Bucket)),
        buckets_(static_cast<Bucket*>(memory_.start())) {
    memory_.prefer_large_pages();
  }

  std::size_t bytes() const { return memory_.bytes(); }

  void clear() {
    memory_.clear();
    age_ = 0;
  }

  /// A new search has begun: entries of older ones are replaced first.
  void grow_older() { age_ = static_cast<std::uint8_t>((age_ + 1) & 63); }

  void prefetch(std::uint64_t key) const { __builtin_prefetch(&buckets_[key & mask_]); }

  std::optional<Finding> find(std::uint64_t key) const {
    for (const Slot& slot : buckets_[key & mask_].slots) {
      const std::uint64_t data = slot.data.load(std::memory_order_relaxed);
      if (data != 0 && (slot.check.load(std::memory_order_relaxed) ^ data) == key) return unpack(data);
    }
    return std::nullopt;
  }

  /// Stores a finding over the same key, an empty slot, or the slot whose loss costs least.
  void store(std::uint64_t key, const Finding& finding) {
    Slot* victim = nullptr;
    int least = 1 << 30;
    for (Slot& slot : buckets_[key & mask_].slots) {
      const std::uint64_t data = slot.data.load(std::memory_order_relaxed);
      if (data == 0 || (slot.check.load(std::memory_order_relaxed) ^ data) == key) {
        victim = &slot;
        break;
      }
      const int worth = unpack(data).depth - 8 * ((age_ - age_of(data)) & 63);
      if (worth < least) least = worth, victim = &slot;
    }
    const std::uint64_t data = pack(finding);
    victim->data.store(data, std::memory_order_relaxed);
    victim->check.store(key ^ data, std::memory_order_relaxed);
  }

  /// Thousandths of the table in use by the current search, from a sample.
  int permille() const {
    const std::size_t sample = std::min<std::size_t>(mask_ + 1, 250);
    int used = 0;
    for (std::size_t i = 0; i < sample; ++i) {
      for (const Slot& slot : buckets_[i].slots) {
        const std::uint64_t data = slot.data.load(std::memory_order_relaxed);
        used += data != 0 && age_of(data) == age_;
      }
    }
    return static_cast<int>(static_cast<std::size_t>(used) * 1000 / (4 * sample));
  }

 private:
  // data, from the low end: value 24, depth 8, bound 2, age 6, move 16.
  std::uint64_t pack(const Finding& f) const {
    return (static_cast<std::uint64_t>(f.value) & 0xFFFFFF) | static_cast<std::uint64_t>(f.depth) << 24 |
           static_cast<std::uint64_t>(f.bound) << 32 | static_cast<std::uint64_t>(age_) << 34 |
           static_cast<std::uint64_t>(f.move) << 40;
  }
  static Finding unpack(std::uint64_t data) {
    Finding f;
    f.value = static_cast<std::int32_t>(static_cast<std::uint32_t>(data) << 8) >> 8;
    f.depth = static_cast<int>((data >> 24) & 0xFF);
    f.bound = static_cast<Bound>((data >> 32) & 3);
    f.move = static_cast<std::uint16_t>(data >> 40);
    return f;
  }
  static int age_of(std::uint64_t data) { return static_cast<int>((data >> 34) & 63); }

  struct Slot {
    std::atomic<std::uint64_t> check, data;  // all zero is empty, which is what fresh pages are
  };
  struct alignas(64) Bucket {
    Slot slots[4];
  };

  std::size_t mask_;
  ZeroedMemory memory_;
  Bucket* buckets_;
  std::uint8_t age_ = 0;
};

}  // namespace ludus
