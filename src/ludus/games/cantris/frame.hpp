// Cantris: a board and all that can become of it, numbered. Knows the rules of falling and vanishing; no search.
//
// Tiles only ever leave. So a frame, made once from a board of up to 50 tiles, names each board that can follow by one
// bit for each of its tiles: columns from the left, each from the bottom.
//
//     the frame     its bits      a board that follows      its set: bits 0, 2, 3 and 5
//       2  3          2  5
//       1  4          1  4            2  3                  5 4 3 2 1 0
//       4  4          0  3            4  4                  1 0 1 1 0 1
//
// What is needed of a column is looked up by its bits. Two things make different sets the same position; `canonical`
// picks one set for all of them:
// - Equal tiles next to each other: it does not matter which of them is left.
// - A number is alive in a column while it can still be part of a run there: while two neighbours on one side, or one
//   on each side, hold it too. Numbers die and never come back to life. Dead tiles only hold up what is above them, so
//   between two living tiles their order means nothing.
#pragma once

#include <bit>
#include <cstring>
#include <optional>
#include <vector>

#include "cantris/rules.hpp"

namespace ludus::cantris {

/// A board, by the tiles of the frame that are left.
using TileSet = std::uint64_t;

template <int Width>
class Frame {
 public:
  static constexpr int most_tiles_held = 50;
  using Masks = std::array<std::uint32_t, static_cast<std::size_t>(Width)>;

  /// What the side to move will still win by, from the numbers of tiles alone.
  struct CountBounds {
    int low, high;
    int quiet_high;  ///< the same as `high` if no run can be made before the turn ends, which `is_quiet` tells
  };
  static constexpr int never = -1000;

  /// One removal and all that follows from it.
  struct Removal {
    Masks masks;
    int points;
    bool ends;
    bool makes_run;
  };

  template <class Tiles>
  Frame(const Tiles& board, int cols) : cols_(cols) {
    std::uint32_t numbers = 0;
    for (int c = 0; c < Width; ++c) {
      for (int h = 0; h < board.height(c); ++h) numbers |= 1u << board.tile(c, h);
    }
    assign_lanes(numbers);
    int shift = 0;
    for (int c = 0; c < Width; ++c) {
      Column& column = columns_[at(c)];
      column.rows = board.height(c);
      column.shift = shift;
      shift += column.rows;
      for (int h = 0; h < column.rows; ++h) column.tile[at(h)] = static_cast<std::uint8_t>(board.tile(c, h));
      describe(column);
    }
    tiles_ = shift;
  }

  template <class Tiles>
  static int count_tiles(const Tiles& board, int cols) {
    int sum = 0;
    for (int c = 0; c < cols; ++c) sum += board.height(c);
    return sum;
  }

  int tiles() const { return tiles_; }

  /// The bits of a board that can follow; nothing if this one cannot.
  template <class Tiles>
  std::optional<Masks> find(const Tiles& board) const {
    Masks masks{};
    for (int c = 0; c < Width; ++c) {
      const Column& column = columns_[at(c)];
      int found = 0;
      const int height = board.height(c);
      for (int h = 0; h < column.rows && found < height; ++h) {
        if (column.tile[at(h)] != board.tile(c, found)) continue;
        masks[at(c)] |= 1u << h;
        ++found;
      }
      if (found < height) return std::nullopt;
    }
    return masks;
  }

  /// A position on its way through the search: the tiles left, and what is looked up by them.
  struct View {
    Masks masks;
    std::array<std::uint64_t, static_cast<std::size_t>(Width)>
        packed;  ///< nibbles of tiles, and the lanes present above
    std::array<std::uint32_t, static_cast<std::size_t>(Width)> alive;
    bool has_run;  ///< there is a run already: only before the first move
  };
  View view(TileSet tiles_left) const {
    Masks masks;
    for (int c = 0; c < Width; ++c) {
      const Column& column = columns_[at(c)];
      masks[at(c)] = static_cast<std::uint32_t>(tiles_left >> column.shift) & ((1u << column.rows) - 1);
    }
    return view(masks);
  }
  View view(const Masks& masks) const {
    View view;
    view.masks = masks;
    for (int c = 0; c < Width; ++c) view.packed[at(c)] = columns_[at(c)].packed[masks[at(c)]];
    find_alive(view);
    view.has_run = any_run(view.packed);
    return view;
  }

