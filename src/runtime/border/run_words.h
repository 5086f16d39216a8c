// Parts of an object that are the loader's: lt_run, what a session says of itself to its programs; lt_turns; and calls
// of functions of the kernel.
#pragma once

#include <array>
#include <cstdint>

namespace lt {

struct RunWords {
    uint64_t stop = 0;                       // not zero: nothing is opened: the run ends, run_is_over or run_is_paused
    uint64_t process = 0;                    // whose acts are left out, in lt's own PID namespace; 0: none
    uint64_t pid_device = 0, pid_inode = 0;  // of that namespace; device 0: the initial one
};
constexpr uint64_t no_process = UINT64_MAX;  // as `process`, in any namespace: nothing is left out
constexpr uint64_t run_is_over = 2;          // programs of ways that linger do nothing
constexpr uint64_t run_is_paused = 3;  // spans still close; an opening that is left out drops the older one of its key
constexpr unsigned run_words = sizeof(RunWords) / sizeof(uint64_t);
constexpr const char* run_words_section = ".data.run";

// u64: the limit of turns for each of a script's inline loops, on kernels without bpf_loop. The loader lowers it if the
// verifier finds the program too long.
constexpr const char* turns_section = ".rodata.turns";

// Functions of the kernel that programs of its sessions call (kernel/trace/bpf_trace.c, from Linux 6.10 on). From 7.0
// on they take the context; earlier ones have no parameter, and to them it is an unused register. An object calls them
// like helpers, by numbers that no helper has; the loader puts the numbers of their types in place. libbpf would read
// all types of the kernel for a call by name.
enum class SessionCall : int32_t {
    is_return = 0x6c740001,  // -> bool
    cookie = 0x6c740002,     // -> u64*, eight bytes that the entry and the return of one call share
};

struct SessionCallRow {
    SessionCall call;
    const char* name;
};
inline constexpr std::array session_calls{
    SessionCallRow{SessionCall::is_return, "bpf_session_is_return"},
    SessionCallRow{SessionCall::cookie, "bpf_session_cookie"},
};

}  // namespace lt
