// Chain Reaction: the rules, on bit-sliced counts. Knows nothing of search or Python.
//
// The orbs of a cell are a number of three bits, and the board keeps one bit set for each of the three, so that
// a whole wave of explosions is a handful of operations on whole boards:
//
//     count[0]  ones      a cell with 3 orbs has its bit in count[0] and count[1]
//     count[1]  twos      (an inner cell holds at most 3 and is hit by at most 4 at once: 7 always fits)
//     count[2]  fours
//     owned[s]  the cells that hold orbs of side s
//     dead      the cells burnt out under the rule `dies`
//
// No two cells of a wave are neighbours (the grid is bipartite and a chain starts at one cell), so the order in
// which the cells of a wave are taken makes no difference.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "core/bitboard.hpp"
#include "core/game.hpp"
#include "core/text.hpp"

namespace ludus::chain_reaction {

/// What becomes of a cell that explodes.
enum class Explosion { empties, keeps_surplus, dies };

/// A game of this many plies is a tie.
inline constexpr int ply_limit = 1000;

/// In the last plies before the limit the rest of a game depends on how many are left, and so does its key. Earlier
/// no search looks far enough to notice.
inline constexpr int last_plies = 300;

/// A grid and its cells by capacity: 2 in the corners, 3 on the edges, 4 inside.
template <class Bits_>
struct Board : Grid<Bits_> {
  using Bits = Bits_;
  Bits corners{}, edges{};

  constexpr Board(int row_count, int col_count) : Grid<Bits>(row_count, col_count) {
    const Bits rim_rows = this->top | this->bottom, rim_cols = this->left | this->right;
    corners = rim_rows & rim_cols;
    edges = rim_rows ^ rim_cols;
  }
  constexpr int capacity(int cell) const {
    const Bits here = bit<Bits>(cell);
    return (here & corners) ? 2 : (here & edges) ? 3 : 4;
  }
};

template <class Space, Explosion rule>
class ChainReaction : public Space {
 public:
  using Bits = typename Space::Bits;

  struct State {
    std::array<Bits, 3> count{};
    std::array<Bits, 2> owned{};
    Bits dead{};
    std::uint16_t ply = 0;
    Side side = 0;
    Verdict verdict = Verdict::open;

    auto operator<=>(const State&) const = default;
  };
  struct Move {
    std::uint8_t cell;
    bool operator==(const Move&) const = default;
  };
  using Moves = BitMoves<Bits, Move>;

  explicit ChainReaction(Space space) : Space(space) {}

  State initial(std::uint64_t) const { return {}; }
  Side side(const State& state) const { return state.side; }
  Verdict verdict(const State& state) const { return state.verdict; }
  std::optional<int> max_moves_left(const State&) const { return std::nullopt; }

  Moves legal_moves(const State& state) const {
    if (state.verdict != Verdict::open) return Moves{};
    return Moves{free_cells(state)};
  }

  State play(const State& state, Move move) const {
    return play(state, move, [](const State&, Bits) {});
  }

  std::uint64_t key(const State& state) const {
    std::uint64_t key = mix(0, state.side);
    for (const Bits& plane : state.count) key = mix(key, plane);
    key = mix(key, state.owned[0]);
    if constexpr (rule == Explosion::dies) key = mix(key, state.dead);
    if (state.ply >= ply_limit - last_plies) key = mix(key, state.ply);
    return key;
  }

  template <class Visit>
  void for_each_image(const State& state, Visit visit) const {
    const auto& board = this->board();
    auto image = [&](Symmetry symmetry, auto transform) {
      State other = state;
      for (Bits& plane : other.count) plane = transform(plane);
      for (Bits& plane : other.owned) plane = transform(plane);
      other.dead = transform(state.dead);
      visit(symmetry, other);
    };
    auto mirror = [&](Bits b) { return board.mirror(b); };
    auto flip = [&](Bits b) { return board.flip(b); };
    auto transpose = [&](Bits b) { return board.transpose(b); };
    image({true, false, false}, mirror);
    image({false, true, false}, flip);
    image({true, true, false}, [&](Bits b) { return flip(mirror(b)); });
    if (board.rows == board.cols) {
      image({false, false, true}, transpose);
      image({true, false, true}, [&](Bits b) { return transpose(mirror(b)); });
      image({false, true, true}, [&](Bits b) { return transpose(flip(b)); });
      image({true, true, true}, [&](Bits b) { return transpose(flip(mirror(b))); });
    }
  }

  int actions() const { return this->board().rows * this->board().cols; }
  int action_of(Move move) const { return move.cell; }
  Move move_of(const State&, int action) const { return Move{static_cast<std::uint8_t>(action)}; }
  std::string action_text(int action) const { return cell_text(action); }
  int image_of(int action, Symmetry symmetry) const { return symmetry.image_of(action, board_size()); }

