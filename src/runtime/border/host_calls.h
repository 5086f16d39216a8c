// Calls that programs of Way::host make to lt, which runs them in its own BPF interpreter. They are private helper
// numbers, far beyond the kernel's. Also lists the kernel's helpers that the interpreter has.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace lt {

// The map of locks on kernels without atomic instructions, see stdlib/bpf/atomic.h. The interpreter needs no locks.
constexpr std::string_view locks_symbol = "lt_locks";

enum class HostCall : uint8_t {
    room,      // (bytes) -> address of that many zeros, valid until the program ends
    read,      // (map, key) -> address of the value, folded over the CPUs as in reports, or null; read-only
    walk,      // (map, order, limit, key, parts) -> number of a copy of the map's entries, see WalkOrder
    count,     // (walk) -> number of entries
    entry,     // (walk, i) -> address of the key followed by the folded value; read-only
    drop,      // (walk): frees it
    variance,  // (count, sum, sum of squares: low and high word) -> the sample variance
    add,       // (map, key, n): adds to an integer that programs in the kernel also count up -> old value
    frames,    // (stack, to, size): the addresses of a stack as text, as many as fit
    bits,      // (map, key, n, SharedChange): like add, with another operation
};

// An operation on an integer that programs in the kernel write, too.
enum class SharedChange : uint8_t { add, bit_and, bit_or, bit_xor };

struct HostCallRow {
    HostCall call;
    std::string_view name;
    uint8_t arguments;
    bool address;  // returns an address
};
constexpr std::array host_calls{
    HostCallRow{HostCall::room, "room", 1, true},          HostCallRow{HostCall::read, "read", 2, true},
    HostCallRow{HostCall::walk, "walk", 5, false},         HostCallRow{HostCall::count, "count", 1, false},
    HostCallRow{HostCall::entry, "entry", 2, true},        HostCallRow{HostCall::drop, "drop", 1, false},
    HostCallRow{HostCall::variance, "variance", 4, false}, HostCallRow{HostCall::add, "add", 3, false},
    HostCallRow{HostCall::frames, "frames", 3, false},     HostCallRow{HostCall::bits, "bits", 4, false},
};
constexpr const HostCallRow& host_call_row(HostCall call) { return host_calls[static_cast<size_t>(call)]; }

constexpr int32_t host_helper_base = 0x6c740000;
constexpr int32_t host_helper(HostCall call) { return host_helper_base + static_cast<int32_t>(call); }

// The second argument of `walk`: the sort order. Equal entries are in order of arrival if the map keeps it, else in
// ascending order of their keys. `key` and `parts` of `walk` select entries: each part of the key whose bit is set in
// `parts` must equal that of `key`.
struct WalkOrder {
    uint8_t by = 0;    // as ast::MapOrder::By
    uint8_t part = 0;  // of the key, counting from 1; 0: all of it
    bool descending = false;
    bool counts_only = false;   // only the number of entries matters: no report sees them
    bool as_they_came = false;  // in order of arrival of the keys

    constexpr int64_t packed() const {
        return by | part << 8 | (descending ? 1 << 16 : 0) | (counts_only ? 1 << 17 : 0) | (as_they_came ? 1 << 18 : 0);
    }
    static constexpr WalkOrder unpacked(uint64_t n) {
        return {static_cast<uint8_t>(n), static_cast<uint8_t>(n >> 8), (n >> 16 & 1) != 0, (n >> 17 & 1) != 0,
                (n >> 18 & 1) != 0};
    }
};

// The kernel's helpers that lt's interpreter has, by number (include/uapi/linux/bpf.h): for maps, time, CPU and process
// (lt itself), strings and memory (the program's own and the kernel's; user memory is always unreadable).
constexpr std::array<int64_t, 24> host_kernel_helpers{1,   2,   3,   4,   5,   7,   8,   14,  15,  16,  45,  112,
                                                      113, 114, 115, 125, 130, 131, 132, 134, 165, 181, 182, 208};
constexpr bool on_host(int64_t helper) {
    return std::ranges::find(host_kernel_helpers, helper) != host_kernel_helpers.end();
}

}  // namespace lt
