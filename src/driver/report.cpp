#include "report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/text.h"
#include "runtime/printer.h"

namespace lt {
namespace {

// What the number of a loss is about.
enum class Subject : uint8_t { none, map, span };

struct LossRow {
    LossKind kind;
    Subject subject;
    std::string_view sentence;  // {0}: how many, {1}: the subject
    std::string_view advice;
};
constexpr std::array loss_rows{
    LossRow{LossKind::ring_buffer_full, Subject::none, "{0} events were lost: they came faster than they could be printed",
            "print less, or collect into a map"},
    LossRow{LossKind::map_full, Subject::map, "{0} values were not kept in {1}: it is full", "use fewer different keys, or clear it now and then"},
    LossRow{LossKind::contended, Subject::map, "{0} values were not kept in {1}: too many programs changed it at once", ""},
    LossRow{LossKind::span_no_entry, Subject::span, "{1}: {0} returns came without an entry: those calls began before tracing did", ""},
    LossRow{LossKind::span_too_deep, Subject::span, "{1}: {0} calls were nested too deep and not measured", ""},
    LossRow{LossKind::span_no_room, Subject::span, "{1}: {0} calls were not measured: too many threads were inside at once", "narrow it with a /predicate/"},
    LossRow{LossKind::span_clock, Subject::span, "{1}: {0} latencies were dropped: the clocks of two CPUs disagreed", ""},
};

std::string subject_name(const Plan& plan, Subject subject, uint32_t index) {
    switch (subject) {
        case Subject::none: return "";
        case Subject::map: return plan.maps[index].name;
        case Subject::span: return plan.spans[index].text;
    }
    return "";
}

constexpr std::array function_ways{Way::fentry, Way::kprobe, Way::breakpoint};

}  // namespace

std::string loss_text(const Plan& plan, const Loss& loss) {
    for (const LossRow& row : loss_rows) {
        if (row.kind != loss.kind) continue;
        std::string out = fmt::format(fmt::runtime(row.sentence), loss.count, subject_name(plan, row.subject, loss.subject));
        if (!row.advice.empty()) out += fmt::format("; {}", row.advice);
        return out;
    }
    return "";
}

void tell_stats(const Plan&, const Session& session) {
    for (const Session::ProgramFacts& f : session.facts()) {
        fmt::print(stderr, "lt: program {}: {} instructions, {} runs skipped by recursion\n", f.name, f.instructions, f.misses);
    }
}

void tell_times(std::span<const Timing> timings) {
    for (const Timing& t : timings) fmt::print(stderr, "lt: {:8} {}\n", t.stage, show_duration(t.spent.count()));
}

bool rule_out_ways(const std::vector<std::string>& wanted, bool given, ResolveOptions& options, Diags& diags) {
    if (!given) return true;
    std::vector<std::string> names;
    for (Way way : function_ways) names.emplace_back(way_name(way));
    for (const std::string& name : wanted) {
        if (std::find(names.begin(), names.end(), name) != names.end()) continue;
        diags.error({}, fmt::format("there is no way `{}` to attach a kernel function", name)).hint = "there are " + either(names);
        return false;
    }
    for (Way way : function_ways) {
        if (std::find(wanted.begin(), wanted.end(), way_name(way)) == wanted.end()) {
            options.ruled_out.push_back({"", way, "it was ruled out by --attach-with"});
        }
    }
    return true;
}

}  // namespace lt
