// The Fruit Rage: the rules, on bit planes. Knows nothing of search or Python.
//
// A cell holds its fruit type + 1 as a number, 0 when empty, and the board keeps that number bit by bit: plane p has
// bit p of every cell, one machine word a row, row 0 at the top, column 0 in the highest bit:
//
//     0 1 1 *      plane[0]  1 . . .      plane[1]  . 1 1 .
//     0 0 1 2                1 1 . 1                . . 1 1
//
// Words are rows, not columns, because a group is named by its topmost, then leftmost cell. The cells of a row that
// hang together are a *run*; a carry goes through a run from right to left and comes to rest on its leftmost cell. So
// a few operations on whole boards find the runs with nothing above them that belongs to them, by their leftmost
// cells, and reading these in order meets each group at its name. Only gravity would rather have columns.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <compare>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/bitboard.hpp"
#include "core/game.hpp"
#include "core/random.hpp"
#include "core/text.hpp"

namespace ludus::fruit_rage {

/// Boards of up to `Rows` rows and columns, with types 0 .. 2^Planes - 2. A `Row_` has a bit for each column.
template <class Row_, int Rows, int Planes>
class FruitRage {
 public:
  using Row = Row_;
  static_assert(Rows <= std::numeric_limits<Row>::digits);

  struct State {
    std::array<std::array<Row, Rows>, Planes> plane{};
    std::array<std::int32_t, 2> scores{};
    Side side = 0;

    auto operator<=>(const State&) const = default;
  };
  /// A group, by its topmost cell, leftmost among equals, and how many cells it has.
  struct Move {
    std::uint32_t code;  ///< one number, size first, so that lists are written and compared a word at a time
    constexpr Move(int row, int col, int size) : code(static_cast<std::uint32_t>(size << 10 | row << 5 | col)) {}
    Move() = default;
    int row() const { return static_cast<int>(code >> 5 & 31); }
    int col() const { return static_cast<int>(code & 31); }
    int size() const { return static_cast<int>(code >> 10); }
    /// What it earns.
    int points() const { return size() * size(); }
    bool operator==(const Move&) const = default;
  };
  using Moves = MoveList<Move, Rows * Rows>;
  using OddSizes = std::array<std::uint64_t, Rows * Rows / 64 + 1>;

  FruitRage(int size, int types) : size_(size), types_(types) {}

  int size() const { return size_; }
  int types() const { return types_; }

  State initial(std::uint64_t seed) const {
    Random random(seed);
    State state;
    for (int row = 0; row < size_; ++row) {
      for (int col = 0; col < size_; ++col) {
        put(state, row, col, static_cast<int>(random.below(static_cast<std::uint32_t>(types_))));
      }
    }
    return state;
  }

  Side side(const State& state) const { return state.side; }
  std::array<int, 2> scores(const State& state) const { return state.scores; }

  Verdict verdict(const State& state) const {
    if (occupied(state, size_ - 1) != 0) return Verdict::open;  // fruits lie at the bottom or nowhere
    if (state.scores[0] == state.scores[1]) return Verdict::tie;
    return win_for(state.scores[0] > state.scores[1] ? 0 : 1);
  }

  /// Each move takes at least one of the fruits.
  int max_moves_left(const State& state) const {
    int fruits = 0;
    for (int row = 0; row < size_; ++row) fruits += std::popcount(occupied(state, row));
    return fruits;
  }

  Moves legal_moves(const State& state) const {
    const Links links(state);
    auto [heads, pairs, large] = Outline(links);
    Moves moves;
    for (std::size_t row = 0; row < index(size_); ++row) {
      constexpr int justify = 32 - width;  // column 0 in bit 31, whatever a row is
      const std::uint32_t two = std::uint32_t{pairs[row]} << justify, more = std::uint32_t{large[row]} << justify;
      for (std::uint32_t left = std::uint32_t{heads[row]} << justify; left != 0;) {
        const int col = std::countl_zero(left);
        const std::uint32_t head = 0x80000000u >> col;
        left ^= head;
        int size = 1 + static_cast<int>(two << col >> 31);
        if ((more & head) != 0) [[unlikely]] {
          Cells cells;
          const Extent extent = fill(links, row, head >> justify, cells);
          size = extent.size;
          if (extent.bent) {  // it may have more heads
            left &= ~(std::uint32_t{cells[row]} << justify);
            for (std::size_t r = row + 1; r <= extent.bottom; ++r) heads[r] &= Row(~cells[r]);
          }
        }
        moves.push_back(Move(static_cast<int>(row), col, size));
      }
    }
    return moves;
  }

