// Sampling: finds out whether skipping events of a probe at random only changes its counts.
#pragma once

#include <cstdint>
#include <vector>

#include "codegen/typed/typed.h"
#include "parser/tree/ast.h"

namespace lt {

// The maps that the body uses, without duplicates.
std::vector<uint32_t> maps_of(const Body& body);

// False if a program stores something at one event for another one (a start time in a map would be used for a later
// event), or a block does more than collect and print. For a span, only the bodies that open it can be sampled.
bool can_be_sampled(const ast::Program& program, const Typed& typed, const Body& body);

// Is there a call of age() for the span?
bool is_asked_for(const ast::Program& program, const Typed& typed, uint32_t span);

}  // namespace lt
