// Many states at once in Python: arrays that show the memory of a batch, without copies. Knows the interface of the
// registry and nothing of any game.
#include <nanobind/ndarray.h>
#include <nanobind/stl/unique_ptr.h>

#include "bind/python.hpp"

using namespace nanobind::literals;

namespace ludus {
namespace {

using Actions = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// An array of NumPy's over memory of a batch, which it keeps alive.
template <class Element, class Stored>
nb::object array(nb::handle batch, Column<Stored>& memory, std::initializer_list<std::size_t> shape) {
  static_assert(sizeof(Element) == sizeof(Stored));
  auto* data = reinterpret_cast<Element*>(memory.data());
  return nb::cast(nb::ndarray<nb::numpy, Element>(data, shape, batch));
}

/// Threads of Python may run meanwhile, and those that use the batch wait for their turn. For a few states it is not
/// worth it: there Python's own lock sees to the turns.
template <class Work>
auto unlocked(const Batch& batch, Work work) {
  if (batch.options.states < 64) return work();
  nb::gil_scoped_release release;
  const std::lock_guard turn(batch.turn);
  return work();
}

nb::dict arrays(nb::handle self) {
  auto& batch = nb::cast<Batch&>(self);
  const std::size_t n = batch.options.states;
  nb::dict result;
  result["legal"] = array<bool>(self, batch.legal, {n, batch.action_count});
  result["done"] = array<bool>(self, batch.done, {n});
  result["sides"] = array<std::int8_t>(self, batch.sides, {n});
  result["actions"] = array<std::int32_t>(self, batch.actions, {n});
  result["observations"] = array<float>(self, batch.observations, {n, batch.plane_cells});
  result["rewards"] = array<float>(self, batch.rewards, {n, 2});
  result["seeds"] = array<std::uint64_t>(self, batch.seeds, {n});
  result["random"] = array<std::uint64_t>(self, batch.random, {n});
  return result;
}

/// Plays the chosen actions; the slot of one that is not legal, or -1.
std::ptrdiff_t step(Batch& batch, Actions chosen) {
  if (chosen.shape(0) != batch.options.states) throw nb::value_error("a batch takes one action for each of its states");
  return unlocked(batch, [&] { return batch.step(chosen.data()); });
}

}  // namespace

void bind_batches(nb::module_& m) {
  nb::class_<Batch>(m, "Batch", "Many states of one game, and the arrays that show them.")
      .def("arrays", arrays, "The arrays by name; each shows the batch as it is, without a copy.")
      .def("step", step, "chosen"_a, "Play one action in each state; the slot of one that is not legal, or -1.")
      .def(
          "reset", [](Batch& b, std::uint64_t seed) { unlocked(b, [&] { b.reset(seed); }); }, "seed"_a,
          "Begin new games.")
      .def(
          "random_steps",
          [](Batch& b, std::uint64_t count) { return unlocked(b, [&] { return b.random_steps(count); }); }, "count"_a,
          "Play that many random moves in each slot; how many games ended.")
      .def(
          "choose_randomly", [](Batch& b) { unlocked(b, [&] { b.choose_randomly(); }); },
          "Fill the array `actions` with random legal ones.")
      .def(
          "state",
          [](const Batch& b, nb::object owner, std::size_t slot) {
            return PyState(std::move(owner), unlocked(b, [&] { return b.state(slot); }));
          },
          "owner"_a, "slot"_a)
      .def(
          "put", [](Batch& b, std::size_t slot, const PyState& state) { unlocked(b, [&] { b.put(slot, *state); }); },
          "slot"_a, "state"_a);

  nb::borrow<nb::class_<AnyGame>>(m.attr("NativeGame"))
      .def(
          "make_batch",
          [](const AnyGame& game, std::size_t states, std::uint64_t seed, int threads, bool auto_reset, bool points) {
            return game.make_batch({states, seed, threads, auto_reset, points});
          },
          "states"_a, nb::kw_only(), "seed"_a, "threads"_a, "auto_reset"_a, "points"_a);
}

}  // namespace ludus