  /// Bit k is set when the number of groups of k fruits is odd.
  OddSizes odd_sizes(const State& state) const {
    const Links links(state);
    auto [heads, pairs, large] = Outline(links);
    int singles = 0, twos = 0;
    for (std::size_t r = 0; r < lanes; ++r) {
      singles += std::popcount(Row(heads[r] & ~(pairs[r] | large[r])));
      twos += std::popcount(pairs[r]);
    }
    OddSizes odd{};
    odd[0] = static_cast<std::uint64_t>((singles & 1) << 1 | (twos & 1) << 2);
    for (std::size_t row = 0; row < index(size_); ++row) {
      for (std::uint32_t left = heads[row] & large[row]; left != 0;) {
        const std::uint32_t head = std::bit_floor(left);
        left ^= head;
        Cells cells;
        const Extent extent = fill(links, row, head, cells);
        odd[static_cast<std::size_t>(extent.size) / 64] ^= std::uint64_t{1} << (extent.size % 64);
        if (extent.bent) {
          left &= ~std::uint32_t{cells[row]};
          for (std::size_t r = row + 1; r <= extent.bottom; ++r) heads[r] &= Row(~cells[r]);
        }
      }
    }
    return odd;
  }

  State play(const State& before, Move move) const {
    State state = before;
    if (move.size() == 1) {
      drop(state, index(move.row()), at(move.col()));
    } else {
      Cells cells;
      const Extent extent = fill(Links(before), index(move.row()), at(move.col()), cells);
      for (std::size_t row = index(move.row()); row <= extent.bottom; ++row) drop(state, row, cells[row]);
    }
    state.scores[state.side] += move.points();
    state.side ^= 1;
    return state;
  }

  std::uint64_t key(const State& state) const {
    constexpr std::size_t packed = 64 / width;
    const auto used = static_cast<std::size_t>(size_);
    std::uint64_t key = mix(0, state.side);
    for (const auto& plane : state.plane) {
      for (std::size_t r = 0; r < used; r += packed) {
        std::uint64_t word = 0;
        for (std::size_t i = 0; i < packed; ++i) {
          word |= std::uint64_t{plane[r + i]} << (i * width);
        }
        key = mix(key, word);
      }
    }
    return key;
  }

  template <class Visit>
  void for_each_image(const State& state, Visit visit) const {
    State mirrored = state;
    for (auto& plane : mirrored.plane) {
      for (Row& row : plane) row = reversed(row);
    }
    visit(Symmetry{true, false, false}, mirrored);
  }

  /// An action is a cell; of the cells of a group only the one that names it is legal.
  int actions() const { return size_ * size_; }
  int action_of(Move move) const { return move.row() * size_ + move.col(); }
  Move move_of(const State& state, int action) const {
    Cells cells;
    const int row = action / size_, col = action % size_;
    return {row, col, fill(Links(state), index(row), at(col), cells).size};
  }
  std::string action_text(int action) const { return letter_cell_text(action % size_, action / size_ + 1); }
  int image_of(int action, Symmetry symmetry) const { return symmetry.image_of(action, board_size()); }

