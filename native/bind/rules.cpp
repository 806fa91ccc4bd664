// The rules in Python: states, games, perft. All of it is in the module that bots get, so nothing that searches belongs
// here. Knows the interface of the registry and nothing of any game.
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "bind/python.hpp"

using namespace nanobind::literals;

namespace ludus {
namespace {

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

nb::object play_action(const PyState& state, int action) {
  auto next = state->play_action(action);
  if (next) return nb::cast(state.with(std::move(next)));
  const auto text = nb::cast<std::string>(state.game().attr("actions").attr("text")(action));
  (void)state->play(text);  // says why, unless the text is another name of a legal move
  throw IllegalMove({"rules.illegal.other_name", {{"move", text}, {"name", state->move_name(text)}}});
}

/// The position as an array of NumPy's, which is imported only here.
nb::ndarray<nb::numpy, float, nb::ndim<3>> planes(const PyState& state, std::optional<int> side) {
  if (side && (*side < 0 || *side > 1)) throw nb::value_error("a side is 0 or 1");
  static std::atomic<bool> numpy_is_there{false};
  if (!numpy_is_there) nb::module_::import_("ludus.encoding").attr("needed")("numpy");  // says what to install
  numpy_is_there = true;
  auto* found = new Planes(state->planes(side ? static_cast<Side>(*side) : state->side()));
  const nb::capsule owner(found, [](void* it) noexcept { delete static_cast<Planes*>(it); });
  return {found->values.data(), {found->shape[0], found->shape[1], found->shape[2]}, owner};
}

nb::tuple images(const PyState& state) {
  nb::list list;
  for (auto& image : state->images()) list.append(state.with(std::move(image)));
  return nb::tuple(list);
}

/// (texts of the actions, names of the planes, (rows, columns), symmetries), each of the last as
/// (mirror, flip, transpose, where each action goes).
nb::tuple encoding(const AnyGame& game) {
  const Encoding found = game.encoding();
  nb::list symmetries;
  for (const auto& [symmetry, actions] : found.symmetries) {
    symmetries.append(nb::make_tuple(symmetry.mirror, symmetry.flip, symmetry.transpose, actions));
  }
  return nb::make_tuple(moves_tuple(found.action_texts), moves_tuple(found.plane_names),
                        nb::make_tuple(found.size.rows, found.size.cols), nb::tuple(symmetries));
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

void bind_rules(nb::module_& m) {
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
      .def(
          "play", [](const PyState& s, nb::str move) { return s.with(s->play(utf8(move))); }, "move"_a,
          "The state after a move. IllegalMove says why a move is not allowed.")
      .def_prop_ro(
          "legal_actions", [](const PyState& s) { return nb::tuple(nb::cast(s->legal_actions())); },
          "The legal moves as numbers, ascending; `game.actions` has their texts.")
      .def("play_action", play_action, "action"_a, "The state after a move by its number.")
      .def("planes", planes, "side"_a = nb::none(),
           "The position as an array (planes, rows, columns) of float32, as a side sees it: the one to move, or the "
           "given one.")
      .def_prop_ro("images", images, "The state under each of the game's symmetries but the identity.")
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

  nb::class_<AnyGame>(m, "NativeGame", "The rules of one game with its options settled.")
      .def(
          "initial",
          [](const AnyGame& g, nb::object owner, std::uint64_t seed) { return PyState(owner, g.initial(seed)); },
          "owner"_a, "seed"_a)
      .def(
          "parse", [](const AnyGame& g, nb::object owner, nb::str text) { return PyState(owner, g.parse(utf8(text))); },
          "owner"_a, "text"_a)
      .def("encoding", encoding, "Actions, planes and symmetries, as `ludus.encoding` reads them.")
      .def("random_plies", &AnyGame::random_plies, "games"_a, "seed"_a, nb::call_guard<nb::gil_scoped_release>(),
           "Plays random games at full speed; the number of plies played.");

  m.def(
      "make_game",
      [](const std::string& name, std::map<std::string, std::string> options) {
        return make_game(name, Options(std::move(options)));
      },
      "name"_a, "options"_a);
  m.def(
      "perft",
      [](const PyState& state, int depth) {
        if (depth < 0) throw nb::value_error("the depth must be 0 or more");
        return interruptible([&](const std::atomic<bool>& stop) { return state->perft(depth, stop); });
      },
      "state"_a, "depth"_a, "Number of move sequences of that length.");
}

}  // namespace ludus
