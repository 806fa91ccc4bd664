// Plays random games and prints the number of plies: what `make bench-instructions` counts under callgrind.
// Usage: playouts GAME GAMES name=value...
#include <cstdlib>
#include <iostream>

#include "bind/registry.hpp"

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: playouts GAME GAMES name=value...\n";
    return 2;
  }
  const auto game = ludus::make_game(argv[1], ludus::Options(argv + 3, argv + argc));
  std::cout << game->random_plies(std::strtoull(argv[2], nullptr, 10), 1) << '\n';
}
