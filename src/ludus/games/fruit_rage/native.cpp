// The Fruit Rage's entry in the registry: picks the narrowest rows and the fewest planes that hold the board.
#include "bind/registry.hpp"
#include "fruit_rage/search.hpp"

namespace ludus::fruit_rage {
namespace {

template <int Planes>
std::shared_ptr<const AnyGame> make_sized(int size, int types) {
  if (size <= 16) return compiled<Search>(FruitRage<std::uint16_t, 16, Planes>(size, types));
  return compiled<Search>(FruitRage<std::uint32_t, 26, Planes>(size, types));
}

std::shared_ptr<const AnyGame> make(const Options& options) {
  const int size = options.number("size", 1, 26), types = options.number("types", 1, 10);
  return types <= 7 ? make_sized<3>(size, types) : make_sized<4>(size, types);
}

const Registration registration{"fruit-rage", make};

}  // namespace
}  // namespace ludus::fruit_rage
