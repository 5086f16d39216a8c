#include "runtime/load/verifier_words.h"

#include <algorithm>
#include <array>
#include <cerrno>

namespace lt {
namespace {

constexpr std::string_view divide = "split the probe, or use fewer conditions, loops and string searches";
constexpr std::string_view not_here = "`lt --info` lists this kernel's features, `lt doctor` suggests workarounds";

constexpr std::array rows{
    VerifierWords{"jumps is too complex", "it has too many branches", divide},
    VerifierWords{"BPF program is too large", "it takes too many steps to prove it safe", divide},
    VerifierWords{"too many subprog", "it has too many functions", "use fewer functions and loops in one probe"},
    VerifierWords{"Too large", "it needs more than 512 bytes of stack", "use fewer variables, or split the probe"},
    VerifierWords{"call stack of", "its functions call each other too deeply", "nest fewer function calls"},
    VerifierWords{"unknown#165", "this kernel lacks bpf_snprintf (Linux 5.13)", not_here},
    VerifierWords{"unknown#208", "this kernel does not have the TAI clock for programs (Linux 6.1)",
                  "use `nsecs(sw_tai)`, which adds the offset from the start of the trace"},
    VerifierWords{"unknown func", "this kernel lacks a function that it needs", not_here},
    VerifierWords{"invalid func", "this kernel lacks a function that it needs", not_here},
    VerifierWords{"BPF_STX uses reserved fields", "this kernel has no atomic instructions (Linux 5.12)", not_here},
    VerifierWords{"cannot use helper", "a function that it needs is not allowed at this kind of probe", not_here},
    VerifierWords{"calling kernel function",
                  "a function of the kernel that it calls is not allowed at this kind of probe", not_here},
    VerifierWords{"helper call is not allowed", "a function that it needs is not allowed at this kind of probe",
                  not_here},
    VerifierWords{"kernel subsystem misconfigured", "a part of the kernel that it needs is missing", not_here},
    VerifierWords{"", "it cannot prove that the program is safe",
                  "this is a bug in lt: please report it, with the program and the output of `-v`"},
};

}  // namespace

const VerifierWords& verifier_words(std::string_view complaint) {
    return *std::ranges::find_if(
        rows, [&](const VerifierWords& row) { return complaint.find(row.part) != std::string_view::npos; });
}

bool is_too_long(int code, std::string_view complaint) {
    return code == E2BIG || verifier_words(complaint).advice == divide;
}

}  // namespace lt