  /// The largest tile.
  int top(const View& view) const {
    std::uint64_t packed = 0;
    for (int c = 0; c < Width; ++c) packed |= view.packed[at(c)];
    return most_[static_cast<std::size_t>(std::bit_width(packed >> lane_shift)) - 1];
  }

  /// The removals that differ in more than name, as bits of the column.
  std::uint32_t removals(const View& view, int col) const {
    const Column& column = columns_[at(col)];
    return column.forms[(view.alive[at(col)] << column.rows) + view.masks[at(col)]].removals;
  }
  int shift(int col) const { return columns_[at(col)].shift; }

  Removal remove(const View& view, int col, int tile) const {
    Removal result{view.masks, columns_[at(col)].tile[at(tile)], false, false};
    auto packed = view.packed;
    result.masks[at(col)] ^= 1u << tile;
    packed[at(col)] = columns_[at(col)].packed[result.masks[at(col)]];
    const int first = view.has_run ? 0 : std::max(0, col - 2);
    const int last = view.has_run ? Width - 3 : std::min(col, Width - 3);
    std::uint64_t any = 0;
    std::array<std::uint64_t, static_cast<std::size_t>(Width)> starts{};
    for (int c = first; c <= last; ++c) any |= starts[at(c)] = same(packed, c);
    result.makes_run = any != 0;
    while (any != 0) {
      for (int c = 0; c < Width; ++c) {
        std::uint64_t run = 0;
        for (int k = std::max(0, c - 2); k <= std::min(c, Width - 3); ++k) run |= starts[at(k)];
        if (run == 0) continue;
        for (std::uint64_t left = run; left != 0; left &= left - 1) {
          result.points += static_cast<int>(packed[at(c)] >> (std::countr_zero(left) - 3)) & 15;
        }
        result.masks[at(c)] &= ~rows_taken(run, result.masks[at(c)]);
      }
      any = 0;
      for (int c = 0; c < Width; ++c) packed[at(c)] = columns_[at(c)].packed[result.masks[at(c)]];
      for (int c = 0; c + 2 < Width; ++c) any |= starts[at(c)] = same(packed, c);
    }
    for (int c = 0; c < cols_; ++c) result.ends |= result.masks[at(c)] == 0;
    return result;
  }

  /// One set for all boards that are the same position.
  TileSet canonical(const Masks& masks) const {
    View view{};
    for (int c = 0; c < Width; ++c) view.packed[at(c)] = columns_[at(c)].packed[masks[at(c)]];
    find_alive(view);
    TileSet tiles_left = 0;
    for (int c = 0; c < Width; ++c) {
      const Column& column = columns_[at(c)];
      tiles_left |= TileSet{column.forms[(view.alive[at(c)] << column.rows) + masks[at(c)]].name} << column.shift;
    }
    return tiles_left;
  }

