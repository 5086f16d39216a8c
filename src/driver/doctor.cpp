#include "doctor.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>

#include "doctor_machine.h"
#include "privileges.h"

namespace lt {
namespace {

// What a feature is good for, and what to do without it, or else what lt does then.
struct Use {
    Feature feature;
    std::string_view what_for;
    std::string_view advice;
    std::string_view lt_then = {};
};
constexpr std::array uses{
    Use{Feature::btf, "names and types of the kernel: args.NAME, curtask->comm",
        "use a kernel with CONFIG_DEBUG_INFO_BTF=y; till then arg0, arg1 ... and tracepoints"},
    Use{Feature::tracepoint, "t:CATEGORY:EVENT, sc:NAME",
        "use a kernel with CONFIG_FTRACE_SYSCALLS=y and CONFIG_BPF_EVENTS=y"},
    Use{Feature::raw_tracepoint, "rt:EVENT, threads that end inside a span, BEGIN and intervals",
        "use a kernel with CONFIG_BPF_EVENTS=y"},
    Use{Feature::kprobe, "k:FUNCTION", "use fentry where it is there, else tracepoints: lt -l 't:*'"},
    Use{Feature::kretprobe, "kr:FUNCTION, spans k:FUNCTION < ... >", "use fentry where it is there, else tracepoints"},
    Use{Feature::kprobe_multi, "many functions at once, quickly: k:vfs_*", "",
        "patterns attach one by one, which takes longer"},
    Use{Feature::kprobe_session, "spans over many functions, cheaper", "", "entry and return attach apart"},
    Use{Feature::fentry, "k:FUNCTION at the least cost, f:FUNCTION, fr:FUNCTION", "",
        "k: takes a kprobe where there are kprobes"},
    Use{Feature::uprobe, "u:PATH:FUNCTION, ur:, usdt:", "use a kernel with CONFIG_UPROBE_EVENTS=y"},
    Use{Feature::uprobe_multi, "many functions of a program at once, quickly", "",
        "patterns attach one by one, which takes longer"},
    Use{Feature::uprobe_session, "spans over functions of programs, cheaper", "", "entry and return attach apart"},
    Use{Feature::breakpoint, "functions where no probe can go: k:copy_to_user",
        "trace a caller of the function, or a tracepoint near it"},
    Use{Feature::ring_buffer, "printf and print", "collect into maps, which are printed at the end; or Linux 5.8"},
    Use{Feature::task_storage, "spans that never lack room", "", "spans are kept in a hash by thread"},
    Use{Feature::bpf_loop, "for and while", "use unroll(N), or Linux 5.17"},
    Use{Feature::perf_event, "profile:hz:99, software:page-faults:100", "use interval, or tracepoints"},
    Use{Feature::hardware_events, "hardware:cache-misses:1000000",
        "use software events; in a virtual machine ask for a virtual PMU"},
    Use{Feature::watchpoint, "w:ADDRESS:8:w, who changes a variable", "trace the functions that change it"},
    Use{Feature::iterator, "iter:task, print(SPAN), timeouts", "use Linux 5.8 with CONFIG_DEBUG_INFO_BTF=y"},
    Use{Feature::override_return, "override(VALUE): a function fails on purpose", "",
        "errors of functions cannot be made up; a kernel with CONFIG_BPF_KPROBE_OVERRIDE=y has it"},
};

constexpr bool in_order() {
    for (size_t i = 0; i < uses.size(); i++)
        if (static_cast<size_t>(uses[i].feature) != i) return false;
    return uses.size() == feature_count;
}
static_assert(in_order());

void tell(std::string_view name, std::string_view state, std::string_view text) {
    fmt::print("  {:<16} {:<8} {}\n", name, state, text);
}

// Below it; nothing where there is nothing to say.
void tell_more(std::string_view label, std::string_view text) {
    if (!text.empty()) fmt::print("  {:<16} {:<8} {}: {}\n", "", "", label, text);
}

std::string_view word(Health health) {
    switch (health) {
        case Health::good:
            return "good";
        case Health::limited:
            return "limited";
        case Health::bad:
            return "bad";
    }
    return "";
}

// How many need something done.
struct Tally {
    int limited = 0;
    bool able = true;
};

void tell_machine(Tally& tally) {
    fmt::print("machine\n");
    for (const MachineRow& row : machine_rows()) {
        const Finding found = row.look();
        tell(row.name, word(found.health), found.text);
        tell_more("do", found.advice);
        if (found.health != Health::good) tally.limited++;
        if (found.health == Health::bad) tally.able = false;
    }
}

// Without the right to try them, what the features lack is that.
void tell_features(Kernel& kernel, bool may_try, Tally& tally) {
    fmt::print("probes and programs, {}\n",
               may_try ? "each tried" : "as far as they can be tried without the capabilities above");
    bool any = false;
    for (const Use& use : uses) {
        const Answer answer = kernel.can(use.feature);
        tell(feature_name(use.feature), answer.yes ? "yes" : "no", use.what_for);
        any = any || (answer.yes && use.feature != Feature::btf);
        if (answer.yes) continue;
        tell_more("why", answer.why);
        if (!may_try) continue;
        tell_more("do", use.advice);
        tell_more("then", use.lt_then);
        if (!use.advice.empty()) tally.limited++;
    }
    if (!any) tally.able = false;
}

}  // namespace

int doctor(Kernel& kernel, bool here) {
    Tally tally;
    fmt::print("kernel {}\n", kernel.release());
    if (here) tell_machine(tally);
    tell_features(kernel, !here || !lacking_privilege(), tally);
    if (!tally.able)
        fmt::print("Tracing does not work here: begin with what is bad above.\n");
    else if (tally.limited == 0)
        fmt::print("All that lt can use is there.\n");
    else
        fmt::print("Tracing works; {} above limit{} it.\n",
                   tally.limited == 1 ? std::string("one thing") : fmt::format("{} things", tally.limited),
                   tally.limited == 1 ? "s" : "");
    return tally.able ? 0 : 1;
}

}  // namespace lt
