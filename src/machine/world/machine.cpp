// The host's side: checks names and sizes, then hands over to maps and Execution.
#include "machine/world/machine.h"

#include <fmt/format.h>

#include <algorithm>

#include "machine/execution.h"

namespace lt::machine {
namespace {

Error misuse(std::string what) { return {std::move(what), "", 0}; }

Status to_status(int result, std::string_view doing, std::string_view map) {
    if (result == 0) return Done{};
    return system_error(fmt::format("{} map {}", doing, map), -result);
}

Status check_size(std::string_view what, std::string_view of, size_t given, size_t wanted) {
    if (given == wanted) return Done{};
    return misuse(fmt::format("{} of {}: {} bytes instead of {}", what, of, given, wanted));
}

}  // namespace

Result<Machine> Machine::create(Object object, unsigned cpus) {
    if (cpus == 0) return misuse("a machine without CPUs");
    auto world = make_world(std::move(object), cpus);
    if (!world) return world.error();
    return Machine(std::move(*world));
}

Result<uint64_t> Machine::run(std::string_view program, std::span<const uint8_t> context) {
    const Bytes bytes(context.begin(), context.end());
    Region region{"the context", bytes, Access::read_only, Alignment::natural};
    const Address wanted = world_.environment.context_at;
    const Address at =
        wanted != 0 ? world_.memory.add_at(wanted, std::move(region)) : world_.memory.add(std::move(region));
    auto result = run_in(program, at);
    world_.memory.release(at);
    return result;
}

Result<uint64_t> Machine::run_writable(std::string_view program, std::span<uint8_t> context) {
    const Bytes bytes(context.begin(), context.end());
    const Address at = world_.memory.add({"the context", bytes, Access::read_write, Alignment::natural});
    auto result = run_in(program, at);
    std::copy_n(world_.memory.bytes(at).begin(), context.size(), context.begin());
    world_.memory.release(at);
    return result;
}

Result<uint64_t> Machine::run_in(std::string_view program, Address context) {
    instructions_ = 0;
    const Function* function = world_.object.function(program);
    if (!function) return misuse(fmt::format("no program {}", program));
    if (world_.environment.cpu >= world_.cpus) return misuse(fmt::format("no CPU {}", world_.environment.cpu));
    Execution execution(world_, world_, program);
    auto result = execution.run(*function, context);
    instructions_ = execution.instructions();
    world_.memory.release_retired();
    auto released = check_reservations(program);
    if (result && !released) return released.error();
    return result;
}

Status Machine::check_reservations(std::string_view program) {
    Status status = Done{};
    for (Map& map : world_.maps) {
        RingBuffer* buffer = std::get_if<RingBuffer>(&map);
        if (buffer && buffer->discard_reserved(world_.memory) > 0)
            status = misuse(fmt::format("program {}: leaves a record of ring buffer {} reserved", program,
                                        buffer->definition().name));
    }
    return status;
}

Map* Machine::find_map(std::string_view name) {
    for (Map& map : world_.maps)
        if (definition_of(map).name == name) return &map;
    return nullptr;
}

Result<Table*> Machine::table(std::string_view name) {
    Map* map = find_map(name);
    Table* found = map ? std::get_if<Table>(map) : nullptr;
    if (!found) return misuse(fmt::format("no map with keys named {}", name));
    return found;
}

Result<RingBuffer*> Machine::ring(std::string_view name) {
    Map* map = find_map(name);
    RingBuffer* found = map ? std::get_if<RingBuffer>(map) : nullptr;
    if (!found) return misuse(fmt::format("no ring buffer named {}", name));
    return found;
}

Result<std::vector<std::pair<Bytes, Bytes>>> Machine::entries(std::string_view map) {
    auto found = table(map);
    if (!found) return found.error();
    return (*found)->entries(world_.memory);
}

Result<std::optional<Bytes>> Machine::lookup(std::string_view map, std::span<const uint8_t> key) {
    auto found = table(map);
    if (!found) return found.error();
    if (auto ok = check_size("key", map, key.size(), (*found)->definition().key_size); !ok) return ok.error();
    return (*found)->all_values(world_.memory, key);
}

Status Machine::update(std::string_view map, std::span<const uint8_t> key, std::span<const uint8_t> value,
                       uint64_t flags) {
    auto found = table(map);
    if (!found) return found.error();
    if (auto ok = check_size("key", map, key.size(), (*found)->definition().key_size); !ok) return ok;
    if (auto ok = check_size("value", map, value.size(), (*found)->syscall_size()); !ok) return ok;
    const int result = (*found)->update_all(world_.memory, key, value, flags);
    world_.memory.release_retired();
    return to_status(result, "update of", map);
}

Status Machine::erase(std::string_view map, std::span<const uint8_t> key) {
    auto found = table(map);
    if (!found) return found.error();
    if (auto ok = check_size("key", map, key.size(), (*found)->definition().key_size); !ok) return ok;
    const int result = (*found)->erase(world_.memory, key);
    world_.memory.release_retired();
    return to_status(result, "delete from", map);
}

Result<std::vector<Bytes>> Machine::drain(std::string_view map) {
    auto found = ring(map);
    if (!found) return found.error();
    return (*found)->drain();
}

Status Machine::set_capacity(std::string_view map, size_t bytes) {
    auto found = ring(map);
    if (!found) return found.error();
    if (bytes == 0) return misuse(fmt::format("ring buffer {}: size 0", map));
    (*found)->set_capacity(bytes);
    return Done{};
}

Result<uint64_t> Machine::lost(std::string_view map) {
    auto found = ring(map);
    if (!found) return found.error();
    return (*found)->lost();
}

std::span<uint8_t> Machine::element(std::string_view map) {
    auto found = table(map);
    if (!found) return {};
    const Bytes first((*found)->definition().key_size);
    const Address at = (*found)->find(world_.memory, first, 0);
    if (at == 0) return {};
    return world_.memory.bytes(at);
}

std::span<uint8_t> Machine::section(std::string_view name) {
    for (size_t i = 0; i < world_.object.data.size(); ++i)
        if (world_.object.data[i].name == name) return world_.memory.bytes(world_.data[i]);
    return {};
}

Result<Machine::Place> Machine::place(std::string_view variable) const {
    for (size_t i = 0; i < world_.object.data.size(); ++i)
        for (const Variable& v : world_.object.data[i].variables)
            if (v.name == variable) return Place{world_.data[i], v.offset, v.size};
    return misuse(fmt::format("no variable {}", variable));
}

Result<Bytes> Machine::variable(std::string_view name) const {
    auto found = place(name);
    if (!found) return found.error();
    const auto first = world_.memory.bytes(found->section).begin() + static_cast<ptrdiff_t>(found->offset);
    return Bytes(first, first + static_cast<ptrdiff_t>(found->size));
}

Status Machine::set_variable(std::string_view name, std::span<const uint8_t> bytes) {
    auto found = place(name);
    if (!found) return found.error();
    if (auto ok = check_size("value", name, bytes.size(), found->size); !ok) return ok;
    const auto first = world_.memory.bytes(found->section).begin() + static_cast<ptrdiff_t>(found->offset);
    std::copy(bytes.begin(), bytes.end(), first);
    return Done{};
}

}  // namespace lt::machine
