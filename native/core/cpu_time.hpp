// CPU time, counted where it is used: by thread. Knows the system's clock of the calling thread and nothing else.
//
// A process may play several games at once, or ponder for one player while the other is to move, so the CPU time of the
// whole process says nothing about one player. A search runs on threads of its own; each adds what it used to a total.
#pragma once

#include <atomic>
#include <cstdint>
#include <ctime>

namespace ludus {

/// What the calling thread has used so far, in nanoseconds.
inline std::int64_t thread_cpu_nanoseconds() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return std::int64_t{1'000'000'000} * used.tv_sec + used.tv_nsec;
}

/// Adds the CPU time of the calling thread, from here to the end of the scope, to a total.
class CountCpuTime {
 public:
  explicit CountCpuTime(std::atomic<std::int64_t>& total) : total_(total), before_(thread_cpu_nanoseconds()) {}
  CountCpuTime(const CountCpuTime&) = delete;
  CountCpuTime& operator=(const CountCpuTime&) = delete;
  ~CountCpuTime() { total_ += thread_cpu_nanoseconds() - before_; }

 private:
  std::atomic<std::int64_t>& total_;
  std::int64_t before_;
};

}  // namespace ludus
