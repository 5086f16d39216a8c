// Blocks that lt itself runs: those of BEGIN, END, interval and self probes that need something only lt can do, or all
// of them if the dialect requires it.
#pragma once

#include <optional>
#include <vector>

#include "codegen/ir/ir.h"
#include "codegen/typed/typed.h"
#include "runtime/border/host_calls.h"

namespace lt {

// Can lt run the block of this location?
bool host_possible(const ResolvedPlace& place);

// Does the block clear a map that it reads or writes itself? In the kernel the map would be cleared later, together
// with values that were added meanwhile.
bool empties_what_it_uses(const ast::Program& program, const ast::Block& block);

// By map: integers with a key that BPF programs write, and that blocks run by lt count up or down, or whose bits they
// change.
struct ChangedByBoth {
    std::vector<bool> counted, in_bits;
};
ChangedByBoth changed_by_both(const ast::Program& program, const Typed& typed);

// The operation of &=, |= or ^=.
std::optional<SharedChange> change_of_bits(ast::BinaryOp op);

// By map: integers that statements only count up and down, and that a block run by lt clears. As sums they are cleared
// by subtraction, so that nothing is lost between a report and its clear().
std::vector<bool> only_counted(const ast::Program& program, const Typed& typed);

// Those of them that each CPU counts separately: all except maps that are declared as another kind.
std::vector<bool> kept_per_cpu(const ast::Program& program, const Typed& typed);

// The first operation that needs the kernel.
std::optional<Span> asks_kernel(const ir::Block& block);

}  // namespace lt
