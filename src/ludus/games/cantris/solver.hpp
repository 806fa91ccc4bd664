// Cantris: the search that plays it perfectly where it can. Knows the frame, the bounds and the table; no clock.
//
// A value is what the side to move will still win by. It depends on the tiles left and the removals made in the turn,
// and on nothing else, so one table of proven bounds serves both sides and every later move of the game. The
// search only ever asks "is it at least `beta`?"; the root asks again until both bounds meet.
//
// Two kinds of work take turns: deepening ply by ply with an evaluation at the horizon, which always has a good move
// at hand, and the proof, which looks to the end of the game. Both fill the same table of bounds. Further threads
// work at the proof alone.
#pragma once

#include "cantris/evaluate.hpp"
#include "cantris/frame.hpp"
#include "core/engine.hpp"

namespace ludus::cantris {

/// Facts about positions, one 64-bit word each: a key that is not hashed but shuffled, so that nothing is ever taken
/// for something else, and 30 bits of payload whose lowest four say how much its loss would cost. A word is read and
/// written whole, so threads need no lock and see no halves; of two facts stored at once one is lost.
class FactTable {
 public:
  static constexpr int payload_bits = 30, key_bits = 51;

  /// The largest power of two that fits into so many bytes, but 8 MB at least: with fewer, keys would not fit.
  explicit FactTable(std::size_t bytes)
      : most_bits_(std::max(key_bits + payload_bits - 64, static_cast<int>(std::bit_width(bytes / bucket_bytes)) - 1)),
        memory_(bucket_bytes << most_bits_),
        words_(static_cast<std::uint64_t*>(memory_.start())) {
    memory_.prefer_large_pages();
  }

  /// Forgets all, and gets ready for keys of so many bits.
  void reset(int bits) {
    memory_.clear();
    bits_ = std::max(bits, 8);
    keys_ = (std::uint64_t{1} << bits_) - 1;
    index_bits_ = std::min(most_bits_, bits_ - 3);
  }

  /// Multiplying by an odd number and folding the upper half in are both reversible.
  std::uint64_t shuffle(std::uint64_t key) const {
    key = (key * 0x9E3779B97F4A7C15u) & keys_;
    key ^= key >> (bits_ / 2);
    key = (key * 0xD1342543DE82EF95u) & keys_;
    return key ^ key >> (bits_ / 2);
  }

  void prefetch(std::uint64_t shuffled) const { __builtin_prefetch(bucket(shuffled)); }

  /// The payload, or 0.
  std::uint32_t find(std::uint64_t shuffled) const {
    const std::uint64_t* words = bucket(shuffled);
    const std::uint64_t rest = shuffled >> index_bits_;
    for (int i = 0; i < bucket_words; ++i) {
      const std::uint64_t word = read(words + i);
      if (word >> payload_bits == rest && (word & payload_mask) != 0)
        return static_cast<std::uint32_t>(word & payload_mask);
    }
    return 0;
  }

  /// Puts a payload, never 0, in the place of the same key, of nothing, or of what costs least.
  void store(std::uint64_t shuffled, std::uint32_t payload) {
    std::uint64_t* words = bucket(shuffled);
    const std::uint64_t rest = shuffled >> index_bits_;
    int victim = 0;
    std::uint64_t least = 16;
    for (int i = 0; i < bucket_words; ++i) {
      const std::uint64_t word = read(words + i);
      if (word == 0 || word >> payload_bits == rest) {
        victim = i;
        break;
      }
      if ((word & 15) < least) least = word & 15, victim = i;
    }
    std::atomic_ref(words[victim]).store(rest << payload_bits | payload, std::memory_order_relaxed);
  }

  int permille() const {
    int used = 0;
    for (int i = 0; i < 1000; ++i) used += read(words_ + i % (bucket_words << std::min(index_bits_, 7))) != 0;
    return used;
  }

 private:
  static constexpr int bucket_words = 8;
  static constexpr std::size_t bucket_bytes = 64;
  static constexpr std::uint64_t payload_mask = (std::uint64_t{1} << payload_bits) - 1;

