// Talks to the arena in the protocol `ugi`: the whole game and the clock before every move. Put your own ideas into
// search.h.
//
// Standard output is only for the protocol; print to std::cerr when you debug.

#include <iostream>
#include <sstream>
#include <string>

#include "rules.h"
#include "search.h"

// Reads `position fen TEXT moves M1 M2 ...`: the start, and every move since.
State read_position(const std::string& line) {
  const std::string fen = line.substr(std::string("position fen ").size());
  const std::size_t moves = fen.find(" moves ");
  State state = State::parse(fen.substr(0, moves));
  if (moves != std::string::npos) {
    std::istringstream words(fen.substr(moves + 7));
    for (std::string move; words >> move;) state = state.play(move);
  }
  return state;
}

// Reads `go movetime MS`, or `go p1time MS p2time MS ...`: from a bank, each move gets a small part.
double read_seconds(const std::string& line, int side) {
  std::istringstream words(line);
  std::string word;
  double seconds = 1;
  while (words >> word) {
    double milliseconds = 0;
    if (word == "movetime" && words >> milliseconds) seconds = milliseconds / 1000 * 0.8;
    if (word == (side == 0 ? "p1time" : "p2time") && words >> milliseconds) seconds = milliseconds / 1000 / 40;
  }
  return seconds;
}

int main() {
  State state;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string word, name, option, value;
    words >> word;
    if (word == "ugi") std::cout << "id name starter\nugiok" << std::endl;
    if (word == "isready") std::cout << "readyok" << std::endl;
    // setoption name NAME value VALUE: an option of the game that differs from its default
    if (word == "setoption" && words >> name >> option >> name >> value) set_option(option, value);
    if (word == "position") state = read_position(line);
    if (word == "go") std::cout << "bestmove " << choose(state, read_seconds(line, state.side)) << std::endl;
    if (word == "quit") break;
  }
}
