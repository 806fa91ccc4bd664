// The search: principal variation search with iterative deepening, one template for every game, one worker a thread.
// Knows the rules through Game and the game's knowledge through its hooks; knows no clock and no thread but its own.
//
// Values are the side to move's. In scored games a value is the margin still to be won from here on, so that it does
// not depend on the points so far and the table is keyed by the board alone; a move's own points are added on the way
// up. In the others it is a proven win or loss (beyond `won`) or the evaluation. The contract is in worker.hpp.
#pragma once

#include <array>
#include <cmath>

#include "core/worker.hpp"

namespace ludus {

template <Game G>
class Worker : public RootWorker<Worker<G>, G> {
  using Base = RootWorker<Worker<G>, G>;
  using State = typename G::State;
  using Move = typename G::Move;
  using GameKnowledge = Knowledge<G>;
  using View = typename GameKnowledge::View;

 public:
  Worker(const G& game, const GameKnowledge& knowledge, Table& table, const std::atomic<bool>& stop,
         std::uint64_t node_limit)
      : Base(game, table, stop, node_limit), knowledge_(knowledge) {
    for (auto& pair : killers_) pair.fill(-1);
  }

  int root_reduction(int, std::size_t) const { return 0; }

  Result search(const State& state, int depth, int alpha, int beta, int ply) {
    this->line(ply).clear();
    if (budget_.must_stop()) return {};

    // 1. A finished game has its value.
    if (const Verdict verdict = game_.verdict(state); verdict != Verdict::open) {
      if (ScoredGame<G> || verdict == Verdict::tie) return {0, true};
      return {verdict == win_for(game_.side(state)) ? win_value - ply : ply - win_value, true};
    }

    // 2. What is known without a search: how the game ends, or bounds of the value.
    const View view = knowledge_.view(state);
    if (const int plies = knowledge_.plies_to_end(state, view); plies != 0) {
      this->line(ply).assign(1, knowledge_.moves(state, view)[0]);
      return {plies > 0 ? win_value - ply - plies : ply - plies - win_value, true};
    }
    const ValueRange range = knowledge_.range(state, view);
    if (range.high <= alpha || range.high == range.low) return {range.high, true};
    if (range.low >= beta) return {range.low, true};
    alpha = std::max(alpha, range.low);
    beta = std::min(beta, range.high);
    if (ply >= max_ply) return {knowledge_.evaluate(state, view), false};

    // 3. At the horizon the evaluation counts, once there is a choice again.
    const bool forced = knowledge_.forced_reply(state, view);
    if (depth <= 0 && !forced) {
      if (const int plies = knowledge_.forced_win(state, view)) return {win_value - ply - plies, true};
      return quiesce(state, view, alpha, beta, ply, knowledge_.quiescence_plies());
    }

    // 4. What is in the table.
    const auto [key, symmetry] = knowledge_.table_key(state, view);
    const auto found = table_.find(key);
    if (found) {
      const int value = from_table(found->value, ply);
      const bool enough = found->depth >= depth || (!ScoredGame<G> && std::abs(value) >= won);
      if (enough && found->answers(value, alpha, beta)) return {value, found->complete()};
    }

    // 5. The moves, the most promising first.
    const auto moves = knowledge_.moves(state, view);
    std::array<RankedMove, GameKnowledge::max_moves> ranked;
    const std::size_t size = rank(state, view, moves, found ? found->move : no_move, symmetry, ply, ranked);

    // 6. Perhaps the table knows a move that is good enough.
    for (std::size_t i = 0; i < size; ++i) {
      const auto key_after = knowledge_.key_after(state, moves[i]);
      if (!key_after) break;
      const auto reply = table_.find(*key_after);
      if (!reply) continue;
      const int value = from_table(reply->value, ply + 1);
      const bool enough = reply->depth >= depth - 1 + forced || (!ScoredGame<G> && std::abs(value) >= won);
      if (!enough || reply->bound == Bound::lower || -value < beta) continue;
      this->line(ply).assign(1, moves[i]);
      return {-value, reply->complete()};
    }

    // 7. Each in turn: the first with the whole window, the others with an empty one that only asks "better?".
    Result best{-win_value, true};
    std::uint16_t best_index = 0;
    const int old_alpha = alpha;
    for (std::size_t tried = 0; tried < size; ++tried) {
      const std::uint16_t index = take_best(ranked.data(), tried, size).index;
      const Move move = moves[index];
      const int less = tried == 0 ? 0 : reduction(state, view, move, depth, tried);
      const Result r = this->follow(state, move, depth - 1 + forced, less, tried == 0, alpha, beta, ply + 1);
      if (this->stopped()) return {};

      best.complete = best.complete && r.complete;
      if (r.value <= best.value) continue;
      best.value = r.value;
      best_index = index;
      if (r.value > alpha) {
        alpha = r.value;
        this->extend_line(ply, move);
      }
      if (alpha >= beta) {
        best.complete = r.complete;  // this move alone proves it
        learn(state, move, moves, ranked, tried, depth, ply);
        break;
      }
    }
    // 8. Into the table. A win needs no proof that no other move is better, but it may then not be the shortest.
    Bound bound = bound_of(best.value, old_alpha, beta);
    if (!ScoredGame<G> && std::abs(best.value) >= won) {
      if (!best.complete && bound == Bound::exact) bound = best.value > 0 ? Bound::lower : Bound::upper;
      best.complete = true;
    }
    const int name = knowledge_.table_move(moves[best_index], best_index, symmetry);
    table_.store(key, {to_table(best.value, ply), best.complete ? Finding::complete_depth : std::max(depth, 0), bound,
                       static_cast<std::uint16_t>(name)});
    return best;
  }

