// Random bytes into every game by its text: options, positions and moves that are almost right, or nothing at all.
// What is read must survive its text, its moves and its picture; what is not must be an error with a message. Built
// with sanitizers, which stop it at the first wrong access; the input is printed then too. Knows no game.
// Usage: fuzz GAMES_FOLDER [--inputs N] [--seconds N] [--seed N]
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "bind/registry.hpp"

// Of the sanitizers, where there are any: called before they end the program.
extern "C" void __sanitizer_set_death_callback(void (*callback)()) __attribute__((weak));

namespace {

using namespace ludus;

using Values = std::map<std::string, std::string>;

/// What is being tried, to be shown if it goes wrong.
std::string current;

std::string printable(std::string_view text) {
  std::string shown;
  for (const char c : text) {
    char escaped[8];
    std::snprintf(escaped, sizeof escaped, c >= ' ' && c < 127 && c != '\\' ? "%c" : "\\x%02x",
                  static_cast<unsigned char>(c));
    shown += escaped;
  }
  return shown;
}

void show_current() {
  std::fprintf(stderr, "the input was: %s\n", current.c_str());
}

[[noreturn]] void wrong(const std::string& what) {
  std::cout << "WRONG: " << what << '\n';
  show_current();
  std::exit(1);
}

void expect(bool truth, const char* what) {
  if (!truth) wrong(what);
}

/// Changes a text in a few places, by the signs that texts of games are made of or by any bytes.
std::string mutated(std::string text, Random& random) {
  static const std::string signs = "0123456789./-#*rbxo ABCZaz,:=\n\r\t\0\xff\x80";
  for (auto changes = random.below(5); changes > 0; --changes) {
    const auto at = random.below(static_cast<std::uint32_t>(text.size() + 1));
    const auto size = 1 + random.below(6);
    switch (random.below(6)) {
      case 0:
        text.insert(at, size, signs[random.below(static_cast<std::uint32_t>(signs.size()))]);
        break;
      case 1:
        text.insert(text.begin() + at, static_cast<char>(random.below(256)));
        break;
      case 2:
        text.erase(at, size);
        break;
      case 3:
        text.insert(at, text.substr(random.below(static_cast<std::uint32_t>(text.size() + 1)), size * 8));
        break;
      case 4:
        text.insert(at, std::to_string(random.next() >> random.below(64)));
        break;
      default:
        if (at < text.size()) text[at] = signs[random.below(static_cast<std::uint32_t>(signs.size()))];
    }
  }
  return text;
}

std::string random_bytes(Random& random) {
  std::string bytes(random.below(40), ' ');
  for (char& byte : bytes) byte = static_cast<char>(random.below(256));
  return bytes;
}

/// A position whatever it came from: its text leads back to it, and what it says of itself agrees.
/// One that was `played` from a position that no game reaches may be judged otherwise when it is read: in Chain
/// Reaction `r1./.. 1 1`, then A2, where the second side has not moved yet, is open, and its text is won.
void check_state(const AnyGame& game, const AnyState& state, Random& random, bool played) {
  const auto text = state.text();
  const auto again = game.parse(text);
  expect(played || again->equals(state), "a round trip");
  expect(again->text() == text, "the text of a round trip");
  const auto moves = state.legal_moves();
  expect(moves.empty() == (state.verdict() != Verdict::open), "moves exactly in an open game");
  const auto whole = state.canonical();
  expect(whole->canonical()->text() == whole->text(), "canonical twice");
  expect(whole->legal_moves().size() == moves.size(), "the moves of the canonical state");
  state.scores();
  state.evaluation();
  const auto most = state.max_moves_left();
  const auto length = state.random_length(random.next());
  expect(!most || length <= static_cast<std::uint64_t>(*most), "no game is longer than the longest");
  const std::atomic<bool> stop{false};
  expect(state.perft(1, stop) == moves.size(), "perft of one ply");
}

/// A move written in any way: its name, its play and its steps agree, or all refuse it.
std::unique_ptr<AnyState> try_move(const AnyState& state, const std::string& move) {
  const auto attempt = [&](auto work) {
    try {
      work();
      return true;
    } catch (const IllegalMove& refusal) {
      expect(!refusal.message.code.empty(), "a refusal has a code");
      return false;
    }
  };
  std::unique_ptr<AnyState> next;
  std::string name;
  std::vector<Step> steps;
  const bool plays = attempt([&] { next = state.play(move); });
  expect(attempt([&] { name = state.move_name(move); }) == plays, "a name for what can be played");
  expect(attempt([&] { steps = state.steps(move); }) == plays, "steps for what can be played");
  if (!plays) return nullptr;
  const auto moves = state.legal_moves();
  expect(std::find(moves.begin(), moves.end(), name) != moves.end(), "the name of a legal move");
  expect(state.play(name)->equals(*next), "the same by its name");
  const auto after = next->text();
  expect(!steps.empty() && steps.back().board == after.substr(0, after.find(' ')), "steps that end where play ends");
  return next;
}

/// What inputs begin with: options and positions of one game, from its perft table and from games that were read.
struct Seeds {
  std::string name;
  std::vector<Values> options;
  std::vector<std::string> texts;
};

Seeds read_seeds(const std::string& name, const std::filesystem::path& file) {
  Seeds seeds{name, {}, {}};
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    const auto semicolon = line.find(';');
    if (line.empty() || line[0] == '#' || semicolon == std::string::npos) continue;
    std::istringstream words(line.substr(0, semicolon));
    Values values;
    for (std::string word; words >> word;) {
      if (const auto at = word.find('='); at != std::string::npos) values[word.substr(0, at)] = word.substr(at + 1);
    }
    seeds.options.push_back(values);
    const auto text = line.substr(semicolon + 1, line.find(';', semicolon + 1) - semicolon - 1);
    const auto begin = text.find_first_not_of(' '), end = text.find_last_not_of(' ');
    if (begin != std::string::npos) seeds.texts.push_back(text.substr(begin, end - begin + 1));
  }
  return seeds;
}

