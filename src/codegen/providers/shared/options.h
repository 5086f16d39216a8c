// Options of the compiler, from the user and from earlier attempts.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/border/param_value.h"
#include "runtime/border/target.h"

namespace lt {

struct ResolveOptions {
    std::vector<RuledOut> ruled_out;
    std::vector<ParamSetting> params;
    bool unsafe = false;               // may change what is traced, and run commands
    bool only_listed = false;          // only trace kernel functions in the given list
    Traced traced;                     // whose events are collected
    bool one_process = false;          // there is one process whose memory can be watched
    bool accounts = false;             // print the account of spans at the end
    bool timestamps = false;           // print the times of events
    bool sampled = false;              // the session may skip events
    bool sees_own = false;             // also collect what lt's own process does
    bool keeps_records = false;        // programs at tracepoints read the record, although the arguments have the value
    std::optional<uint32_t> max_keys;  // of each map and span with keys; see Typed
};

}  // namespace lt
