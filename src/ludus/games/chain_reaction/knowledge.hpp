// Chain Reaction: what the search wants to know of it.
#pragma once

#include <algorithm>
#include <type_traits>
#include <utility>

#include "chain_reaction/evaluate.hpp"
#include "chain_reaction/teaching.hpp"
#include "core/knowledge.hpp"

namespace ludus {

template <class Space, chain_reaction::Explosion rule>
struct Knowledge<chain_reaction::ChainReaction<Space, rule>> final
    : Hooks<chain_reaction::ChainReaction<Space, rule>, chain_reaction::Distances<typename Space::Bits>> {
  using G = chain_reaction::ChainReaction<Space, rule>;
  using State = typename G::State;
  using Move = typename G::Move;
  using Bits = typename G::Bits;
  using View = chain_reaction::Distances<Bits>;

  static constexpr std::size_t max_moves = 100;
  static constexpr int slots = 100;
  static constexpr double scale = chain_reaction::weight_unit;

  /// Boards of so few cells are solved from the start, where most positions come in every symmetry; on larger ones
  /// finding the symmetry would cost more than it saves.
  static constexpr int symmetric_cells = 16;

  explicit Knowledge(const G& of) : Hooks<G, View>(of) {
    const auto& board = of.board();
    if (board.rows * board.cols > symmetric_cells) return;
    symmetries_ = board.rows == board.cols ? 8 : 4;
    for (int symmetry = 0; symmetry < symmetries_; ++symmetry) {
      for (int cell = 0; cell < board.rows * board.cols; ++cell) {
        int row = cell / board.cols, col = cell % board.cols;
        if (symmetry & 1) col = board.cols - 1 - col;
        if (symmetry & 2) row = board.rows - 1 - row;
        if (symmetry & 4) std::swap(row, col);
        image_[static_cast<std::size_t>(symmetry)][static_cast<std::size_t>(cell)] =
            static_cast<std::uint8_t>(row * board.cols + col);
      }
    }
  }

  /// A small board at rest is four sets of at most 16 cells: one word, whose quarters are transformed together. The
  /// smallest word of all symmetries stands for them.
  TableKey table_key(const State& state, const View&) const override {
    if constexpr (std::is_same_v<Bits, std::uint64_t>) {
      if (symmetries_ > 1 && state.ply < chain_reaction::ply_limit - chain_reaction::last_plies) {
        const std::uint64_t packed = state.count[0] | state.count[1] << 16 | state.owned[0] << 32 | state.dead << 48;
        std::uint64_t smallest = packed;
        int chosen = 0;
        for (int symmetry = 1; symmetry < symmetries_; ++symmetry) {
          const std::uint64_t other = transformed(packed, symmetry);
          if (other < smallest) smallest = other, chosen = symmetry;
        }
        return {mix(mix(0, state.side), smallest), chosen};
      }
    }
    return {this->game.key(state)};
  }
  /// The cell, as the board of the key has it.
  int table_move(Move move, std::size_t, int symmetry) const override {
    if (symmetry == 0) return move.cell;
    return image_[static_cast<std::size_t>(symmetry)][move.cell % symmetric_cells];
  }

  static int slot(Move move) { return move.cell; }
  View view(const State& state) const override { return View(this->game.board(), state.count); }
  int evaluate(const State& state, const View& view) const override {
    return chain_reaction::evaluate(this->game, state, view);
  }
  /// Explosions that take enemy cells, above all loaded ones; the history knows best about the rest.
  int urgency(const State& state, const View& view, Move move) const override {
    const Bits here = bit<Bits>(move.cell);
    if (!(here & view.at[0])) return 0;
    const Bits prey = chain_reaction::neighbours(this->game.board(), here) & state.owned[1 - state.side];
    return 8000 * count(prey) + 12000 * count(prey & view.at[0]);
  }
  bool quiet(const State&, const View& view, Move move) const override { return !(bit<Bits>(move.cell) & view.at[0]); }
  /// Explosions that take something are followed to their end: an evaluation between two of them is worth little.
  int noisy_urgency() const override { return 8000; }
  int quiescence_plies() const override { return 12; }

 private:
  std::uint64_t transformed(std::uint64_t packed, int symmetry) const {
    const int cells = std::min(this->game.board().rows * this->game.board().cols, +symmetric_cells);
    std::uint64_t result = 0;
    for (int cell = 0; cell < cells; ++cell) {
      result |= ((packed >> cell) & 0x0001'0001'0001'0001u)
                << image_[static_cast<std::size_t>(symmetry)][static_cast<std::size_t>(cell)];
    }
    return result;
  }

  int symmetries_ = 1;
  /// Where each cell goes: mirrored, flipped, and on square boards transposed, or not: bits 0, 1, 2 of a symmetry.
  std::array<std::array<std::uint8_t, symmetric_cells>, 8> image_{};
};

}  // namespace ludus
