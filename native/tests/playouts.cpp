// Plays random games and prints the number of plies: what `make bench-instructions` counts under callgrind.
// Usage: playouts GAME GAMES name=value...
#include <cstdlib>
#include <iostream>

#include "bind/erased.hpp"

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: playouts GAME GAMES name=value...\n";
    return 2;
  }
  std::map<std::string, std::string> options;
  for (int i = 3; i < argc; ++i) {
    const std::string word = argv[i];
    const auto at = word.find('=');
    options[word.substr(0, at)] = word.substr(at + 1);
  }
  const auto game = ludus::make_game(argv[1], ludus::Options(options));
  std::cout << game->random_plies(std::strtoull(argv[2], nullptr, 10), 1) << '\n';
}