  static std::uint64_t read(const std::uint64_t* word) {
    return std::atomic_ref(*const_cast<std::uint64_t*>(word)).load(std::memory_order_relaxed);
  }
  std::uint64_t* bucket(std::uint64_t shuffled) const {
    return words_ + bucket_words * (shuffled & ((std::uint64_t{1} << index_bits_) - 1));
  }

  int most_bits_, bits_ = 8, index_bits_ = 0;
  std::uint64_t keys_ = 0;
  ZeroedMemory memory_;
  std::uint64_t* words_;
};

/// What is proven of a value.
struct Bounds {
  int low = -most, high = most;
  static constexpr int most = 511;
};

/// What a search found: with `proven`, the value is at least (or at most) this; without, it looks so.
struct Answer {
  int value;
  bool proven;
};

/// What all workers share.
template <int Width>
struct Workshop {
  const Frame<Width>& frame;
  FactTable& proofs;
  FactTable& hints;
  Rule rule;
  const std::atomic<bool>& stop;
  std::atomic<bool> over{false};                        ///< one worker has found the answer
  bool shared;                                          ///< there is more than one worker
  std::array<std::atomic<std::uint64_t>, 4096> busy{};  ///< positions that somebody is at
};

template <int Width>
class Prover {
  using Masks = typename Frame<Width>::Masks;
  using View = typename Frame<Width>::View;

 public:
  static constexpr int to_the_end = 127;

  explicit Prover(Workshop<Width>& shop) : shop_(shop), frame_(shop.frame) {}

  std::uint64_t nodes() const { return nodes_.load(std::memory_order_relaxed); }
  void allow(std::uint64_t nodes) { allowed_ = nodes; }
  bool stopped() const { return stopped_; }
  void resume() { stopped_ = false; }

  /// What the numbers of tiles prove. Whoever always takes the largest tile takes, each time, no less than
  /// the opponent's next removal does: so without runs the mover wins between 0 and the tiles of the first turn, and
  /// runs add what they add to either side. The mover may first spoil runs, or end the game.
  Bounds limits(const Masks& masks, int removed) const {
    const auto out = frame_.outlook(masks);
    if (shop_.rule.removals == 1) return {std::max(out.spoil[0] - out.runs, out.close_one), out.top + out.runs};
    if (removed == 0) {
      return {std::max(out.spoil[0] + out.spoil[1] - out.runs, out.close_two), 2 * out.top + out.runs};
    }
    return {std::max(out.spoil[0] - out.runs - out.top, out.close_one), out.top + out.runs};
  }

  std::uint64_t key(Remains remains, int removed) const {
    return shop_.proofs.shuffle(remains << 1 | static_cast<std::uint64_t>(removed));
  }

  /// All that is proven of a position so far.
  Bounds known(const Masks& masks, int removed) const {
    Bounds bounds = limits(masks, removed);
    tighten(bounds, shop_.proofs.find(key(frame_.settled(masks), removed)));
    return bounds;
  }

