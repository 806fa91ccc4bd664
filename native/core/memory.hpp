// Memory for tables: zeros that the system hands out page by page as they are first touched. Making a large table or
// clearing it therefore takes no time of the move that asks for it. Knows bytes and nothing else.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstring>
#include <new>

namespace ludus {

class ZeroedMemory {
 public:
  explicit ZeroedMemory(std::size_t bytes)
      : bytes_(bytes), start_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    if (start_ == MAP_FAILED) throw std::bad_alloc();
  }
  ~ZeroedMemory() { munmap(start_, bytes_); }
  ZeroedMemory(const ZeroedMemory&) = delete;
  ZeroedMemory& operator=(const ZeroedMemory&) = delete;

  std::size_t bytes() const { return bytes_; }
  void* start() const { return start_; }

  /// All zeros again.
  void clear() { madvise(start_, bytes_, MADV_DONTNEED); }
  /// The same where only the first bytes were touched: a few are faster overwritten than handed out again.
  void clear(std::size_t touched) {
    if (touched > max_overwritten) return clear();
    std::memset(start_, 0, touched);
  }

  /// Asks for large pages from an offset on, a multiple of any page size. Without them random reads are only slower.
  void prefer_large_pages(std::size_t from = 0) {
#ifdef MADV_HUGEPAGE
    if (from < bytes_) madvise(static_cast<std::byte*>(start_) + from, bytes_ - from, MADV_HUGEPAGE);
#endif
  }

 private:
  static constexpr std::size_t max_overwritten = 16 << 20;

  std::size_t bytes_;
  void* start_;
};

}  // namespace ludus
