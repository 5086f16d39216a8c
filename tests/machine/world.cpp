// Gives every map, datum and function of an object its address, and every wide load the address it refers to.
#include "machine/world.h"

namespace lt::machine {
namespace {

constexpr Address handle_step = 256;

uint64_t immediate(const Object& object, size_t at) {
    const auto low = static_cast<uint32_t>(object.code[at].imm);
    const uint32_t high = at + 1 < object.code.size() ? static_cast<uint32_t>(object.code[at + 1].imm) : 0;
    return static_cast<uint64_t>(high) << 32 | low;
}

uint64_t referred(const World& world, const Reference& r) {
    switch (r.kind) {
        case ReferenceKind::map:
            return map_handles + r.index * handle_step;
        case ReferenceKind::data:
            return world.data.at(r.index) + r.offset;
        case ReferenceKind::function:
            return function_handles + r.index * handle_step;
        case ReferenceKind::absent:
            return 0;
    }
    return 0;
}

void link(World& world) {
    world.wide.resize(world.object.code.size());
    for (size_t i = 0; i < world.wide.size(); ++i)
        if (world.object.code[i].code == load_wide) world.wide[i] = immediate(world.object, i);
    for (const Reference& r : world.object.references) world.wide.at(r.instruction) = referred(world, r);
}

}  // namespace

Map* World::map_at(Address handle) {
    const Address index = (handle - map_handles) / handle_step;
    return handle >= map_handles && handle % handle_step == 0 && index < maps.size() ? &maps[index] : nullptr;
}

const Function* World::function_at(Address handle) const {
    const Address index = (handle - function_handles) / handle_step;
    const bool exact = handle >= function_handles && handle % handle_step == 0;
    return exact && index < object.functions.size() ? &object.functions[index] : nullptr;
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
    link(world);
    return world;
}

}  // namespace lt::machine