  BoardSize board_size() const { return this->board().size(); }
  std::vector<std::string> plane_names() const {
    std::vector<std::string> names{"mine 1", "mine 2", "mine 3", "theirs 1", "theirs 2", "theirs 3"};
    if constexpr (rule == Explosion::dies) names.push_back("burnt out");
    names.push_back("plies");
    return names;
  }
  /// More than three orbs on a cell, as a won game may leave them, count as three.
  void write_planes(const State& state, Side viewer, float* out) const {
    const auto& [ones, twos, fours] = state.count;
    for (const Bits& owned : {state.owned[viewer], state.owned[1 - viewer]}) {
      for (const Bits& cells : {ones & ~(twos | fours), twos & ~(ones | fours), (ones & twos) | fours}) {
        out = write_plane(this->board(), owned & cells, out);
      }
    }
    if constexpr (rule == Explosion::dies) out = write_plane(this->board(), state.dead, out);
    std::fill_n(out, actions(), static_cast<float>(state.ply) / ply_limit);
  }

  /// Orbs on one cell.
  int orbs(const State& state, int cell) const {
    const Bits here = bit<Bits>(cell);
    return ((state.count[0] & here) ? 1 : 0) + ((state.count[1] & here) ? 2 : 0) + ((state.count[2] & here) ? 4 : 0);
  }
  /// Orbs on a set of cells.
  int orbs_in(const State& state, Bits cells) const {
    return count(state.count[0] & cells) + 2 * count(state.count[1] & cells) + 4 * count(state.count[2] & cells);
  }
  /// Orbs of one side.
  int orbs_of(const State& state, Side side) const { return orbs_in(state, state.owned[side]); }

  std::string text(const State& state) const {
    return board_text(state) + (state.side == 0 ? " 1 " : " 2 ") + std::to_string(state.ply);
  }

  State parse(std::string_view line) const {
    const auto& board = this->board();
    Reader reader(line);
    State state;
    for (int row = 0; row < board.rows; ++row) {
      if (row > 0) reader.row_end(board.cols);
      for (int col = 0; col < board.cols; ++col) read_cell(reader, state, row * board.cols + col);
    }
    const int orbs = orbs_of(state, 0) + orbs_of(state, 1);
    state.ply = static_cast<std::uint16_t>(std::min(orbs, ply_limit));
    if (reader.next_field()) state.side = reader.side();
    if (reader.next_field())
      state.ply = static_cast<std::uint16_t>(reader.number(0, ply_limit, {"chain_reaction.text.ply"}));
    reader.finish();
    if (alone(state)) {
      state.verdict = win_for(state.owned[state.side] ? state.side : Side(1 - state.side));
    }
    if (state.verdict == Verdict::open) {
      if (const Bits full = critical(state)) {
        const int cell = lowest(full);
        throw ParseFault(
            {"chain_reaction.text.too_many_orbs",
             {{"cell", cell_text(cell)}, {"orbs", this->orbs(state, cell)}, {"capacity", board.capacity(cell)}}},
            1);
      }
      state.verdict = verdict_at_rest(state);
    }
    return state;
  }

  Move find_move(const State& state, std::string_view text) const {
    const auto& board = this->board();
    const auto named = letter_cell(text);
    if (!named || named->col >= board.cols || named->number < 1 || named->number > board.rows) {
      throw no_such_cell(text, "A1", cell_text(board.rows * board.cols - 1));
    }
    if (state.verdict != Verdict::open) throw game_over();
    const int cell = (named->number - 1) * board.cols + named->col;
    const Bits here = bit<Bits>(cell);
    if (here & state.dead) throw IllegalMove({"chain_reaction.illegal.burnt_out", {{"cell", cell_text(cell)}}});
    if (here & state.owned[1 - state.side]) {
      throw IllegalMove({"chain_reaction.illegal.not_yours", {{"cell", cell_text(cell)}}});
    }
    return Move{static_cast<std::uint8_t>(cell)};
  }

  std::vector<Step> steps(const State& state, Move move) const {
    std::vector<Step> result;
    play(state, move, [&](const State& after, Bits cells) {
      Step step{result.empty() ? "place" : "explode", {}, 0, board_text(after)};
      for_each_bit(cells, [&](int i) { step.cells.push_back({i / this->board().cols, i % this->board().cols}); });
      result.push_back(std::move(step));
    });
    return result;
  }

  /// Where the side to move may play: empty cells and its own.
  Bits free_cells(const State& state) const { return this->board().all & ~(state.owned[1 - state.side] | state.dead); }

  /// Cells that have reached their capacity.
  Bits critical(const State& state) const {
    const auto& board = this->board();
    return state.count[2] | (state.count[1] & (board.corners | (board.edges & state.count[0])));
  }

 private:
  /// Plays a move and shows it: `seen(state, cells)` after the placement and after each wave.
  template <class Seen>
  State play(const State& before, Move move, Seen seen) const {
    State state = before;
    const Side mover = state.side;
    const Bits here = bit<Bits>(move.cell);
    add(state, here, Bits{}, Bits{});
    state.owned[mover] |= here;
    ++state.ply;
    state.side ^= 1;
    seen(state, here);
    while (const Bits exploding = critical(state)) {
      explode(state, exploding, mover);
      seen(state, exploding);
      if (!state.owned[1 - mover]) {
        state.verdict = win_for(mover);
        return state;
      }
    }
    if (const bool burnt_out = rule == Explosion::dies && !state.owned[mover]; burnt_out) {
      state.verdict = win_for(state.side);
    } else {
      state.verdict = alone(state) ? win_for(mover) : verdict_at_rest(state);
    }
    return state;
  }

