// The Python module `ludus._native`: the rules, the searches, and many states at once.
#include "bind/python.hpp"

NB_MODULE(_native, m) {
  m.doc() = "The compiled core of Ludus.";
  nanobind::set_leak_warnings(false);  // PyTorch still holds our arrays when Python ends, which would look like a fault
  ludus::bind_rules(m);
  ludus::bind_searches(m);
  ludus::bind_batches(m);
}
