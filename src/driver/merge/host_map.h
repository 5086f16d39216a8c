// The values of each host in one map, beside the sum of all hosts, and the figures by which hosts are compared.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/print/printer.h"
#include "runtime/values/value.h"

namespace lt {

struct HostValue {
    size_t host;  // index into the names of hosts
    Value value;
};
using HostValues = std::vector<HostValue>;

// Refers to what the sum of runs owns.
struct HostMap {
    std::string_view name;
    const Type& type;  // of the values
    std::span<const MapEntry> all;
    std::span<const HostValues> each;  // indexed like `all`
    std::span<const std::string> hosts;
};

// The figures of such values in a table of hosts: those that the view names, or the usual ones. The name of the only
// figure of a value that is a number is empty.
std::vector<std::string_view> host_figures(const HostMap& map, const TableView& view);

// None: the value has no such figure, or there is nothing to compute it from.
std::optional<int64_t> host_figure(std::string_view figure, const Value& value);
std::string host_figure_text(std::string_view figure, std::optional<int64_t> number, const Type& type);

// The number of values that were collected; none for a value that does not know it.
std::optional<uint64_t> collected_count(const Value& value);

// The middle one; of an even number the lower one of the two in the middle. Not of nothing.
int64_t median_of(std::vector<int64_t> numbers);

// "web2" before "web10".
bool host_before(std::string_view a, std::string_view b);

// "@ns", "@ns[cat, 3]"; the frames of a stack are left out but for the first.
std::string entry_text(std::string_view map, const std::vector<Value>& key);

}  // namespace lt
