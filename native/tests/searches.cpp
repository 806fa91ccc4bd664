// Searches the start and later positions of a game to a number of nodes each, and prints the nodes in all: what
// `make bench-instructions` counts under callgrind. Usage: searches GAME NODES name=value...
#include <cstdlib>
#include <iostream>

#include "bind/registry.hpp"

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: searches GAME NODES name=value...\n";
    return 2;
  }
  const auto game = ludus::make_game(argv[1], ludus::Options(argv + 3, argv + argc));
  const auto engine = game->make_engine(std::size_t{16} << 20);
  ludus::Limits limits;
  limits.nodes = std::strtoull(argv[2], nullptr, 10);
  std::uint64_t nodes = 0;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    auto state = game->initial(seed);
    for (std::uint64_t ply = 0; ply < 3 * seed; ++ply) {
      const auto moves = state->legal_moves();
      state = state->play(moves[(7919 * (ply + 1)) % moves.size()]);
    }
    engine->clear();
    engine->start(*state, limits);
    while (!engine->wait(std::chrono::seconds(1))) {
    }
    nodes += engine->info().nodes;
  }
  std::cout << nodes << '\n';
}
