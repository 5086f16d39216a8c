// Options of the compiler, from the user and from earlier attempts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "codegen/typed/typed.h"
#include "runtime/border/plan.h"

namespace lt {

// A method that the kernel refused or the user ruled out: the next compilation skips it and reports why.
struct RuledOut {
    std::string function;  // empty: every function
    Way way = Way::run;
    std::string why;
};

// A parameter's value as given on the command line.
struct ParamSetting {
    std::string name;
    std::string text;
};

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
    bool keeps_records = false;        // programs at tracepoints read the record, although the arguments have the value
    std::optional<uint32_t> max_keys;  // of each map and span with keys; see Typed
};

}  // namespace lt
