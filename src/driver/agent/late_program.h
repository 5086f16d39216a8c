// The statements that --late adds to a script: each span reports its calls that took longer, and the values of such
// calls that go into histograms. The reports are records that the script's run prints; late_calls.h reads them.
#pragma once

#include <cstdint>
#include <string_view>

#include "parser/tree/ast.h"
#include "runtime/border/plan.h"

namespace lt::agent {

// The first member of each kind of report: the probe of the call, and the name of the histogram.
constexpr std::string_view late_call_mark = "lt_late_call", late_value_mark = "lt_late_value";

// `longer_than` is in nanoseconds. Does nothing for programs without spans.
void report_late_calls(ast::Program& program, int64_t longer_than);

// Is it such a record, and not one that the script prints?
bool is_late_report(const PlannedEvent& event);
// Does a report say where the time went?
bool reports_causes(const PlannedEvent& event);

bool has_spans(const ast::Program& program);

}  // namespace lt::agent
