// Threads that share a loop. Knows indices and nothing of what is done with them.
//
// The caller works too, and takes what nobody has taken, so that a thread that gets no core delays nobody. A piece is
// taken by counting `left_` down; the loop's fields stay as they are until every piece is done (`pending_` is 0), so
// whoever has taken one may read them.
#pragma once

#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace ludus {

class Team {
 public:
  /// The caller counts as one of the threads; the others start when there is work for them.
  explicit Team(int threads) : threads_(threads) {}
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  ~Team() {
    over_ = true;
    wake();
    for (std::thread& helper : helpers_) {
      if (getpid() == process_) {
        helper.join();
      } else {
        helper.detach();  // a copy by fork() has no threads to wait for; it works alone
      }
    }
  }

  /// Calls `work(begin, end)` for pieces of 0 .. count - 1 and returns when all are done.
  template <class Work>
  void run(std::size_t count, const Work& work) {
    const std::size_t pieces = (count + piece - 1) / piece;
    if (pieces <= 1 || threads_ <= 1) return work(std::size_t{0}, count);
    while (helpers_.size() + 1 < static_cast<std::size_t>(threads_)) helpers_.emplace_back([this] { help(); });
    count_ = count;
    work_ = &work;
    call_ = [](const void* what, std::size_t begin, std::size_t end) { (*static_cast<const Work*>(what))(begin, end); };
    pending_.store(pieces, std::memory_order_relaxed);
    left_.store(pieces, std::memory_order_release);
    wake();
    take_pieces();
    for (std::size_t open = pending_.load(); open != 0; open = pending_.load()) pending_.wait(open);
  }

 private:
  static constexpr std::size_t piece = 256;  // a few dozen microseconds of work

  void wake() {
    ++calls_;
    calls_.notify_all();
  }

  void help() {
    for (unsigned seen = 0; !over_;) {
      take_pieces();
      calls_.wait(seen);
      seen = calls_;
    }
  }

  void take_pieces() {
    for (std::size_t left = left_.load(std::memory_order_acquire); left != 0;) {
      if (!left_.compare_exchange_weak(left, left - 1, std::memory_order_acq_rel)) continue;
      const std::size_t begin = (left - 1) * piece;
      call_(work_, begin, begin + piece < count_ ? begin + piece : count_);
      if (pending_.fetch_sub(1) == 1) pending_.notify_one();
      left = left_.load(std::memory_order_acquire);
    }
  }

  const int threads_;
  const pid_t process_ = getpid();
  std::vector<std::thread> helpers_;
  std::atomic<bool> over_{false};
  std::atomic<unsigned> calls_{0};
  std::atomic<std::size_t> left_{0}, pending_{0};
  std::size_t count_ = 0;
  const void* work_ = nullptr;
  void (*call_)(const void*, std::size_t, std::size_t) = nullptr;
};

}  // namespace ludus
