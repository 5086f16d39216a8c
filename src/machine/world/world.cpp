// Gives every map, datum and function of an object its address, and every wide load the address it refers to.
#include "machine/world/world.h"

#include <fmt/format.h>

#include <algorithm>

#include "machine/world/helpers.h"

namespace lt::machine {

Map* World::map_at(Address handle) {
    const auto index = map_index(handle);
    return index ? &maps[*index] : nullptr;
}

const Helper* World::helper(int32_t id) const { return find_helper(id); }

Status World::goes_on(uint64_t instructions) {
    if (instructions <= environment.instruction_limit) return Done{};
    return Error{fmt::format("more than {} instructions executed", environment.instruction_limit), "", 0};
}

bool World::load(Address at, std::span<uint8_t> out) const {
    if (!environment.direct_kernel_reads) return false;
    if (!environment.kernel.read(at, out)) std::fill(out.begin(), out.end(), uint8_t{0});
    return true;
}

Result<World> make_world(Object object, unsigned cpus) {
    World world;
    world.object = std::move(object);
    world.cpus = cpus;
    for (const MapDefinition& definition : world.object.maps) {
        auto map = make_map(definition, cpus);
        if (!map) return map.error();
        world.maps.push_back(std::move(*map));
    }
    for (const DataSection& d : world.object.data)
        world.data.push_back(
            world.memory.add({"section " + d.name, d.bytes, d.read_only ? Access::read_only : Access::read_write}));
    world.link();
    return world;
}

}  // namespace lt::machine
