#include "parser/chain/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

namespace lt {
namespace {

using Point = ast::Chain::Point;

constexpr size_t most_points = 32;

Span span_of(const Point& point) { return point.events.front().probe.span; }

void check_ends(const ast::Chain& chain, Span whole, Diags& diags) {
    const Point& first = chain.points.front();
    const Point& last = chain.points.back();
    if (chain.points.size() == 1) {
        diags.error(whole, "a chain needs `->` and the event that ends it").hint = chain_example;
        return;
    }
    if (first.stage.empty())
        diags.error(span_of(first), "the first point of a chain begins a stage, which needs a name").hint =
            chain_example;
    if (!last.stage.empty())
        diags.error(last.stage_span, "the last point ends the chain: no stage begins there").hint =
            "remove the name, or add `->` and the event that ends this stage";
    if (last.how != Point::How::event)
        diags.error(span_of(last), "the last point of a chain must be an event").hint =
            "add `->` and the event at which this one is looked up";
    const auto is_event = [](const Point& p) { return p.how == Point::How::event; };
    if (last.how == Point::How::event && std::ranges::count_if(chain.points, is_event) < 2)
        diags.error(span_of(last), "a chain needs two points that are events, without `last` and `in`").hint =
            "add the event that begins a request; for two events of one thread a span is enough";
}

void check_stages(const ast::Chain& chain, Diags& diags) {
    std::map<std::string, Span> seen;
    for (const Point& p : chain.points) {
        if (p.stage.empty()) continue;
        const auto [other, is_new] = seen.emplace(p.stage, p.stage_span);
        if (is_new) continue;
        Diag& diag = diags.error(p.stage_span, fmt::format("two stages have the name \"{}\"", p.stage));
        diag.notes.push_back({other->second, "the first one"});
        diag.hint = "give one of them another name";
    }
}

// All events have a key, or none has: then it is the thread. A wake-up without one would be the thread that wakes.
void check_keys(const std::vector<const ast::Endpoint*>& events, std::string_view of, Diags& diags) {
    const auto has_key = [](const ast::Endpoint* e) { return !e->key.empty(); };
    if (std::ranges::none_of(events, has_key)) return;
    for (const ast::Endpoint* e : events) {
        if (has_key(e)) continue;
        diags.error(e->probe.span, fmt::format("this event has no key, but another event of the {} has one", of)).hint =
            "write the key in brackets after it, for example `[tid]` for the thread";
    }
}

// The events that look up a request; those of a `last` point only have to agree with each other.
void check_all_keys(const ast::Chain& chain, Diags& diags) {
    std::vector<const ast::Endpoint*> events;
    for (const Point& p : chain.points) {
        std::vector<const ast::Endpoint*> latest;
        for (const ast::Endpoint& e : p.events) (p.how == Point::How::event ? events : latest).push_back(&e);
        if (p.how == Point::How::last) check_keys(latest, "point", diags);
    }
    for (const ast::Chain::Unless& u : chain.unless)
        for (const ast::Endpoint& e : u.events) events.push_back(&e);
    check_keys(events, "chain", diags);
}

void check_point(const ast::Program& program, const Point& point, bool is_first, bool is_last, Diags& diags) {
    for (const ast::Endpoint& e : point.events) {
        if (point.how == Point::How::in && !e.key.empty()) {
            diags.error(program[e.key.front()].span, "an `in` point is a call of the thread: it has no key").hint =
                "remove the key, or write `last` instead of `in`";
        } else if (point.how == Point::How::event && (is_first || is_last) && !e.next_key.empty()) {
            diags
                .error(program[e.next_key.front()].span,
                       is_first ? "the first event cannot change the key" : "the last event cannot change the key")
                .hint = "write one key, without `=>`";
        }
    }
}

}  // namespace

std::string event_text(const ast::Endpoint& event) {
    std::string out;
    for (const ast::ProbeSpec::Part& part : event.probe.parts) out += (out.empty() ? "" : ":") + part.text;
    return out;
}

void check_chain(const ast::Program& program, const ast::Chain& chain, Span whole, Diags& diags) {
    if (chain.points.size() > most_points) {
        diags.error(whole, fmt::format("this chain has {} points; {} is the most", chain.points.size(), most_points));
        return;
    }
    check_ends(chain, whole, diags);
    check_stages(chain, diags);
    check_all_keys(chain, diags);
    bool is_first = true;
    for (const Point& p : chain.points) {
        check_point(program, p, is_first, &p == &chain.points.back(), diags);
        is_first = is_first && p.how != Point::How::event;
    }
    for (const ast::Chain::Unless& u : chain.unless) {
        for (const ast::Endpoint& e : u.events) {
            if (!e.next_key.empty())
                diags.error(program[e.next_key.front()].span, "an `unless` event cannot change the key").hint =
                    "write one key, without `=>`";
        }
    }
}

}  // namespace lt