  /// Is the value at least `beta`? Looks `depth` removals ahead.
  Answer search(Remains remains, int removed, int beta, int depth) {
    if (should_stop()) return {0, false};
    nodes_.store(nodes() + 1, std::memory_order_relaxed);
    const std::uint64_t began = nodes();
    const View view = frame_.view(remains);
    if (depth <= 0) return {evaluate(view), false};
    if (depth == 1) return look_one_ahead(view, removed, beta);

    const std::uint64_t own = key(remains, removed);
    const bool to_end = depth >= to_the_end / 2;
    int first_choice = no_tile;
    if (const std::uint32_t fact = shop_.proofs.find(own)) first_choice = Proof::move(fact);
    if (!to_end || first_choice == no_tile) {
      if (const std::uint32_t hint = shop_.hints.find(own)) {
        if (!to_end && Hint::depth(hint) >= depth) {
          const int value = Hint::value(hint);
          if (Hint::is_low(hint) ? value >= beta : value < beta) return {value, false};
        }
        if (first_choice == no_tile || !to_end) first_choice = Hint::move(hint);
      }
    }

    Children children;
    Answer best{-Bounds::most, true};
    int best_tile = no_tile;
    auto raise = [&](int value, bool proven, int tile) {
      if (value > best.value) best.value = value, best_tile = tile;
      best.proven = best.proven && proven;
      if (value >= beta) best.proven = proven;
      return value >= beta;
    };
    auto finish = [&] {
      keep(own, best, beta, best_tile, depth, nodes() - began);
      return best;
    };

    // The removals; those that the numbers of tiles decide are done with at once.
    const bool turn_ends = removed + 1 == shop_.rule.removals;
    for (int col = 0; col < Width; ++col) {
      for (std::uint32_t left = frame_.removals(view, col); left != 0; left &= left - 1) {
        const int tile = std::countr_zero(left), bit = frame_.shift(col) + tile;
        const auto removal = frame_.remove(view, col, tile);
        if (removal.ends) {
          if (raise(removal.points, true, bit)) return finish();
          continue;
        }
        Child child;
        child.points = removal.points;
        child.turn_ends = turn_ends;
        child.bit = bit;
        child.bounds = child.seen_by_mover(limits(removal.masks, turn_ends ? 0 : removed + 1));
        if (child.bounds.low >= beta && raise(child.bounds.low, true, bit)) return finish();
        if (child.bounds.high < beta) {
          raise(child.bounds.high, true, bit);
          continue;
        }
        child.remains = frame_.settled(removal.masks);
        child.key = key(child.remains, turn_ends ? 0 : removed + 1);
        shop_.proofs.prefetch(child.key);
        children.add(child);
      }
    }
    if (shop_.rule.optional_rest && removed > 0) {
      Child child;
      child.points = 0;
      child.turn_ends = true;
      child.bit = pass;
      child.bounds = child.seen_by_mover(limits(view.masks, 0));
      child.remains = remains;
      child.key = key(remains, 0);
      children.add(child);
    }

    // What is proven of the positions after them.
    std::size_t open = 0;
    for (std::size_t i = 0; i < children.size; ++i) {
      Child child = children[i];
      if (const std::uint32_t fact = shop_.proofs.find(child.key)) {
        Bounds after;
        tighten(after, fact);
        after = child.seen_by_mover(after);
        child.bounds = {std::max(child.bounds.low, after.low), std::min(child.bounds.high, after.high)};
      }
      if (child.bounds.low >= beta && raise(child.bounds.low, true, child.bit)) return finish();
      if (child.bounds.high < beta) {
        raise(child.bounds.high, true, child.bit);
        continue;
      }
      child.rank = child.bit == first_choice ? 1 << 30 : rank(child, removed);
      children[open++] = child;
    }
    children.size = open;

    // The rest is searched, the most promising first; what another worker is at comes last.
    const bool share = shop_.shared && to_end && std::popcount(remains) >= 14;
    std::size_t postponed = 0;
    for (std::size_t i = 0; i < children.size; ++i) {
      children.bring_best_to(i);
      Child& child = children[i];
      std::atomic<std::uint64_t>& sign = shop_.busy[child.key % shop_.busy.size()];
      if (share && child.rank > postponed_rank && i > 0 && postponed < children.size &&
          sign.load(std::memory_order_relaxed) == child.key) {
        child.rank = postponed_rank - static_cast<int>(postponed++);
        --i;
        continue;
      }
      if (share) sign.store(child.key, std::memory_order_relaxed);
      const Answer answer = follow(child, removed, beta, depth);
      if (share) sign.store(0, std::memory_order_relaxed);
      if (stopped_) return {0, false};
      if (raise(answer.value, answer.proven, child.bit)) {
        learn(removed, children, i);
        break;
      }
    }
    return finish();
  }

 private:
  static constexpr int no_tile = 63, pass = 62;
  static constexpr int postponed_rank = -(1 << 30);

  static constexpr std::size_t at(int index) { return static_cast<std::size_t>(index); }

