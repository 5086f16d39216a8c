// One program for many system calls, for the kinds of probe that can be at system calls.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codegen/providers/shared/search.h"

namespace lt {

Site tracepoint_site(const Tracepoint& event);

// The path from a task to the word that distinguishes 32-bit calls; empty if the kernel's types do not have it.
std::vector<Member> width_of_call(Kernel& kernel);

// Can one program serve them, with the arguments that the probe uses?
bool can_serve_system_calls(const Search& s);

// Moves the events that start with `end` out of `events` into one location, if there are many.
void take_system_calls(const Search& s, const ResolvedPlace& place, std::string_view end,
                       std::vector<std::string>& events, Places& out);

// Marks the locations that could be called by system call number, and calls them that way if there are many. The
// record of the tracepoint for all calls has the same layout as their own, except after the arguments.
void call_by_number(const Search& s, const ResolvedPlace& pattern, Places& places);

// Blocks at one location run in the order in which they are attached, but only with the same attach method. So if one
// block at a call is called by number, all blocks at that call are.
void keep_order_of_calls(Typed& typed);

}  // namespace lt
