// A plan in a file: everything that a run needs of a script, so that it runs without the compiler, on this kernel or
// another one. The file is a header (magic, format, checksum, length) and CBOR (RFC 8949).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/source.h"
#include "runtime/border/kernel.h"
#include "runtime/border/plan.h"

namespace lt {

struct SavedPlan {
    std::string version = {};  // of the lt that wrote it
    std::string machine = {};  // as of uname -m
    Source source = {};        // for messages and for `lt ctl`
    bool unsafe = false;       // --unsafe was given
    bool timestamps = false;   // its records have timestamps
    bool sampled = false;      // its events can be sampled
    // The same script compiled for different kernels and ways to attach, best first: the first that fits is run.
    std::vector<Plan> plans = {};
    std::vector<std::string> releases = {};  // the kernel for which each was compiled
};

bool is_saved_plan(std::string_view bytes);

std::string to_bytes(const SavedPlan& saved);

// Accepts any bytes: the error is one sentence about the first problem. Every index in the returned plans is valid.
Result<SavedPlan> saved_plan(std::string_view bytes, std::string_view version);

// Types of this kernel: looked up, or known to be those for which the plan was compiled, because the kernel was not
// booted since and has the same modules. Reading them takes milliseconds.
enum class KernelTypes : uint8_t { looked_up, same };

// Does a plan hold on this kernel? It is a copy of the one with this index, or that one itself. Updates numbers that
// differ here (ids of tracepoints, offsets of functions in files); an error names the first other difference.
Status fit(Plan& plan, const SavedPlan& saved, size_t index, Kernel& kernel,
           KernelTypes types = KernelTypes::looked_up);

}  // namespace lt
