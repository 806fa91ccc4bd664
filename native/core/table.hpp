// The transposition table: what earlier searches found out about a position, shared by all threads without a lock.
// Knows keys and numbers, no game.
//
// The race, and why it is harmless: a slot is two words, `data` and `key ^ data`, each atomic by itself but not
// together. A reader that meets a half-written slot gets words of two different entries, whose exclusive or is not
// its key (but for one chance in 2^64 a probe), and takes the slot for empty. Nothing is ever waited for.
//
// Fresh memory is not free: on some machines the system takes milliseconds to hand out a large page. So a table begins
// small and grows bucket by bucket as findings get in each other's way (linear hashing): bucket i of a table of
// n <= 2^k buckets holds the keys that end in the k bits of i, or in its lower k - 1 bits where the bucket with the
// k-th bit set is not there yet. Threads that see the size of a moment ago miss or lose a finding, which is harmless.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
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
  /// Whether `found`, this value as the asking position has it, answers a search with that window.
  bool answers(int found, int alpha, int beta) const {
    return bound == Bound::exact || (bound == Bound::lower && found >= beta) ||
           (bound == Bound::upper && found <= alpha);
  }
};

/// What the result of a search with that window says about the true value.
constexpr Bound bound_of(int value, int alpha, int beta) {
  return value >= beta ? Bound::lower : value > alpha ? Bound::exact : Bound::upper;
}

class Table {
 public:
  /// Takes at most the largest power of two of buckets that fits into that many bytes; at least one.
  explicit Table(std::size_t bytes)
      : most_(std::bit_floor(std::max(bytes / sizeof(Bucket), std::size_t{1}))),
        size_(std::min(most_, first_size)),
        memory_(most_ * sizeof(Bucket)),
        buckets_(static_cast<Bucket*>(memory_.start())) {
    memory_.prefer_large_pages(small_bytes);
  }

  std::size_t bytes() const { return memory_.bytes(); }

  void clear() {
    memory_.clear(size_ * sizeof(Bucket));
    size_ = std::min(most_, first_size);
    age_ = 0;
  }

  /// A new search has begun: entries of older ones are replaced first.
  void grow_older() { age_ = static_cast<std::uint8_t>((age_ + 1) & 63); }

  void prefetch(std::uint64_t key) const { __builtin_prefetch(&bucket(key)); }

  [[gnu::always_inline]] std::optional<Finding> find(std::uint64_t key) const {
    for (const Slot& slot : bucket(key).slots) {
      const std::uint64_t data = slot.data.load(std::memory_order_relaxed);
      if (data != 0 && (slot.check.load(std::memory_order_relaxed) ^ data) == key) return unpack(data);
    }
    return std::nullopt;
  }

  /// Stores a finding over the same key, an empty slot, or the slot whose loss costs least.
  void store(std::uint64_t key, const Finding& finding) {
    Slot* victim = nullptr;
    int least = 1 << 30;
    bool full = true;
    for (Slot& slot : bucket(key).slots) {
      const std::uint64_t data = slot.data.load(std::memory_order_relaxed);
      if (data == 0 || (slot.check.load(std::memory_order_relaxed) ^ data) == key) {
        victim = &slot;
        full = false;
        break;
      }
      const int worth = unpack(data).depth - 8 * ((age_ - age_of(data)) & 63);
      if (worth < least) least = worth, victim = &slot;
    }
    const std::uint64_t data = pack(finding);
    victim->data.store(data, std::memory_order_relaxed);
    victim->check.store(key ^ data, std::memory_order_relaxed);
    if (full && size_.load(std::memory_order_relaxed) < most_) grow();
  }

  /// Thousandths of the table in use by the current search, from a sample.
  int permille() const {
    const std::size_t size = size_.load(std::memory_order_relaxed), sample = std::min<std::size_t>(size, 250);
    int used = 0;
    for (std::size_t i = 0; i < sample; ++i) {
      for (const Slot& slot : buckets_[i].slots) {
        const std::uint64_t data = slot.data.load(std::memory_order_relaxed);
        used += data != 0 && age_of(data) == age_;
      }
    }
    return static_cast<int>(static_cast<std::size_t>(used) * 1000 / (4 * sample) * size / most_);
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

  static constexpr std::size_t first_size = 1 << 14;   ///< buckets: one megabyte
  static constexpr std::size_t small_bytes = 8 << 20;  ///< up to here small pages are faster
  static constexpr std::size_t grown_at_once = 8;      ///< buckets for each finding that replaces another

  struct Slot {
    std::atomic<std::uint64_t> check, data;  // all zero is empty, which is what fresh pages are
  };
  struct alignas(64) Bucket {
    Slot slots[4];
  };

  Bucket& bucket(std::uint64_t key) const {
    const std::size_t size = size_.load(std::memory_order_relaxed), range = std::bit_ceil(size);
    const std::size_t index = key & (range - 1);
    return buckets_[index < size ? index : index - range / 2];
  }

  /// Parts a few buckets in two. A thread that finds another at it leaves it to that one.
  void grow() {
    if (growing_.test_and_set(std::memory_order_acquire)) return;
    std::size_t size = size_.load(std::memory_order_relaxed);
    for (const std::size_t end = std::min(most_, size + grown_at_once); size < end; ++size) {
      const std::size_t half = std::bit_floor(size);
      Bucket &from = buckets_[size - half], &to = buckets_[size];
      for (std::size_t i = 0; i < std::size(from.slots); ++i) {
        const std::uint64_t data = from.slots[i].data.load(std::memory_order_relaxed);
        const std::uint64_t check = from.slots[i].check.load(std::memory_order_relaxed);
        if (data == 0 || !((check ^ data) & half)) continue;
        to.slots[i].data.store(data, std::memory_order_relaxed);
        to.slots[i].check.store(check, std::memory_order_relaxed);
        from.slots[i].data.store(0, std::memory_order_relaxed);
      }
    }
    size_.store(size, std::memory_order_relaxed);
    growing_.clear(std::memory_order_release);
  }

  std::size_t most_;
  std::atomic<std::size_t> size_;  ///< buckets in use
  std::atomic_flag growing_;
  ZeroedMemory memory_;
  Bucket* buckets_;
  std::uint8_t age_ = 0;
};

}  // namespace ludus
