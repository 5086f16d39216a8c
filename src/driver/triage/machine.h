// Reads the running machine's own counters, before and after, for the evidence.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "driver/triage/evidence.h"
#include "runtime/values/value.h"

namespace lt::triage {

// Counters at one moment.
struct Counters {
    uint64_t at_ns = 0;  // by the monotonic clock
    std::vector<Disk> disks = {};
    Numbers numbers = {};                           // of snmp, netstat and vmstat
    std::map<std::string, Pressure> pressure = {};  // by the file's name: "io"
    struct CpuStat {
        uint64_t periods = 0, throttled = 0;
    };
    std::map<std::string, CpuStat> groups = {};  // by path; only those with a quota
};
Counters read_counters(const std::vector<GroupMount>& mounts);

std::vector<GroupMount> group_mounts();

// Listening TCP ports in all network namespaces of running processes.
std::vector<uint16_t> listening_ports();

// The differences, and what the charges' numbers mean. Reads what belongs to the groups that are charged.
void describe(Evidence& evidence, const Counters& before, const Counters& after, const std::vector<GroupMount>& mounts);

// Charges and stuck threads, from the maps of the programs. A thread is stuck if it has not run since they began.
void take_maps(Evidence& evidence, const std::map<std::string, std::vector<MapEntry>, std::less<>>& maps);

// For lt in a PID namespace: the threads that do not come back are found by the kernel's numbers, which mean nothing
// there.
void forget_stuck(Evidence& evidence);

}  // namespace lt::triage
