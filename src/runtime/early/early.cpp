#include "runtime/early/early.h"

#include <sys/resource.h>

#include <algorithm>
#include <variant>

#include "runtime/os/signals.h"

namespace lt {
namespace {

bool has_uprobe(const Plan& plan) {
    const auto is_uprobe = [](const Attachment& a) { return std::holds_alternative<ProgramSite>(a.site); };
    const auto attaches = [&](const Rung& rung) {
        return rung.refused.empty() && std::ranges::any_of(rung.attachments, is_uprobe);
    };
    return std::ranges::any_of(plan.probes,
                               [&](const PlannedProbe& probe) { return std::ranges::any_of(probe.rungs, attaches); });
}

// Where descriptors are scarce, nothing else takes one at a time that differs from run to run.
bool may_open_files() {
    constexpr rlim_t enough = 64;
    rlimit files{};
    return ::getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur >= enough;
}

}  // namespace

Early::Early(const Plan& plan) {
    if (!may_open_files()) return;
    const NoSignals none;  // they are for the thread that collects
    maps_.emplace(plan);
    if (has_uprobe(plan)) uprobe_.emplace();
}

void Early::loaded() { maps_.reset(); }

void Early::attached() {
    if (uprobe_) uprobe_->end();
}

}  // namespace lt
