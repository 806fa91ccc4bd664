// The searches in Python: evaluations, the searches of the textbook, the engine. Bots get nothing of this. Knows the
// interface of the registry and nothing of any game.
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "bind/python.hpp"

using namespace nanobind::literals;

namespace ludus {
namespace {

/// The CPU time of the calling thread and of all that it has asked this module for.
double cpu_seconds() {
  return 1e-9 * static_cast<double>(thread_cpu_nanoseconds() + cpu_nanoseconds_elsewhere);
}

using Chosen = std::tuple<std::string, double, std::uint64_t, int>;

/// Lets a search choose, with what it needs checked first, so that it can trust it.
template <class Search>
Chosen choose(const PyState& state, Search search) {
  if (state->verdict() != Verdict::open) throw nb::value_error("the game is over, there is no move to choose");
  const auto choice = interruptible(search);
  return {choice.move, choice.value, choice.nodes, choice.depth};
}

Chosen look_ahead(const PyState& state, const std::string& method, int depth, const std::string& evaluator) {
  static const std::map<std::string, Method> methods{{"minimax", Method::minimax},
                                                     {"alphabeta", Method::alphabeta},
                                                     {"ordering", Method::ordering},
                                                     {"table", Method::table}};
  if (depth < 1 || depth > max_look_ahead) throw nb::value_error("the depth must be from 1 to 100");
  return choose(state, [&, found = methods.at(method)](const std::atomic<bool>& stop) {
    return state->look_ahead(found, depth, evaluator, stop);
  });
}

Chosen play_out(const PyState& state, std::uint32_t playouts, std::uint64_t seed) {
  if (playouts < 1 || playouts > max_playouts) throw nb::value_error("the play-outs must be from 1 to 10,000,000");
  return choose(state, [&](const std::atomic<bool>& stop) { return state->play_out(playouts, seed, stop); });
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Counts for the calling thread what the engine's threads have used since the last time, pondering included.
void count_cpu(Engine& engine) {
  cpu_nanoseconds_elsewhere += engine.take_cpu_nanoseconds();
}

/// Thinks until a limit, a proof, the deadline, Ctrl-C, or until `progress(info)` returns a true value. Without any
/// time no thread is started: the engine's first answer has to do.
SearchInfo think(Engine& engine, const PyState& state, const Limits& limits, double hard_seconds, nb::object progress) {
  if (!(hard_seconds > 0)) {  // what is no number, too
    engine.answer_at_once(*state);
    count_cpu(engine);
    return engine.info();
  }
  const auto began = std::chrono::steady_clock::now();
  engine.start(*state, limits);
  int reported_depth = 0;
  for (bool finished = false; !finished;) {
    const double left = hard_seconds - seconds_since(began);
    if (left <= 0) break;
    {
      nb::gil_scoped_release release;
      finished = engine.wait(std::chrono::microseconds(static_cast<long>(1e6 * std::min(left, 0.02))));
    }
    if (PyErr_CheckSignals() != 0) {
      engine.stop();
      throw nb::python_error();
    }
    if (!progress.is_none()) {
      const SearchInfo info = engine.info();
      if (info.depth > reported_depth) {
        reported_depth = info.depth;
        if (nb::cast<bool>(nb::bool_(progress(info)))) break;
      }
    }
  }
  // The deadline is kept even where the search's own threads wait for a core: what is published by now has to do.
  nb::gil_scoped_release release;
  engine.ask_stop();
  engine.wait(std::chrono::milliseconds(3));
  count_cpu(engine);
  return engine.info();
}

}  // namespace

void bind_searches(nb::module_& m) {
  nb::borrow<nb::class_<PyState>>(m.attr("State"))
      .def_prop_ro(
          "evaluation", [](const PyState& s) { return s->evaluation(); },
          "How well the side to move stands, by the plain evaluation, in the game's own unit.");

  nb::class_<Variation>(m, "Variation", "A line of play, and what it is worth to the side to move.")
      .def_ro("moves", &Variation::moves)
      .def_ro("value", &Variation::value)
      .def_ro("win_chance", &Variation::win_chance)
      .def_ro("exact", &Variation::exact)
      .def_ro("plies_to_end", &Variation::plies_to_end);

  nb::class_<SearchInfo>(m, "SearchInfo", "What a search has found so far.")
      .def_ro("depth", &SearchInfo::depth)
      .def_ro("nodes", &SearchInfo::nodes)
      .def_ro("seconds", &SearchInfo::seconds)
      .def_ro("table_permille", &SearchInfo::table_permille)
      .def_ro("lines", &SearchInfo::lines);

  nb::class_<Engine>(m, "Engine", "A search for one game, with a table that it keeps from position to position.")
      .def(
          "think",
          [](Engine& engine, const PyState& state, int depth, std::uint64_t nodes, double soft_seconds,
             double hard_seconds, int threads, int lines, bool win_only, nb::object progress) {
            const Limits limits{depth, nodes, soft_seconds, threads, lines, win_only};
            return think(engine, state, limits, hard_seconds, progress);
          },
          "state"_a, nb::kw_only(), "depth"_a, "nodes"_a, "soft_seconds"_a, "hard_seconds"_a, "threads"_a, "lines"_a,
          "win_only"_a, "progress"_a.none(),
          "Think until a limit, a proof, the hard deadline, or until `progress(info)` returns a true value.")
      .def(
          "ponder",
          [](Engine& engine, const PyState& state, int threads) {
            Limits limits;
            limits.threads = threads;
            engine.start(*state, limits);
          },
          "state"_a, "threads"_a, "Think in the background, to fill the table, until the next call.")
      .def("stop", &Engine::stop, nb::call_guard<nb::gil_scoped_release>())
      .def("clear", &Engine::clear, nb::call_guard<nb::gil_scoped_release>(), "Forget everything learned.");

  nb::borrow<nb::class_<AnyGame>>(m.attr("NativeGame")).def("make_engine", &AnyGame::make_engine, "table_bytes"_a);

  m.def("cpu_seconds", cpu_seconds, "The CPU time of the calling thread and of the searches that it has asked for.");
  m.def("look_ahead", look_ahead, "state"_a, "method"_a, "depth"_a, "evaluator"_a,
        "(move, value, nodes, depth) of a search of the textbook: minimax, alphabeta, ordering or table.");
  m.def("play_out", play_out, "state"_a, "playouts"_a, "seed"_a,
        "(move, value, nodes, depth) of a Monte Carlo tree search.");
}

}  // namespace ludus
