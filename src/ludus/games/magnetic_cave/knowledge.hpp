// Magnetic Cave: what the search wants to know of it.
#pragma once

#include "magnetic_cave/evaluate.hpp"
#include "magnetic_cave/threats.hpp"

namespace ludus {

template <class Space>
struct Knowledge<magnetic_cave::MagneticCave<Space>> final
    : Hooks<magnetic_cave::MagneticCave<Space>, magnetic_cave::View<magnetic_cave::MagneticCave<Space>>,
            MoveList<typename magnetic_cave::MagneticCave<Space>::Move, magnetic_cave::max_moves>> {
  using G = magnetic_cave::MagneticCave<Space>;
  using State = typename G::State;
  using Move = typename G::Move;
  using Bits = typename G::Bits;
  using View = magnetic_cave::View<G>;
  using Moves = MoveList<Move, magnetic_cave::max_moves>;

  static constexpr std::size_t max_moves = magnetic_cave::max_moves;
  static constexpr int slots = 256;
  static constexpr double scale = 100;

  using Hooks<G, View, Moves>::Hooks;

  static int slot(Move move) { return move.cell; }

  View view(const State& state) const override { return View(this->game, state); }
  Moves moves(const State&, const View& view) const override { return view.moves; }
  int plies_to_end(const State&, const View& view) const override { return view.plies_to_end; }
  ValueRange range(const State&, const View& view) const override { return view.range; }
  TableKey table_key(const State&, const View& view) const override { return {view.key}; }
  bool forced_reply(const State&, const View& view) const override { return view.moves.size() == 1; }

  int evaluate(const State&, const View& view) const override { return magnetic_cave::evaluate(this->game, view); }

  /// Cells that make or stop three of four first, those in no open window last; at the root, where all moves are
  /// listed, after them those that lose at once. So the first is a fair answer before any search.
  int urgency(const State&, const View& view, Move move) const override {
    const Bits here = bit<Bits>(move.cell);
    if (!(here & view.safe)) return -1;
    return (here & view.my_twos ? 3000 : 0) + (here & view.their_twos ? 2000 : 0) + (here & view.live ? 1000 : 0);
  }
  bool quiet(const State&, const View& view, Move move) const override {
    return !(bit<Bits>(move.cell) & (view.my_twos | view.their_twos));
  }

  /// A win by threats that lies beyond the horizon. Twenty views find most of what a thousand do.
  int forced_win(const State& state, const View& view) const override {
    return magnetic_cave::Threats<G>(this->game, 20).win(state, view);
  }
};

}  // namespace ludus
