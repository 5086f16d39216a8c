// A plan in a file: all that a run needs of a script, so that it runs without the compiler, on this kernel or another
// one. The file is a header (magic, format, checksum, length) and CBOR (RFC 8949).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/source.h"
#include "runtime/kernel.h"
#include "runtime/plan.h"

namespace lt {

struct SavedPlan {
    std::string version = {};  // of the lt that made it
    std::string machine = {};  // as of uname -m
    std::string release = {};  // of the kernel for which it was compiled
    Source source = {};        // for messages, and for who asks what runs
    bool unsafe = false;       // --unsafe was given
    bool timestamps = false;   // its records tell when they were written
    bool sampled = false;      // its events can be sampled
    // The same script, by one way to attach each; the best first. A kernel that has not that one may have the next.
    std::vector<Plan> plans = {};
};

bool is_saved_plan(std::string_view bytes);

std::string to_bytes(const SavedPlan& saved);

// Of whatever bytes: one sentence about the first that is wrong. Every index in the plans points to what is there.
Result<SavedPlan> saved_plan(std::string_view bytes, std::string_view version);

// Does a plan hold on this kernel? What has other numbers here (ids of tracepoints, offsets of functions in files) is
// put into it; else what differs, the first of it.
Status fit(Plan& plan, const SavedPlan& saved, Kernel& kernel);

}  // namespace lt
