// The named frames of stacks, for the ids that maps and records hold. Each stack is read and named once; in a record,
// one in code that was compiled just in time is named again.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "runtime/border/plan.h"
#include "runtime/names/symbolize.h"
#include "runtime/values/value.h"

namespace lt {

class Stacks {
  public:
    // `map` is the descriptor of the map with the stacks; -1: the plan takes no stacks.
    explicit Stacks(int map, SymbolStyle style = {}) : map_(map), symbolizer_(std::move(style)) {}

    // Empty if there are none, or if they are not found.
    const std::vector<Frame>& frames(const Stack& stack);
    // The same for a stack that was taken just now. Functions that a just-in-time compiler has made since the stack was
    // first named can be at its addresses.
    const std::vector<Frame>& latest_frames(const Stack& stack);

    // The same for kernel addresses from elsewhere, innermost first.
    std::vector<Frame> kernel(std::span<const uint64_t> addresses) { return symbolizer_.kernel(addresses); }

    Symbolizer& symbolizer() { return symbolizer_; }

    // Only the name of the symbol at an address of a process, or (0) of the kernel; empty if unknown.
    Frame symbol(uint64_t address, uint32_t process);

    using Key = std::pair<uint64_t, uint64_t>;  // as in the map: id and process
    std::vector<uint64_t> addresses(const Key& key) const;

  private:
    std::array<uint64_t, 1 + stack_frames> value(const Key& key) const;

    int map_;
    Symbolizer symbolizer_;
    struct Latest {
        std::vector<Frame> frames;
        uint64_t version = 0;  // of the list of functions
    };
    std::map<Key, std::vector<Frame>> named_;
    std::map<Key, Latest> latest_;  // of those that are in code compiled just in time
};

// The id under which the BPF library stores these frames, at least one; the same as in stdlib/bpf/stack.bpf.c.
uint64_t stack_id(std::span<const uint64_t> addresses);

// The frames in a value of that map.
std::vector<uint64_t> stack_addresses(std::span<const uint64_t> value);
// When a program's stack was stored there, in nanoseconds by the monotonic clock.
inline uint64_t stack_time(std::span<const uint64_t> value) { return value.front(); }

}  // namespace lt
