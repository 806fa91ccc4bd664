// The core's own tests, run tuned to the machine and under sanitizers: perft tables, and random games in which every
// state must survive its text, its moves and its picture, and the searches of the textbook agree; the table.
// Usage: native_tests GAMES_FOLDER [--quick]
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>

#include "bind/registry.hpp"
#include "core/table.hpp"
#include "core/text.hpp"

namespace {

using namespace ludus;

int passed = 0, failed = 0;

void expect(bool truth, const std::string& what) {
  ++(truth ? passed : failed);
  if (!truth) std::cout << "FAILED: " << what << '\n';
}

std::string trim(const std::string& text) {
  const auto begin = text.find_first_not_of(' '), end = text.find_last_not_of(' ');
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

std::vector<std::string> split(const std::string& line, char by) {
  std::vector<std::string> parts;
  std::istringstream stream(line);
  for (std::string part; std::getline(stream, part, by);) parts.push_back(trim(part));
  return parts;
}

Options read_options(const std::string& text) {
  std::map<std::string, std::string> values;
  for (const auto& word : split(text, ' ')) {
    if (const auto at = word.find('='); at != std::string::npos) values[word.substr(0, at)] = word.substr(at + 1);
  }
  return Options(values);
}

/// One random game: text round trips, legal moves have one name, steps end where play ends.
void check_random_game(const AnyGame& game, std::uint64_t seed, const std::string& label) {
  Random random(seed);
  auto state = game.initial(seed);
  for (int ply = 0; state->verdict() == Verdict::open && ply < 400; ++ply) {
    const auto text = state->text();
    if (!game.parse(text)->equals(*state)) return expect(false, label + ": round trip of " + text);
    if (state->canonical()->canonical()->text() != state->canonical()->text()) {
      return expect(false, label + ": canonical of " + text);
    }
    const auto moves = state->legal_moves();
    if (moves.empty()) return expect(false, label + ": an open game has moves: " + text);
    const auto move = moves[random.below(static_cast<std::uint32_t>(moves.size()))];
    if (state->move_name(move) != move) return expect(false, label + ": name of " + move + " in " + text);
    auto next = state->play(move);
    const auto steps = state->steps(move);
    const auto after = next->text();
    if (steps.back().board != after.substr(0, after.find(' '))) {
      return expect(false, label + ": steps of " + move + " in " + text);
    }
    state->evaluation();
    if (ply % 16 == 5 && moves.size() <= 40) {
      const std::atomic<bool> stop{false};
      const auto slow = state->look_ahead(Method::minimax, 2, "plain", stop);
      const auto quick = state->look_ahead(Method::table, 2, "plain", stop);
      if (slow.move != quick.move || slow.value != quick.value) {
        return expect(false, label + ": minimax and its improvements agree on " + text);
      }
      if (seed % 10 == 0 && ply == 5 && state->play_out(20, seed, stop).move != state->play_out(20, seed, stop).move) {
        return expect(false, label + ": play-outs repeat on " + text);
      }
    }
    state = std::move(next);
  }
  expect(state->verdict() == Verdict::open || state->legal_moves().empty(), label + ": a finished game has no moves");
}

/// Each line of perft.txt: options ; position ; count at depth 1 ; count at depth 2 ; ...
void check_perft(const std::string& name, const std::filesystem::path& file, bool quick) {
  std::ifstream stream(file);
  expect(stream.good(), file.string() + " can be read");
  const std::atomic<bool> stop{false};
  std::set<std::string> played;  // lines of the same options would play the same random games again
  for (std::string line; std::getline(stream, line);) {
    if (line.empty() || line[0] == '#') continue;
    const auto parts = split(line, ';');
    const auto game = make_game(name, read_options(parts[0]));
    const auto state = game->parse(parts[1]);
    for (std::size_t depth = 1; depth + 1 < parts.size(); ++depth) {
      const auto wanted = std::stoull(parts[depth + 1]);
      if (quick && wanted > 20'000) break;
      const auto found = state->perft(static_cast<int>(depth), stop);
      expect(found == wanted, name + " perft " + std::to_string(depth) + " of " + parts[1] + " is " +
                                  std::to_string(found) + ", the table says " + parts[depth + 1]);
    }
    if (!played.insert(parts[0]).second) continue;
    for (std::uint64_t seed = 0; seed < (quick ? 10 : 100); ++seed)
      check_random_game(*game, seed, name + " " + parts[0]);
  }
}

/// A table finds what was stored while it has room, also after it has grown, and nothing after it was cleared.
void check_table() {
  constexpr std::size_t keys = 300'000;
  Table table(std::size_t{64} << 20);
  const auto key = [](std::size_t i) { return (i + 1) * 0x9E3779B97F4A7C15u; };
  const auto found = [&] {
    std::size_t right = 0;
    for (std::size_t i = 0; i < keys; ++i) {
      const auto finding = table.find(key(i));
      right += finding && finding->value == static_cast<int>(i % 1000) - 500 && finding->depth == 7;
    }
    return right;
  };
  for (int round = 0; round < 2; ++round) {
    for (std::size_t i = 0; i < keys; ++i) {
      table.store(key(i), {static_cast<int>(i % 1000) - 500, 7, Bound::exact, static_cast<std::uint16_t>(i)});
    }
    expect(found() > keys * 8 / 10, "the table lost " + std::to_string(keys - found()) + " findings");
    table.clear();
    expect(found() == 0, "the table was cleared, and has " + std::to_string(found()) + " findings");
  }
  Table smallest(1);
  smallest.store(1, {1, 1, Bound::exact, 0});
  expect(smallest.find(1).has_value() && !smallest.find(2), "the smallest table has one bucket");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: native_tests GAMES_FOLDER [--quick]\n";
    return 2;
  }
  const bool quick = argc > 2 && std::string(argv[2]) == "--quick";
  check_table();
  for (const auto& name : game_names()) {
    std::string folder = name;
    for (char& c : folder) c = c == '-' ? '_' : c;
    check_perft(name, std::filesystem::path(argv[1]) / folder / "perft.txt", quick);
  }
  std::cout << passed << " passed, " << failed << " failed\n";
  return failed == 0 ? 0 : 1;
}
