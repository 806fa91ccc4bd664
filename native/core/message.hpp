// What people read, as data: a code and named parameters. The words are in catalogues, `messages/LANGUAGE.json` in each
// game's folder and `src/ludus/messages` for the codes that begin with `rules.`; Python puts a message into words.
// Knows no language and no game.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace ludus {

struct Message {
  struct Parameter;

  std::string code;
  std::vector<Parameter> parameters{};
};

/// A text, a number, or a message that is put into words in the same language.
struct Message::Parameter {
  std::string name;
  std::variant<std::string, int, Message> value;
};

/// An error that carries a message: `throw IllegalMove({"chain_reaction.illegal.burnt_out", {{"cell", "A1"}}})`.
class MessageError : public std::invalid_argument {
 public:
  explicit MessageError(Message what) : std::invalid_argument(what.code), message(std::move(what)) {}
  Message message;
};

/// A move that the rules forbid; the message says why.
class IllegalMove : public MessageError {
 public:
  using MessageError::MessageError;
};

/// A text that is no position. The message says what is wrong; `column` (from 1) says where.
class ParseFault : public MessageError {
 public:
  ParseFault(Message what, std::size_t at) : MessageError(std::move(what)), column(at) {}
  std::size_t column;
};

}  // namespace ludus