  /// Bounds of the value with `removals` left of the mover's turn, and `per_turn` in each later one.
  ///
  /// Runs to come: in each row a run takes one tile from each of three columns or more, so a column gives to runs of a
  /// number at most as many tiles as it has, and at most as many as there are such runs through it; and of the runs
  /// that begin at one of three columns there are at most as many as the poorest of the three has tiles. Each run that
  /// is made lowers this bound by its own tiles or more.
  ///
  /// A side that always takes the largest tile takes, each time, no less than the opponent's next removal does. So
  /// without runs the mover wins between 0 and the largest tiles of one turn, and at worst all runs go to one side.
  CountBounds count_bounds(const Masks& masks, int removals, int per_turn) const {
    Lanes counts[Width];
    std::uint64_t totals = 0;
    int lone = never, pair = never;  // the best that surely ends the game, with one removal and with two
    int pair_high = never;           // the most that two removals can score by ending the game without a run
    bool has_lone = false;
    for (int c = 0; c < Width; ++c) {
      const Column& column = columns_[at(c)];
      const std::uint32_t mask = masks[at(c)];
      totals += column.counts[mask];
      counts[c] = as_lanes(column.counts[mask]);
      const int height = std::popcount(mask);
      if (height > 2 || height == 0) continue;
      const int a = column.tile[at(std::countr_zero(mask))];
      if (height == 1) {
        lone = std::max(lone, a);
        has_lone = true;
      } else {
        // The first of the two may end the game by a run that empties another column: three tiles at least.
        const int b = column.tile[at(std::bit_width(mask) - 1)];
        pair = std::max(pair, std::max(a, b) + std::min({a, b, 3}));
        pair_high = std::max(pair_high, a + b);
      }
    }
    const Tops tops = largest(totals, per_turn == 1 ? 3 : 6);
    if (has_lone) pair_high = std::max(pair_high, lone + tops.sum[1]);
    pair = std::max(pair, lone);

    const Lanes before = in_runs(counts);
    Spoils spoils;
    if (std::bit_cast<std::uint64_t>(before) != 0) spoils = spoil(counts, before);

    if (per_turn == 1) {
      return {std::max(low_of_one(tops, 0, spoils), lone), tops.sum[1] + spoils.runs,
              std::max(lone, tops.sum[1] - low_of_one(tops, 1, spoils))};
    }
    if (removals == 2) {
      return {std::max(low_of_two(tops, 0, spoils), pair), tops.sum[2] + spoils.runs,
              std::max(pair_high, tops.sum[2] - low_of_two(tops, 2, spoils))};
    }
    return {std::max(low_of_rest(tops, spoils), lone), tops.sum[1] + spoils.runs,
            std::max(lone, tops.sum[1] - low_of_two(tops, 1, spoils))};
  }

  /// Whether fewer than three plain removals, or fewer than two, make no run. Of three tiles those that are too high
  /// have to fall to the lowest, one row with each removal.
  bool is_quiet(const Masks& masks, int removals) const {
    std::array<std::uint64_t, static_cast<std::size_t>(Width)> column;
    for (int c = 0; c < Width; ++c) column[at(c)] = columns_[at(c)].packed[masks[at(c)]] & tile_bits;
    for (int c = 0; c + 2 < Width; ++c) {
      const std::uint64_t a0 = column[at(c)], b0 = column[at(c + 1)], d0 = column[at(c + 2)];
      const std::uint64_t a1 = a0 >> 4, b1 = b0 >> 4, d1 = d0 >> 4;
      std::uint64_t any = equal(a1, b0, d0) | equal(a0, b1, d0) | equal(a0, b0, d1);
      if (removals == 2) {
        any |= equal(a1, b1, d0) | equal(a1, b0, d1) | equal(a0, b1, d1);
        any |= equal(a1 >> 4, b0, d0) | equal(a0, b1 >> 4, d0) | equal(a0, b0, d1 >> 4);
      }
      if (any != 0) return false;
    }
    return true;
  }

  /// The largest number of which one removal makes a run; 0 if none does.
  int threat(const View& view) const {
    int best = 0;
    auto tiles = view.packed;
    for (auto& packed : tiles) packed &= tile_bits;
    for (int c = 0; c < Width; ++c) {
      const std::uint64_t whole = tiles[at(c)];
      tiles[at(c)] = whole >> 4;
      for (int k = std::max(0, c - 2); k <= std::min(c, Width - 3); ++k) {
        for (std::uint64_t found = same(tiles, k); found != 0; found &= found - 1) {
          best = std::max(best, static_cast<int>(tiles[at(k)] >> (std::countr_zero(found) - 3)) & 15);
        }
      }
      tiles[at(c)] = whole;
    }
    return best;
  }

 private:
  typedef std::uint8_t Lanes __attribute__((vector_size(8)));  ///< one byte for each of eight numbers

  static constexpr int lane_shift = 4 * most_rows;
  static constexpr std::uint64_t tile_bits = (std::uint64_t{1} << lane_shift) - 1;
  static constexpr std::uint64_t ones = 0x1111111111111111u & tile_bits;
  /// The first lanes can die; the others count as alive for ever, which is safe and keeps the tables small.
  static constexpr int mortal_lanes = 5;

  /// What a set of tiles is in a column where certain lanes are alive.
  struct Form {
    std::uint16_t name;
    std::uint16_t removals;
  };
  struct Column {
    int rows = 0, shift = 0;
    std::array<std::uint8_t, most_rows> tile{};
    std::vector<std::uint64_t> packed;
    std::vector<std::uint64_t> counts;  ///< of each lane, a byte each
    std::vector<Form> forms;            ///< by the lanes alive, then by the tiles left
  };

