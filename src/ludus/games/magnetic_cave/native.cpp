// Magnetic Cave's entry in the registry: picks the fastest rules for the options asked for.
#include "bind/registry.hpp"
#include "magnetic_cave/search.hpp"

namespace ludus::magnetic_cave {
namespace {

template <class Space>
std::shared_ptr<const AnyGame> make_on(Space space) {
  return compiled<Search>(MagneticCave<Space>(space));
}

std::shared_ptr<const AnyGame> make(const Options& options) {
  const int rows = options.number("rows", 5, 16), cols = options.number("cols", 5, 16);
  const int line = options.number("line", 3, 8);
  if (rows == 8 && cols == 8 && line == 5) return make_on(FixedBoard<Board<std::uint64_t>, 8, 8, 5>{});
  if (rows * cols <= 64) return make_on(AnyBoard<Board<std::uint64_t>>{{rows, cols, line}});
  return make_on(AnyBoard<Board<WideBits<4>>>{{rows, cols, line}});
}

const Registration registration{"magnetic-cave", make};

}  // namespace
}  // namespace ludus::magnetic_cave
