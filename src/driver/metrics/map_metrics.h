// Maps as metrics: which metric a map becomes, and the series of its entries.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/source.h"
#include "driver/exposition/metrics.h"
#include "parser/tree/ast.h"
#include "runtime/border/plan.h"
#include "runtime/values/value.h"

namespace lt::agent {

struct MapMetric {
    size_t map = 0;        // index into Plan::maps
    std::string map_name;  // "@ns"
    Type value;
    Family family;                    // without series
    std::vector<std::string> labels;  // of the parts of a key
    bool adds_up = false;             // the values of two runs, or of two keys, can be added
};

// Why a map cannot be a metric; the hint says what to do.
std::optional<Error> why_not_metric(const PlannedMap& map);

// For a map that can be one. `script` is a script_word(), `program` may be empty.
MapMetric map_metric(const PlannedMap& map, size_t index, std::string_view script, const ast::Program& program,
                     const Source& source);

// The labels of a key.
Labels labels_of(const MapMetric& metric, const std::vector<Value>& key);

std::vector<MetricSeries> series_of(const MapMetric& metric, const MapContent& content);

}  // namespace lt::agent
