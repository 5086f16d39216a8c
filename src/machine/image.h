// An object ready to run: every map, datum and function has its address, and every wide load its value.
#pragma once

#include <optional>
#include <vector>

#include "machine/memory.h"
#include "machine/object.h"

namespace lt::machine {

struct Image {
    Object object;
    Memory memory;
    std::vector<Address> data{};   // by index in object.data
    std::vector<uint64_t> wide{};  // by instruction: the value of a wide load there

    // Call it once `data` is filled in.
    void link();
    std::optional<size_t> map_index(Address handle) const;  // in object.maps
    const Function* function_at(Address handle) const;      // null if the handle is not a function's
};

}  // namespace lt::machine