 private:
  /// Beyond the horizon: the evaluation, or what a line of noisy moves makes of it. Quiet moves are left out, so only a
  /// win is proven here.
  Result quiesce(const State& state, const View& view, int alpha, int beta, int ply, int left) {
    if (budget_.must_stop()) return {};
    Result best{knowledge_.evaluate(state, view), false};
    if (best.value >= beta || left == 0 || ply >= max_ply) return best;
    const auto moves = knowledge_.moves(state, view);
    std::array<RankedMove, GameKnowledge::max_moves> ranked;
    std::size_t size = 0;
    for (std::size_t i = 0; i < moves.size(); ++i) {
      const int urgency = knowledge_.urgency(state, view, moves[i]);
      if (urgency >= knowledge_.noisy_urgency()) ranked[size++] = {urgency, static_cast<std::uint16_t>(i)};
    }
    for (std::size_t i = 0; i < size; ++i) {
      const State after = game_.play(state, moves[take_best(ranked.data(), i, size).index]);
      budget_.count();
      if (game_.verdict(after) == win_for(game_.side(state))) return {win_value - ply - 1, true};
      if (game_.verdict(after) != Verdict::open) continue;
      const int floor = std::max(alpha, best.value);
      const Result r = quiesce(after, knowledge_.view(after), -beta, -floor, ply + 1, left - 1);
      best.value = std::max(best.value, -r.value);
      if (best.value >= beta || this->stopped()) break;
    }
    best.complete = best.value >= won;
    return best;
  }

  /// Wins and losses are stored by their distance from the position, not from the root.
  static int to_table(int value, int ply) {
    if (ScoredGame<G> || std::abs(value) < won) return value;
    return value > 0 ? value + ply : value - ply;
  }
  static int from_table(int value, int ply) {
    if (ScoredGame<G> || std::abs(value) < won) return value;
    return value > 0 ? value - ply : value + ply;
  }

  static constexpr int no_move = -1;

  std::size_t rank(const State& state, const View& view, const auto& moves, int hint, int symmetry, int ply,
                   auto& ranked) const {
    const std::size_t size = moves.size();
    const auto& killers = killers_[static_cast<std::size_t>(ply)];
    const auto& history = history_[game_.side(state)];
    for (std::size_t i = 0; i < size; ++i) {
      const Move move = moves[i];
      const int slot = GameKnowledge::slot(move);
      int rank = knowledge_.urgency(state, view, move) + history[static_cast<std::size_t>(slot)];
      if (hint != no_move && knowledge_.table_move(move, i, symmetry) == hint) {
        rank = 1 << 30;
      } else if (slot == killers[0] || slot == killers[1]) {
        rank += 4096;
      }
      ranked[i] = {rank, static_cast<std::uint16_t>(i)};
    }
    return size;
  }

  int reduction(const State& state, const View& view, Move move, int depth, std::size_t tried) const {
    if (depth < 3 || tried < 3 || !knowledge_.quiet(state, view, move)) return 0;
    return 1 + (tried >= 8 ? 1 : 0) + (depth >= 8 && tried >= 16 ? 1 : 0);
  }

  /// A move that cut is tried sooner next time, and those that were tried before it and did not cut later.
  void learn(const State& state, Move move, const auto& moves, const auto& ranked, std::size_t tried, int depth,
             int ply) {
    const int slot = GameKnowledge::slot(move);
    auto& killers = killers_[static_cast<std::size_t>(ply)];
    if (killers[0] != slot) killers = {slot, killers[0]};
    auto& history = history_[game_.side(state)];
    const int bonus = std::min(depth * depth, 400);
    shift_history(history[static_cast<std::size_t>(slot)], bonus);
    for (std::size_t i = 0; i < tried; ++i) {
      shift_history(history[static_cast<std::size_t>(GameKnowledge::slot(moves[ranked[i].index]))], -bonus);
    }
  }

  using Base::budget_, Base::game_, Base::table_;
  const GameKnowledge& knowledge_;
  std::array<std::array<int, GameKnowledge::slots>, 2> history_{};
  std::array<std::array<int, 2>, max_ply + 2> killers_;
};

}  // namespace ludus
