#include "parser/chain/expand.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>
#include <utility>

#include "parser/chain/build.h"
#include "parser/chain/check.h"
#include "parser/chain/names.h"
#include "parser/chain/report.h"
#include "parser/chain/steps.h"

namespace lt {
namespace {

using ast::BinaryOp;
using Point = ast::Chain::Point;
using Keys = std::vector<ast::ExprId>;

constexpr uint64_t left_out = 255;           // the position of a request that is left out until it ends
constexpr uint64_t most_remembered = 16384;  // keys of a `last` point, kept values
constexpr size_t first_time = 2;             // in the tuple of an open request

// Makes the items of one chain.
class ChainExpansion {
  public:
    ChainExpansion(ast::Program& program, const ast::Item& item, Diags& diags)
        : build_(program),
          whole_(item.span),
          chain_(std::get<ast::Chain>(item.node)),
          plan_(plan_of(program, chain_, diags)) {}

    std::vector<ast::Item> run() {
        build_.at(chain_.name_span);
        for (size_t i = 0; i < plan_.values.size(); i++) declare(kept_map(chain_, i));
        for (size_t i = 0; i < chain_.points.size(); i++) {
            if (chain_.points[i].how == Point::How::last) last_point(i);
            if (chain_.points[i].how == Point::How::in) call_point(i);
        }
        for (size_t i = 0; i < plan_.steps.size(); i++) step(i);
        for (const ast::Chain::Unless& each : chain_.unless) unless(each);
        return std::move(items_);
    }

  private:
    // ---- small parts

    void declare(const std::string& map) {
        items_.push_back({chain_.name_span,
                          ast::MapDeclaration{map, chain_.name_span, "lruhash", chain_.name_span, most_remembered}});
    }

    std::optional<ast::ExprId> both(const std::optional<ast::ExprId>& own, const std::optional<ast::ExprId>& all) {
        if (!own && !all) return std::nullopt;
        if (!own || !all) return build_.clone(own ? *own : *all);
        return build_.binary(BinaryOp::logical_and, build_.clone(*own), build_.clone(*all));
    }

    void action(const ast::Endpoint& event, const std::optional<ast::ExprId>& predicate, Statements body) {
        items_.push_back({whole_, ast::Action{{event.probe}, both(event.predicate, predicate), {std::move(body)}}});
    }

    // The parts of a key; without one, the thread.
    Keys key(const Keys& parts) {
        Keys out;
        for (ast::ExprId part : parts) out.push_back(build_.clone(part));
        if (parts.empty()) out.push_back(build_.name("tid"));
        return out;
    }
    // Evaluates the key once.
    Statements bind(const std::string& as, const Keys& parts) {
        Statements out;
        size_t n = 0;
        for (ast::ExprId part : key(parts)) out.push_back(build_.let(fmt::format("{}{}", as, n++), part));
        return out;
    }
    ast::ExprId open(const std::string& as, const Keys& parts) {
        Keys out;
        for (size_t i = 0; i < std::max<size_t>(parts.size(), 1); i++)
            out.push_back(build_.local(fmt::format("{}{}", as, i)));
        return build_.map(open_map(chain_), std::move(out));
    }
    ast::ExprId compare(ast::ExprId left, BinaryOp op, uint64_t right) {
        return build_.binary(op, left, build_.number(right));
    }
    ast::ExprId position(std::string_view of = "r") { return build_.member(build_.local(of), 0); }
    ast::ExprId has_time(const std::string& local) { return compare(build_.local(local), BinaryOp::equal, 0); }
    Statements leave_out(const std::string& reason) {
        return chain_left_out(build_, chain_, [&] { return build_.text(reason); });
    }
    ast::StmtId because(const std::string& reason) { return build_.assign(build_.local("why"), build_.text(reason)); }
    std::string first_event(size_t point) const { return event_text(chain_.points[point].events.front()); }
    static std::string age_of(size_t point) { return fmt::format("age{}", point); }
    static std::string found(size_t point) { return fmt::format("found{}", point); }

