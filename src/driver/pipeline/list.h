// lt -l: lists the probes that exist.
#pragma once

#include <string_view>

#include "base/result.h"
#include "runtime/border/kernel.h"

namespace lt {

struct Listing {
    bool verbose = false;      // also print what each can read
    int process = 0;           // `*` means this process's files; 0: those of all processes
    bool as_bpftrace = false;  // without lt's own kinds; with modules and colons where bpftrace prints them
};

// Prints all matches of one of the comma-separated patterns, one per line; an Error if nothing matches. "struct NAME"
// prints a type instead, a pattern of types their names (`verbose`: their members).
Status list_probes(Kernel& kernel, std::string_view patterns, const Listing& how);

// bpftrace does not list BEGIN, END and self:, which have no location.
bool is_listed_by_bpftrace(std::string_view probe);

// Prints what a probe can read, one line each; nothing if that is unknown.
void list_at_hand(Kernel& kernel, std::string_view probe);

}  // namespace lt
