// The texts that stand for values whose type has a Naming: users, times, addresses, symbols. Found when a value is
// printed, on the machine that is traced.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "runtime/value.h"

namespace lt {

// What lies at an address, of the process or (0) of the kernel.
using SymbolAt = std::function<Frame(uint64_t address, uint32_t process)>;

// Does name_values() put a text in the place of such a value, or of one inside of it?
bool is_named(const Type& type);

// Puts the text in the place of each such value, also inside of others.
void name_values(std::span<Value> values, const SymbolAt& symbol);

// The time `nanoseconds` on the monotonic clock, as strftime(3) formats it in the local zone or in that of UTC; %f are
// microseconds.
std::string time_text(const std::string& format, uint64_t nanoseconds, bool utc);

// Where control groups of version 2 are mounted; empty: nowhere.
std::string cgroup_mount();

}  // namespace lt
