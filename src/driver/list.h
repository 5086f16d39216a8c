// lt -l: the probes that there are.
#pragma once

#include <string_view>

#include "base/result.h"
#include "runtime/kernel.h"

namespace lt {

struct Listing {
    bool verbose = false;      // and what each has at hand
    int process = 0;           // whose files `*` means; 0: those of all
    bool as_bpftrace = false;  // no kinds of lt's own; modules and colons where bpftrace prints them
};

// Prints all that match one of the patterns, which have commas between them, a line each; an Error when nothing matches
// one. "struct NAME" is a type instead, a pattern of types their names (`verbose`: their members).
Status list_probes(Kernel& kernel, std::string_view patterns, const Listing& how);

// BEGIN, END and self: are no places, and bpftrace does not list them.
bool is_listed_by_bpftrace(std::string_view probe);

// Prints what a probe has at hand, a line each; nothing where that is not known.
void list_at_hand(Kernel& kernel, std::string_view probe);

// lt --info: every feature with its answer.
void tell_features(Kernel& kernel);

}  // namespace lt
