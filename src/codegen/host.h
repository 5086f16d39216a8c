// What lt runs by itself: blocks of BEGIN, END, interval and self probes that do what only lt can do, or all of them
// where the dialect says so.
#pragma once

#include <optional>
#include <vector>

#include "codegen/ir.h"
#include "codegen/typed.h"

namespace lt {

// Can lt run the block of this place?
bool host_possible(const ResolvedPlace& place);

// Does the block clear a map that it reads or writes itself? In the kernel it would be cleared later, with what has
// come meanwhile.
bool empties_what_it_uses(const ast::Program& program, const ast::Block& block);

// By map: integers with a key that blocks of lt's count up or down and that programs in the kernel write, too.
std::vector<bool> counted_by_both(const ast::Program& program, const Typed& typed);

// By map: integers that are only counted up and down by statements, and that a block which lt runs clears: as sums of
// what each CPU has counted nothing is lost of them between a report and its clear().
std::vector<bool> only_counted(const ast::Program& program, const Typed& typed);

// The first operation that asks what only the kernel knows.
std::optional<Span> asks_kernel(const ir::Block& block);

}  // namespace lt
