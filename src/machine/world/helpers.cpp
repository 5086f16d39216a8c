// Finds a helper among the tables, and a map among the arguments.
#include "machine/world/helpers.h"

#include "machine/format_helpers.h"

#include <fmt/format.h>

#include <algorithm>

namespace lt::machine {

const Helper* find_helper(int32_t id) {
    for (auto helpers : {map_helpers(), memory_helpers(), format_helpers(), probe_helpers()})
        for (const Helper& h : helpers)
            if (h.id == id) return &h;
    return nullptr;
}

Result<Table*> table_argument(Execution& x, Address handle, std::span<const Shape> shapes) {
    Map* map = world_of(x).map_at(handle);
    Table* keyed = map ? std::get_if<Table>(map) : nullptr;
    if (!map) return Error{"the map argument is not a map", "", 0};
    if (!keyed || std::find(shapes.begin(), shapes.end(), keyed->kind().shape) == shapes.end())
        return Error{fmt::format("not for map {}", definition_of(*map).name), "", 0};
    return keyed;
}

}  // namespace lt::machine