  // Payloads. A proof: low 10, high 10, move 6, worth 4. A hint: value 10, is_low 1, depth 7, move 6, worth 4.
  struct Proof {
    static std::uint32_t pack(Bounds b, int move, int worth) {
      return static_cast<std::uint32_t>((b.low + 512) << 20 | (b.high + 512) << 10 | move << 4 | worth);
    }
    static Bounds bounds(std::uint32_t fact) {
      return {static_cast<int>(fact >> 20) - 512, static_cast<int>(fact >> 10 & 1023) - 512};
    }
    static int move(std::uint32_t fact) { return static_cast<int>(fact >> 4 & 63); }
    static int worth(std::uint32_t fact) { return static_cast<int>(fact & 15); }
  };
  struct Hint {
    static std::uint32_t pack(int value, bool low, int depth, int move) {
      return static_cast<std::uint32_t>((value + 512) << 18 | (low ? 1 << 17 : 0) | depth << 10 | move << 4 |
                                        std::min(depth, 15));
    }
    static int value(std::uint32_t hint) { return static_cast<int>(hint >> 18 & 1023) - 512; }
    static bool is_low(std::uint32_t hint) { return (hint >> 17 & 1) != 0; }
    static int depth(std::uint32_t hint) { return static_cast<int>(hint >> 10 & 127); }
    static int move(std::uint32_t hint) { return static_cast<int>(hint >> 4 & 63); }
  };

  static void tighten(Bounds& bounds, std::uint32_t fact) {
    if (fact == 0) return;
    const Bounds proven = Proof::bounds(fact);
    bounds = {std::max(bounds.low, proven.low), std::min(bounds.high, proven.high)};
  }

  struct Child {
    Remains remains;
    std::uint64_t key;
    Bounds bounds;  ///< of the move, for whoever makes it
    int points, bit, rank;
    bool turn_ends;

    Bounds seen_by_mover(Bounds after) const {
      if (turn_ends) return {points - after.high, points - after.low};
      return {points + after.low, points + after.high};
    }
  };
  struct Children {
    std::size_t size = 0;
    Child list[Frame<Width>::most_tiles_held + 1];

    Child& operator[](std::size_t i) { return list[i]; }
    void add(const Child& child) { list[size++] = child; }
    /// Of equals the one that was first; so the order depends on nothing but the position and what was learned.
    void bring_best_to(std::size_t i) {
      std::size_t best = i;
      for (std::size_t j = i + 1; j < size; ++j) {
        if (list[j].rank > list[best].rank || (list[j].rank == list[best].rank && list[j].bit < list[best].bit))
          best = j;
      }
      std::swap(list[i], list[best]);
    }
  };

  /// Points, and what has cut before. With two removals a turn it also counts which run the next removal can make, and
  /// whose removal that is; with one, this makes proofs longer.
  int rank(const Child& child, int removed) const {
    const int rank = 64 * child.points + history_[at(removed)][at(child.bit)] / 64;
    if (shop_.rule.removals == 1) return rank;
    const int threat = 32 * 3 * frame_.threat(frame_.view(child.remains));
    return child.turn_ends ? rank - threat : rank + threat;
  }

  Answer follow(const Child& child, int removed, int beta, int depth) {
    if (child.turn_ends) {
      const Answer answer = search(child.remains, 0, child.points - beta + 1, depth - 1);
      return {child.points - answer.value, answer.proven};
    }
    const Answer answer = search(child.remains, removed + 1, beta - child.points, depth - 1);
    return {child.points + answer.value, answer.proven};
  }

  /// A search of depth 1, without the table: the evaluation is no less than the largest tile, which often says enough.
  Answer look_one_ahead(const View& view, int removed, int beta) const {
    const bool turn_ends = removed + 1 == shop_.rule.removals;
    int best = -Bounds::most;
    if (shop_.rule.optional_rest && removed > 0) best = -evaluate(view);
    for (int col = 0; col < Width && best < beta; ++col) {
      for (std::uint32_t left = frame_.removals(view, col); left != 0 && best < beta; left &= left - 1) {
        const auto removal = frame_.remove(view, col, std::countr_zero(left));
        int value = removal.points;
        if (!removal.ends) {
          const View after = frame_.view(removal.masks);
          if (!turn_ends) {
            value += evaluate(after);
          } else if (value -= frame_.top(after); value >= beta) {
            value = removal.points - evaluate(after);
          }
        }
        best = std::max(best, value);
      }
    }
    return {best, false};
  }

  /// The most that one removal makes.
  int evaluate(const View& view) const {
    int best = 0;
    for (int col = 0; col < Width; ++col) {
      for (std::uint32_t left = frame_.removals(view, col); left != 0; left &= left - 1) {
        best = std::max(best, frame_.remove(view, col, std::countr_zero(left)).points);
      }
    }
    return best;
  }

