// Magnetic Cave's own search: the general one, and a proof of the outcome beside it near the end of the game.
// Knows which of the proven moves to play; knows no clock.
#pragma once

#include "core/engine.hpp"
#include "magnetic_cave/knowledge.hpp"
#include "magnetic_cave/prover.hpp"

namespace ludus::magnetic_cave {

template <class G>
class Search final : public AlphaBeta<G> {
  using Root = typename AlphaBeta<G>::Root;

 public:
  using AlphaBeta<G>::AlphaBeta;
  ~Search() override { this->stop(); }

 private:
  void think(const Limits& limits) override {
    prover_.emplace(*this->game_, this->table_, this->stop_asked());
    AlphaBeta<G>::think(limits);
  }

  std::uint64_t proof_nodes() const override { return prover_->nodes(); }

  /// Lets the prover work for its share of nodes. Of the moves that keep a proven win, plays the one that the search
  /// likes best; of those that keep less, the one after which the most replies would give the opponent's share away.
  bool prove(const std::vector<Root>& roots, int depth, std::uint64_t nodes) override {
    if (roots[0].complete && roots[0].value > 0) return false;  // won already
    const auto& state = this->state_;
    const std::uint64_t allowed = prover_->worth_while(state, nodes);
    if (allowed <= prover_->nodes()) return false;
    const auto proof = prover_->outcome(state, allowed - prover_->nodes());
    if (!proof) return false;
    const auto publish = [&](typename G::Move move) {
      SearchInfo info;
      info.depth = depth;
      info.nodes = nodes + prover_->nodes();
      info.table_permille = this->table_.permille();
      info.lines.push_back(make_variation(*this->game_, state, {move}, proof->outcome * won, true));
      info.lines[0].plies_to_end = 0;  // who wins is proven, not how soon
      this->publish(std::move(info));
    };
    publish(proof->move);

    const std::uint64_t effort = nodes / 16 + 1000;
    int best = -1;
    for (const Root& root : roots) {
      if (!prover_->keeps(state, root.move, proof->outcome, effort).value_or(false)) continue;
      const auto after = this->game_->play(state, root.move);
      const auto replies = this->game_->legal_moves(after);
      int pitfalls = 0;
      for (std::size_t i = 0; i < replies.size() && proof->outcome < 1; ++i) {
        pitfalls += !prover_->keeps(after, replies[i], -proof->outcome, effort).value_or(true);
      }
      const int rank = replies.size() == 0 ? 0 : 1000 * pitfalls / static_cast<int>(replies.size());
      if (rank > best) best = rank, publish(root.move);
      if (proof->outcome > 0 || this->stop_asked()) break;
    }
    return true;
  }

  std::optional<Prover<G>> prover_;  ///< of the search in hand
};

}  // namespace ludus::magnetic_cave
