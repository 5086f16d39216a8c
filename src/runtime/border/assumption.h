// Facts about the machine that the compiler has put into the plan. A saved plan is valid only where all of them still
// hold. What libbpf looks up itself when it loads an object is not included.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stdlib/types.h"

namespace lt {

enum class Assumed : uint8_t {
    field,          // field `name` of tracepoint `owner`: its type, and its offset in `number`
    parameter,      // parameter `name` of kernel function `owner`: its type, and its index in `number`
    raw_parameter,  // the same for a raw tracepoint
    result,         // of kernel function `owner`: its type
    member,         // `name`, a dotted path of members in type `owner`: its type; relocated
    offset,         // `number`: the byte offset of such a path
    layout,         // of type `owner`: all of it is in `type`
    size,           // `number`: the size of type `owner` in bytes
    constant,       // `number`: the value of enumerator `name`
    symbol,         // `number`: the address of kernel symbol `name`
    cgroup,         // `number`: the id of cgroup folder `name`
    feature,        // `number`: a Feature that the programs need
    release,        // the kernel it was compiled for: types without names, or types from its headers
    file,           // program or library `owner`: build id in `name`; `number` is 1 if addresses in it were compiled in
    kernel_ids,     // programs use the kernel's own process and thread ids, and take them for those that lt knows
};
inline constexpr Assumed last_assumed = Assumed::kernel_ids;

struct Assumption {
    Assumed what = Assumed::field;
    std::string owner = {}, name = {};
    Type type = {};
    uint64_t number = 0;
    bool operator==(const Assumption&) const = default;
};

// Adds it unless it is there already.
void assume(std::vector<Assumption>& all, Assumption one);

}  // namespace lt
