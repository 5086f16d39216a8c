// The conditions under which the work of a probe is done.
#pragma once

#include <functional>

#include "codegen/lower/context.h"

namespace lt {

// Are events there acts of the current process, and those of lt's own process left out?
bool skips_own(Lowering& l);
// Runs the work if the current process is traced, and not lt's own where that one is left out; `otherwise` for the
// processes left out. Generates no check if the kernel already filters. At an iterator, the work also needs an object.
void where_traced(Lowering& l, const std::function<void()>& work, const std::function<void()>& otherwise = {});
// Runs the work unless exit() has stopped the program. Only needed if exit() stops all handlers at once.
void unless_stopped(Lowering& l, const std::function<void()>& work);
// Runs the work for the events that sampling keeps. Counts the others, and runs `otherwise` for them.
void through_gate(Lowering& l, const std::function<void()>& work, const std::function<void()>& otherwise = {});
// Runs the work if the context shows that this is the traced event: some programs also see other events.
void where_meant(Lowering& l, const std::function<void()>& work);

}  // namespace lt
