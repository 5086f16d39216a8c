// Programs that are not in the script: they maintain the tracer's own state.
#pragma once

#include "codegen/lower/unit.h"

namespace lt {

// Maintains the map of the threads that --follow follows.
void follow_family(Unit& unit);
// When a thread ends, counts its openings as lost.
void end_thread_spans(Unit& unit);
// When a thread ends, drops the openings of spans between two events whose key names it.
void end_keyed_spans(Unit& unit);
// Lists the open spans in task storage, for scripts that use them.
void walk_open_spans(Unit& unit);
// If a span uses `why`, keeps account of where the time of the threads inside it goes. Openings rely on these
// programs, so they are attached first. Only openings at a switch come before the program there: the thread still runs.
void watch_causes(Unit& unit);
void watch_switches(Unit& unit);
bool is_switch(const ResolvedPlace& place);
// Applies what blocks run by lt add to maps which kernel programs write as well, and how they change bits there.
void make_adders(Unit& unit);

}  // namespace lt
