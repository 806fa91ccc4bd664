// What both Python modules share: states as Python objects, and work that Ctrl-C can end. Knows the interface of the
// registry and nothing of any game.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <future>

#include "bind/registry.hpp"

namespace ludus {

namespace nb = nanobind;

/// A state and the Python game that it belongs to.
class PyState {
 public:
  PyState(nb::object game, std::shared_ptr<const AnyState> state) : game_(std::move(game)), state_(std::move(state)) {}
  const nb::object& game() const { return game_; }
  const AnyState& operator*() const { return *state_; }
  const AnyState* operator->() const { return state_.get(); }
  PyState with(std::shared_ptr<const AnyState> state) const { return {game_, std::move(state)}; }

 private:
  nb::object game_;
  std::shared_ptr<const AnyState> state_;
};

/// The CPU time that other threads have used on behalf of this one.
inline thread_local std::int64_t cpu_nanoseconds_elsewhere = 0;

/// Runs `work(stop)` on a thread of its own without the GIL, and lets Ctrl-C end it.
template <class Work>
auto interruptible(Work work) {
  std::atomic<bool> stop{false};
  std::atomic<std::int64_t> used{0};
  auto result = std::async(std::launch::async, [&] {
    const CountCpuTime counted(used);
    return work(stop);
  });
  auto finished = [&] {
    nb::gil_scoped_release release;
    return result.wait_for(std::chrono::milliseconds(20)) == std::future_status::ready;
  };
  while (!finished()) {
    if (PyErr_CheckSignals() != 0) {
      stop = true;
      result.wait();
      throw nb::python_error();
    }
  }
  cpu_nanoseconds_elsewhere += used;
  return result.get();
}

/// Adds what bots may have, too: states, games, perft.
void bind_rules(nb::module_& m);
/// Adds what only players of ours have: evaluations, the searches of the textbook, and the engine.
void bind_searches(nb::module_& m);
/// Adds many states at once, for programs that learn.
void bind_batches(nb::module_& m);

}  // namespace ludus
