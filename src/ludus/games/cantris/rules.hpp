// Cantris: the rules, on packed columns. Knows nothing of search or Python.
//
// A column is one word of 4-bit tiles, the bottom tile in the lowest bits, 0 where it is empty, so that tiles
// fall by shifting towards bit 0 and the cells of one row sit at the same bits in every column:
//
//     .  4        height 2        column[0] = 0x012
//     1  4        height 1        column[1] = 0x443    (here 1 on 2, and 4 on 4 on 3)
//     2  3        height 0
//
// Rows are compared nibble by nibble, all heights at once. `Board` is the tiles alone, which is all that the points
// still to be won depend on; who has scored what, and whose move it is, stand beside it in the state.
#pragma once

#include <algorithm>
#include <bit>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/bitboard.hpp"
#include "core/game.hpp"
#include "core/random.hpp"
#include "core/text.hpp"

namespace ludus::cantris {

inline constexpr int most_rows = 12, most_cols = 8, most_tiles = 9;

/// The points made and the tiles that are left never exceed this together.
inline constexpr int most_points = 9999;

/// The tiles, at rest: no tile above an empty cell. Columns beyond those that the game uses stay 0.
template <class Word_, int Width_>
struct Board {
  using Word = Word_;
  static constexpr int width = Width_;
  using Columns = std::array<Word, static_cast<std::size_t>(width)>;

  Columns column{};

  auto operator<=>(const Board&) const = default;

  /// Zero bits above the highest bit of the top tile; they tell the height without a division.
  std::size_t free_bits(int col) const { return static_cast<unsigned>(std::countl_zero(column[at(col)])); }
  int height(int col) const { return (8 * static_cast<int>(sizeof(Word)) - static_cast<int>(free_bits(col)) + 3) / 4; }
  int tile(int col, int height) const { return static_cast<int>(column[at(col)] >> (4 * height)) & 15; }

  /// Whether one of the first `cols` columns is empty: the end of the game.
  bool has_empty_column(int cols) const {
    for (int c = 0; c < cols; ++c) {
      if (column[at(c)] == 0) return true;
    }
    return false;
  }

  /// The sum of all tiles: what is left to be scored.
  int sum() const {
    Word bytes = 0;
    for (const Word tiles : column) bytes += byte_sums(tiles);
    return total(bytes);
  }

  std::uint64_t key() const {
    std::uint64_t key = 0;
    if constexpr (sizeof(Word) == 4) {
      for (int c = 0; c < width; c += 2) {
        const std::uint64_t right = c + 1 < width ? column[at(c + 1)] : 0;
        key = mix(key, column[at(c)] | right << 32);
      }
    } else {
      for (const Word tiles : column) key = mix(key, tiles);
    }
    return key;
  }

  /// Takes a tile and then every run, until there is none; returns the points of all that.
  int remove(int col, int height) {
    return remove(col, height, [](const Columns&, const Columns&, int) {});
  }

  /// The same, and shows it: `seen(tiles, taken, points)` for the tile and for each round of runs, before the tiles
  /// above it fall; `taken` has 15 for every cell that is taken.
  template <class Seen>
  int remove(int col, int height, Seen seen) {
    const Word old = column[at(col)], below = (Word{1} << (4 * height)) - 1;
    const Word fallen = (old & below) | ((old >> 4) & ~below);
    const int points = tile(col, height);
    Columns taken{};
    taken[at(col)] = Word{15} << (4 * height);
    seen(column, taken, points);
    column[at(col)] = fallen;
    return points + take_runs(seen);
  }

  /// The heights (top bit of each nibble) at which three columns hold the same tile.
  static Word same(Word a, Word b, Word c) { return filled(b) & ~filled((a ^ b) | (b ^ c)) & (8 * ones); }

 private:
  static constexpr Word ones = static_cast<Word>(0x1111111111111111u);
  static constexpr Word bytes_low = static_cast<Word>(0x0F0F0F0F0F0F0F0Fu);
  static constexpr Word pairs_low = static_cast<Word>(0x00FF00FF00FF00FFu);
  static constexpr Word pairs_one = static_cast<Word>(0x0001000100010001u);

  static constexpr std::size_t at(int index) { return static_cast<std::size_t>(index); }

