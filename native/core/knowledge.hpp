// What the search asks of a game beyond its rules: how good a position looks, which move to try first, what is proven
// already. Each game answers in its own knowledge.hpp. Knows no game and no search.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>

#include "core/game.hpp"

namespace ludus {

/// A won game is worth `win_value` less the plies that it takes; every evaluation stays below `won`.
inline constexpr int win_value = 4'000'000;
inline constexpr int won = 3'000'000;

/// The longest line that a search follows.
inline constexpr int max_ply = 120;

/// Bounds that are proven of a value.
struct ValueRange {
  int low = -win_value, high = win_value;
};

/// Where the table keeps a position: positions that are equal by symmetry may share a key. `symmetry` is the number of
/// the transformation that leads from the position to the one that the key belongs to; 0 is none.
struct TableKey {
  std::uint64_t key;
  int symmetry = 0;
};

/// The view of a game that has none.
struct NoView {};

/// The questions that the search asks, each with the answer of a game that has nothing to say. A game derives a `final`
/// class from it and declares its own answers with `override`: one that is misspelt or has another signature then does
/// not compile, and since the class is final the calls cost nothing (they are bound and inlined at compile time).
///
/// A `View` holds what the game finds out about a position once, for all questions about it. `Moves` is the list that
/// the search goes through: the game's own, or a shorter one from the view.
template <class G, class View_ = NoView, class Moves_ = typename G::Moves>
class Hooks {
 public:
  using State = typename G::State;
  using Move = typename G::Move;
  using View = View_;
  using Moves = Moves_;

  explicit Hooks(const G& of) : game(of) {}

  // Every game has these four, which have no default:
  //     static constexpr std::size_t max_moves    the most moves of any position
  //     static constexpr int slots                how many different moves the history tells apart
  //     static int slot(Move)                     the move's place in the history, 0 .. slots - 1
  //     static constexpr double scale             games without points: an evaluation that is a win chance of 73%;
  //                                               scored games: the spread of the final margins

  /// How well the side to move stands: the margin still to be won, or its prospects in a game without points.
  virtual int evaluate(const State& state, const View& view) const = 0;

  /// The move with the largest urgency is tried first; the history of moves that were good adds up to 4,096.
  virtual int urgency(const State& state, const View& view, Move move) const = 0;

  /// What is found out once. Called for open positions, and at the root for finished ones too.
  virtual View view(const State&) const { return {}; }

  /// The moves worth a search: all legal ones, but for those that are proven to be no better than another one.
  virtual Moves moves(const State& state, const View&) const {
    const auto legal = game.legal_moves(state);
    if constexpr (std::is_same_v<Moves, typename G::Moves>) {
      return legal;
    } else {
      Moves moves;
      for (std::size_t i = 0; i < legal.size(); ++i) moves.push_back(legal[i]);
      return moves;
    }
  }

  /// Plies to a win that is proven, negative to a loss; 0 if neither is. Games without points only.
  virtual int plies_to_end(const State&, const View&) const { return 0; }

  /// What is proven of the value.
  virtual ValueRange range(const State&, const View&) const { return {}; }

  /// Where the table keeps this position. Positions of one key have equal values.
  virtual TableKey table_key(const State& state, const View&) const { return {game.key(state)}; }

  /// What the table calls a move, below 65,536: the same in all positions that share a key. `index` is the move's place
  /// in the list of moves.
  virtual int table_move(Move, std::size_t index, int /*symmetry*/) const { return static_cast<int>(index); }

  /// The table's key of the position after a move, in games that find it at little cost: the search then looks up all
  /// positions that follow before it enters one. Pays where many lines lead to the same position.
  virtual std::optional<std::uint64_t> key_after(const State&, Move) const { return std::nullopt; }

  /// Late quiet moves are searched less deep first.
  virtual bool quiet(const State&, const View&, Move) const { return false; }

  /// There is only one move to consider: it costs no depth, and the horizon lies behind it.
  virtual bool forced_reply(const State&, const View&) const { return false; }

  /// At the horizon: plies to a win that a chain of threats proves, or 0. Games without points only.
  virtual int forced_win(const State&, const View&) const { return 0; }

  /// At the horizon: how many plies of noisy moves are followed, and from which urgency on a move is noisy. The
  /// evaluation is then the least that the side to move has. Games without points whose sides alternate only.
  virtual int quiescence_plies() const { return 0; }
  virtual int noisy_urgency() const { return std::numeric_limits<int>::max(); }

  const G& game;

 protected:
  ~Hooks() = default;
};

/// Each game specialises it: `struct Knowledge<MyGame> final : Hooks<MyGame>`.
template <Game G>
struct Knowledge;

/// What the mover of a move has scored by it.
template <Game G>
int gain(const G& game, const typename G::State& before, const typename G::State& after) {
  if constexpr (ScoredGame<G>) {
    const Side mover = game.side(before);
    return game.scores(after)[mover] - game.scores(before)[mover];
  }
  return 0;
}

}  // namespace ludus