    // ---- points that are looked up

    void last_point(size_t point) {
        declare(last_map(chain_, point));
        for (const ast::Endpoint& event : chain_.points[point].events) {
            build_.at(event.probe.span);
            const ast::ExprId map = build_.map(last_map(chain_, point), key(event.key));
            action(event, chain_.points[point].predicate, {build_.assign(map, build_.name("nsecs"))});
        }
    }

    void call_point(size_t point) {
        ast::SpanAction span;
        span.name = call_span(chain_, point);
        span.name_span = chain_.points[point].span;
        span.opens = chain_.points[point].events;
        if (chain_.points[point].predicate) span.predicate = build_.clone(*chain_.points[point].predicate);
        items_.push_back({whole_, std::move(span)});
    }

    // The time of such a point; 0 if there was none.
    ast::StmtId look_up(size_t point) {
        const Point& p = chain_.points[point];
        const ast::ExprId to = build_.local(found(point));
        if (p.how == Point::How::last) {
            const ast::Endpoint& event = p.events.front();
            return build_.assign(
                to, build_.map(last_map(chain_, point), key(event.next_key.empty() ? event.key : event.next_key)));
        }
        const std::string age = age_of(point);
        const ast::ExprId began = build_.binary(BinaryOp::subtract, build_.local("now"),
                                                build_.binary(BinaryOp::divide, build_.local(age), build_.duration(1)));
        const ast::ExprId is_open = build_.binary(BinaryOp::greater, build_.local(age), build_.duration(0));
        return build_.when(is_open, {build_.assign(to, began)});
    }

    // ---- events

    void step(size_t number) {
        const Point& point = chain_.points[plan_.steps[number].point];
        for (const ast::Endpoint& event : point.events) {
            build_.at(event.probe.span);
            action(event, point.predicate, step_body(number, event));
        }
    }

    bool is_last(size_t number) const { return number + 1 == plan_.steps.size(); }

    Statements step_body(size_t number, const ast::Endpoint& event) {
        Statements out = bind("k", event.key);
        const auto add = [&](ast::StmtId id) { out.push_back(id); };
        const auto add_all = [&](const Statements& all) { out.insert(out.end(), all.begin(), all.end()); };
        add(build_.let("r", open("k", event.key)));
        if (number > 0) add(build_.when(compare(position(), BinaryOp::equal, 0), {build_.leave()}));
        for (size_t point : plan_.steps[number].earlier) {
            if (chain_.points[point].how == Point::How::in)
                add(build_.let(age_of(point), build_.call("age", {build_.name(call_span(chain_, point))})));
        }
        add(build_.let("now", build_.name("nsecs")));  // after age(), so that no call seems to begin too early
        if (number == 0) add(begins_again(event));
        if (is_last(number)) {  // two ends at the same time: one of them counts
            const ast::ExprId gone = build_.call("delete", {open("k", event.key)});
            add(build_.when(compare(gone, BinaryOp::equal, 0), {build_.leave()}));
        }
        add(build_.let("state", build_.number(left_out)));
        add(build_.let("why", build_.text("")));
        if (!plan_.values.empty())
            add(build_.let("id", number > 0 ? build_.member(build_.local("r"), 1) : new_number()));
        for (size_t point : plan_.steps[number].earlier) add(build_.let(found(point), build_.number(0)));
        if (number == 0) {
            add_all(checked(number));
        } else {
            add(build_.when(compare(position(), BinaryOp::equal, number), checked(number), out_of_turn(number)));
        }
        std::string to = "k";
        const Keys* parts = &event.key;
        if (!event.next_key.empty()) {
            add_all(hand_over(number, event));
            to = "n";
            parts = &event.next_key;
        }
        // Marked first: the block after `else` may return.
        if (!is_last(number)) add(build_.assign(open(to, *parts), record(number)));
        if (!event.next_key.empty()) {
            const ast::ExprId is_first =
                build_.binary(BinaryOp::logical_and, is_met(), compare(position("other"), BinaryOp::less, left_out));
            add(build_.when(is_first, leave_out(met_at(number))));
        }
        const ast::ExprId is_new =
            build_.binary(BinaryOp::logical_and, compare(build_.local("state"), BinaryOp::equal, left_out),
                          compare(position(), BinaryOp::less, left_out));
        add(build_.when(is_new, chain_left_out(build_, chain_, [&] { return build_.local("why"); })));
        if (is_last(number)) add(build_.when(compare(build_.local("state"), BinaryOp::less, left_out), report(number)));
        return out;
    }

