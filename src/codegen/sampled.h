// What a probe can be sampled: whether leaving out events at random makes nothing wrong but its counts.
#pragma once

#include <cstdint>
#include <vector>

#include "codegen/typed.h"
#include "parser/ast.h"

namespace lt {

// The maps that the body names, each once.
std::vector<uint32_t> maps_of(const Body& body);

// Not where a program remembers something from one event for another one (a start in a map would be taken for a later
// event's), nor where a block does more than collect and print. Of a span's bodies those that open it.
bool can_be_sampled(const ast::Program& program, const Typed& typed, const Body& body);

// Is age() of the span asked for anywhere?
bool is_asked_for(const ast::Program& program, const Typed& typed, uint32_t span);

}  // namespace lt
