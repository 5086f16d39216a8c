#include "verifier_words.h"

#include <algorithm>
#include <array>

namespace lt {
namespace {

constexpr std::string_view divide =
    "divide the probe into several, or use fewer conditions, loops and searches in strings";
constexpr std::string_view not_here = "lt --info tells what this kernel can do, lt doctor what to do without";

constexpr std::array rows{
    VerifierWords{"jumps is too complex", "it has too many branches", divide},
    VerifierWords{"BPF program is too large", "it takes too many steps to prove it safe", divide},
    VerifierWords{"too many subprog", "it has too many functions", "write fewer functions and loops in one probe"},
    VerifierWords{"Too large", "it needs more than 512 bytes of stack", "use fewer variables, or divide the probe"},
    VerifierWords{"call stack of", "its functions call each other too deep",
                  "write fewer functions that call functions"},
    VerifierWords{"unknown func", "this kernel lacks a function that it needs", not_here},
    VerifierWords{"cannot use helper", "a function that it needs is not allowed at this kind of probe", not_here},
    VerifierWords{"calling kernel function",
                  "a function of the kernel that it calls is not allowed at this kind of probe", not_here},
    VerifierWords{"helper call is not allowed", "a function that it needs is not allowed at this kind of probe",
                  not_here},
    VerifierWords{"kernel subsystem misconfigured", "a part of the kernel that it needs is missing", not_here},
    VerifierWords{"", "it cannot prove it safe",
                  "this is a mistake of lt, please tell its authors, with the program and what -v prints"},
};

}  // namespace

const VerifierWords& verifier_words(std::string_view complaint) {
    return *std::ranges::find_if(
        rows, [&](const VerifierWords& row) { return complaint.find(row.part) != std::string_view::npos; });
}

}  // namespace lt
