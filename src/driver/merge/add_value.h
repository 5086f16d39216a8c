// Adds a value from JSON to one of the same type, exactly: counts and sums are added, buckets one by one, extremes
// compared.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "driver/merge/json_line.h"
#include "runtime/values/value.h"

namespace lt {

// Why maps that hold such values are not added up; empty: they are.
std::string_view why_not_added(const Type& type);
// Is it an average, or a variable of numbers or durations? They are not added up, and one can be compared with another.
bool is_one_number(const Type& type);

// The value from which an addition starts.
Value nothing_collected(const Type& type);

// Adds the value. None if that worked; otherwise what is wrong with it, and the sum is unusable: "its buckets have
// schema 3; this lt merges schema 4".
std::optional<std::string> add_value(Value& into, const Json& value);

}  // namespace lt
