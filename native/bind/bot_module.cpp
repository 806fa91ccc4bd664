// The Python module `ludus._native` as bots have it: the rules, and nothing that searches. It is built as `_rules`, and
// the sandbox shows it under the other's name.
#include "bind/python.hpp"

NB_MODULE(_native, m) {
  m.doc() = "The compiled rules of Ludus, for bots.";
  ludus::bind_rules(m);
}
