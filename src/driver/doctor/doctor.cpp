#include "driver/doctor/doctor.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>

#include "base/rows.h"
#include "base/text.h"
#include "driver/cli/privileges.h"
#include "driver/doctor/doctor_machine.h"

namespace lt {
namespace {

// The use of a feature, and what to do without it, or else what lt does then.
struct FeatureUse {
    Feature feature;
    std::string_view what_for;
    std::string_view advice;
    std::string_view lt_then = {};
};
constexpr std::array uses{
    FeatureUse{Feature::btf, "names and types of the kernel: args.NAME, curtask->comm",
               "use a kernel with CONFIG_DEBUG_INFO_BTF=y; until then use arg0, arg1 ... and tracepoints"},
    FeatureUse{Feature::tracepoint, "t:CATEGORY:EVENT, sc:NAME",
               "use a kernel with CONFIG_FTRACE_SYSCALLS=y and CONFIG_BPF_EVENTS=y"},
    FeatureUse{Feature::raw_tracepoint, "rt:EVENT, threads that end inside a span, BEGIN and intervals",
               "use a kernel with CONFIG_BPF_EVENTS=y"},
    FeatureUse{Feature::kprobe, "k:FUNCTION", "use fentry if it is available, else tracepoints: lt -l 't:*'"},
    FeatureUse{Feature::kretprobe, "kr:FUNCTION, spans k:FUNCTION < ... >",
               "use fentry if it is available, else tracepoints"},
    FeatureUse{Feature::kprobe_multi, "many functions at once, quickly: k:vfs_*", "",
               "patterns attach one by one, which takes longer"},
    FeatureUse{Feature::kprobe_session, "spans over many functions, cheaper", "", "entry and return attach separately"},
    FeatureUse{Feature::fentry, "k:FUNCTION at the least cost, f:FUNCTION, fr:FUNCTION", "",
               "k: uses a kprobe if kprobes are available"},
    FeatureUse{Feature::uprobe, "u:PATH:FUNCTION, ur:, usdt:", "use a kernel with CONFIG_UPROBE_EVENTS=y"},
    FeatureUse{Feature::uprobe_multi, "many functions of a program at once, quickly", "",
               "patterns attach one by one, which takes longer"},
    FeatureUse{Feature::uprobe_session, "spans over functions of programs, cheaper", "",
               "entry and return attach separately"},
    FeatureUse{Feature::breakpoint, "functions that other probes cannot reach: k:copy_to_user",
               "trace a caller of the function, or a tracepoint near it"},
    FeatureUse{Feature::ring_buffer, "printf and print",
               "collect into maps, which are printed at the end; or use Linux 5.8"},
    FeatureUse{Feature::task_storage, "spans that never lack room", "", "spans are kept in a hash by thread"},
    FeatureUse{Feature::bpf_loop, "for of up to 8388608 iterations, while of up to 1048576", "",
               "loops have at most 512 iterations; strings of more than 1024 bytes cannot be searched"},
    FeatureUse{Feature::perf_event, "profile:hz:99, software:page-faults:100", "use interval, or tracepoints"},
    FeatureUse{Feature::hardware_events, "hardware:cache-misses:1000000",
               "use software events; in a virtual machine enable the virtual PMU"},
    FeatureUse{Feature::watchpoint, "w:ADDRESS:8:w, who changes a variable", "trace the functions that change it"},
    FeatureUse{Feature::iterator, "iter:task, print(SPAN), timeouts", "use Linux 5.8 with CONFIG_DEBUG_INFO_BTF=y"},
    FeatureUse{Feature::override_return, "override(VALUE): a function fails on purpose",
               "use a kernel with CONFIG_BPF_KPROBE_OVERRIDE=y"},
    FeatureUse{Feature::atomics, "spans, stacks, extremes at the least cost", "", "locks in a map replace them"},
    FeatureUse{Feature::attach_cookie, "one program at many locations: k:vfs_* with func", "",
               "each location has its own copy"},
    FeatureUse{Feature::map_walk, "for ($entry : @map)", "use print(@map), or loop over it in END; or use Linux 5.13"},
    FeatureUse{Feature::cpu_lookup, "count(), sum() and the like as values",
               "use print(@map), or count with @n += 1; or use Linux 5.19"},
    FeatureUse{Feature::function_values, "arguments and results by fentry, cheaper", "", "they are read from memory"},
    FeatureUse{Feature::large_keys, "keys of more than 512 bytes",
               "use shorter strings: str(arg1, 64); or use Linux 5.11"},
};

static_assert(in_enum_order(uses, &FeatureUse::feature, feature_count));

void print_row(std::string_view name, std::string_view state, std::string_view text) {
    fmt::print("  {:<16} {:<8} {}\n", name, state, text);
}

// Prints a line below the row; nothing if the text is empty.
void print_more(std::string_view label, std::string_view text) {
    if (!text.empty()) fmt::print("  {:<16} {:<8} {}: {}\n", "", "", label, text);
}

std::string_view word(Health health) {
    constexpr auto words = std::to_array<std::string_view>({"good", "limited", "bad"});
    static_assert(words.size() == static_cast<size_t>(Health::bad) + 1);
    return words[static_cast<size_t>(health)];
}

struct Tally {
    size_t limited = 0;   // rows that need action
    size_t replaced = 0;  // features that are missing, and that lt does without
    bool able = true;
};

std::string verdict(const Tally& tally) {
    if (!tally.able) return "Tracing does not work here: fix what is marked bad above first.";
    if (tally.limited + tally.replaced == 0) return "Everything that lt can use is available.";
    const std::string limits =
        fmt::format("{} above limit{} it", plural(tally.limited, "thing"), tally.limited == 1 ? "s" : "");
    const std::string does_without = fmt::format("lt does without {}", plural(tally.replaced, "missing feature"));
    if (tally.replaced == 0) return fmt::format("Tracing works; {}.", limits);
    if (tally.limited == 0) return fmt::format("Tracing works; {}.", does_without);
    return fmt::format("Tracing works; {}, and {}.", limits, does_without);
}

void print_machine(Tally& tally) {
    fmt::print("machine\n");
    for (const MachineRow& row : machine_rows()) {
        const Finding found = row.look();
        print_row(row.name, word(found.health), found.text);
        print_more("do", found.advice);
        if (found.health != Health::good) tally.limited++;
        if (found.health == Health::bad) tally.able = false;
    }
}

// Without the privilege to try features, that privilege is what is missing.
void print_features(Kernel& kernel, std::string_view source, bool may_try, Tally& tally) {
    fmt::print("probes and programs, {}\n", source);
    bool any = false;
    for (const FeatureUse& use : uses) {
        const Answer answer = kernel.can(use.feature);
        print_row(feature_name(use.feature), answer.yes ? "yes" : "no", use.what_for);
        any = any || (answer.yes && use.feature != Feature::btf);
        if (answer.yes) continue;
        print_more("why", answer.why);
        if (!may_try) continue;
        print_more("do", use.advice);
        print_more("then", use.lt_then);
        (use.advice.empty() ? tally.replaced : tally.limited)++;
    }
    if (!any) tally.able = false;
}

}  // namespace

int doctor(Kernel& kernel, std::string_view folder) {
    Tally tally;
    const bool here = folder.empty();
    const bool may_try = !here || !lacking_privilege();
    fmt::print("kernel {}\n", kernel.release());
    if (here) print_machine(tally);
    const std::string source = !here     ? fmt::format("as described in {}", folder)
                               : may_try ? "each tried"
                                         : "as far as lt can test without the capabilities above";
    print_features(kernel, source, may_try, tally);
    fmt::print("{}\n", verdict(tally));
    return tally.able ? 0 : 1;
}

}  // namespace lt
