// What programs of Way::host ask of lt, which runs them in its own interpreter of BPF: private numbers of helpers, far
// beyond those of the kernel; and which of the kernel's helpers there are, too.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace lt {

enum class HostCall : uint8_t {
    room,      // (bytes) -> address of so many zeros, there until the program ends
    read,      // (map, key) -> address of the value as a report sees it, folded over the CPUs, or null; read only
    walk,      // (map, order, limit, key, parts) -> number of a copy of the map's entries, see WalkOrder
    count,     // (walk) -> how many entries
    entry,     // (walk, i) -> address of the key, with the value, folded, behind it; read only
    drop,      // (walk): it is not needed any more
    variance,  // (count, sum, sum of squares: low and high word) -> the sample variance
    add,       // (map, key, n): to an integer that programs in the kernel count up, too -> the value before
    frames,    // (stack, to, size): the addresses of a stack as text, as many as have room
};

struct HostCallRow {
    HostCall call;
    std::string_view name;
    uint8_t arguments;
    bool address;  // the result is one
};
constexpr std::array host_calls{
    HostCallRow{HostCall::room, "room", 1, true},          HostCallRow{HostCall::read, "read", 2, true},
    HostCallRow{HostCall::walk, "walk", 5, false},         HostCallRow{HostCall::count, "count", 1, false},
    HostCallRow{HostCall::entry, "entry", 2, true},        HostCallRow{HostCall::drop, "drop", 1, false},
    HostCallRow{HostCall::variance, "variance", 4, false}, HostCallRow{HostCall::add, "add", 3, false},
    HostCallRow{HostCall::frames, "frames", 3, false},
};
constexpr const HostCallRow& host_call_row(HostCall call) { return host_calls[static_cast<size_t>(call)]; }

constexpr int32_t host_helper_base = 0x6c740000;
constexpr int32_t host_helper(HostCall call) { return host_helper_base + static_cast<int32_t>(call); }

// The second argument of `walk`: by what the entries are sorted. Where they are equal the order is that in which their
// keys came, where the map knows it, else that of the keys, ascending. `key` and `parts` of `walk` choose: those
// entries alone of which each part of the key whose bit is set in `parts` is that of `key`.
struct WalkOrder {
    uint8_t by = 0;    // as ast::MapOrder::By
    uint8_t part = 0;  // of the key, counted from 1; 0: all of it
    bool descending = false;
    bool counts_only = false;   // nothing but how many there are is asked: no report has seen them
    bool as_they_came = false;  // by when the keys came

    constexpr int64_t packed() const {
        return by | part << 8 | (descending ? 1 << 16 : 0) | (counts_only ? 1 << 17 : 0) | (as_they_came ? 1 << 18 : 0);
    }
    static constexpr WalkOrder unpacked(uint64_t n) {
        return {static_cast<uint8_t>(n), static_cast<uint8_t>(n >> 8), (n >> 16 & 1) != 0, (n >> 17 & 1) != 0,
                (n >> 18 & 1) != 0};
    }
};

// Of the kernel's helpers those that lt's interpreter has, by number (include/uapi/linux/bpf.h): of maps, time, the CPU
// and the process (lt itself), strings and memory (of the program's own).
constexpr std::array<int64_t, 22> host_kernel_helpers{1,   2,   3,   4,   5,   7,   8,   14,  15,  16,  45,
                                                      113, 115, 125, 130, 131, 132, 134, 165, 181, 182, 208};
constexpr bool on_host(int64_t helper) {
    return std::find(host_kernel_helpers.begin(), host_kernel_helpers.end(), helper) != host_kernel_helpers.end();
}

}  // namespace lt