  /// The top bit of each nibble that is not 0; the other bits mean nothing.
  static Word filled(Word tiles) { return ((tiles & (7 * ones)) + 7 * ones) | tiles; }

  /// The tiles of a column added up in pairs, a byte each: at most 18, so that 8 columns still fit a byte.
  static Word byte_sums(Word tiles) { return (tiles & bytes_low) + ((tiles >> 4) & bytes_low); }
  static int total(Word bytes) {
    const Word pairs = (bytes & pairs_low) + ((bytes >> 8) & pairs_low);
    return static_cast<int>((pairs * pairs_one) >> (8 * sizeof(Word) - 16));
  }

  /// Rounds of runs until there is none. Three in a row wherever they start cover every longer run.
  template <class Seen>
  int take_runs(Seen seen) {
    int points = 0;
    for (;;) {
      Columns run{};
      Word any = 0;
      for (int c = 0; c + 2 < width; ++c) {
        const Word start = same(column[at(c)], column[at(c + 1)], column[at(c + 2)]);
        any |= start;
        for (int k = 0; k < 3; ++k) run[at(c + k)] |= start;
      }
      if (any == 0) return points;
      Word bytes = 0;
      for (int c = 0; c < width; ++c) {
        run[at(c)] = (run[at(c)] << 1) - (run[at(c)] >> 3);  // 8 becomes 15
        bytes += byte_sums(column[at(c)] & run[at(c)]);
      }
      const int scored = total(bytes);
      seen(column, run, scored);
      points += scored;
      for (int c = 0; c < width; ++c) {
        column[at(c)] = static_cast<Word>(extract(column[at(c)], static_cast<Word>(~run[at(c)])));
      }
    }
  }
};

/// A size that the compiler knows.
template <int Rows, int Cols>
struct FixedSize {
  using Tiles = Board<std::conditional_t<(Rows <= 8), std::uint32_t, std::uint64_t>, Cols>;
  using Cells = std::uint64_t;
  static constexpr int rows() { return Rows; }
  static constexpr int cols() { return Cols; }
};

/// Any size up to 12 x 8.
struct AnySize {
  using Tiles = Board<std::uint64_t, most_cols>;
  using Cells = WideBits<2>;
  int row_count, col_count;
  int rows() const { return row_count; }
  int cols() const { return col_count; }
};

/// What the options say beside the size.
struct Rule {
  int tiles;           ///< the largest number on a tile
  int removals;        ///< how many make a turn
  bool optional_rest;  ///< whether a player may pass after the first
};

template <class Size>
class Cantris : public Size {
 public:
  using Tiles = typename Size::Tiles;
  using Cells = typename Size::Cells;
  static constexpr int width = Tiles::width;

  struct State {
    Tiles board{};
    std::array<std::int16_t, 2> points{};
    Side side = 0;
    std::uint8_t removed = 0;  ///< removals already made in this turn
    Verdict verdict = Verdict::open;

    auto operator<=>(const State&) const = default;
  };

  /// A cell, numbered so that the highest number is the first in reading order; or a pass.
  struct Move {
    std::uint8_t place;

    static constexpr Move pass() { return {0xFF}; }
    static constexpr Move of(int col, int height) {
      return {static_cast<std::uint8_t>(height * width + width - 1 - col)};
    }
    constexpr bool is_pass() const { return place == 0xFF; }
    constexpr int height() const { return place / width; }
    constexpr int col() const { return width - 1 - place % width; }
    bool operator==(const Move&) const = default;
  };

  /// Every tile, row by row from the top, then the pass.
  class Moves {
   public:
    constexpr explicit Moves(Cells cells = {}, bool pass = false) : cells_(cells), pass_(pass) {}
    std::size_t size() const { return tiles() + pass_; }
    Move operator[](std::size_t k) const {
      const std::size_t size = tiles();
      return k == size ? Move::pass() : Move{static_cast<std::uint8_t>(select(cells_, size - 1 - k))};
    }

   private:
    std::size_t tiles() const { return static_cast<std::size_t>(count(cells_)); }
    Cells cells_;
    bool pass_;
  };

  Cantris(Size size, Rule rule) : Size(size), rule_(rule) {}

  const Rule& rule() const { return rule_; }

