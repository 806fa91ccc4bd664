// Chain Reaction: what the search wants to know of it.
#pragma once

#include <type_traits>
#include <utility>

#include "chain_reaction/judgement.hpp"
#include "core/knowledge.hpp"

namespace ludus {

template <class Space, chain_reaction::Explosion rule>
struct Knowledge<chain_reaction::ChainReaction<Space, rule>> {
  using G = chain_reaction::ChainReaction<Space, rule>;
  using State = typename G::State;
  using Move = typename G::Move;
  using Bits = typename G::Bits;

  static constexpr std::size_t max_moves = 100;
  static constexpr int slots = 100;
  static constexpr double scale = chain_reaction::weight_unit;
  static constexpr bool reductions = true;
  /// Explosions that take something are followed to their end: a judgement between two of them is worth little.
  static constexpr int noisy = 8000;
  static constexpr int noisy_plies = 12;

  /// Boards of so few cells are solved from the start, where most positions come in every pose; on larger ones turning
  /// them would cost more than it saves.
  static constexpr int turned_cells = 16;

  explicit Knowledge(const G& of) : game(of) {
    const auto& board = game.board();
    if (board.rows * board.cols > turned_cells) return;
    turns_ = board.rows == board.cols ? 8 : 4;
    for (int turn = 0; turn < turns_; ++turn) {
      for (int cell = 0; cell < board.rows * board.cols; ++cell) {
        int row = cell / board.cols, col = cell % board.cols;
        if (turn & 1) col = board.cols - 1 - col;
        if (turn & 2) row = board.rows - 1 - row;
        if (turn & 4) std::swap(row, col);
        const int to = row * board.cols + col;
        to_[static_cast<std::size_t>(turn)][static_cast<std::size_t>(cell)] = static_cast<std::uint8_t>(to);
        from_[static_cast<std::size_t>(turn)][static_cast<std::size_t>(to)] = static_cast<std::uint8_t>(cell);
      }
    }
  }

  /// A small board at rest is four sets of at most 16 cells: one word, whose quarters are turned together.
  std::pair<std::uint64_t, int> pose(const State& state) const {
    if constexpr (std::is_same_v<Bits, std::uint64_t>) {
      if (turns_ > 1 && state.ply < chain_reaction::ply_limit - chain_reaction::last_plies) {
        const std::uint64_t packed = state.count[0] | state.count[1] << 16 | state.owned[0] << 32 | state.dead << 48;
        std::uint64_t least = packed;
        int least_turn = 0;
        for (int turn = 1; turn < turns_; ++turn) {
          const std::uint64_t other = turned_board(packed, turn);
          if (other < least) least = other, least_turn = turn;
        }
        return {mix(mix(0, state.side), least), least_turn};
      }
    }
    return {game.key(state), 0};
  }
  int turned(int slot, int turn) const { return turn == 0 ? slot : mapped(to_, slot, turn); }
  int turned_back(int slot, int turn) const { return turn == 0 ? slot : mapped(from_, slot, turn); }

  static int slot(Move move) { return move.cell; }
  int evaluate(const State& state) const { return chain_reaction::judge(game, state); }
  /// Explosions that take enemy cells, above all loaded ones; the history knows best about the rest.
  int urgency(const State& state, Move move) const {
    const chain_reaction::Distances<Bits> distance(game.board(), state.count);
    const Bits here = bit<Bits>(move.cell);
    if (!(here & distance.at[0])) return 0;
    const Bits prey = chain_reaction::beside(game.board(), here) & state.owned[1 - state.side];
    return noisy * count(prey) + 12000 * count(prey & distance.at[0]);
  }
  bool quiet(const State& state, Move move) const {
    return !(bit<Bits>(move.cell) & chain_reaction::Distances<Bits>(game.board(), state.count).at[0]);
  }

  const G& game;

 private:
  using Turns = std::array<std::array<std::uint8_t, turned_cells>, 8>;

  static int mapped(const Turns& turns, int slot, int turn) {
    return turns[static_cast<std::size_t>(turn)][static_cast<std::size_t>(slot) % turned_cells];
  }
  std::uint64_t turned_board(std::uint64_t packed, int turn) const {
    const int cells = game.board().rows * game.board().cols;
    std::uint64_t result = 0;
    for (int cell = 0; cell < cells; ++cell) {
      result |= ((packed >> cell) & 0x0001'0001'0001'0001u)
                << to_[static_cast<std::size_t>(turn)][static_cast<std::size_t>(cell)];
    }
    return result;
  }

  /// Mirrored, flipped, and on square boards transposed, or not: bits 0, 1, 2 of a turn.
  int turns_ = 1;
  Turns to_{}, from_{};
};

}  // namespace ludus
