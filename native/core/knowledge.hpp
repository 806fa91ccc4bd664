// What the search asks of a game beyond its rules: how good a position looks, which move to try first, what may be cut.
// Each game answers in its own knowledge.hpp by specialising Knowledge; what it leaves out has the default below.
// A learned evaluation takes the place of `evaluate` here, and of nothing else.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <utility>

#include "core/game.hpp"

namespace ludus {

/// A won game is worth `win_value` less the plies that it takes; every evaluation stays below `won`.
inline constexpr int win_value = 4'000'000;
inline constexpr int won = 3'000'000;

/// The longest line that a search follows.
inline constexpr int max_ply = 120;

/// Specialised by each game:
///
///     explicit Knowledge(const G& game);
///     static constexpr std::size_t max_moves;    // of any position
///     static constexpr int slots;                // how many different moves the history tells apart
///     static int slot(Move);                     // 0 .. slots - 1
///     int evaluate(const State&) const;          // the side to move's margin still to be won, or its prospects
///     int urgency(const State&, Move) const;     // tried first when large; the history adds up to 4,096
///     static constexpr double scale;             // an evaluation of `scale` is a win chance of 73% (unscored games),
///                                                // or the spread of final margins (scored games)
///
/// and, where it helps:
///
///     static constexpr bool reductions;          // late quiet moves may be searched less deep
///     bool quiet(const State&, Move) const;      // ... and this one is quiet
///     int extension(const State& after) const;   // plies to add where the reply is forced
///     bool settled(const State&) const;          // false: the evaluation cannot be trusted yet, look one ply more
///     static constexpr int noisy, noisy_plies;   // instead of settled: at the horizon the evaluation is the least to
///     be
///                                                // had, and moves as urgent as `noisy` are followed, so many plies
///     std::pair<std::uint64_t, int> pose(const State&) const;   // the key that equals by symmetry share, and the turn
///                                                // that leads to it; then each move has a slot of its own, and
///     int turned(int slot, int turn) const;      // ... this is the slot on the turned board
///     int turned_back(int slot, int turn) const; // ... and the way back; of any number below 65,536
///     std::size_t breadth(const State&, int depth) const;   // how many moves to try; fewer than all proves nothing
///     int most(const State&) const;              // the side to move can't win more than this any more (scored games)
///     int least(const State&) const;             // ... nor less than this
///     View look(const State&) const;             // a game that sees much in one look has it done once a position:
///         view.moves                             //   the legal moves but for those proven to be no better than
///         another view.ends_in                           //   plies to a win, negative to a loss, that is proven; else
///         0 view.most, view.least                  //   as above view.key                               //   equal
///         where the rest of the game is equal, moves in their order
///                                                // evaluate, urgency and quiet then take the view after the state
///     int forced(const State&, const View&) const;   // at the horizon: plies to a win that force alone proves, or 0
///     using Prover = ...;                        // works on the outcome alone, beside the search (unscored games):
///         Prover(game, knowledge, table, stop)   //   shares the search's table
///         uint64_t worth_while(const State&, uint64_t nodes) const   // how many looks in all, once the search has
///         taken so many nodes; 0: too far from the end
///         optional<Proof<Move>> outcome(const State&, uint64_t looks)   // for an open game, unless that is too
///         few optional<bool> keeps(const State&, Move, int outcome, uint64_t looks)   // so does this move? uint64_t
///         looks() const                 //   how many it has taken in all
template <Game G>
struct Knowledge;

/// The outcome of a game for the side to move, proven: -1, 0 or +1, and a move that gets it.
template <class Move>
struct Proof {
  int outcome;
  Move move;
};

/// Whether a game looks at a position once and hands on what it saw.
template <class G>
concept Looking = requires(const Knowledge<G>& knowledge, const typename G::State& state) { knowledge.look(state); };

/// Asks a game's Knowledge, with or without a view.
template <Game G>
struct Ask {
  using State = typename G::State;
  using Move = typename G::Move;
  struct Blind {};

  const Knowledge<G>& knowledge;

  auto look(const State& state) const {
    if constexpr (Looking<G>) {
      return knowledge.look(state);
    } else {
      return Blind{};
    }
  }
  auto moves(const G& game, const State& state, const auto& view) const {
    if constexpr (Looking<G>) {
      return view.moves;
    } else {
      return game.legal_moves(state);
    }
  }
  std::uint64_t key(const G& game, const State& state, const auto& view) const {
    if constexpr (Looking<G>) {
      return view.key;
    } else {
      return game.key(state);
    }
  }
  int evaluate(const State& state, const auto& view) const {
    if constexpr (Looking<G>) {
      return knowledge.evaluate(state, view);
    } else {
      return knowledge.evaluate(state);
    }
  }
  int urgency(const State& state, const auto& view, Move move) const {
    if constexpr (Looking<G>) {
      return knowledge.urgency(state, view, move);
    } else {
      return knowledge.urgency(state, move);
    }
  }
  bool quiet(const State& state, const auto& view, Move move) const {
    if constexpr (Looking<G>) {
      return knowledge.quiet(state, view, move);
    } else {
      return knowledge.quiet(state, move);
    }
  }
};

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
