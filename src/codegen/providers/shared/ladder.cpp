#include "codegen/providers/shared/ladder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "codegen/typed/typed.h"

namespace lt {
namespace {

constexpr std::string_view untraceable =
    "it is not in the kernel's list of traceable functions (its file is compiled without ftrace)";

constexpr std::string_view on_stack =
    "it replaces return addresses, but Go reads the return addresses on its stacks: the program would crash";

// True if the kernel's lists exclude the function. On a running kernel it is quicker to try than to read the lists.
bool listed_untraceable(Kernel& kernel, const KernelFunction& f) {
    return !kernel.runs() && kernel.traceable(f.name) == false;
}

// A trampoline counts the words of the arguments in order, whether they are in registers or on the stack.
bool is_in_order(const KernelFunction& f) {
    uint32_t next = 0;
    return std::ranges::all_of(f.parameters, [&](const Field& p) {
        const bool fits = p.offset == next;
        next += padded_size(p.type.size) / 8;
        return fits;
    });
}

// These return the reason why a method is refused, or an empty text.
std::string against_fentry(Kernel& kernel, const KernelFunction& f) {
    if (const Answer a = kernel.can(Feature::fentry); !a.yes) return a.why;
    if (!f.in_btf) return "the kernel's type information (BTF) does not describe it";
    if (listed_untraceable(kernel, f)) return std::string(untraceable);
    constexpr size_t trampoline_arguments = 12;
    if (!is_in_order(f)) return "it takes or returns a structure by value that a BPF trampoline does not pass on";
    if (argument_words(f) > trampoline_arguments) return "it has more arguments than a BPF trampoline passes on";
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

std::string against_many(Kernel& kernel, const KernelFunction& f, Feature feature) {
    if (const Answer a = kernel.can(feature); !a.yes) return a.why;
    if (listed_untraceable(kernel, f)) return std::string(untraceable);
    return {};
}

std::string against_kprobe_session(Kernel& kernel, const KernelFunction& f) {
    return against_many(kernel, f, Feature::kprobe_session);
}

std::string against_kprobe_multi(Kernel& kernel, const KernelFunction& f) {
    return against_many(kernel, f, Feature::kprobe_multi);
}

template <Feature feature>
std::string against_user(Kernel& kernel, const UserFunction&) {
    const Answer a = kernel.can(feature);
    return a.yes ? "" : a.why;
}

// A trampoline is the cheapest hook on a function; a session needs one hook where others need two.
template <class Function>
struct LadderRow {
    Way way;
    bool trampoline_kinds;  // serves fentry: and fexit: as well
    bool single;            // has its own program for each function
    bool hook;              // needs ftrace's hook at the function
    bool registers;         // the context is the address of the registers
    std::string (*against)(Kernel&, const Function&);
};
constexpr std::array kernel_ways{
    LadderRow<KernelFunction>{Way::fentry, true, true, true, false, against_fentry},
    LadderRow<KernelFunction>{Way::kprobe_session, false, false, true, true, against_kprobe_session},
    LadderRow<KernelFunction>{Way::kprobe_multi, false, false, true, true, against_kprobe_multi},
    LadderRow<KernelFunction>{Way::kprobe, false, false, false, true, against_kprobe},
    LadderRow<KernelFunction>{Way::breakpoint, false, true, false, false, against_breakpoint},
};
constexpr std::array user_ways{
    LadderRow<UserFunction>{Way::uprobe_session, false, false, false, true, against_user<Feature::uprobe_session>},
    LadderRow<UserFunction>{Way::uprobe_multi, false, false, false, true, against_user<Feature::uprobe_multi>},
    LadderRow<UserFunction>{Way::uprobe, false, false, false, true, against_user<Feature::uprobe>},
    LadderRow<UserFunction>{Way::ret_multi, false, false, false, true, against_user<Feature::uprobe_multi>},
    LadderRow<UserFunction>{Way::ret, false, false, false, true, against_user<Feature::uprobe>},
};

std::string ruling(std::span<const RuledOut> ruled_out, Way way, std::string_view function) {
    for (const RuledOut& r : ruled_out) {
        if (r.way == way && (r.function.empty() || r.function == function)) return r.why;
    }
    return {};
}

// If the kernel has refused a trampoline, other methods have no hook either.
std::string ruling_on_hook(std::span<const RuledOut> ruled_out, std::string_view function) {
    for (const RuledOut& r : ruled_out) {
        if (r.way == Way::fentry && !r.function.empty() && r.function == function) return r.why;
    }
    return {};
}

template <class Function, size_t n>
std::vector<Rung> climb_ladder(const std::array<LadderRow<Function>, n>& rows, Kernel& kernel, const Function& function,
                               std::string_view subject, const Climb& climb, std::span<const RuledOut> ruled_out) {
    const bool trampoline_only = climb.kind == ProbeKind::fentry || climb.kind == ProbeKind::fexit;
    std::vector<Rung> rungs;
    for (const LadderRow<Function>& row : rows) {
        if (trampoline_only && !row.trampoline_kinds) continue;
        if (climb.many && row.single) continue;
        if (!climb.both_ends && way_row(row.way).session) continue;
        const bool decodes = way_row(row.way).user && way_row(row.way).decoded;
        if (decodes && !climb.decoded && (climb.both_ends || probe_row(climb.kind).result)) continue;
        if (any_open(rungs)) break;  // rungs below the first open one are only tried if that one fails
        std::string why = ruling(ruled_out, row.way, subject);
        if (why.empty() && row.hook) why = ruling_on_hook(ruled_out, subject);
        if (why.empty() && climb.decoded && !decodes) why = on_stack;
        if (why.empty() && climb.registers && !row.registers) why = "the block reads the registers through `ctx`";
        if (why.empty()) why = row.against(kernel, function);
        rungs.push_back({row.way, std::move(why), {}});
    }
    return rungs;
}

}  // namespace

std::vector<Rung> ladder(Kernel& kernel, const KernelFunction& function, const Climb& climb,
                         std::span<const RuledOut> ruled_out) {
    return climb_ladder(kernel_ways, kernel, function, function.name, climb, ruled_out);
}

std::vector<Rung> ladder(Kernel& kernel, const UserFunction& function, const Climb& climb,
                         std::span<const RuledOut> ruled_out) {
    return climb_ladder(user_ways, kernel, function, function.path, climb, ruled_out);
}

bool any_open(std::span<const Rung> rungs) {
    return std::any_of(rungs.begin(), rungs.end(), [](const Rung& r) { return r.refused.empty(); });
}

}  // namespace lt
