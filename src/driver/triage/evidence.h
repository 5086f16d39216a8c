// All that triage has seen of the machine, as plain values: the input of the ranking, which needs no kernel.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "driver/triage/readings.h"

namespace lt::triage {

// The things that can cost other threads time; kinds.cpp has a row for each.
enum class Kind : uint8_t {
    quota,        // a control group's limit on CPU time
    memory,       // a control group, or the machine, that is short of memory
    io_limit,     // a control group's limit on a device
    user_lock,    // a lock of a program
    memory_lock,  // the lock of a process's address space
    kernel_lock,
    file_lock,
    disk,
    dirty,   // a writer is slowed down
    server,  // a file system outside of the kernel
    dns,
    peer,  // the other end of a TCP connection
    softirq,
    interrupt,
    cpu,    // a thread that had the CPU
    stuck,  // a thread that does not come back
};
constexpr size_t kinds = static_cast<size_t>(Kind::stuck) + 1;

// Time that threads with one name waited for one thing, as the programs in the kernel added it up.
struct Charge {
    Kind kind = Kind::cpu;
    uint64_t number = 0;      // by kind: of a process or thread, a control group, a vector, a port
    uint64_t device = 0;      // of a disk, as the kernel writes it: major << 20 | minor; 0: unknown
    uint64_t process = 0;     // whose lock it is
    std::string name = {};    // by kind: of the thread, the lock, the address
    std::string holder = {};  // of a lock: who had it; empty: unknown
    uint64_t holder_tid = 0;  // 0: unknown
    std::string victim = {};  // whose time it was
    uint64_t count = 0;       // of waits
    uint64_t ns = 0;
};

// A control group in one hierarchy: of version 2, or of the controller of version 1. By the id that the kernel gives
// it, which is the number of its folder's inode.
struct Group {
    std::string path;                     // of its folder
    std::string quota = {};               // "20000 of 100000 us"
    uint64_t periods = 0, throttled = 0;  // periods of the quota, and those in which it was used up
    uint64_t memory_limit = 0;            // bytes; 0: none
    uint64_t memory_used = 0;
    std::vector<IoLimit> io_limits = {};
};

// A disk during the time that triage looked.
struct DiskUse {
    std::string name;
    double requests = 0;  // per second
    double bytes = 0;     // per second
    double busy = 0;      // share of the time
    double flight = 0;    // milliseconds of all requests together, per second
    double each = 0;      // milliseconds per request
};

// A thread that was in an uninterruptible wait at the beginning and has not run since.
struct Stuck {
    uint64_t pid = 0, tid = 0;
    std::string name;
    std::string function;  // of the kernel, in which it waits; empty: unknown
};

// By id. Ids of different hierarchies of version 1 have nothing to do with each other.
struct Groups {
    std::map<uint64_t, Group> cpu, memory, io;
};

struct Evidence {
    double seconds = 0;  // that the programs in the kernel counted
    uint32_t cpus = 1;
    std::vector<Charge> charges = {};
    Groups groups = {};
    std::map<uint64_t, DiskUse> disks = {};             // by device
    std::map<uint64_t, std::set<uint64_t>> below = {};  // of partitions, and of devices made of others: their disks
    std::map<uint64_t, std::string> vectors = {};       // names of softirqs
    std::map<uint32_t, std::string> interrupts = {};    // devices
    std::vector<Stuck> stuck = {};
    std::map<std::string, double, std::less<>> counters = {};  // growth per second of those in snmp, netstat and vmstat
    std::map<std::string, double> pressure = {};  // share of the time that some task was stalled: "cpu", "io", "memory"
};

}  // namespace lt::triage
