// An entry of the cache, for a script that ran: its plan, the diagnostics, and the files on which they depend.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/diag.h"
#include "runtime/plan/saved_plan.h"

namespace lt {

struct KeptPlan {
    std::map<std::string, std::string> names = {};  // of programs and libraries, as the script has them: their paths
    // By path, those, their debug files and imported ones: FileState::text. Empty: there is none.
    std::map<std::string, std::string> files = {};
    Diags diags = {};
    SavedPlan saved = {};
};

// Nothing if it cannot be written exactly, such as text that is not UTF-8.
std::optional<std::string> to_bytes(const KeptPlan& kept);
std::optional<KeptPlan> kept_plan(std::string_view bytes, std::string_view version);

}  // namespace lt
