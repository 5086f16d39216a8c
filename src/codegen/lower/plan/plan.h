// Entries of the plan that exist before any function is made, and entries that functions request.
#pragma once

#include "codegen/lower/unit.h"

namespace lt {

// Script settings that the runtime needs.
void plan_settings(Unit& unit);
void plan_params(Unit& unit);
void plan_maps(Unit& unit);
void plan_spans(Unit& unit);

// A new probe for a location.
PlannedProbe& planned_probe(Unit& unit, const ResolvedPlace& place);
// The probe of the pattern that a system call, called by number, comes from. Counts the body as one of its locations.
PlannedProbe& pattern_probe(Unit& unit, const Body& body);
// A new probe that is not in the script.
PlannedProbe& internal_probe(Unit& unit, std::string text);
// A new gate for sampling, with its rate among the parameters and its own counter of skipped events.
PlannedGate new_gate(Unit& unit);
// The offset of a session value among the parameters.
uint32_t session_offset(Unit& unit, SessionValue what);
// The index of an error; equal errors share one.
uint32_t planned_error(Unit& unit, PlannedError error);
// The source of the value that an expression would freeze: "arg2", "args.count", and for entry() and all_args() their
// position. Empty: the expression is not frozen.
std::string frozen_source(const ast::Program& program, ast::ExprId id, bool between_events);
// An error if the kernel has no maps with keys of that many bytes. `whose`: "@name" or "this span", for the message.
void refuse_large_key(Unit& unit, uint32_t size, std::string_view whose, Span at);
// Fills in SpanLayout::thread_at and threads, if it is known which part of a span's key names the thread and the
// thread's end is traced.
void plan_thread(Unit& unit, const SpanInfo& info, SpanLayout& layout);

}  // namespace lt
