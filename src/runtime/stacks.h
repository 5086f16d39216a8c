// The frames behind what maps and records hold in place of a stack, by name. Each is read and named once.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/value.h"
#include "symbolize.h"

namespace lt {

class Stacks {
  public:
    // Of the map that keeps them; -1: the plan takes no stacks.
    explicit Stacks(int map, SymbolStyle style = {}) : map_(map), symbolizer_(std::move(style)) {}

    // Empty where there are none, or where they are not found.
    const std::vector<Frame>& frames(const Stack& stack);

    // The same for addresses of the kernel that somebody else has, innermost first.
    std::vector<Frame> kernel(std::span<const uint64_t> addresses) { return symbolizer_.kernel(addresses); }

    Symbolizer& symbolizer() { return symbolizer_; }

    // The name alone of what lies at an address of a process, or (0) of the kernel; empty where none is known.
    Frame symbol(uint64_t address, uint32_t process);

    using Key = std::pair<uint64_t, uint64_t>;  // as in the map: id and process
    std::vector<uint64_t> addresses(const Key& key) const;

  private:
    int map_;
    Symbolizer symbolizer_;
    std::map<Key, std::vector<Frame>> named_;
};

// The id under which the library keeps these frames, of which there is one at least; the same as in
// stdlib/bpf/stack.bpf.c.
uint64_t stack_id(std::span<const uint64_t> addresses);

// The frames in the value of such a map.
std::vector<uint64_t> stack_addresses(std::span<const uint64_t> value);

}  // namespace lt
