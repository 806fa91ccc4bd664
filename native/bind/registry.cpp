// The registry of compiled games, and the reading of their options.
#include "bind/registry.hpp"

#include <mutex>

#include "core/text.hpp"

namespace ludus {
namespace {

std::map<std::string, MakeGame>& registry() {
  static std::map<std::string, MakeGame> games;  // made on first use: registrations run in no fixed order
  return games;
}

}  // namespace

Registration::Registration(const std::string& name, MakeGame make) {
  registry().emplace(name, make);
}

std::vector<std::string> game_names() {
  std::vector<std::string> names;
  for (const auto& [name, make] : registry()) names.push_back(name);
  return names;
}

std::shared_ptr<const AnyGame> make_game(const std::string& name, const Options& options) {
  const auto found = registry().find(name);
  if (found == registry().end()) throw std::invalid_argument("no compiled game is called " + quote(name));
  // One game for equal options: states of others are told apart by it.
  static std::mutex turn;
  static std::map<std::pair<std::string, std::map<std::string, std::string>>, std::weak_ptr<const AnyGame>> made;
  const std::lock_guard lock(turn);
  auto& known = made[{name, options.values()}];
  auto game = known.lock();
  if (!game) known = game = found->second(options);
  return game;
}

Options::Options(const char* const* first, const char* const* last) {
  for (; first != last; ++first) {
    const std::string_view word = *first;
    const auto at = word.find('=');
    values_[std::string(word.substr(0, at))] = at == word.npos ? "" : word.substr(at + 1);
  }
}

const std::string& Options::value(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) throw std::invalid_argument("option " + name + " is missing");
  return found->second;
}

int Options::number(const std::string& name, int low, int high) const {
  const auto number = small_number(value(name));
  if (!number || *number < low || *number > high) {
    throw std::invalid_argument("option " + name + " must be from " + std::to_string(low) + " to " +
                                std::to_string(high) + ", not " + quote(value(name)));
  }
  return *number;
}

std::size_t Options::choice(const std::string& name, std::initializer_list<std::string_view> choices) const {
  std::size_t index = 0;
  std::string names;
  for (const auto choice : choices) {
    if (choice == value(name)) return index;
    names += (index++ == 0 ? "" : ", ") + std::string(choice);
  }
  throw std::invalid_argument("option " + name + " must be one of " + names + ", not " + quote(value(name)));
}

}  // namespace ludus
