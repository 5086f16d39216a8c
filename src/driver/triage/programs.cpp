// The scripts are in lt's binary as text.
#include "driver/triage/programs.h"

#include <fmt/format.h>

#include <array>

#define LT_TEXT(name)               \
    "lt_triage_" name               \
    "_begin:\n"                     \
    ".incbin \"" LT_TRIAGE "/" name \
    ".lt\"\n"                       \
    "lt_triage_" name               \
    "_end:\n"                       \
    ".byte 0\n"

__asm__(".section .rodata\n" LT_TEXT("waits") LT_TEXT("futexes") LT_TEXT("disks") LT_TEXT("answers")
            LT_TEXT("interrupts") LT_TEXT("stuck") ".previous\n");

#define LT_NAMES(name) extern "C" const char lt_triage_##name##_begin[], lt_triage_##name##_end[]
LT_NAMES(waits);
LT_NAMES(futexes);
LT_NAMES(disks);
LT_NAMES(answers);
LT_NAMES(interrupts);
LT_NAMES(stuck);

namespace lt::triage {

std::span<const Program> programs() {
    static const std::array rows{
        Program{"waits", {lt_triage_waits_begin, lt_triage_waits_end}, "anything"},
        Program{"futexes", {lt_triage_futexes_begin, lt_triage_futexes_end}, "locks of programs"},
        Program{"disks", {lt_triage_disks_begin, lt_triage_disks_end}, "which disk a thread waits for"},
        Program{"answers", {lt_triage_answers_begin, lt_triage_answers_end}, "DNS servers and peers that answer late"},
        Program{"interrupts", {lt_triage_interrupts_begin, lt_triage_interrupts_end}, "the time of interrupts"},
        Program{"stuck", {lt_triage_stuck_begin, lt_triage_stuck_end}, "threads that do not come back"},
    };
    return rows;
}

std::string script(const std::vector<bool>& chosen, std::span<const uint16_t> listening) {
    std::string text;
    for (size_t i = 0; i < programs().size(); i++)
        if (chosen[i]) text += programs()[i].text;
    if (!listening.empty()) text += "BEGIN {\n";
    for (const uint16_t port : listening) text += fmt::format("    @listening[{}] = 1;\n", port);
    if (!listening.empty()) text += "}\n";
    return text;
}

}  // namespace lt::triage