  /// Each column holds every number equally often, as far as that goes, and no run stands at the start, unless
  /// that cannot be helped (three columns of ones).
  State initial(std::uint64_t seed) const {
    constexpr int most_tries = 10'000;
    Random random(seed);
    std::array<std::uint8_t, most_rows> cells{};
    std::span tiles(cells.data(), static_cast<std::size_t>(this->rows()));
    const bool even = this->rows() % rule_.tiles == 0;
    deal(tiles, random);
    State state;
    auto& column = state.board.column;
    for (std::size_t c = 0; c < static_cast<std::size_t>(this->cols()); ++c) {
      for (int tries = 0; tries < most_tries; ++tries) {
        if (!even) deal(tiles, random);
        random.shuffle(tiles);
        column[c] = packed(tiles);
        if (c < 2 || Tiles::same(column[c - 2], column[c - 1], column[c]) == 0) break;
      }
    }
    return state;
  }

  Side side(const State& state) const { return state.side; }
  Verdict verdict(const State& state) const { return state.verdict; }
  std::array<int, 2> scores(const State& state) const { return {state.points[0], state.points[1]}; }

  /// Each move takes at least one of the tiles, or is a pass, with a removal before each.
  int max_moves_left(const State& state) const {
    int tiles = 0;
    for (int col = 0; col < this->cols(); ++col) tiles += state.board.height(col);
    return rule_.optional_rest ? 2 * tiles + 1 : tiles;
  }

  Moves legal_moves(const State& state) const {
    if (state.verdict != Verdict::open) return Moves{};
    Cells cells{};
    for (int c = 0; c < this->cols(); ++c) {
      cells |= ladder[state.board.free_bits(c)] << (width - 1 - c);
    }
    return Moves{cells, may_pass(state)};
  }

  State play(const State& before, Move move) const {
    State state = before;
    if (!move.is_pass()) {
      state.points[state.side] += static_cast<std::int16_t>(state.board.remove(move.col(), move.height()));
      state.verdict = verdict_of(state);
      if (++state.removed < rule_.removals && state.verdict == Verdict::open) return state;
    }
    state.removed = 0;
    state.side ^= 1;
    return state;
  }

  std::uint64_t key(const State& state) const {
    return mix(state.board.key(), static_cast<std::uint64_t>(state.side | state.removed << 1));
  }

  /// Left and right may be swapped.
  template <class Visit>
  void for_each_image(const State& state, Visit visit) const {
    State mirrored = state;
    std::reverse(mirrored.board.column.begin(), mirrored.board.column.begin() + this->cols());
    visit(Symmetry{true, false, false}, mirrored);
  }

  /// An action is a cell; the pass comes after them, where the options know one.
  int actions() const { return pass_action() + (rule_.optional_rest && rule_.removals > 1 ? 1 : 0); }
  int action_of(Move move) const {
    return move.is_pass() ? pass_action() : row_of(move.height()) * this->cols() + move.col();
  }
  Move move_of(const State&, int action) const {
    return action == pass_action() ? Move::pass() : Move::of(action % this->cols(), height_of(action / this->cols()));
  }
  std::string action_text(int action) const {
    return action == pass_action() ? "pass" : cell_text(action / this->cols(), action % this->cols());
  }
  int image_of(int action, Symmetry symmetry) const {
    return action == pass_action() ? action : symmetry.image_of(action, board_size());
  }

  BoardSize board_size() const { return {this->rows(), this->cols()}; }
  std::vector<std::string> plane_names() const {
    std::vector<std::string> names;
    for (int tile = 1; tile <= rule_.tiles; ++tile) names.push_back("tile " + std::to_string(tile));
    if (rule_.removals > 1) names.push_back("removed");
    names.push_back("margin");
    return names;
  }
  /// The margin is a part of all that the largest board of these tiles has to give.
  void write_planes(const State& state, Side viewer, float* out) const {
    const int cells = pass_action();
    out = std::fill_n(out, rule_.tiles * cells, 0.0f);
    for (int col = 0; col < this->cols(); ++col) {
      for (int height = state.board.height(col) - 1; height >= 0; --height) {
        out[(state.board.tile(col, height) - 1 - rule_.tiles) * cells + row_of(height) * this->cols() + col] = 1.0f;
      }
    }
    if (rule_.removals > 1) out = std::fill_n(out, cells, static_cast<float>(state.removed));
    const auto margin = static_cast<float>(state.points[viewer] - state.points[1 - viewer]);
    std::fill_n(out, cells, std::clamp(margin / static_cast<float>(cells * rule_.tiles), -1.0f, 1.0f));
  }

