// Statistics of a map: count_of(@x), min_of(@x[key]), hist_log($pair.1). They decide which parts samples() collects.
#pragma once

#include "codegen/check/context.h"

namespace lt {

// Checks the argument of a statistic: a map, an entry of one, or the value of a pair. An error if the map's
// aggregation does not have this statistic.
void check_collected(CheckContext& c, const FunctionRow& row, ast::ExprId argument);

// Makes samples() of a map collect these parts: bits of codegen/typed/samples.h, followed by the bounds of a linear
// histogram. An error if the map already has other bounds: all histograms of a map have the same.
void require_statistics(CheckContext& c, uint32_t map, std::vector<int64_t> parts, Span where);

// Adds the parts that this map needs to the type of samples(); other types do not change.
void shape_samples(CheckContext& c, uint32_t map, Type& type);

// The type of a statistic's value. A histogram can only be printed or indexed; other uses are errors.
Type statistic_type(CheckContext& c, ast::ExprId id, const ast::Call& node);

// hist_log(@x)[n]: the count of one bucket; no value if something else is indexed.
std::optional<Type> bucket_type(CheckContext& c, const ast::Index& node);

}  // namespace lt