  /// One wave: `exploding` cells send an orb to each neighbour, which becomes the mover's.
  void explode(State& state, Bits exploding, Side mover) const {
    const auto& board = this->board();
    auto& count = state.count;
    if constexpr (rule == Explosion::keeps_surplus) {
      // Minus the capacity: 4..7 lose count[2]; on edges 3, 4, 5 become 0, 1, 2; in corners 2, 3 become 0, 1.
      const Bits edge = exploding & board.edges, over = edge & count[2], odd = over & count[0];
      const Bits corner_surplus = exploding & board.corners & count[0];
      const Bits inner = exploding & ~(board.edges | board.corners);
      count[0] = (count[0] & ~(exploding & ~inner)) | (over & ~odd) | corner_surplus;
      count[1] = (count[1] & ~(exploding & ~inner)) | odd;
      count[2] = count[2] & ~exploding;
    } else {
      for (Bits& plane : count) plane &= ~exploding;
    }
    if constexpr (rule == Explosion::dies) {
      state.dead |= exploding;
      state.owned[mover] &= ~exploding;
    } else if constexpr (rule == Explosion::keeps_surplus) {
      state.owned[mover] &= ~exploding | count[0] | count[1];
    } else {
      state.owned[mover] &= ~exploding;
    }
    // Add up the four directions: `ones` + 2 * `twos` + 4 * `fours` orbs arrive.
    Bits n = board.north(exploding), s = board.south(exploding), w = board.west(exploding), e = board.east(exploding);
    if constexpr (rule == Explosion::dies) n &= ~state.dead, s &= ~state.dead, w &= ~state.dead, e &= ~state.dead;
    const Bits vertical = n ^ s, both_vertical = n & s, horizontal = w ^ e, both_horizontal = w & e;
    const Bits hit = n | s | w | e;
    add(state, vertical ^ horizontal, (both_vertical ^ both_horizontal) | (vertical & horizontal),
        both_vertical & both_horizontal);
    state.owned[mover] |= hit;
    state.owned[1 - mover] &= ~hit;
  }

  static void add(State& state, Bits ones, Bits twos, Bits fours) {
    auto& count = state.count;
    const Bits carry = count[0] & ones;
    count[0] ^= ones;
    const Bits carry2 = (count[1] & twos) | (carry & (count[1] ^ twos));
    count[1] ^= twos ^ carry;
    count[2] ^= fours ^ carry2;
  }

  /// Only one side has orbs, or neither, although both have played: by the plies, or by the orbs of a position from
  /// outside, whose plies may be wrong.
  bool alone(const State& state) const {
    if (state.owned[0] && state.owned[1]) return false;
    return state.ply >= 2 || orbs_of(state, 0) + orbs_of(state, 1) >= 2;
  }

  /// The verdict after a chain that left orbs of both players, or before both have moved.
  Verdict verdict_at_rest(const State& state) const {
    if (rule == Explosion::dies && !free_cells(state)) return win_for(Side(1 - state.side));
    return state.ply >= ply_limit ? Verdict::tie : Verdict::open;
  }

  std::string cell_text(int cell) const {
    return letter_cell_text(cell % this->board().cols, cell / this->board().cols + 1);
  }

  std::string board_text(const State& state) const {
    const auto& board = this->board();
    std::string result;
    for (int cell = 0; cell < board.rows * board.cols; ++cell) {
      const Bits here = bit<Bits>(cell);
      if (cell > 0 && cell % board.cols == 0) result += '/';
      if (here & state.dead) {
        result += '#';
      } else if (const int orbs = this->orbs(state, cell); orbs == 0) {
        result += '.';
      } else {
        result += (here & state.owned[0]) ? 'r' : 'b';
        result += static_cast<char>('0' + orbs);
      }
    }
    return result;
  }

  void read_cell(Reader& reader, State& state, int cell) const {
    const Bits here = bit<Bits>(cell);
    if (reader.take_if('.')) return;
    if (rule == Explosion::dies && reader.take_if('#')) {
      state.dead |= here;
      return;
    }
    if (reader.peek() != 'r' && reader.peek() != 'b') {
      reader.expected({rule == Explosion::dies ? "chain_reaction.text.cell_or_burnt_out" : "chain_reaction.text.cell"});
    }
    state.owned[reader.take() == 'r' ? 0 : 1] |= here;
    const int orbs = reader.number(1, 7, {"chain_reaction.text.orbs"});
    for (int plane = 0; plane < 3; ++plane) {
      if ((orbs >> plane) & 1) state.count[static_cast<std::size_t>(plane)] |= here;
    }
  }
};

}  // namespace ludus::chain_reaction
