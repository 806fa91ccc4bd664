// What a game is to everything above it: the words, the concept, the errors.
// Knows no particular game, no Python and no files.
//
// A game object holds the options (sizes, variants) and what follows from them; a state is a small plain value
// that is copied to make a move. All rules are const functions of (game, state), so one game object serves
// any number of threads.
#pragma once

#include <algorithm>
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

/// The cells of a board, row by row from the top; a cell's number is its place in that order.
struct BoardSize {
  int rows;
  int cols;
};

/// A way to lay a board upon itself that the rules do not notice: some of these, one after the other.
struct Symmetry {
  bool mirror;     ///< left and right swapped
  bool flip;       ///< then top and bottom swapped
  bool transpose;  ///< then rows and columns swapped, on square boards

  /// Where the cell of that number goes.
  constexpr int image_of(int cell, BoardSize size) const {
    int row = cell / size.cols, col = cell % size.cols;
    if (mirror) col = size.cols - 1 - col;
    if (flip) row = size.rows - 1 - row;
    return transpose ? col * size.rows + row : row * size.cols + col;
  }
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
/// - `for_each_image(state, visit)` calls `visit(symmetry, image)` for each symmetry of the board but the identity, in
///   one fixed order.
/// - Actions are moves as numbers from 0 to `actions() - 1`, each with one meaning in all states of the game.
///   `action_of` and `move_of` (of a legal action) are inverse; in order of `legal_moves` the actions ascend.
///   `action_text` is the text of these moves. `image_of(action, symmetry)` is the action in the image of the board,
///   though perhaps under another name of the move.
/// - Planes are the position as numbers from -1 to 1 for each cell, `board_size` times the number of `plane_names`, as
///   one side sees it; together they tell all that the rest of the game depends on.
/// - `max_moves_left(state)` is a number of moves that no game from there exceeds, or nothing where the rules set none.
/// - `plain_evaluation(game, state)`, a function beside the class, says how well the side to move stands in an open
///   game. The teaching players use it; what the engine uses is in the game's evaluate.hpp.
template <class G>
concept Game =
    std::is_trivially_copyable_v<typename G::State> && std::equality_comparable<typename G::State> &&
    sizeof(typename G::Move) <= 4 &&
    requires(const G game, const typename G::State state, const typename G::Move move, const typename G::Moves moves,
             std::string_view text, std::uint64_t seed, int action, Symmetry symmetry, float* out) {
      { game.initial(seed) } -> std::same_as<typename G::State>;
      { game.side(state) } -> std::same_as<Side>;
      { game.verdict(state) } -> std::same_as<Verdict>;
      { game.legal_moves(state) } -> std::same_as<typename G::Moves>;
      { moves.size() } -> std::convertible_to<std::size_t>;
      { moves[std::size_t{}] } -> std::convertible_to<typename G::Move>;
      { game.play(state, move) } -> std::same_as<typename G::State>;
      { game.key(state) } -> std::same_as<std::uint64_t>;
      game.for_each_image(state, [](Symmetry, const typename G::State&) {});
      { game.max_moves_left(state) } -> std::convertible_to<std::optional<int>>;
      { plain_evaluation(game, state) } -> std::same_as<int>;
      { game.text(state) } -> std::same_as<std::string>;
      { game.parse(text) } -> std::same_as<typename G::State>;
      { game.find_move(state, text) } -> std::same_as<typename G::Move>;
      { game.steps(state, move) } -> std::same_as<std::vector<Step>>;
      { game.actions() } -> std::same_as<int>;
      { game.action_of(move) } -> std::same_as<int>;
      { game.move_of(state, action) } -> std::same_as<typename G::Move>;
      { game.action_text(action) } -> std::same_as<std::string>;
      { game.image_of(action, symmetry) } -> std::same_as<int>;
      { game.board_size() } -> std::same_as<BoardSize>;
      { game.plane_names() } -> std::same_as<std::vector<std::string>>;
      game.write_planes(state, Side{}, out);
    };

template <Game G>
std::string move_text(const G& game, typename G::Move move) {
  return game.action_text(game.action_of(move));
}

/// One of the states that are equal by symmetry, whichever of them is given.
template <Game G>
typename G::State canonical(const G& game, const typename G::State& state) {
  auto least = state;
  game.for_each_image(state, [&](Symmetry, const auto& image) { least = std::min(least, image); });
  return least;
}

/// A game that is won by points.
template <class G>
concept ScoredGame = Game<G> && requires(const G game, const typename G::State state) {
  { game.scores(state) } -> std::same_as<std::array<int, 2>>;
};

/// Folds one more word into a 64-bit key. Both halves of the product count: the lower one alone hands on the highest
/// bits of a word almost as they are, so that the next word may cancel them, and two positions have one key.
constexpr std::uint64_t mix(std::uint64_t key, std::uint64_t word) {
  __extension__ using Product = unsigned __int128;
  const Product product = Product{key ^ word} * 0x9E3779B97F4A7C15u;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

}  // namespace ludus