  static constexpr std::size_t at(int index) { return static_cast<std::size_t>(index); }

  /// Numbers share eight lanes, in ascending order. Nine different ones are one too many: the first two share.
  void assign_lanes(std::uint32_t numbers) {
    shared_lane_ = std::popcount(numbers) > 8;
    int lane = shared_lane_ ? -1 : 0;
    for (int number = 1; number <= most_tiles; ++number) {
      if ((numbers >> number & 1) == 0) continue;
      const auto own = at(std::max(lane, 0));
      lane_[at(number)] = own;
      if (least_[own] == 0) least_[own] = number;
      most_[own] = number;
      ++lane;
    }
    lanes_ = std::max(lane, 1);
    for (int own = 0, below = 0; own < std::min(lanes_, 8); ++own) {
      steps_[at(own)] = static_cast<std::uint8_t>(most_[at(own)] - below);
      below = most_[at(own)];
    }
  }

  static std::uint64_t filled(std::uint64_t tiles) { return ((tiles & (7 * ones)) + 7 * ones) | tiles; }
  static std::uint64_t equal(std::uint64_t a, std::uint64_t b, std::uint64_t d) {
    return filled(b & tile_bits) & ~filled(((a ^ b) | (b ^ d)) & tile_bits) & (8 * ones);
  }
  /// Heights (top bit of each nibble) at which three columns from `c` on hold the same tile.
  static std::uint64_t same(const auto& packed, int c) {
    return equal(packed[at(c)], packed[at(c + 1)], packed[at(c + 2)]);
  }
  static bool any_run(const auto& packed) {
    for (int c = 0; c + 2 < Width; ++c) {
      if (same(packed, c) != 0) return true;
    }
    return false;
  }

  /// The bits of a column's set at the heights of a run.
  static std::uint32_t rows_taken(std::uint64_t run, std::uint32_t mask) {
    std::uint32_t taken = 0;
    for (std::uint64_t left = run; left != 0; left &= left - 1) {
      taken |= 1u << select(mask, static_cast<std::size_t>(std::countr_zero(left) / 4));
    }
    return taken;
  }

  void find_alive(View& view) const {
    std::array<std::uint32_t, static_cast<std::size_t>(Width)> three{};
    for (int c = 0; c + 2 < Width; ++c) {
      three[at(c)] = static_cast<std::uint32_t>(
          (view.packed[at(c)] & view.packed[at(c + 1)] & view.packed[at(c + 2)]) >> lane_shift);
    }
    for (int c = 0; c < Width; ++c) {
      std::uint32_t alive = 0;
      for (int k = std::max(0, c - 2); k <= std::min(c, Width - 3); ++k) alive |= three[at(k)];
      view.alive[at(c)] = alive & ((1u << std::min(lanes_, mortal_lanes)) - 1);
    }
  }

  static Lanes as_lanes(std::uint64_t bytes) {
    Lanes lanes;
    std::memcpy(&lanes, &bytes, sizeof lanes);
    return lanes;
  }
  static Lanes smaller(Lanes a, Lanes b) { return a < b ? a : b; }
  static Lanes in_runs(const Lanes (&counts)[Width]) {
    Lanes three[Width];
    for (int c = 0; c + 2 < Width; ++c) three[c] = smaller(counts[c], smaller(counts[c + 1], counts[c + 2]));
    Lanes sum{};
    for (int c = 0; c < Width; ++c) {
      Lanes through{};
      for (int k = std::max(0, c - 2); k <= std::min(c, Width - 3); ++k) through += three[k];
      sum += smaller(counts[c], through);
    }
    return sum;
  }