  void keep(std::uint64_t own, Answer best, int beta, int move, int depth, std::uint64_t work) {
    if (stopped_) return;
    const bool low = best.value >= beta;
    if (!best.proven) {
      shop_.hints.store(
          own, Hint::pack(std::clamp(best.value, -Bounds::most, Bounds::most), low, std::min(depth, 127), move));
      return;
    }
    Bounds bounds;
    int worth = std::min(15, (static_cast<int>(std::bit_width(work + 1)) + 1) / 2);
    if (const std::uint32_t fact = shop_.proofs.find(own)) {
      tighten(bounds, fact);
      worth = std::max(worth, Proof::worth(fact));
      if (!low) move = Proof::move(fact) == no_tile ? move : Proof::move(fact);
    }
    (low ? bounds.low : bounds.high) = low ? std::max(bounds.low, best.value) : std::min(bounds.high, best.value);
    shop_.proofs.store(own, Proof::pack(bounds, move, worth));
  }

  void learn(int removed, Children& children, std::size_t cut) {
    auto& history = history_[at(removed)];
    for (std::size_t i = 0; i < cut; ++i) {
      int& h = history[at(children[i].bit)];
      h -= 8 + h * 8 / 4096;
    }
    int& h = history[at(children[cut].bit)];
    h += 32 - h * 32 / 8192;
  }

  bool should_stop() {
    stopped_ = stopped_ || shop_.stop.load(std::memory_order_relaxed) || shop_.over.load(std::memory_order_relaxed) ||
               nodes() >= allowed_;
    return stopped_;
  }

  Workshop<Width>& shop_;
  const Frame<Width>& frame_;
  std::atomic<std::uint64_t> nodes_{0};  ///< written by this worker, read by whoever reports
  std::uint64_t allowed_ = ~std::uint64_t{0};
  bool stopped_ = false;
  std::array<std::array<int, 64>, 2> history_{};
};

/// Plays Cantris: proves what it can, and otherwise says what looks best.
template <class G>
class Solver final : public Thinking<typename G::State> {
  using State = typename G::State;
  using Move = typename G::Move;
  static constexpr int width = G::width;
  using Worker = Prover<width>;

 public:
  Solver(G game, std::size_t table_bytes)
      : game_(std::move(game)), table_bytes_(table_bytes), proofs_(table_bytes / 2), hints_(table_bytes / 4) {}
  ~Solver() override { this->join(); }

  void clear() override {
    this->stop();
    frame_.reset();
    if (general_) general_->clear();
  }

 private:
  /// For four nodes of deepening so many go into the proof, by the tiles left: it is near, or a long shot.
  static std::uint64_t proof_share(int tiles) { return tiles <= 34 ? 12 : 1; }

  /// A move and the position after it. Of moves that lead to the same position only the first is kept.
  struct Root {
    Move move;
    Remains remains;
    int removed;
    int points;
    bool ends, turn_ends;
  };
  /// What is known of the best of the moves from some place on.
  ///
  /// Contract: `bounds` are proven, `best` is the move that raised `bounds.low`, and both change together, in `prove`
  /// alone. So once the bounds meet, `best` is worth them, whatever `deepen` has done to the order of the moves
  /// between two parts of the proof. Without a `best` every move is worth at most `bounds.high`.
  struct Verdict_ {
    Bounds bounds;
    std::optional<Root> best;
    int value = 0;           ///< what it looks like; a guess as long as the bounds are apart
    bool improved = false;   ///< a move has been found for `value`
    std::vector<Move> line;  ///< once it is proven
  };

  void prepare(const State& state) override {
    roots_.clear();
    Report first;
    if (game_.verdict(state) == Verdict::open) {
      if (!frame_ || !frame_->find(state.board)) make_frame(state);
      const auto moves = game_.legal_moves(state);
      Move best = moves[0];
      for (std::size_t i = 1; i < moves.size(); ++i) {
        if (points_of(state, moves[i]) > points_of(state, best)) best = moves[i];
      }
      first.lines.push_back(make_line(game_, state, {best}, points_of(state, best), false));
      if (frame_) list_roots(state);
    }
    this->publish(std::move(first));
  }

