// The names of metrics and of their labels, and their help, from the script: from the names of its files and maps, from
// the keys as they are written, and from the comments beside the maps.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"
#include "parser/tree/ast.h"
#include "stdlib/types.h"

namespace lt::agent {

// Letters, digits and underscores: "slow-io" is slow_io, "2fast" is _2fast.
std::string metric_word(std::string_view text);

// "/etc/lt/slow-io.lt" is slow_io.
std::string script_word(std::string_view path);

struct MetricName {
    std::string name;
    std::string_view unit = {};  // "seconds", "bytes", or empty
    int64_t divisor = 1;         // makes that unit of the map's numbers
};
// The unit is that of the type, or what the last word of the map's name says: @bytes, @queue_us. Numbers of time become
// seconds, and the name says so: @ns of slow.lt is lt_slow_seconds. Counts have no unit.
MetricName metric_name(std::string_view script, std::string_view map, const Type& value);

// A map whose name begins with an underscore is the script's own and not a metric.
bool is_private(std::string_view map);

// A name for each of `count` parts of the key, from the first place in the program that has a key: pid, comm, filename
// of str(args.filename); otherwise `key`, or key1, key2 ... `names` are those of a record as the key. None is `own`,
// which the metric adds by itself.
std::vector<std::string> label_names(const ast::Program& program, std::string_view map, size_t count,
                                     std::span<const std::string> names, std::string_view own = {});

// The comment at the end of the first line with this map, or on the lines above it; else the sentence with which the
// script begins; empty if there is none.
std::string help_of(const Source& source, std::string_view map);

}  // namespace lt::agent
