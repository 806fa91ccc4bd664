// What a game is to everything above it: the words, the concept, the errors.
// Knows no particular game, no Python and no files.
//
// A game object holds the options (sizes, variants) and what follows from them; a state is a small plain value
// that is copied to make a move. All rules are const functions of (game, state), so one game object serves
// any number of threads.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/message.hpp"

namespace ludus {

/// Whose move it is: 0 the first player, 1 the second.
using Side = std::uint8_t;

/// How a game stands. The two wins are ordered so that `Verdict(1 + side)` is a win for that side.
enum class Verdict : std::uint8_t { open, first_wins, second_wins, tie };

constexpr Verdict win_for(Side side) {
  return static_cast<Verdict>(1 + side);
}

/// A cell on the screen: row 0 is drawn at the top, column 0 at the left, in every game.
struct Cell {
  int row;
  int col;
};

/// One thing that happens on the board during a move, to show it to a person.
struct Step {
  std::string kind;         ///< "place", "explode", "line", "claim", "remove", "run", "fall" or "pass"
  std::vector<Cell> cells;  ///< where it happens, on the board as it was before this step
  int points;               ///< what the mover scores by it
  std::string board;        ///< the board field of the position text after it
};

/// Up to `Capacity` moves, in place. Order is the game's own and the same on every machine.
template <class Move, std::size_t Capacity>
class MoveList {
 public:
  MoveList() = default;
  void push_back(Move move) { moves_[size_++] = move; }
  std::size_t size() const { return size_; }
  Move operator[](std::size_t i) const { return moves_[i]; }
  const Move* begin() const { return moves_; }
  const Move* end() const { return moves_ + size_; }

 private:
  std::size_t size_ = 0;
  Move moves_[Capacity];  // deliberately not initialised: only the first size_ are ever read
};

/// The contract of a game.
///
/// - `legal_moves` is empty exactly when `verdict` is not open, and lists moves in one fixed total order.
/// - `play` may assume that the move is legal. The side to move may stay the same (two removals in Cantris).
/// - `key` covers all that the rest of the game depends on, and nothing else: not the points made so far.
/// - `text` and `parse` are inverse on every state that play can reach.
/// - `find_move` reads a move as a person writes it and throws IllegalMove with the reason.
/// - `steps` tells the same move as `play`, in pictures.
/// - `canonical` picks one representative of the states that are equal by symmetry.
/// - `max_moves_left(state)` is a number of moves that no game from there exceeds, or nothing where the rules set none.
/// - `plain_evaluation(game, state)`, a function beside the class, says how well the side to move stands in an open
/// game.
///   The teaching players use it; what the engine uses is in the game's evaluate.hpp.
template <class G>
concept Game = std::is_trivially_copyable_v<typename G::State> && std::equality_comparable<typename G::State> &&
               sizeof(typename G::Move) <= 4 &&
               requires(const G game, const typename G::State state, const typename G::Move move,
                        const typename G::Moves moves, std::string_view text, std::uint64_t seed) {
                 { game.initial(seed) } -> std::same_as<typename G::State>;
                 { game.side(state) } -> std::same_as<Side>;
                 { game.verdict(state) } -> std::same_as<Verdict>;
                 { game.legal_moves(state) } -> std::same_as<typename G::Moves>;
                 { moves.size() } -> std::convertible_to<std::size_t>;
                 { moves[std::size_t{}] } -> std::convertible_to<typename G::Move>;
                 { game.play(state, move) } -> std::same_as<typename G::State>;
                 { game.key(state) } -> std::same_as<std::uint64_t>;
                 { game.canonical(state) } -> std::same_as<typename G::State>;
                 { game.max_moves_left(state) } -> std::convertible_to<std::optional<int>>;
                 { plain_evaluation(game, state) } -> std::same_as<int>;
                 { game.text(state) } -> std::same_as<std::string>;
                 { game.parse(text) } -> std::same_as<typename G::State>;
                 { game.move_text(state, move) } -> std::same_as<std::string>;
                 { game.find_move(state, text) } -> std::same_as<typename G::Move>;
                 { game.steps(state, move) } -> std::same_as<std::vector<Step>>;
               };

/// A game that is won by points.
template <class G>
concept ScoredGame = Game<G> && requires(const G game, const typename G::State state) {
  { game.scores(state) } -> std::same_as<std::array<int, 2>>;
};

/// Folds one more word into a 64-bit key.
constexpr std::uint64_t mix(std::uint64_t key, std::uint64_t word) {
  key = (key ^ word) * 0x9E3779B97F4A7C15u;
  return key ^ (key >> 29);
}

}  // namespace ludus
