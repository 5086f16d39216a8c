#include "systemtap/link/counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/text.h"

namespace lt::stp {
namespace {

std::optional<int64_t> number_of(const Point& point, std::string_view part) {
    const auto found = std::ranges::find(point.parts, part, &PointPart::name);
    if (found == point.parts.end() || !found->argument) return {};
    const auto* number = std::get_if<int64_t>(&*found->argument);
    return number ? std::optional(*number) : std::nullopt;
}

// perf.sw.page_faults.counter("x"): the alias's own point, followed by the rest of this one.
Point without_alias(const Tree& tree, Point point) {
    const auto begins = [&](const Alias& alias) {
        const auto same = [](const PointPart& a, const PointPart& b) { return a.name == b.name; };
        return alias.name.size() < point.parts.size() && !alias.points.empty() &&
               std::equal(alias.name.begin(), alias.name.end(), point.parts.begin(), same);
    };
    const auto alias = std::ranges::find_if(tree.aliases, begins);
    if (alias == tree.aliases.end()) return point;
    Point under = alias->points.front();
    under.parts.insert(under.parts.end(), point.parts.begin() + static_cast<ptrdiff_t>(alias->name.size()),
                       point.parts.end());
    return under;
}

using Counters = std::map<std::string, std::string>;  // the events, by the names of the counters

Counters counters_of(const Tree& tree, Diags& diags) {
    Counters all;
    for (const Probe& probe : tree.probes) {
        for (const Point& point : probe.points) {
            if (!names_counter(point)) continue;
            const std::string& name = std::get<std::string>(*point.parts.back().argument);
            const std::string event = counted_event(without_alias(tree, point));
            if (event.empty()) continue;
            if (!all.try_emplace(name, event).second)
                diags.error(point.span, fmt::format("the counter {} is declared twice", quoted(name)));
        }
    }
    return all;
}

}  // namespace

bool names_counter(const Point& point) {
    if (point.parts.empty() || point.parts.front().name != "perf" || point.parts.back().name != "counter") return false;
    const auto& argument = point.parts.back().argument;
    return argument && std::holds_alternative<std::string>(*argument);
}

std::string counted_event(const Point& point) {
    const auto type = number_of(point, "type"), config = number_of(point, "config");
    return type && config ? fmt::format("{}/{}", *type, *config) : "";
}

void place_counters(ast::Program& program, const Tree& tree, Diags& diags) {
    const Counters known = counters_of(tree, diags);
    for (size_t i = 0; i < program.exprs.size(); i++) {
        const auto* found = std::get_if<ast::Call>(&program.exprs[i].node);
        if (found == nullptr || found->name != "@perf") continue;
        const ast::Call call = *found;
        const Span where = program.exprs[i].span;
        const auto* name = call.arguments.size() == 1 ? program.get<ast::String>(call.arguments[0]) : nullptr;
        const auto counter = name ? known.find(name->value) : known.end();
        if (counter == known.end()) {
            diags
                .error(where, name ? fmt::format("there is no counter {}", quoted(name->value))
                                   : "`@perf` takes the name of a counter in quotes")
                .hint = "write `probe perf.type(1).config(2).process(\"PATH\").counter(\"NAME\") {}`";
            program.exprs[i].node = ast::Integer{0};
            continue;
        }
        const auto text = [&](const std::string& value) { return program.add(where, ast::String{value}); };
        const ast::ExprId kind = text("counter"), event = text(counter->second), named = text(counter->first);
        const ast::ExprId count = program.add(where, ast::Call{"@lt_number", where, {kind, event}});
        program.exprs[i].node = ast::Call{"__perf_read", where, {named, count}};
    }
}

}  // namespace lt::stp