  int points_of(const State& state, Move move) const { return gain(game_, state, game_.play(state, move)); }

  void make_frame(const State& state) {
    frame_.reset();
    if (Frame<width>::count_tiles(state.board, game_.cols()) > Frame<width>::most_tiles_held) return;
    frame_ = std::make_unique<Frame<width>>(state.board, game_.cols());
    proofs_.reset(frame_->tiles() + 1);
    hints_.reset(frame_->tiles() + 1);
  }

  void list_roots(const State& state) {
    const auto moves = game_.legal_moves(state);
    for (std::size_t i = 0; i < moves.size(); ++i) {
      const Root root = root_of(state, moves[i]);
      const bool known = std::any_of(roots_.begin(), roots_.end(), [&](const Root& other) {
        return other.remains == root.remains && other.points == root.points && other.turn_ends == root.turn_ends;
      });
      if (!known) roots_.push_back(root);
    }
    std::stable_sort(roots_.begin(), roots_.end(), [](const Root& a, const Root& b) { return a.points > b.points; });
  }

  Root root_of(const State& state, Move move) const {
    const State after = game_.play(state, move);
    return {move,
            frame_->settled(*frame_->find(after.board)),
            after.removed,
            gain(game_, state, after),
            game_.verdict(after) != Verdict::open,
            after.side != state.side};
  }

  void think(const State& state, const Limits& limits) override {
    if (game_.verdict(state) != Verdict::open) return;
    if (!frame_) return think_in_general(state, limits);
    Workshop<width> shop{*frame_, proofs_, hints_, game_.rule(), this->stop_asked(), {}, limits.threads > 1, {}};
    std::vector<std::unique_ptr<Worker>> workers;
    for (int i = 0; i < limits.threads; ++i) workers.push_back(std::make_unique<Worker>(shop));
    const int tiles = Frame<width>::count_tiles(state.board, game_.cols());
    const bool may_prove = limits.depth >= tiles;
    std::vector<std::jthread> helpers;
    for (std::size_t i = 1; may_prove && i < workers.size(); ++i) {
      helpers.emplace_back([&, i] {
        const CountCpuTime counted(this->cpu_total());
        std::vector<Root> roots = roots_;
        Verdict_ verdict;
        if (prove(*workers[i], roots, 0, verdict, level(state, limits))) shop.over = true;
      });
    }
    lead(state, limits, shop, workers, may_prove);
    shop.over = true;
  }