  BoardSize board_size() const { return {size_, size_}; }
  std::vector<std::string> plane_names() const {
    std::vector<std::string> names;
    for (int type = 0; type < types_; ++type) names.push_back("fruit " + std::to_string(type));
    names.push_back("margin");
    return names;
  }
  /// The margin is shown by its root, since claims are squares: 1 is the claim of a whole board.
  void write_planes(const State& state, Side viewer, float* out) const {
    for (int type = 0; type < types_; ++type) {
      for (std::size_t row = 0; row < index(size_); ++row) {
        auto cells = ~std::uint32_t{0};
        for (std::size_t p = 0; p < Planes; ++p) {
          const std::uint32_t plane = state.plane[p][row];
          cells &= ((type + 1) >> p & 1) != 0 ? plane : ~plane;
        }
        for (int col = 0; col < size_; ++col)
          *out++ = static_cast<float>(static_cast<int>(cells >> (width - 1 - col) & 1));
      }
    }
    const auto margin = static_cast<float>(std::int64_t{state.scores[viewer]} - state.scores[1 - viewer]);
    const float root = std::min(std::sqrt(std::abs(margin)) / static_cast<float>(actions()), 1.0f);
    std::fill_n(out, actions(), std::copysign(root, margin));
  }

  std::string text(const State& state) const {
    return board_text(state) + (state.side == 0 ? " 1 " : " 2 ") + std::to_string(state.scores[0]) + '-' +
           std::to_string(state.scores[1]);
  }

  State parse(std::string_view line) const {
    Reader reader(line);
    State state;
    int fruits = 0;
    for (int row = 0; row < size_; ++row) {
      if (row > 0) reader.row_end(size_);
      for (int col = 0; col < size_; ++col) fruits += read_cell(reader, state, row, col) ? 1 : 0;
    }
    if (reader.next_field()) state.side = reader.side();
    // Claims of k fruits leave fewer by k, and k^2 + (n-k)^2 <= n^2: no game can overflow its points.
    if (reader.next_field()) state.scores = reader.points(std::numeric_limits<std::int32_t>::max() - fruits * fruits);
    reader.finish();
    return state;
  }

  Move find_move(const State& state, std::string_view text) const {
    const auto named = letter_cell(text);
    if (!named || named->col >= size_ || named->number < 1 || named->number > size_) {
      throw no_such_cell(text, "A1", letter_cell_text(size_ - 1, size_));
    }
    if (verdict(state) != Verdict::open) throw game_over();
    const int row = named->number - 1;
    const std::uint32_t here = at(named->col);
    if ((occupied(state, row) & here) == 0) {
      throw IllegalMove({"fruit_rage.illegal.empty", {{"cell", letter_cell_text(named->col, named->number)}}});
    }
    const Links links(state);
    const Moves moves = legal_moves(state);
    return *std::find_if(moves.begin(), moves.end(),
                         [&](Move move) { return (cells_of(links, move)[index(row)] & here) != 0; });
  }

  std::vector<Step> steps(const State& state, Move move) const {
    const Cells group = cells_of(Links(state), move);
    State holes = state;
    for (auto& plane : holes.plane) {
      for (std::size_t r = 0; r < Rows; ++r) plane[r] &= Row(~group[r]);
    }
    Step claim{"claim", {}, move.points(), board_text(holes)};
    Step fall{"fall", {}, 0, board_text(play(state, move))};
    for (int row = 0; row < size_; ++row) {
      std::uint32_t undermined = 0;
      for (int below = row + 1; below < size_; ++below) undermined |= group[index(below)];
      undermined &= occupied(holes, row);
      for (int col = 0; col < size_; ++col) {
        if ((group[index(row)] & at(col)) != 0) claim.cells.push_back({row, col});
        if ((undermined & at(col)) != 0) fall.cells.push_back({row, col});
      }
    }
    std::vector<Step> result{std::move(claim)};
    if (!fall.cells.empty()) result.push_back(std::move(fall));
    return result;
  }

 private:
  static constexpr int width = std::numeric_limits<Row>::digits;
  /// The rows in a whole number of the widest vectors, so that a loop over them needs no remainder.
  static constexpr std::size_t lanes = std::bit_ceil(static_cast<std::size_t>(Rows));
  using Lanes = std::array<Row, lanes>;
  using Cells = std::array<Row, lanes + 1>;   // a spare row, always empty: every row has one below
  using Framed = std::array<Row, lanes + 2>;  // an empty row before and after: row r is element r + 1

