// The ranking: from what was seen to a list of suspects, the most expensive one first.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "driver/triage/evidence.h"

namespace lt::triage {

struct Suspect {
    Kind kind = Kind::cpu;
    double cost = 0;                               // milliseconds of other threads' time, per second
    uint64_t waits = 0;                            // 0: not counted
    uint64_t number = 0, device = 0, process = 0;  // as of Charge
    std::string name = {};
    std::map<std::string, uint64_t> victims = {};  // nanoseconds, by the name of the thread
    std::map<std::string, uint64_t> holders = {};  // likewise, by who held it: "42 backup"
    size_t members = 1;                            // threads or processes with this name
    std::string what = {};                         // the sentence
    std::vector<std::string> evidence = {};        // lines below it
    std::string next = {};                         // a command line
};

struct KindRow {
    Kind kind;
    std::string_view name;   // in JSON
    std::string_view found;  // how it is found, for the manual
    std::string (*what)(const Suspect& suspect, const Evidence& evidence);
    void (*add)(Suspect& suspect, const Evidence& evidence);  // lines of evidence
    std::string (*next)(const Suspect& suspect);
};
std::span<const KindRow> kind_rows();  // indexed by Kind

// Less is noise: a machine with nothing to do stays below it.
constexpr double least_cost = 10;

// All that cost at least `least`, each with its sentence, its evidence and the next command.
std::vector<Suspect> rank(const Evidence& evidence, double least = least_cost);

}  // namespace lt::triage