  /// Sums of the 0 to 6 largest tiles, as far as they are asked for.
  struct Tops {
    std::array<int, 7> sum;
    int of(int first, int size) const { return sum[at(first + size)] - sum[at(first)]; }
  };
  Tops largest(std::uint64_t totals, int size) const {
    // How many tiles are of a lane or a higher one, lane by lane: each adds what its number is above the next lower
    // one.
    const Lanes from =
        as_lanes((totals * 0x0101010101010101u >> 56) * 0x0101010101010101u - (totals * 0x0101010101010101u << 8));
    Tops tops{};
    if (shared_lane_) {
      for (int k = 1; k <= size; ++k) tops.sum[at(k)] = k * most_[at(static_cast<int>(std::bit_width(totals)) - 1) / 8];
      return tops;
    }
    // The k-th largest tile: the steps of all lanes up to its own.
    for (int k = 1; k <= size; ++k) {
      const auto reached = std::bit_cast<std::uint64_t>(from >= Lanes{} + static_cast<std::uint8_t>(k));
      const std::uint64_t steps = reached & std::bit_cast<std::uint64_t>(steps_);
      tops.sum[at(k)] = tops.sum[at(k - 1)] + static_cast<int>(steps * 0x0101010101010101u >> 56);
    }
    return tops;
  }

  /// What runs to come score at most, and how much of that a removal takes away. With fewer than six columns every run
  /// needs a tile of the middle one.
  struct Spoil {
    int tile = 0;  ///< of the smallest number it can be
    int lost = 0;  ///< by one removal
    int gone = 0;  ///< by two
  };
  struct Spoils {
    int runs = 0, size = 0;
    std::array<Spoil, 8> list{};
  };
  Spoils spoil(Lanes (&counts)[Width], Lanes before) const {
    Spoils out;
    const auto middle = at(cols_ / 2);
    const Lanes more = counts[middle] > 1 ? Lanes{} + 1 : Lanes{};
    counts[middle] -= counts[middle] != 0 ? Lanes{} + 1 : Lanes{};
    const Lanes once = in_runs(counts);
    counts[middle] -= more;
    const Lanes twice = in_runs(counts);
    for (std::size_t lane = 0; lane < at(std::min(lanes_, 8)); ++lane) {
      if (before[lane] == 0) continue;
      out.runs += before[lane] * most_[lane];
      if (before[lane] == twice[lane]) continue;
      out.list[at(out.size++)] = {least_[lane], (before[lane] - once[lane]) * most_[lane],
                                  (before[lane] - twice[lane]) * most_[lane]};
    }
    return out;
  }

  /// What the side to move with a whole turn of two is sure to win, if the largest tiles before `first` are gone. It
  /// takes the two largest, or one of them and one that spoils runs, or spoils twice; the opponent then takes the next
  /// two, and all runs that are left. If its first removal ends the game, it has no less.
  static int low_of_two(const Tops& tops, int first, const Spoils& spoils) {
    const int top = tops.of(first, 1), two = tops.of(first, 2), second = two - top;
    int best = std::min(2 * two - tops.of(first, 4), top);
    const int keep_one = std::min(2 * top - tops.of(first, 3), 0);
    for (int i = 0; i < spoils.size; ++i) {
      const Spoil& a = spoils.list[at(i)];
      best = std::max(best, keep_one + std::min(a.tile, second) + a.lost);
      const int rest = std::min(a.tile, top) - two;
      best = std::max(best, std::min(a.tile, top) + rest + a.gone);
      for (int k = 0; k < i; ++k) {
        const Spoil& b = spoils.list[at(k)];
        best = std::max(best, std::min(b.tile, top) + rest + a.lost + b.lost);
      }
    }
    return best - spoils.runs;
  }
  /// The same with one removal left of a turn of two: the opponent then takes two.
  static int low_of_rest(const Tops& tops, const Spoils& spoils) {
    const int keep = 2 * tops.sum[1] - tops.sum[3];
    int best = keep;
    for (int i = 0; i < spoils.size; ++i) {
      const Spoil& a = spoils.list[at(i)];
      best = std::max(best, (a.tile == tops.sum[1] ? keep : a.tile - tops.sum[2]) + a.lost);
    }
    return best - spoils.runs;
  }
  /// The same with turns of one removal.
  static int low_of_one(const Tops& tops, int first, const Spoils& spoils) {
    const int top = tops.of(first, 1), second = tops.of(first, 2) - top;
    int best = top - second;
    for (int i = 0; i < spoils.size; ++i) {
      const Spoil& a = spoils.list[at(i)];
      best = std::max(best, (a.tile == top ? top - second : std::min(a.tile, top) - top) + a.lost);
    }
    return best - spoils.runs;
  }