  std::string text(const State& state) const {
    return board_text(state.board.column) + (state.side == 0 ? " 1 " : " 2 ") + std::to_string(state.points[0]) + '-' +
           std::to_string(state.points[1]) + ' ' + std::to_string(state.removed);
  }

  State parse(std::string_view line) const {
    Reader reader(line);
    State state;
    for (int row = 0; row < this->rows(); ++row) {
      if (row > 0) reader.row_end(this->cols());
      for (int col = 0; col < this->cols(); ++col) {
        if (reader.take_if('.')) continue;
        if (reader.peek() < '1' || reader.peek() > '0' + rule_.tiles) {
          reader.expected({"cantris.text.tile", {{"largest", rule_.tiles}}});
        }
        const auto tile = static_cast<typename Tiles::Word>(reader.take() - '0');
        state.board.column[static_cast<std::size_t>(col)] |= tile << (4 * height_of(row));
      }
    }
    refuse_floating(state.board);
    if (reader.next_field()) state.side = reader.side();
    if (reader.next_field()) read_points(reader, state);
    if (reader.next_field()) {
      state.removed = static_cast<std::uint8_t>(reader.number(0, rule_.removals - 1, {"cantris.text.removals"}));
    }
    reader.finish();
    state.verdict = verdict_of(state);
    return state;
  }

  Move find_move(const State& state, std::string_view text) const {
    const std::string_view name = trim(text);
    if (name == "pass") return find_pass(state);
    const auto comma = std::min(name.find(','), name.size());
    const auto row = small_number(trim(name.substr(0, comma)));
    const auto col = small_number(trim(name.substr(std::min(comma + 1, name.size()))));
    const std::string last = cell_text(this->rows() - 1, this->cols() - 1);
    if (!row || !col) {
      throw IllegalMove({"cantris.illegal.not_a_move", {{"move", quote(text)}, {"last", last}}});
    }
    if (*row >= this->rows() || *col >= this->cols()) throw no_such_cell(name, "0,0", last);
    if (state.verdict != Verdict::open) throw game_over();
    const int height = height_of(*row), top = state.board.height(*col);
    if (height >= top) {
      throw IllegalMove(
          {"cantris.illegal.no_tile",
           {{"cell", cell_text(*row, *col)}, {"column", *col}, {"top", cell_text(row_of(top - 1), *col)}}});
    }
    return Move::of(*col, height);
  }

  std::vector<Step> steps(const State& state, Move move) const {
    if (move.is_pass()) return {{"pass", {}, 0, board_text(state.board.column)}};
    std::vector<Step> result;
    Tiles board = state.board;
    board.remove(move.col(), move.height(), [&](const Columns& tiles, const Columns& taken, int points) {
      Columns holed{}, rest{}, falling{};
      for (std::size_t c = 0; c < tiles.size(); ++c) {
        holed[c] = tiles[c] & ~taken[c];
        rest[c] = static_cast<Word>(extract(tiles[c], static_cast<Word>(~taken[c])));
        // The lowest taken cell and all above it; what is left of the tiles there falls.
        falling[c] = holed[c] & ~((taken[c] & (~taken[c] + 1)) - 1) & (taken[c] == 0 ? 0 : ~Word{0});
      }
      result.push_back({result.empty() ? "remove" : "run", cells_of(taken), points, board_text(holed)});
      if (falling != Columns{}) result.push_back({"fall", cells_of(falling), 0, board_text(rest)});
    });
    if (auto ends = empty_columns(board); !ends.empty()) {
      result.push_back({"empty", std::move(ends), 0, board_text(board.column)});
    }
    return result;
  }

 private:
  using Word = typename Tiles::Word;
  using Columns = typename Tiles::Columns;

  /// The cells of the last column that hold a tile, by the free bits of the word: a table saves the division.
  static constexpr std::array<Cells, 8 * sizeof(Word) + 1> ladder = [] {
    std::array<Cells, 8 * sizeof(Word) + 1> result{};
    for (std::size_t bits = 1; bits < result.size(); ++bits) {
      const int height = static_cast<int>(bits + 3) / 4;
      for (int h = 0; h < std::min(height, most_rows); ++h) result[8 * sizeof(Word) - bits] |= bit<Cells>(h * width);
    }
    return result;
  }();

