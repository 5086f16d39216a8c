// The kernel that a command line chooses.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "driver/cli/command.h"
#include "runtime/border/kernel.h"

namespace lt {

// The options of verbs that only look at a kernel.
inline constexpr std::array kernel_options{Option::kernel, Option::debug_folders, Option::traceable,
                                           Option::quiet,  Option::no_warnings,   Option::verbose};

// The running one, if this process may trace, or that of --kernel.
Result<std::unique_ptr<Kernel>> chosen_kernel(const Command& command);
KernelPlaces kernel_places(const Command& command);
std::string features_text(Kernel& kernel);                       // --info: every feature with its answer
std::vector<std::string> debug_folders(const Command& command);  // of --debuginfo, absolute

}  // namespace lt