    // A request with this key is open: neither can be split, because what follows may belong to either.
    ast::StmtId begins_again(const ast::Endpoint& event) {
        Keys nothing{build_.number(left_out), build_.number(0)};
        for (size_t i = 0; i < plan_.stages.size(); i++) nothing.push_back(build_.number(0));
        Statements first{build_.assign(open("k", event.key), build_.tuple(std::move(nothing)))};
        const Statements counted = leave_out("it began again before its end");
        first.insert(first.end(), counted.begin(), counted.end());
        const ast::StmtId once = build_.when(compare(position(), BinaryOp::less, left_out), std::move(first));
        return build_.when(compare(position(), BinaryOp::not_equal, 0), {once, build_.leave()});
    }

    // A number for the values that are kept for the request.
    ast::ExprId new_number() {
        const ast::ExprId shifted = build_.binary(BinaryOp::shift_left, build_.local("now"), build_.number(12));
        return build_.binary(BinaryOp::bit_or, shifted, build_.name("cpu"));
    }

    // This is the next event. Are the points before it there, and the times in order?
    Statements checked(size_t number) {
        const ChainStep& s = plan_.steps[number];
        Statements done{build_.assign(build_.local("state"), build_.number(number + 1))};
        for (size_t i = 0; i < plan_.values.size(); i++) {
            if (plan_.values[i].step != number) continue;
            const ast::ExprId map = build_.map(kept_map(chain_, i), build_.local("id"));
            done.push_back(build_.assign(map, build_.clone(plan_.values[i].value)));
        }
        Statements lookups;
        for (size_t point : s.earlier) lookups.push_back(look_up(point));
        std::function<ast::ExprId()> before;
        if (s.stages_before > 0)
            before = [&] { return build_.member(build_.local("r"), first_time + s.stages_before - 1); };
        Statements rest = std::move(done);
        for (size_t i = s.earlier.size() + 1; i-- > 0;) {  // from the event back to the first point
            const bool is_event = i == s.earlier.size();
            const std::string later = is_event ? "now" : found(s.earlier[i]);
            const bool is_first = i == 0;
            if (is_first && !before) {
                if (!is_event)
                    rest = {build_.when(has_time(later), {because("no " + first_event(s.earlier[i]))}, rest)};
                continue;
            }
            const ast::ExprId earlier = is_first ? before() : build_.local(found(s.earlier[i - 1]));
            const ast::ExprId is_wrong = build_.binary(BinaryOp::less, build_.local(later), earlier);
            rest = {build_.when(is_wrong,
                                {because(is_event ? "its times are not in order" : "no " + first_event(s.earlier[i]))},
                                rest)};
        }
        lookups.insert(lookups.end(), rest.begin(), rest.end());
        return lookups;
    }

    // An event that is not the next one.
    Statements out_of_turn(size_t number) {
        const size_t point = plan_.steps[number].point;
        Statements out;
        const ast::ExprId again = build_.binary(BinaryOp::logical_and, compare(position(), BinaryOp::greater, number),
                                                compare(position(), BinaryOp::less, left_out));
        out.push_back(build_.when(again, {because("a second " + first_event(point))}));
        for (size_t i = 1; i < number; i++) {
            out.push_back(build_.when(compare(position(), BinaryOp::equal, i),
                                      {because("without " + first_event(plan_.steps[i].point))}));
        }
        return out;
    }

