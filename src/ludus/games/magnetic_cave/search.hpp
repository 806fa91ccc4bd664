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
    team_ = std::make_unique<ProverTeam>();
    provers_.clear();
    for (int i = 0; i < limits.threads; ++i) {
      provers_.push_back(std::make_unique<Prover<G>>(*this->game_, this->table_, this->stop_asked(),
                                                     limits.threads > 1 ? team_.get() : nullptr));
    }
    tie_.reset();
    if (limits.lines == 1 && this->game_->verdict(this->state_) == Verdict::open) {
      tie_ = provers_[0]->known_tie(this->state_);
      if (tie_) this->publish(tie_known({}));
    }
    AlphaBeta<G>::think(limits);
  }

  std::uint64_t proof_nodes() const override {
    std::uint64_t nodes = 0;
    for (const auto& prover : provers_) nodes += prover->nodes();
    return nodes;
  }

  void help_prove(std::size_t id, std::uint64_t nodes) override {
    const std::uint64_t allowed = provers_[id]->worth_while(this->state_, nodes);
    if (allowed > provers_[id]->nodes()) provers_[id]->help(this->state_, allowed - provers_[id]->nodes());
  }

  /// Where an earlier search has proven a tie, a move that only looks better is not played for it.
  void answer(SearchInfo info, const std::vector<Root>& lines) override {
    const bool risky = tie_ && !info.lines[0].exact &&
                       !provers_[0]->keeps(this->state_, lines[0].move, 0, effort(info.nodes)).value_or(false);
    this->publish(risky ? tie_known(std::move(info)) : std::move(info));
  }

  SearchInfo tie_known(SearchInfo info) const {
    info.lines.assign(1, make_variation(*this->game_, this->state_, {*tie_}, 0, false));
    return info;
  }

  /// For a question about one more move.
  static std::uint64_t effort(std::uint64_t nodes) { return nodes / 16 + 1000; }

  /// Lets the prover work for its share of nodes. Of the moves that keep a proven win, plays the one that the search
  /// likes best; of those that keep less, the one after which the most replies would give the opponent's share away.
  bool prove(const std::vector<Root>& roots, int depth, std::uint64_t nodes) override {
    if (roots[0].complete && roots[0].value > 0) return false;  // won already
    const auto& state = this->state_;
    Prover<G>& prover = *provers_[0];
    const std::uint64_t allowed = prover.worth_while(state, nodes);
    if (allowed <= prover.nodes()) return false;
    const auto proof = prover.outcome(state, allowed - prover.nodes());
    if (!proof) return false;
    const auto publish = [&](typename G::Move move) {
      SearchInfo info;
      info.depth = depth;
      info.nodes = nodes + proof_nodes();
      info.table_permille = this->table_.permille();
      info.lines.push_back(make_variation(*this->game_, state, {move}, proof->outcome * won, true));
      info.lines[0].plies_to_end = 0;  // who wins is proven, not how soon
      this->publish(std::move(info));
    };
    publish(proof->move);

    int best = -1;
    for (const Root& root : roots) {
      if (!prover.keeps(state, root.move, proof->outcome, effort(nodes)).value_or(false)) continue;
      const auto after = this->game_->play(state, root.move);
      const auto replies = this->game_->legal_moves(after);
      int pitfalls = 0;
      for (std::size_t i = 0; i < replies.size() && proof->outcome < 1; ++i) {
        pitfalls += !prover.keeps(after, replies[i], -proof->outcome, effort(nodes)).value_or(true);
      }
      const int rank = replies.size() == 0 ? 0 : 1000 * pitfalls / static_cast<int>(replies.size());
      if (rank > best) best = rank, publish(root.move);
      if (proof->outcome > 0 || this->stop_asked()) break;
    }
    return true;
  }

  std::unique_ptr<ProverTeam> team_;
  std::vector<std::unique_ptr<Prover<G>>> provers_;  ///< of the search in hand, one for each thread
  std::optional<typename G::Move> tie_;              ///< a move that keeps one, known from earlier searches
};

}  // namespace ludus::magnetic_cave