  /// The first worker's work: deepening and proving by turns, and telling what it has found. Line by line: each is
  /// proven before the next is; all that are not proven are deepened together. roots[i] is the move of line i.
  void lead(const State& state, const Limits& limits, Workshop<width>& shop,
            std::vector<std::unique_ptr<Worker>>& workers, bool may_prove) {
    Worker& worker = *workers[0];
    const std::uint64_t all_nodes = limits.threads == 1 && limits.nodes != 0 ? limits.nodes : ~std::uint64_t{0};
    const std::size_t lines = std::min(static_cast<std::size_t>(std::max(limits.lines, 1)), roots_.size());
    const int even = level(state, limits);
    std::vector<Root> roots = roots_;
    std::vector<Verdict_> verdicts(lines);
    std::size_t proven = 0;  // lines
    std::uint64_t deepened = 0, proved = 0;
    const std::uint64_t share = proof_share(Frame<width>::count_tiles(state.board, game_.cols()));
    int depth = 0;
    auto done = [&] {
      return this->stop_asked() || worker.nodes() >= all_nodes || this->seconds() > limits.soft_seconds;
    };
    auto tell = [&] {
      Report report;
      report.depth = proven == lines ? max_ply : depth;
      for (const auto& each : workers) report.nodes += each->nodes();
      report.table_permille = proofs_.permille();
      for (std::size_t i = 0; i < lines && (i < proven || depth > 0 || verdicts[i].improved); ++i) {
        const Verdict_& verdict = verdicts[i];
        const bool exact = i < proven;
        report.lines.push_back(make_line(game_, state, exact ? verdict.line : std::vector<Move>{roots[i].move},
                                         exact ? value_of(verdict.bounds, even) : verdict.value, exact));
      }
      this->publish_in_order(std::move(report), limits.win_only);
    };

    while (proven < lines && !done()) {
      // A ply deeper, if that is still of use.
      if (depth < limits.depth && (!may_prove || share * deepened <= 4 * proved)) {
        const std::uint64_t before = worker.nodes();
        worker.allow(all_nodes);
        const std::vector<Root> roots_before = roots;
        std::vector<Verdict_> now(lines);
        bool whole = true;
        for (std::size_t i = proven; i < lines && whole; ++i)
          whole = deepen(worker, roots, i, now[i], verdicts[i].value, depth + 1);
        if (whole) {
          ++depth;
          for (std::size_t i = proven; i < lines; ++i) verdicts[i].value = now[i].value;
          tell();
        } else if (!now[proven].improved) {
          roots = roots_before;
        }
        deepened += worker.nodes() - before;
      } else if (!may_prove) {
        return;
      }
      // The proof goes on, for its share of the nodes.
      if (may_prove && !done()) {
        const std::uint64_t before = worker.nodes();
        const bool enough_depth = depth >= limits.depth;
        worker.allow(enough_depth
                         ? all_nodes
                         : std::min(all_nodes, worker.nodes() + std::max<std::uint64_t>(share * deepened / 4, 500)));
        worker.resume();
        Verdict_& verdict = verdicts[proven];
        bool settles = prove(worker, roots, proven, verdict, even);
        proved += worker.nodes() - before;
        if (!settles && shop.over && !this->stop_asked()) {
          // A helper has it: what it proved is in the table.
          shop.over = false;
          worker.allow(all_nodes);
          worker.resume();
          settles = prove(worker, roots, proven, verdict, even);
        }
        if (settles) {
          worker.allow(all_nodes);
          worker.resume();
          if (verdict.best) bring_to(roots, proven, verdict.best->move);
          verdict.line = line_from(state, roots[proven], value_of(verdict.bounds, even), !limits.win_only, worker);
          ++proven;
          tell();
        }
      }
      worker.resume();
    }
    if (proven < lines && verdicts[proven].improved) tell();
  }

  /// Moves a move to a place, and those from there on one further.
  static void bring_to(std::vector<Root>& roots, std::size_t place, Move move) {
    const auto from = roots.begin() + static_cast<std::ptrdiff_t>(place);
    const auto found = std::find_if(from, roots.end(), [&](const Root& root) { return root.move == move; });
    std::rotate(from, found, found + 1);
  }

  /// The margin at which the game is level, if only the winner is asked for.
  static constexpr int no_level = 10'000;
  int level(const State& state, const Limits& limits) const {
    if (!limits.win_only) return no_level;
    const auto scores = game_.scores(state);
    return scores[1 - state.side] - scores[state.side];
  }
  static bool settled(const Bounds& bounds, int level) {
    return bounds.low == bounds.high || (level != no_level && (bounds.low > level || bounds.high < level));
  }
  static int value_of(const Bounds& bounds, int level) {
    return bounds.high < level && level != no_level ? bounds.high : bounds.low;
  }

  /// Is one of the moves from `first` on worth `beta`? The best is brought to `first`.
  Answer ask(Worker& worker, std::vector<Root>& roots, std::size_t first, int beta, int depth) {
    Answer best{-Bounds::most, true};
    for (std::size_t i = first; i < roots.size(); ++i) {
      const Root root = roots[i];
      Answer answer{root.points, true};
      if (!root.ends && root.turn_ends) {
        const Answer after = known_or_search(worker, root, root.points - beta + 1, depth - 1);
        answer = {root.points - after.value, after.proven};
      } else if (!root.ends) {
        const Answer after = known_or_search(worker, root, beta - root.points, depth - 1);
        answer = {root.points + after.value, after.proven};
      }
      if (worker.stopped()) return {0, false};
      best.value = std::max(best.value, answer.value);
      best.proven = best.proven && answer.proven;
      if (answer.value >= beta) {
        bring_to(roots, first, root.move);
        return answer;
      }
    }
    return best;
  }

  Answer known_or_search(Worker& worker, const Root& root, int beta, int depth) {
    const Bounds bounds = worker.known(frame_->view(root.remains).masks, root.removed);
    if (bounds.low >= beta) return {bounds.low, true};
    if (bounds.high < beta) return {bounds.high, true};
    return worker.search(root.remains, root.removed, beta, depth);
  }