  int pass_action() const { return this->rows() * this->cols(); }

  int height_of(int row) const { return this->rows() - 1 - row; }
  int row_of(int height) const { return this->rows() - 1 - height; }

  bool may_pass(const State& state) const { return rule_.optional_rest && state.removed > 0; }

  Verdict verdict_of(const State& state) const {
    if (!state.board.has_empty_column(this->cols())) return Verdict::open;
    if (state.points[0] == state.points[1]) return Verdict::tie;
    return win_for(state.points[0] > state.points[1] ? 0 : 1);
  }

  /// Every number equally often; chance decides which come once more than the others.
  void deal(std::span<std::uint8_t> tiles, Random& random) const {
    std::array<std::uint8_t, most_tiles> numbers{1, 2, 3, 4, 5, 6, 7, 8, 9};
    std::span used(numbers.data(), static_cast<std::size_t>(rule_.tiles));
    random.shuffle(used);
    for (std::size_t i = 0; i < tiles.size(); ++i) tiles[i] = used[i % used.size()];
  }

  static Word packed(std::span<const std::uint8_t> tiles) {
    Word column = 0;
    for (const std::uint8_t tile : tiles) column = column << 4 | tile;
    return column;
  }

  Move find_pass(const State& state) const {
    if (state.verdict != Verdict::open) throw game_over();
    if (may_pass(state)) return Move::pass();
    if (rule_.removals == 1) throw IllegalMove({"cantris.illegal.pass_of_one"});
    if (!rule_.optional_rest) throw IllegalMove({"cantris.illegal.pass_forbidden"});
    throw IllegalMove({"cantris.illegal.pass_too_soon"});
  }

  void refuse_floating(const Tiles& board) const {
    for (int row = 0; row + 1 < this->rows(); ++row) {
      for (int col = 0; col < this->cols(); ++col) {
        if (board.tile(col, height_of(row)) != 0 && board.tile(col, height_of(row + 1)) == 0) {
          throw ParseFault({"cantris.text.floating", {{"cell", cell_text(row, col)}}},
                           static_cast<std::size_t>(row * (this->cols() + 1) + col + 1));
        }
      }
    }
  }

  static void read_points(Reader& reader, State& state) {
    const Reader start = reader;
    const auto points = reader.points(most_points);
    if (points[0] + points[1] + state.board.sum() > most_points) {
      start.fail({"cantris.text.too_many_points", {{"most", most_points}}});
    }
    state.points = {static_cast<std::int16_t>(points[0]), static_cast<std::int16_t>(points[1])};
  }

  static std::string_view trim(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
  }

  static std::string cell_text(int row, int col) { return std::to_string(row) + ',' + std::to_string(col); }

  /// Columns, which may have holes, as the board field of a position text.
  std::string board_text(const Columns& columns) const {
    std::string result;
    for (int row = 0; row < this->rows(); ++row) {
      if (row > 0) result += '/';
      for (int col = 0; col < this->cols(); ++col) {
        const int tile = Tiles{columns}.tile(col, height_of(row));
        result += tile == 0 ? '.' : static_cast<char>('0' + tile);
      }
    }
    return result;
  }

  /// The cells that are not 0, row by row from the top.
  std::vector<Cell> cells_of(const Columns& columns) const {
    std::vector<Cell> result;
    for (int row = 0; row < this->rows(); ++row) {
      for (int col = 0; col < this->cols(); ++col) {
        if (Tiles{columns}.tile(col, height_of(row)) != 0) result.push_back({row, col});
      }
    }
    return result;
  }

  /// All cells of the columns that hold nothing: they end the game.
  std::vector<Cell> empty_columns(const Tiles& tiles) const {
    std::vector<Cell> result;
    for (int row = 0; row < this->rows(); ++row) {
      for (int col = 0; col < this->cols(); ++col) {
        if (tiles.height(col) == 0) result.push_back({row, col});
      }
    }
    return result;
  }

  Rule rule_;
};

}  // namespace ludus::cantris
