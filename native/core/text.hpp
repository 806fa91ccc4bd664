// Reading position texts and move texts, with errors that name the column. Knows no game.
#pragma once

#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include "core/game.hpp"

namespace ludus {

/// A text as it may stand inside a message: quoted, short, printable.
inline std::string quote(std::string_view text) {
  static constexpr char hex[] = "0123456789abcdef";
  std::string result = "'";
  for (char c : text.substr(0, 24)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte > 0x7e) {
      result += {'\\', 'x', hex[byte >> 4], hex[byte & 15]};
    } else {
      result += c;
    }
  }
  return result + (text.size() > 24 ? "...'" : "'");
}

/// Walks through one line of text and knows the column it is at.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool done() const { return at_ == text_.size(); }
  char peek() const { return done() ? '\0' : text_[at_]; }
  char take() { return text_[at_++]; }
  bool take_if(char wanted) {
    if (done() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  /// Throws ParseFault at the character last looked at.
  [[noreturn]] void fail(const Message& message) const { throw ParseFault(message, at_ + 1); }
  /// Fails with "expected WHAT, found 'x'"; `what` is a message by itself.
  [[noreturn]] void expected(const Message& what) const {
    if (done()) fail({"rules.text.expected_at_end", {{"what", what}}});
    fail({"rules.text.expected", {{"what", what}, {"found", quote(text_.substr(at_, 1))}}});
  }

  /// True if another field follows; its separating blank is consumed.
  bool next_field() {
    if (done()) return false;
    if (!take_if(' ')) expected({"rules.text.blank"});
    return true;
  }

  /// A number from low to high, without sign or leading zeros.
  int number(int low, int high, const Message& what) {
    int value = 0;
    const char* begin = text_.data() + at_;
    const char* end = text_.data() + text_.size();
    if (peek() < '0' || peek() > '9' || (peek() == '0' && end - begin > 1 && begin[1] >= '0' && begin[1] <= '9')) {
      expected(what);
    }
    const auto [stop, error] = std::from_chars(begin, end, value);
    if (error != std::errc{} || value < low || value > high) {
      fail({"rules.text.out_of_range", {{"what", what}, {"low", low}, {"high", high}}});
    }
    at_ += static_cast<std::size_t>(stop - begin);
    return value;
  }

  /// The field that says who moves: 1 the first player, 2 the second.
  Side side() {
    if (peek() != '1' && peek() != '2') expected({"rules.text.side"});
    return take() == '1' ? 0 : 1;
  }

  /// The points of both players: `196-144`.
  std::array<int, 2> points(int most) {
    std::array<int, 2> result{};
    result[0] = number(0, most, {"rules.text.first_points"});
    if (!take_if('-')) expected({"rules.text.points_dash"});
    result[1] = number(0, most, {"rules.text.second_points"});
    return result;
  }

  /// The mark between two rows of cells.
  void row_end(int cells) {
    if (!take_if('/')) expected({"rules.text.row_end", {{"cells", cells}}});
  }

  void finish() const {
    if (!done()) expected({"rules.text.nothing_more"});
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

/// Reads a whole text as a plain number of at most three digits; leading zeros are no number.
inline std::optional<int> small_number(std::string_view text) {
  if (text.empty() || text.size() > 3 || (text.size() > 1 && text[0] == '0')) return std::nullopt;
  int value = 0;
  for (char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = 10 * value + (c - '0');
  }
  return value;
}

/// A cell as letter and number, `C4`: column 0.. from the left, the number as written. Small letters count too.
struct LetterCell {
  int col;
  int number;
};
inline std::optional<LetterCell> letter_cell(std::string_view text) {
  if (text.size() < 2) return std::nullopt;
  const char letter = static_cast<char>(text[0] & ~0x20);
  const auto number = small_number(text.substr(1));
  if (letter < 'A' || letter > 'Z' || !number) return std::nullopt;
  return LetterCell{letter - 'A', *number};
}

inline std::string letter_cell_text(int col, int number) {
  std::string text(1, static_cast<char>('A' + col));
  return text += std::to_string(number);  // not `+`: gcc 12 warns of an overlap there that cannot be
}

/// The error for a text that is no cell of the board.
inline IllegalMove no_such_cell(std::string_view text, const std::string& first, const std::string& last) {
  return IllegalMove({"rules.illegal.no_such_cell", {{"cell", quote(text)}, {"first", first}, {"last", last}}});
}

/// The error for a move in a finished game.
inline IllegalMove game_over() {
  return IllegalMove({"rules.illegal.game_over"});
}

}  // namespace ludus
