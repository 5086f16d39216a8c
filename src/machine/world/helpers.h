// The helper functions of the kernel that programs may call, against a fake world: one row each.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "machine/execution.h"
#include "machine/world/world.h"

namespace lt::machine {

// The environment of programs that run here.
inline World& world_of(Execution& x) { return static_cast<World&>(x.around()); }

std::span<const Helper> map_helpers();     // maps, ring buffers, task storage, loops over them
std::span<const Helper> memory_helpers();  // reading memory, strings
std::span<const Helper> probe_helpers();   // time, task, CPU, traced function, stacks

const Helper* find_helper(int32_t id);  // null when it is not simulated

// A negative errno as a register holds it.
inline uint64_t failure(int code) { return static_cast<uint64_t>(-int64_t{code}); }
inline uint64_t from_int(int result) { return static_cast<uint64_t>(int64_t{result}); }

// An argument that has to be a map of one of these shapes.
Result<Table*> table_argument(Execution& x, Address handle, std::span<const Shape> shapes);

}  // namespace lt::machine
