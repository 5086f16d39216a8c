// A scenario: what happens to a machine while a program traces it, one step a line. It says what the kernel does, not
// what is attached there; what nothing is attached to is a mistake in the scenario.
//
//     # a comment
//     at 1000ns cpu 0 pid 10 tid 11 comm "mysqld"   any of these, also +5us, uid, gid; each holds until changed
//     user 0x7000 "/etc/passwd"                     a string in user memory; `kernel` likewise
//     kstack 0x10 0x20                              the call stack of the kernel from now on, innermost first; ustack
//     likewise ring 4096                                     the size of the ring buffer in bytes k:vfs_read arg0=1
//     count=0x10                  the kernel enters a function; u:PROGRAM:FUNCTION likewise k:vfs_read return -5 arg0=1
//     it returns; arguments are for those who see them at a return (fexit) k:vfs_read unseen it is entered, or with
//     `return 0 unseen` left, and no program is run t:sched:sched_switch prev_pid=3 next_comm="a" a tracepoint is
//     passed, with fields by name thread-exit                                   the thread ends interval the period of
//     every interval probe is over interrupt                                     Ctrl-C, as at the end of the scenario
//
// sample 8                                       one of 8 events is taken of probes that can be sampled; 1: all, 0:
// none
//
// A pid sets the tid too unless the line has one. The clock begins at 1s, and what a hit does not give is 0 or empty.
// Records are printed after each step.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "machine/world/world.h"
#include "stdlib/probes.h"

namespace lt::machine {

struct Change {
    std::optional<uint64_t> time;  // nanoseconds
    bool later = false;            // the time is counted from the last one
    std::optional<uint32_t> cpu, pid, tid, uid, gid;
    std::optional<std::string> comm;
};

struct Text {
    bool user = false;
    Address address = 0;
    std::string text;
};

struct CallStack {
    bool user = false;
    std::vector<Address> frames;
};

struct RingSize {
    uint64_t bytes = 0;
};

using Given = std::variant<uint64_t, std::string>;

// The kernel comes by a place where programs can be attached.
struct Hit {
    ProbeKind kind = ProbeKind::kprobe;  // one of those at an entry
    std::string place;                   // what follows the kind: "sched:sched_switch"
    std::optional<uint64_t> result;      // of a function that returns
    std::vector<std::pair<std::string, Given>> values;
    bool unseen = false;  // by every program
    bool at_return() const { return result.has_value(); }
};

struct Sample {
    uint64_t one_of = 1;  // 0: none is taken
};

struct ThreadExit {};
struct Interval {};
struct Interrupt {};

struct Step {
    size_t line = 0;
    std::variant<Change, Text, CallStack, RingSize, Sample, Hit, ThreadExit, Interval, Interrupt> what;
};

// An error says the line.
Result<std::vector<Step>> read_scenario(std::string_view text);

// One more than the highest that is named; two at least, so that folding over CPUs is always tried.
unsigned cpus_of(const std::vector<Step>& scenario);

}  // namespace lt::machine
