#include "driver/agent/accept.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "driver/agent/late_program.h"
#include "driver/metrics/names.h"
#include "runtime/border/internal_map.h"
#include "runtime/border/records.h"

namespace lt::agent {
namespace {

constexpr std::array printing{"print", "printf", "println", "time", "cat", "join", "system"};

// Of the first expression of which this holds; an empty span if there is none.
template <class Node, class Is>
Span first_place(const ast::Program& program, const Is& is) {
    for (const ast::Expr& expr : program.exprs) {
        const auto* node = std::get_if<Node>(&expr.node);
        if (node && is(*node)) return expr.span;
    }
    return {};
}

// The first call that prints, as the script has it: the end of a SystemTap script prints maps by itself.
Span first_printing(const Job& job, const ast::Program& program) {
    for (const ast::Expr& expr : program.exprs) {
        const auto* call = std::get_if<ast::Call>(&expr.node);
        const bool prints = call && std::ranges::find(printing, call->name) != printing.end();
        if (prints && job.source.at(expr.span).find('(') != std::string_view::npos) return expr.span;
    }
    return {};
}

void refuse_printing(Job& job, const ast::Program& program) {
    const Plan& plan = job.plan;
    const auto event = std::ranges::find_if(
        plan.events, [](const PlannedEvent& e) { return kind_row(e.kind).is_result && !is_late_report(e); });
    if (event == plan.events.end()) return;
    const Span span = first_printing(job, program);
    if (span.begin == span.end && grammar_of(job.source.spoken()) == Grammar::stp) return;
    const std::string what = event->kind == EventKind::map ? " " + plan.maps[event->map].name : "";
    job.diags.error(span, fmt::format("{} prints{}, and an agent has no terminal", job.source.name, what)).hint =
        "remove what prints: each map is a metric by itself";
}

// Of its samples, and its own: a counter x has only the sample x_total, but two families cannot both be x.
std::vector<std::string> family_names(const Family& family) {
    std::vector<std::string> names = sample_names(family);
    if (std::ranges::find(names, family.name) == names.end()) names.push_back(family.name);
    return names;
}

}  // namespace

std::optional<std::vector<MapMetric>> accepted_metrics(Job& job, const ast::Program& program, std::string_view script) {
    const Plan& plan = job.plan;
    refuse_printing(job, program);
    std::vector<MapMetric> out;
    std::vector<std::pair<std::string, std::vector<Family>>> owners;
    for (size_t i = 0; i < plan.maps.size(); i++) {
        const PlannedMap& map = plan.maps[i];
        if (is_private(map.name) || is_internal(map)) continue;
        if (const std::optional<Error> why = why_not_metric(map)) {
            const std::string name = map.name.starts_with('@') ? map.name.substr(1) : map.name;
            const Span span = first_place<ast::Map>(program, [&](const ast::Map& m) { return m.name == name; });
            job.diags.error(span, fmt::format("{}: {}", job.source.name, why->what)).hint = why->hint;
            continue;
        }
        out.push_back(map_metric(map, i, script, program, job.source));
        owners.emplace_back(map.name, std::vector<Family>{out.back().family});
    }
    if (const Status unique = none_twice(owners); !unique)
        job.diags.error({}, fmt::format("{}: {}", job.source.name, unique.error().what)).hint = unique.error().hint;
    if (job.diags.has_errors()) return {};
    return out;
}

Status none_twice(const std::vector<std::pair<std::string, std::vector<Family>>>& owners) {
    std::map<std::string, std::string> seen;  // whose each name is
    for (const auto& [owner, families] : owners) {
        for (const Family& family : families) {
            for (const std::string& name : family_names(family)) {
                const auto [other, is_new] = seen.emplace(name, owner);
                if (!is_new)
                    return Error{fmt::format("{} and {} would both be the metric {}", other->second, owner, name),
                                 "give one of them another name", 0};
            }
        }
    }
    return Done{};
}

}  // namespace lt::agent
