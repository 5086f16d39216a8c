// Which counters of a CPU a program can change without an atomic operation: read, add and write are exact where nothing
// else that changes the same counter can run in between, on that CPU or from outside.
#pragma once

#include <vector>

#include "codegen/typed.h"

namespace lt {

class Exclusive {
  public:
    Exclusive(const ast::Program& program, const Typed& typed);
    // May a program that is run in this way change its CPU's value of a map, or the books of a span, by itself?
    bool map(uint32_t map, Way way) const;
    bool books(uint32_t span, Way way) const;

  private:
    std::vector<bool> maps_;   // nothing can interrupt a program there that is not interrupted by others of its kind
    std::vector<bool> spans_;  // likewise
};

}  // namespace lt
