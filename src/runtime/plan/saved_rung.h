// A rung as it is written: what its way does not use is empty. Which kind of place it is at follows from the way.
#pragma once

#include <string>
#include <vector>

#include "runtime/border/plan.h"

namespace lt {

struct SavedAttachment {
    std::string program = {};
    bool at_return = false;
    std::string function = {};  // the category of a tracepoint, a path, where an iterator is pinned
    std::string event = {};     // the symbol in a program, an iterator's kind
    uint64_t number = 0;        // an id, an offset, the number of a call
    uint64_t cookie = 0;
    uint64_t semaphore = 0;
    PerfEvent perf = {};
    std::string table = {};
};

struct SavedRung {
    Way way = Way::run;
    std::string refused = {};
    std::vector<SavedAttachment> attachments = {};
};

SavedRung to_saved(const Rung& rung);
Rung from_saved(SavedRung saved);

}  // namespace lt
