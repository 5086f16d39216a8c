#include "runtime/early/early.h"

#include <algorithm>
#include <system_error>
#include <variant>

#include "runtime/os/descriptor.h"
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

}  // namespace

Early::Early(const Plan& plan) {
    if (has_few_files()) return;  // which of them ran out would differ from run to run
    const NoSignals none;         // signals are for the thread that collects
    try {
        maps_.emplace(plan);
        if (has_uprobe(plan)) uprobe_.emplace();
    } catch (const std::system_error&) {
        // no further thread may be started: the same is done later
    }
}

void Early::loaded() { maps_.reset(); }

void Early::attached() {
    if (uprobe_) uprobe_->end();
}

}  // namespace lt