  /// Which neighbours hold the same fruit.
  struct Links {
    Lanes occupied;
    Framed left{};  ///< cells whose left neighbour holds the same
    Framed down{};  ///< cells whose lower neighbour holds the same

    explicit Links(const State& state) {
      std::array<Cells, Planes> plane{};
      for (std::size_t p = 0; p < Planes; ++p) std::copy_n(state.plane[p].begin(), Rows, plane[p].begin());
      for (std::size_t r = 0; r < lanes; ++r) {
        Row any = 0, unlike_left = 0, unlike_below = 0;
        for (std::size_t p = 0; p < Planes; ++p) {
          const Row here = plane[p][r];
          any |= here;
          unlike_left |= Row(here ^ (here >> 1));
          unlike_below |= Row(here ^ plane[p][r + 1]);
        }
        occupied[r] = any;
        left[r + 1] = Row(any & ~unlike_left);
        down[r + 1] = Row(any & ~unlike_below);
      }
    }
  };

  /// Where the groups are, by one cell each; a large group may show several, until one of them is filled.
  struct Outline {
    Lanes heads, pairs, large;

    explicit Outline(const Links& links) {
      for (std::size_t r = 0; r < lanes; ++r) {
        const Row left = links.left[r + 1], right = Row(left << 1), down = links.down[r + 1], up = links.down[r];
        const Row below = Row(links.left[r + 2] | (links.left[r + 2] << 1) | links.down[r + 2]);
        const Row hanging = Row(((left + (left & up)) ^ left) | up);
        heads[r] = Row(links.occupied[r] & ~(left | hanging));
        // A pair is a cell with one link, to a cell with no other.
        const Row upright = Row(down | up);
        const Row lying = Row(right & ~(left | upright | ((right | upright) << 1)));
        const Row standing = Row(down & ~(left | right | up | below));
        pairs[r] = Row(lying | standing);
        large[r] = Row((right | down) & ~pairs[r]);
      }
    }
  };

  static constexpr std::size_t index(int row) { return static_cast<std::size_t>(row); }

  /// The bit of a column.
  static constexpr std::uint32_t at(int col) { return std::uint32_t{1} << (width - 1 - col); }

  /// The runs of one row that the seeds are in.
  static std::uint32_t runs(std::uint32_t left, std::uint32_t seeds) {
    std::uint32_t cells = ((left + (left & seeds)) ^ left) | seeds;
    while (const std::uint32_t right = cells >> 1 & left & ~cells) cells |= right;
    return cells;
  }

  struct Extent {
    std::size_t bottom;
    int size;
    bool bent;  ///< there are cells that cannot be reached from the top row by going down and sideways only
  };

  /// Finds the cells of a group from one in its top row; writes the rows from there to the bottom of the group.
  /// Kept out of line: the loop over the heads, most of which need no fill, then stays in registers.
  [[gnu::noinline]] static Extent fill(const Links& links, std::size_t top, std::uint32_t seed, Cells& cells) {
    std::size_t bottom = top;
    std::uint32_t row = runs(links.left[top + 1], seed);
    cells[top] = Row(row);
    int size = std::popcount(row);
    bool bent = false;
    while (const std::uint32_t found = row & links.down[bottom + 1]) {
      row = runs(links.left[bottom + 2], found);
      bent |= (row & links.down[bottom + 1]) != found;
      cells[++bottom] = Row(row);
      size += std::popcount(row);
    }
    if (!bent) return {bottom, size, false};
    return fill_bends(links, top, bottom, cells);
  }