  void describe(Column& column) const {
    const std::uint32_t sets = 1u << column.rows;
    column.packed.resize(sets);
    column.counts.resize(sets);
    for (std::uint32_t mask = 0; mask < sets; ++mask) {
      int height = 0;
      for (std::uint32_t left = mask; left != 0; left &= left - 1) {
        const auto tile = column.tile[at(std::countr_zero(left))];
        column.packed[mask] |= std::uint64_t{tile} << (4 * height++);
        column.packed[mask] |= std::uint64_t{1} << (lane_shift + static_cast<int>(lane_[tile]));
        column.counts[mask] += std::uint64_t{1} << (8 * lane_[tile]);
      }
    }
    const int mortal = std::min(lanes_, mortal_lanes);
    column.forms.resize(std::size_t{sets} << mortal);
    for (std::uint32_t alive = 0; alive < 1u << mortal; ++alive) {
      list_forms(column, alive | ~0u << mortal, &column.forms[std::size_t{alive} << column.rows]);
    }
  }

  void list_forms(const Column& column, std::uint32_t alive, Form* forms) const {
    std::vector<std::pair<std::uint64_t, std::uint16_t>> sorted;
    const std::uint32_t sets = 1u << column.rows;
    for (std::uint32_t mask = 0; mask < sets; ++mask) {
      sorted.emplace_back(with_dead_tiles_sorted(column, alive, mask), static_cast<std::uint16_t>(mask));
    }
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      const bool first = i == 0 || sorted[i].first != sorted[i - 1].first;
      forms[sorted[i].second].name = first ? sorted[i].second : forms[sorted[i - 1].second].name;
    }
    for (std::uint32_t mask = 0; mask < sets; ++mask) {
      for (std::uint32_t left = mask; left != 0; left &= left - 1) {
        const std::uint32_t tile = left & (~left + 1);
        bool known = false;
        for (std::uint32_t other = forms[mask].removals; other != 0; other &= other - 1) {
          known |= forms[mask ^ (other & (~other + 1))].name == forms[mask ^ tile].name;
        }
        if (known || is_dominated(column, alive, mask, tile)) continue;
        forms[mask].removals = static_cast<std::uint16_t>(forms[mask].removals | tile);
      }
    }
  }

  /// Whether a larger dead tile lies beside a dead one, with no living tile between. To take the larger is no worse:
  /// the boards after the two differ in nothing but the number of one dead tile, which changes what is still to be won
  /// by no more than the difference.
  bool is_dominated(const Column& column, std::uint32_t alive, std::uint32_t mask, std::uint32_t tile) const {
    const auto lives = [&](int row) { return (alive >> lane_[column.tile[at(row)]] & 1) != 0; };
    const int own = std::countr_zero(tile);
    if (lives(own)) return false;
    for (const int step : {-1, 1}) {
      for (int row = own + step; row >= 0 && row < column.rows; row += step) {
        if ((mask >> row & 1) == 0) continue;
        if (lives(row)) break;
        if (column.tile[at(row)] > column.tile[at(own)]) return true;
      }
    }
    return false;
  }

  /// The tiles of a set as nibbles, dead ones sorted between the living.
  std::uint64_t with_dead_tiles_sorted(const Column& column, std::uint32_t alive, std::uint32_t mask) const {
    std::array<std::uint8_t, most_rows> tiles{};
    auto end = tiles.begin(), dead = tiles.begin();
    for (std::uint32_t left = mask; left != 0; left &= left - 1) {
      const auto tile = column.tile[at(std::countr_zero(left))];
      if (alive >> lane_[tile] & 1) {
        std::sort(dead, end);
        dead = end + 1;
      }
      *end++ = tile;
    }
    std::sort(dead, end);
    std::uint64_t nibbles = 0;
    for (auto tile = end; tile != tiles.begin();) nibbles = nibbles << 4 | *--tile;
    return nibbles;
  }

  int cols_, tiles_ = 0, lanes_ = 0;
  std::array<Column, static_cast<std::size_t>(Width)> columns_;
  std::array<std::size_t, most_tiles + 1> lane_{};
  std::array<int, 8> least_{}, most_{};  ///< the smallest and the largest number of a lane
  std::array<std::uint8_t, 8> steps_{};  ///< by how much the number of a lane exceeds that of the lane below
  bool shared_lane_ = false;
};

}  // namespace ludus::cantris
