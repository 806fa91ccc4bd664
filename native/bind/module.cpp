// The Python module `ludus._native`: states as Python objects. Knows the interface of the registry and nothing of any
// game.
#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <future>

#include "bind/registry.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace ludus;

namespace {

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

/// The bytes of a Python string; unpaired surrogates, which UTF-8 cannot say, become question marks.
std::string utf8(nb::str text) {
  const nb::object bytes = nb::steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "replace"));
  return {PyBytes_AS_STRING(bytes.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.ptr()))};
}

nb::tuple moves_tuple(const std::vector<std::string>& moves) {
  nb::list list;
  for (const auto& move : moves) list.append(nb::str(move.data(), move.size()));
  return nb::tuple(list);
}

nb::object outcome(const PyState& state) {
  const Verdict verdict = state->verdict();
  if (verdict == Verdict::open) return nb::none();
  const nb::object type = nb::module_::import_("ludus.game").attr("Outcome");
  if (verdict == Verdict::tie) return type(nb::none(), "rules");
  return type(static_cast<int>(verdict) - 1, "rules");
}

/// The CPU time that other threads have used on behalf of this one.
thread_local std::int64_t cpu_nanoseconds_elsewhere = 0;

/// The CPU time of the calling thread and of all that it has asked this module for.
double cpu_seconds() {
  return 1e-9 * static_cast<double>(thread_cpu_nanoseconds() + cpu_nanoseconds_elsewhere);
}

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