  /// Goes up and down through a group, of which a part is found, until nothing is new.
  static Extent fill_bends(const Links& links, std::size_t top, std::size_t bottom, Cells& cells) {
    std::fill(cells.begin() + static_cast<std::ptrdiff_t>(bottom) + 1, cells.end(), Row{0});
    bool grew = true;
    auto reach = [&](std::size_t row, std::uint32_t found) {
      const std::uint32_t fresh = found & ~std::uint32_t{cells[row]};
      if (fresh == 0) return;
      cells[row] |= Row(runs(links.left[row + 1], fresh));
      bottom = std::max(bottom, row);
      grew = true;
    };
    while (grew) {
      grew = false;
      for (std::size_t row = bottom; row > top; --row) reach(row - 1, cells[row] & links.down[row]);
      for (std::size_t row = top; row <= bottom; ++row) reach(row + 1, cells[row] & links.down[row + 1]);
    }
    int size = 0;
    for (std::size_t row = top; row <= bottom; ++row) size += std::popcount(cells[row]);
    return {bottom, size, true};
  }

  static Cells cells_of(const Links& links, Move move) {
    Cells cells{};
    fill(links, index(move.row()), at(move.col()), cells);
    return cells;
  }

  /// `at_or_above[row]` has all bits in the rows from the top down to that one.
  static constexpr auto at_or_above = [] {
    std::array<std::array<Row, Rows>, Rows> masks{};
    for (std::size_t row = 0; row < Rows; ++row) {
      for (std::size_t r = 0; r <= row; ++r) masks[row][r] = Row(~Row{0});
    }
    return masks;
  }();

  /// Takes cells out of one row; what stands above them comes down by one.
  static void drop(State& state, std::size_t row, std::uint32_t gone) {
    const auto& mask = at_or_above[row];
    std::array<std::array<Row, Rows + 1>, Planes> old;
    for (std::size_t p = 0; p < Planes; ++p) {
      old[p][0] = 0;
      std::copy_n(state.plane[p].begin(), Rows, old[p].begin() + 1);
    }
    for (std::size_t r = 0; r < Rows; ++r) {
      const Row falling = Row(mask[r] & gone);
      for (std::size_t p = 0; p < Planes; ++p) {
        state.plane[p][r] = Row(old[p][r + 1] ^ ((old[p][r + 1] ^ old[p][r]) & falling));
      }
    }
  }

  static std::uint32_t occupied(const State& state, int row) {
    std::uint32_t any = 0;
    for (const auto& plane : state.plane) any |= plane[index(row)];
    return any;
  }

  static void put(State& state, int row, int col, int type) {
    for (std::size_t p = 0; p < Planes; ++p) {
      if (((type + 1) >> p & 1) != 0) state.plane[p][index(row)] |= Row(at(col));
    }
  }

  /// A row with left and right swapped.
  Row reversed(Row row) const {
    Row mask = Row(~Row{0});
    for (int half = width / 2; half > 0; half /= 2) {
      mask = Row(mask ^ (mask << half));
      row = Row(((row >> half) & mask) | ((row & mask) << half));
    }
    return Row(row << (width - size_));
  }

  std::string board_text(const State& state) const {
    std::string result;
    for (int row = 0; row < size_; ++row) {
      if (row > 0) result += '/';
      for (int col = 0; col < size_; ++col) {
        int held = 0;
        for (std::size_t p = 0; p < Planes; ++p) {
          held |= (state.plane[p][index(row)] & at(col)) != 0 ? 1 << p : 0;
        }
        result += held == 0 ? '*' : static_cast<char>('0' + held - 1);
      }
    }
    return result;
  }

  /// Reads a cell; true if it holds a fruit.
  bool read_cell(Reader& reader, State& state, int row, int col) const {
    if (reader.peek() == '*') {
      if (row > 0 && (occupied(state, row - 1) & at(col)) != 0) {
        reader.fail({"fruit_rage.text.hanging",
                     {{"fruit", letter_cell_text(col, row)}, {"cell", letter_cell_text(col, row + 1)}}});
      }
      reader.take();
      return false;
    }
    const char last = static_cast<char>('0' + types_ - 1);
    if (reader.peek() < '0' || reader.peek() > last) {
      reader.expected({"fruit_rage.text.cell", {{"last", types_ - 1}}});
    }
    put(state, row, col, reader.take() - '0');
    return true;
  }

  int size_, types_;
};

}  // namespace ludus::fruit_rage