    // From here on the request has another key.
    Statements hand_over(size_t number, const ast::Endpoint& event) {
        Statements out{build_.evaluate(build_.call("delete", {open("k", event.key)}))};
        const Statements bound = bind("n", event.next_key);
        out.insert(out.end(), bound.begin(), bound.end());
        out.push_back(build_.let("other", open("n", event.next_key)));
        const ast::ExprId is_mixed_up =
            build_.binary(BinaryOp::logical_and, is_met(), compare(build_.local("state"), BinaryOp::less, left_out));
        out.push_back(build_.when(
            is_mixed_up, {build_.assign(build_.local("state"), build_.number(left_out)), because(met_at(number))}));
        return out;
    }
    // Has another request this key?
    ast::ExprId is_met() { return compare(position("other"), BinaryOp::not_equal, 0); }
    std::string met_at(size_t number) const {
        return fmt::format("another request had its key at {}", first_event(plan_.steps[number].point));
    }

    // The time at which a stage began, as known at a step.
    ast::ExprId time(size_t number, size_t stage) {
        const ChainStep& s = plan_.steps[number];
        const size_t point = plan_.stages[stage];
        if (point == s.point) return build_.local("now");
        if (std::ranges::find(s.earlier, point) != s.earlier.end()) return build_.local(found(point));
        if (number == 0) return build_.number(0);
        return build_.member(build_.local("r"), first_time + stage);
    }

    ast::ExprId record(size_t number) {
        Keys parts{build_.local("state"), plan_.values.empty() ? build_.number(0) : build_.local("id")};
        for (size_t i = 0; i < plan_.stages.size(); i++) parts.push_back(time(number, i));
        return build_.tuple(std::move(parts));
    }

    Statements report(size_t number) {
        std::vector<std::function<ast::ExprId()>> times;
        for (size_t i = 0; i < plan_.stages.size(); i++)
            times.emplace_back([this, number, i] { return time(number, i); });
        times.emplace_back([this] { return build_.local("now"); });
        Statements out = chain_report(build_, chain_, plan_, times);
        build_.at(chain_.name_span);
        for (size_t i = 0; i < plan_.values.size(); i++)
            out.push_back(
                build_.evaluate(build_.call("delete", {build_.map(kept_map(chain_, i), build_.local("id"))})));
        return out;
    }

    void unless(const ast::Chain::Unless& each) {
        for (const ast::Endpoint& event : each.events) {
            build_.at(event.probe.span);
            Statements out = bind("k", event.key);
            out.push_back(build_.let("r", open("k", event.key)));
            out.push_back(build_.when(compare(position(), BinaryOp::equal, 0), {build_.leave()}));
            const ast::ExprId gone = build_.call("delete", {open("k", event.key)});
            out.push_back(build_.when(compare(gone, BinaryOp::equal, 0), {build_.leave()}));
            if (!each.reason.empty())
                out.push_back(build_.when(compare(position(), BinaryOp::less, left_out), leave_out(each.reason)));
            action(event, each.predicate, std::move(out));
        }
    }

    ChainBuilder build_;
    Span whole_;
    ast::Chain chain_;
    ChainPlan plan_;
    std::vector<ast::Item> items_;
};

}  // namespace

void expand_chains(ast::Program& program, Diags& diags) {
    std::set<std::string> names;
    std::vector<ast::Item> items;
    for (ast::Item& item : program.items) {
        const auto* chain = std::get_if<ast::Chain>(&item.node);
        if (chain == nullptr) {
            items.push_back(std::move(item));
            continue;
        }
        if (!names.insert(chain->name).second)
            diags.error(chain->name_span, fmt::format("another chain has the name `{}`", chain->name)).hint =
                "give one of them another name";
        ChainExpansion expansion(program, item, diags);
        if (diags.has_errors()) continue;
        std::vector<ast::Item> made = expansion.run();
        std::ranges::move(made, std::back_inserter(items));
    }
    program.items = std::move(items);
}

}  // namespace lt
