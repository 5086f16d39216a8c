// The result of triage as a screen of text, or as one object of JSON.
#pragma once

#include <string>
#include <vector>

#include "driver/triage/suspects.h"

namespace lt::triage {

struct Report {
    double seconds = 0;  // that were watched
    uint32_t cpus = 1;
    double cost = 0;     // of the programs in the kernel, as a share of all CPUs while they ran
    double own_cpu = 0;  // seconds of CPU time of lt itself, with the compiler
    std::vector<Suspect> suspects = {};
    std::vector<std::string> missing = {};  // sentences about what could not be seen
};

// On one screen. A machine with too few CPUs has many suspects that had one, which hide the others.
constexpr size_t most_shown = 8, most_of_kind = 3;

// A terminal's characters and lines; 0: any number.
struct Room {
    size_t width = 0, height = 0;
};

// With `all` every suspect, otherwise those that fit into the room, at least one. Commands are not broken into lines,
// so that they can be copied.
std::string text_of(const Report& report, bool all, Room room = {});
// The room that standard output has.
Room terminal_room();
std::string json_of(const Report& report);

}  // namespace lt::triage
