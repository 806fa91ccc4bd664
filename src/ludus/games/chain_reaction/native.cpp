// Chain Reaction's entry in the registry: picks the fastest rules for the options asked for.
#include "bind/registry.hpp"
#include "chain_reaction/knowledge.hpp"

namespace ludus::chain_reaction {
namespace {

template <Explosion rule>
std::shared_ptr<const AnyGame> make_sized(int rows, int cols) {
  if (rows == 5 && cols == 6) return compiled(ChainReaction<FixedBoard<Board<std::uint64_t>, 5, 6>, rule>({}));
  if (rows * cols <= 64) return compiled(ChainReaction<AnyBoard<Board<std::uint64_t>>, rule>({{rows, cols}}));
  return compiled(ChainReaction<AnyBoard<Board<WideBits<2>>>, rule>({{rows, cols}}));
}

std::shared_ptr<const AnyGame> make(const Options& options) {
  const int rows = options.number("rows", 2, 10), cols = options.number("cols", 2, 10);
  switch (options.choice("explosion", {"empties", "keeps-surplus", "dies"})) {
    case 0:
      return make_sized<Explosion::empties>(rows, cols);
    case 1:
      return make_sized<Explosion::keeps_surplus>(rows, cols);
    default:
      return make_sized<Explosion::dies>(rows, cols);
  }
}

const Registration registration{"chain-reaction", make};

}  // namespace
}  // namespace ludus::chain_reaction
