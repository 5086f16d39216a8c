#include "ladder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace lt {
namespace {

constexpr std::string_view untraceable =
    "it is not in the kernel's list of traceable functions (its file is compiled without ftrace)";

// What the kernel's lists say. A kernel that runs is tried instead: that is quicker than reading them.
bool listed_untraceable(Kernel& kernel, const KernelFunction& f) {
    return !kernel.runs() && kernel.traceable(f.name) == false;
}

// An empty answer: nothing speaks against trying.
std::string against_fentry(Kernel& kernel, const KernelFunction& f) {
    if (const Answer a = kernel.can(Feature::fentry); !a.yes) return a.why;
    if (!f.in_btf) return "the kernel's type information (BTF) does not describe it";
    if (listed_untraceable(kernel, f)) return std::string(untraceable);
    constexpr size_t trampoline_arguments = 12;
    if (f.parameters.size() > trampoline_arguments) return "it has more arguments than a BPF trampoline passes on";
    return {};
}

std::string against_kprobe(Kernel& kernel, const KernelFunction& f) {
    if (const Answer a = kernel.can(Feature::kprobe); !a.yes) return a.why;
    if (!kernel.runs() && kernel.blacklisted(f.name))
        return "the kernel forbids kprobes on it (it is on the kprobe blacklist)";
    if (listed_untraceable(kernel, f))
        return fmt::format("{}, and this kernel refuses kprobes on such functions", untraceable);
    return {};
}

std::string against_breakpoint(Kernel& kernel, const KernelFunction&) {
    if (const Answer a = kernel.can(Feature::breakpoint); !a.yes) return a.why;
    return {};
}

struct WayRow {
    Way way;
    bool trampoline_kinds;  // serves fentry: and fexit: as well
    std::string (*against)(Kernel&, const KernelFunction&);
};
constexpr std::array ways{
    WayRow{Way::fentry, true, against_fentry},
    WayRow{Way::kprobe, false, against_kprobe},
    WayRow{Way::breakpoint, false, against_breakpoint},
};

std::string ruling(std::span<const RuledOut> ruled_out, Way way, std::string_view function) {
    for (const RuledOut& r : ruled_out) {
        if (r.way == way && (r.function.empty() || r.function == function)) return r.why;
    }
    return {};
}

}  // namespace

std::vector<Rung> ladder(Kernel& kernel, const KernelFunction& function, ProbeKind kind,
                         std::span<const RuledOut> ruled_out) {
    const bool trampoline_only = kind == ProbeKind::fentry || kind == ProbeKind::fexit;
    std::vector<Rung> rungs;
    for (const WayRow& row : ways) {
        if (trampoline_only && !row.trampoline_kinds) continue;
        if (any_open(rungs)) break;  // what stands below the first open rung is only asked for when that one fails
        std::string why = ruling(ruled_out, row.way, function.name);
        if (why.empty()) why = row.against(kernel, function);
        rungs.push_back({row.way, std::move(why), {}});
    }
    return rungs;
}

bool any_open(std::span<const Rung> rungs) {
    return std::any_of(rungs.begin(), rungs.end(), [](const Rung& r) { return r.refused.empty(); });
}

}  // namespace lt