/// One input: a game with options, a position, and a few moves.
void try_one(Seeds& seeds, Random& random) {
  const auto chosen = random.below(static_cast<std::uint32_t>(seeds.options.size()));
  Values values = seeds.options[chosen];
  for (auto& [name, value] : values) {
    if (random.below(6) == 0) value = random.below(2) ? std::to_string(random.below(30)) : mutated(value, random);
  }
  current = seeds.name;
  for (const auto& [name, value] : values) current += " " + name + "=" + printable(value);
  std::shared_ptr<const AnyGame> game;
  try {
    game = make_game(seeds.name, Options(values));
  } catch (const std::invalid_argument&) {
    return;
  }
  std::string text = seeds.texts[random.below(static_cast<std::uint32_t>(seeds.texts.size()))];
  if (random.below(3) == 0) text = game->initial(random.next())->text();
  text = random.below(8) == 0 ? random_bytes(random) : mutated(text, random);
  current += " ; " + printable(text);
  std::unique_ptr<AnyState> state;
  try {
    state = game->parse(text);
  } catch (const ParseFault& fault) {
    expect(!fault.message.code.empty() && fault.column >= 1, "a fault has a code and a place");
    return;
  }
  check_state(*game, *state, random, false);
  for (int ply = 0; ply < 4; ++ply) {
    const auto moves = state->legal_moves();
    std::string move = moves.empty() ? "A1" : moves[random.below(static_cast<std::uint32_t>(moves.size()))];
    if (random.below(2)) move = random.below(4) ? mutated(move, random) : random_bytes(random);
    const auto before = current.size();
    current += " ; " + printable(move);
    if (auto next = try_move(*state, move)) {
      state = std::move(next);
      check_state(*game, *state, random, true);
      if (seeds.texts.size() < 512)
        seeds.texts.push_back(state->text());
      else
        seeds.texts[random.below(512)] = state->text();
    } else {
      current.resize(before);
    }
  }
}

std::uint64_t number_after(int argc, char** argv, const std::string& name, std::uint64_t otherwise) {
  for (int i = 2; i + 1 < argc; ++i) {
    if (argv[i] == name) return std::stoull(argv[i + 1]);
  }
  return otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: fuzz GAMES_FOLDER [--inputs N] [--seconds N] [--seed N]\n";
    return 2;
  }
  if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(show_current);
  const auto seconds = number_after(argc, argv, "--seconds", 0);
  const auto most = number_after(argc, argv, "--inputs", seconds ? ~std::uint64_t{0} : 20'000);
  Random random(number_after(argc, argv, "--seed", 1));
  std::vector<Seeds> all;
  for (const auto& name : game_names()) {
    std::string folder = name;
    for (char& c : folder) c = c == '-' ? '_' : c;
    all.push_back(read_seeds(name, std::filesystem::path(argv[1]) / folder / "perft.txt"));
    if (all.back().texts.empty()) wrong("no positions of " + name);
  }
  const auto began = std::chrono::steady_clock::now();
  std::uint64_t inputs = 0;
  for (; inputs < most; ++inputs) {
    if (seconds && inputs % 256 == 0 && std::chrono::steady_clock::now() - began > std::chrono::seconds(seconds)) break;
    try {
      try_one(all[inputs % all.size()], random);
    } catch (const std::exception& error) {
      wrong(std::string("an error without a message: ") + error.what());
    }
  }
  std::cout << inputs << " inputs into " << all.size() << " games, nothing found\n";
  return 0;
}
