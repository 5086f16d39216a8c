// Tracepoints as raw tracepoints, which cost half as much and detach at once.
#pragma once

#include "codegen/providers/shared/search.h"

namespace lt {

// If all fields that the item uses can be read from the tracepoint's arguments, or it uses none, the location becomes a
// raw tracepoint; else it stays as it is.
void read_arguments(const Search& s, ResolvedPlace& place);

// The way back: the program reads the record.
void read_record(ResolvedPlace& place);

}  // namespace lt