nb::tuple steps_tuple(const std::vector<Step>& steps) {
  const nb::object type = nb::module_::import_("ludus.game").attr("Step");
  nb::list list;
  for (const Step& step : steps) {
    nb::list cells;
    for (const Cell& cell : step.cells) cells.append(nb::make_tuple(cell.row, cell.col));
    list.append(type(step.kind, nb::tuple(cells), step.points, step.board));
  }
  return nb::tuple(list);
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
  if (hard_seconds <= 0) {
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

/// A message as Python has it: `ludus.messages.Message(code, **parameters)`.
nb::object to_python(const Message& message) {
  nb::dict parameters;
  for (const auto& [name, value] : message.parameters) {
    parameters[name.c_str()] = std::visit(
        [](const auto& one) -> nb::object {
          if constexpr (std::is_same_v<std::decay_t<decltype(one)>, Message>) {
            return to_python(one);
          } else {
            return nb::cast(one);
          }
        },
        value);
  }
  return nb::module_::import_("ludus.messages").attr("Message")(message.code, **parameters);
}

/// Our errors are Python classes of `ludus.errors`; this carries the C++ ones over.
void translate(const std::exception_ptr& raised, void*) {
  auto raise = [](const char* type, auto&&... arguments) {
    const nb::object error_type = nb::module_::import_("ludus.errors").attr(type);
    const nb::object error = error_type(arguments...);
    PyErr_SetObject(error_type.ptr(), error.ptr());
  };
  try {
    std::rethrow_exception(raised);
  } catch (const IllegalMove& error) {
    raise("IllegalMove", to_python(error.message));
  } catch (const ParseFault& error) {
    raise("ParseError", to_python(error.message), 1, error.column);
  }
}

}  // namespace

NB_MODULE(_native, m) {
  m.doc() = "The compiled core of Ludus.";
  nb::register_exception_translator(translate);

  nb::class_<PyState>(m, "State", "A position of a game. Immutable, hashable, comparable, picklable.")
      .def_prop_ro(
          "game", [](const PyState& s) { return s.game(); }, "The game, with its options, that this is a state of.")
      .def_prop_ro(
          "side", [](const PyState& s) { return static_cast<int>(s->side()); },
          "Whose move it is: 0 the first player, 1 the second.")
      .def_prop_ro(
          "legal_moves", [](const PyState& s) { return moves_tuple(s->legal_moves()); },
          "The moves as texts, in a fixed order; empty exactly when the game is over.")
      .def_prop_ro("outcome", outcome, "None while the game goes on.")
      .def_prop_ro(
          "scores",
          [](const PyState& s) -> std::optional<std::pair<int, int>> {
            const auto scores = s->scores();
            if (!scores) return std::nullopt;
            return std::pair{(*scores)[0], (*scores)[1]};
          },
          "The points of (first, second), or None in a game without points.")
      .def_prop_ro(
          "text", [](const PyState& s) { return s->text(); }, "The position as one line; `parse` reads it.")
      .def_prop_ro(
          "key", [](const PyState& s) { return s->key(); },
          "64 bits that stand for all that the rest of the game depends on.")
      .def_prop_ro(
          "canonical", [](const PyState& s) { return s.with(s->canonical()); },
          "The one state that stands for this and its mirror images.")
      .def_prop_ro(
          "evaluation", [](const PyState& s) { return s->evaluation(); },
          "How well the side to move stands, by the plain evaluation, in the game's own unit.")
      .def(
          "play", [](const PyState& s, nb::str move) { return s.with(s->play(utf8(move))); }, "move"_a,
          "The state after a move. IllegalMove says why a move is not allowed.")
      .def(
          "move_name", [](const PyState& s, nb::str move) { return s->move_name(utf8(move)); }, "move"_a,
          "The name that `legal_moves` has for a move that is written in any allowed way.")
      .def(
          "random_length", [](const PyState& s, std::uint64_t seed) { return s->random_length(seed); }, "seed"_a,
          "How many moves a game of random moves from here takes.")
      .def_prop_ro(
          "most_moves", [](const PyState& s) { return s->max_moves_left(); },
          "A number of moves that no game from here exceeds, or None where the rules do not tell.")
      .def(
          "steps", [](const PyState& s, nb::str move) { return steps_tuple(s->steps(utf8(move))); }, "move"_a,
          "What happens on the board when that move is played, one thing after the other.")
      .def("__eq__",
           [](const PyState& a, nb::object other) {
             if (!nb::isinstance<PyState>(other)) return false;
             const auto& b = nb::cast<const PyState&>(other);
             return a->equals(*b) && a.game().equal(b.game());
           })
      .def("__hash__", [](const PyState& s) { return static_cast<Py_ssize_t>(s->key()); })
      .def("__str__", [](nb::handle self) { return nb::cast<std::string>(self.attr("game").attr("draw")(self)); })
      .def("__repr__",
           [](const PyState& s) { return nb::cast<std::string>(nb::repr(s.game())) + ".parse('" + s->text() + "')"; })
      .def("__reduce__",
           [](const PyState& s) { return nb::make_tuple(s.game().attr("parse"), nb::make_tuple(s->text())); });

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

  nb::class_<AnyGame>(m, "NativeGame", "The rules of one game with its options settled.")
      .def(
          "initial",
          [](const AnyGame& g, nb::object owner, std::uint64_t seed) { return PyState(owner, g.initial(seed)); },
          "owner"_a, "seed"_a)
      .def(
          "parse", [](const AnyGame& g, nb::object owner, nb::str text) { return PyState(owner, g.parse(utf8(text))); },
          "owner"_a, "text"_a)
      .def("make_engine", &AnyGame::make_engine, "table_bytes"_a)
      .def("random_plies", &AnyGame::random_plies, "games"_a, "seed"_a, nb::call_guard<nb::gil_scoped_release>(),
           "Plays random games at full speed; the number of plies played.");

  m.def(
      "make_game",
      [](const std::string& name, std::map<std::string, std::string> options) {
        return make_game(name, Options(std::move(options)));
      },
      "name"_a, "options"_a);
  m.def("cpu_seconds", cpu_seconds, "The CPU time of the calling thread and of the searches that it has asked for.");
  m.def(
      "perft",
      [](const PyState& state, int depth) {
        return interruptible([&](const std::atomic<bool>& stop) { return state->perft(depth, stop); });
      },
      "state"_a, "depth"_a, "Number of move sequences of that length.");
  m.def("look_ahead", look_ahead, "state"_a, "method"_a, "depth"_a, "evaluator"_a,
        "(move, value, nodes, depth) of a search of the textbook: minimax, alphabeta, ordering or table.");
  m.def("play_out", play_out, "state"_a, "playouts"_a, "seed"_a,
        "(move, value, nodes, depth) of a Monte Carlo tree search.");
}
