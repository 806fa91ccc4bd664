// Cantris's entry in the registry: picks the fastest rules for the options asked for.
#include "bind/registry.hpp"
#include "cantris/search.hpp"

namespace ludus::cantris {
namespace {

std::shared_ptr<const AnyGame> make(const Options& options) {
  const int rows = options.number("rows", 1, most_rows), cols = options.number("cols", 1, most_cols);
  const Rule rule{.tiles = options.number("tiles", 1, most_tiles),
                  .removals = options.number("removals", 1, 2),
                  .optional_rest = options.choice("second_removal", {"required", "optional"}) == 1};
  if (rows == 6 && cols == 3) return compiled<Search>(Cantris<FixedSize<6, 3>>({}, rule));
  if (rows == 8 && cols == 4) return compiled<Search>(Cantris<FixedSize<8, 4>>({}, rule));
  if (rows == 10 && cols == 5) return compiled<Search>(Cantris<FixedSize<10, 5>>({}, rule));
  return compiled<Search>(Cantris<AnySize>({rows, cols}, rule));
}

const Registration registration{"cantris", make};

}  // namespace
}  // namespace ludus::cantris
