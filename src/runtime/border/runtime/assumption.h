// What the compiler took from the machine for which it compiled and put into the plan as it was there. A plan that was
// saved holds only where all of it is so again; what libbpf looks up by itself when an object is loaded is not here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stdlib/types.h"

namespace lt {

enum class Assumed : uint8_t {
    field,          // `name` of the record of the tracepoint `owner`: its type, and `number`, where it lies
    parameter,      // `name` of the kernel's function `owner`: its type, and `number`, which one it is
    raw_parameter,  // the same of a raw tracepoint
    result,         // of the kernel's function `owner`: its type
    member,    // `name`, a path of members with dots between them, of the type `owner`: its type; found by relocation
    offset,    // of such a path: `number` bytes
    layout,    // of the type `owner`: all of it is in `type`
    size,      // of the type `owner`: `number` bytes
    constant,  // the enumerator `name`: `number`
    symbol,    // the kernel's symbol `name`: `number`, its address
    cgroup,    // the folder `name`: `number`, its id
    feature,   // `number`: a Feature that the programs need
    release,   // the kernel is that for which it was compiled: types have no name, or come from its headers
    file,  // `owner`, a program or library: `name`, its build; `number` is 1 if what lies where in it was compiled in
};
inline constexpr Assumed last_assumed = Assumed::file;

struct Assumption {
    Assumed what = Assumed::field;
    std::string owner = {}, name = {};
    Type type = {};
    uint64_t number = 0;
    bool operator==(const Assumption&) const = default;
};

// Once only.
void assume(std::vector<Assumption>& all, Assumption one);

}  // namespace lt
