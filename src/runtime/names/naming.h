// The texts for values whose type has a Naming: users, times, addresses, symbols. They are looked up when a value is
// printed, on the traced machine.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "runtime/values/value.h"

namespace lt {

// The symbol at an address, of the process or (0) of the kernel.
using SymbolAt = std::function<Frame(uint64_t address, uint32_t process)>;

// Does name_values() replace such a value, or one inside of it, by a text?
bool is_named(const Type& type);

// Replaces each such value, also inside of others, by its text. `unix_offset`: see time_text().
void name_values(std::span<Value> values, const SymbolAt& symbol, std::optional<int64_t> unix_offset = {});

// The time `nanoseconds` on the monotonic clock, in a format of strftime(3), in the local time zone or in UTC; %f
// prints microseconds; "(more than 1 MiB)" if the text is that long. `unix_offset` is the time of day minus that clock,
// in nanoseconds; empty: as it is now.
std::string time_text(const std::string& format, uint64_t nanoseconds, bool utc,
                      std::optional<int64_t> unix_offset = {});

}  // namespace lt
