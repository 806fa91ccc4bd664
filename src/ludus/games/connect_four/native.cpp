// Connect Four's entry in the registry.
#include "bind/registry.hpp"
#include "connect_four/knowledge.hpp"

namespace ludus::connect_four {
namespace {

std::shared_ptr<const AnyGame> make(const Options& options) {
  const int rows = options.number("rows", 3, 7), cols = options.number("cols", 3, 8);
  const int line = options.number("line", 3, 5);
  if (rows == 6 && cols == 7 && line == 4) return compiled(ConnectFour<FixedBoard<Board, 6, 7, 4>>({}));
  return compiled(ConnectFour<AnyBoard<Board>>({{rows, cols, line}}));
}

const Registration registration{"connect-four", make};

}  // namespace
}  // namespace ludus::connect_four