  /// The value at some depth, by questions on both sides of a guess. False if interrupted.
  bool deepen(Worker& worker, std::vector<Root>& roots, std::size_t first, Verdict_& verdict, int guess, int depth) {
    Bounds bounds;
    while (bounds.low < bounds.high) {
      const int beta = guess <= bounds.low ? bounds.low + 1 : std::min(guess, bounds.high);
      const Answer answer = ask(worker, roots, first, beta, depth);
      if (worker.stopped()) return false;
      verdict.improved = verdict.improved || answer.value >= beta;
      if (answer.value >= beta) {
        bounds.low = answer.value;
      } else {
        bounds.high = answer.value;
      }
      verdict.value = guess = answer.value;
    }
    return true;
  }

  /// The same to the end of the game. Keeps what it has found if it is interrupted; goes on from there.
  bool prove(Worker& worker, std::vector<Root>& roots, std::size_t first, Verdict_& verdict, int level) {
    Bounds& bounds = verdict.bounds;
    while (!settled(bounds, level)) {
      int beta = std::clamp(verdict.value, bounds.low + 1, bounds.high);
      if (level != no_level) beta = bounds.high > level ? level + 1 : level;
      const Answer answer = ask(worker, roots, first, beta, Worker::to_the_end);
      if (worker.stopped()) return false;
      if (answer.value >= beta) {
        bounds.low = answer.value;
        verdict.best = roots[first];
        verdict.improved = true;
      } else {
        bounds.high = answer.value;
      }
      verdict.value = answer.value;
    }
    return true;
  }

  /// The best line, as far as it is known: proven moves by their bounds, others by the hints.
  std::vector<Move> line_from(const State& state, const Root& root, int value, bool exact, Worker& worker) {
    std::vector<Move> line{root.move};
    if (!exact) return line;
    State at = game_.play(state, root.move);
    value = root.turn_ends ? root.points - value : value - root.points;
    while (game_.verdict(at) == Verdict::open && !this->stop_asked()) {
      const auto moves = game_.legal_moves(at);
      bool found = false;
      for (int searching = 0; searching < 2 && !found; ++searching) {
        for (std::size_t i = 0; i < moves.size() && !found; ++i) {
          const Root next = root_of(at, moves[i]);
          int least = next.points;
          if (!next.ends) {
            const int beta = next.turn_ends ? next.points - value + 1 : value - next.points;
            const Answer after =
                searching ? known_or_search(worker, next, beta, Worker::to_the_end) : known(worker, next, beta);
            if (worker.stopped()) return line;
            if (!after.proven || (next.turn_ends ? after.value >= beta : after.value < beta)) continue;
            least = value;
          }
          if (least < value) continue;
          line.push_back(next.move);
          value = next.turn_ends ? next.points - value : value - next.points;
          at = game_.play(at, next.move);
          found = true;
        }
      }
      if (!found) break;
    }
    return line;
  }
  Answer known(Worker& worker, const Root& root, int beta) const {
    const Bounds bounds = worker.known(frame_->view(root.remains).masks, root.removed);
    if (bounds.low >= beta) return {bounds.low, true};
    return {bounds.high, bounds.high < beta};
  }

  /// Boards of more tiles than a frame holds are left to the search that serves every game.
  void think_in_general(const State& state, const Limits& limits) {
    if (!general_) general_ = std::make_unique<AlphaBeta<G>>(game_, table_bytes_ / 4);
    const std::int64_t used = general_->cpu_nanoseconds();
    general_->start(state, limits);
    while (!general_->wait(std::chrono::milliseconds(1)) && !this->stop_asked()) this->publish(general_->report());
    general_->stop();
    this->cpu_total() += general_->cpu_nanoseconds() - used;
    this->publish(general_->report());
  }

  G game_;
  std::size_t table_bytes_;
  FactTable proofs_, hints_;
  std::unique_ptr<Frame<width>> frame_;
  std::unique_ptr<AlphaBeta<G>> general_;
  std::vector<Root> roots_;
};

}  // namespace ludus::cantris
