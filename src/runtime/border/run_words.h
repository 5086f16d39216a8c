// Variables of an object that are the loader's: lt_run, what a session says of itself to its programs, and lt_turns.
#pragma once

#include <cstdint>

namespace lt {

struct RunWords {
    uint64_t stop = 0;                       // not zero: the run ends, and nothing is opened any more
    uint64_t process = 0;                    // whose acts are left out, in its own PID namespace; 0: none
    uint64_t pid_device = 0, pid_inode = 0;  // of that namespace; device 0: the initial one
};
constexpr unsigned run_words = sizeof(RunWords) / sizeof(uint64_t);
constexpr const char* run_words_section = ".data.run";

// u64: the limit of turns for each of a script's inline loops, on kernels without bpf_loop. The loader lowers it if the
// verifier finds the program too long.
constexpr const char* turns_section = ".rodata.turns";

}  // namespace lt
