// The compile-time half of a kind of location, for the stages, `lt -l` and the console. Each provider has its own file
// and a row in providers.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/providers/shared/listing.h"
#include "codegen/providers/shared/search.h"
#include "codegen/typed/typed.h"
#include "runtime/border/kernel.h"
#include "runtime/border/plan.h"
#include "stdlib/probes.h"

namespace lt {

// The processes whose events a program sees.
enum class Sees : uint8_t {
    nobody,  // none: it is not an event of a process
    all,     // all processes, whichever is current
    one,     // the process to which it is attached, or all
};

// The code that a program interrupts.
enum class Side : uint8_t {
    kernel,
    program,
    either,  // decided by the registers
};

// A 32-bit number in the context that must have this value for an event to be traced.
struct ContextTest {
    uint32_t offset = 0;
    int64_t value = 0;
};

struct Provider {
    // The minimum and maximum number of parts after the kind, and whether the last one may be empty.
    size_t least = 0, most = 0;
    bool open_end = false;

    // All locations of the probe, from a location with its kind and text; none after an error.
    Places (*find)(const Search& s, ResolvedPlace place) = nullptr;
    // The site where the program of a location is attached; null if it has none, or its members have them.
    Site (*site)(const ResolvedPlace& place, bool at_return) = nullptr;

    // Null if there are no names to list.
    FoundNames (*list)(const ListSearch& s) = nullptr;
    // The lines that `-v` adds to a listed name; null for none.
    std::vector<std::string> (*describe)(Kernel& kernel, const ProbeRow& row, const Listed& listed) = nullptr;
    // Completes the text after the kind; null if that is not possible. For a kind in files, the text names the file.
    std::vector<std::string> (*complete)(Kernel& kernel, std::string_view typed) = nullptr;
    // The members of `args` at the location with these parts; null if that needs the program.
    std::vector<Field> (*fields)(Kernel& kernel, const std::vector<std::string_view>& parts) = nullptr;

    Sees sees = Sees::nobody;
    Side side = Side::kernel;
    bool looked_up = false;      // by a name, which can be missing
    bool in_file = false;        // the first part is a file
    bool special = false;        // bpftrace's special probes: blocks that lt runs
    bool only_lt = false;        // bpftrace does not have it
    bool at_function = false;    // it is at a function, and `func` is its name
    bool registers = false;      // the context is the registers
    bool counters = true;        // its programs may read counters of perf events
    bool has_current = true;     // the event belongs to the current thread
    bool acts = false;           // and is always something that its program does: never an interrupt or a switch
    bool takes_options = false;  // the context is a socket, whose options can be set
    std::optional<ContextTest> test = {};
};

const Provider& provider(Place place);
inline const Provider& provider(const ResolvedPlace& place) { return provider(probe_row(place.kind).place); }

}  // namespace lt
