#include "parser/lt/items.h"

#include <algorithm>
#include <string>
#include <utility>

#include "parser/chain/check.h"
#include "parser/lt/statements.h"
#include "parser/tree/params.h"

namespace lt {
namespace {

auto find_keyed(const std::vector<ast::Endpoint>& endpoints) {
    const auto has_key = [](const ast::Endpoint& e) { return !e.key.empty(); };
    return std::ranges::find_if(endpoints, has_key);
}

Span key_span(const ast::Program& program, const ast::Endpoint& endpoint) {
    return cover(program[endpoint.key.front()].span, program[endpoint.key.back()].span);
}

// Refuses the first part that only spans have.
void refuse_span_parts(GrowingTree& tree, const ast::SpanAction& head, Span body) {
    const auto keyed = find_keyed(head.opens);
    if (!head.closes.empty()) {
        tree.diags.error({body.begin, body.begin + 1}, "write the block of a span in `< ... >`").hint =
            "write `<` instead of `{` and `>` instead of `}`";
    } else if (!head.name.empty()) {
        tree.diags.error(head.name_span, "only a span can have a name").hint = "write the block of a span in `< ... >`";
    } else if (keyed != head.opens.end()) {
        tree.diags.error(key_span(tree.program, *keyed), "only the events of a span can have keys").hint =
            "write a span as `t:...[key] -> t:...[key] < ... >`";
    }
}

void refuse_predicates(GrowingTree& tree, const std::vector<ast::Endpoint>& events, std::string_view what,
                       std::string_view hint) {
    for (const ast::Endpoint& e : events) {
        if (e.predicate) tree.diags.error(e.predicate_span, std::string(what)).hint = hint;
    }
}

}  // namespace

ast::SpanAction predicates(GrowingTree& tree, ast::SpanAction head) {
    ast::Endpoint& last = head.closes.empty() ? head.opens.back() : head.closes.back();
    head.predicate = std::exchange(last.predicate, std::nullopt);
    if (head.closes.empty()) {
        refuse_predicates(tree, head.opens, "write the predicate after the last probe: it applies to all of them",
                          "write a separate item for each probe with a different predicate");
    } else {
        refuse_predicates(tree, head.closes, "a closing event cannot have a predicate",
                          "write it after the last event: it is checked when the span opens");
    }
    return head;
}

void add_action(GrowingTree& tree, Span span, ast::SpanAction head, Span body_span, ast::Block body) {
    refuse_span_parts(tree, head, body_span);
    ast::Action action = {{}, head.predicate, std::move(body)};
    for (ast::Endpoint& e : head.opens) action.probes.push_back(std::move(e.probe));
    tree.add_item(span, std::move(action));
}

void add_span(GrowingTree& tree, Span span, ast::SpanAction head, ast::Block body) {
    const auto keyed = find_keyed(head.opens);
    if (head.closes.empty() && keyed != head.opens.end()) {
        tree.diags.error(key_span(tree.program, *keyed), "a key needs `->` and the event that closes the span").hint =
            "add `-> t:...[key]` after it";
    }
    head.body = std::move(body);
    tree.add_item(span, std::move(head));
}

ast::Chain::Point point_of(std::string stage, Span stage_span, ast::Chain::Point::How how,
                           std::vector<ast::Endpoint> events) {
    ast::Chain::Point point;
    point.how = how;
    point.stage = std::move(stage);
    point.stage_span = stage_span;
    point.predicate = std::exchange(events.back().predicate, std::nullopt);
    point.span = cover(events.front().probe.span, events.back().probe.span);
    point.events = std::move(events);
    return point;
}

ast::Chain::Unless unless_of(std::string reason, std::vector<ast::Endpoint> events) {
    ast::Chain::Unless unless;
    unless.reason = std::move(reason);
    unless.predicate = std::exchange(events.back().predicate, std::nullopt);
    unless.events = std::move(events);
    return unless;
}

void add_chain(GrowingTree& tree, const Source& source, Span span, ast::Chain head,
               std::optional<ast::ExprId> threshold, ast::Block body) {
    head.threshold = threshold;
    head.body = std::move(body);
    if (source.spoken().ends_with(".bt")) {
        tree.diags.error(head.name_span, "`chain` is a form of lt's own language, not of bpftrace's").hint =
            "name the script `.lt`";
    }
    const Span before = {head.name_span.begin, head.points.back().span.end};
    check_chain(tree.program, head, before, tree.diags);
    tree.add_item(span, std::move(head));
}

void add_left_out(GrowingTree& tree, Span word, ast::Block body) {
    if (tree.after_broken) return;
    auto* of = tree.program.items.empty() ? nullptr : std::get_if<ast::Chain>(&tree.program.items.back().node);
    if (of == nullptr) {
        tree.diags.error(word, "this `else` belongs after the block of a chain").hint =
            "write it after the `>` of a chain, as in `> else { @[reason] = count(); }`";
    } else if (of->left_out) {
        tree.diags.error(word, "a chain has only one `else`").hint = "remove this one";
    } else {
        of->left_out = std::move(body);
    }
}

void add_timeout(GrowingTree& tree, Span span, Span word, ast::ExprId after, ast::Block body) {
    if (tree.after_broken) return;
    auto* of = tree.program.items.empty() ? nullptr : std::get_if<ast::SpanAction>(&tree.program.items.back().node);
    if (of == nullptr) {
        tree.diags.error(word, "`timeout` belongs after the block of a span").hint =
            "for example `k:vfs_read < @ = hist(latency) > timeout 1s { print(kstack); }`";
    } else if (of->timeout) {
        tree.diags.error(word, "a span has only one timeout").hint = "remove this one";
    } else {
        of->timeout = {span, after, std::move(body)};
        tree.program.items.back().span.end = span.end;
    }
}

void add_macro(GrowingTree& tree, Span span, std::string name, Span name_span, std::vector<ast::ExprId> parameters,
               std::vector<ast::StmtId> body) {
    for (ast::ExprId p : parameters) {
        const auto* map = tree.program.get<ast::Map>(p);
        const bool is_map = map != nullptr && !map->has_key;
        if (is_map || std::holds_alternative<ast::Local>(tree.program[p].node) ||
            std::holds_alternative<ast::Name>(tree.program[p].node))
            continue;
        tree.diags
            .error(tree.program[p].span,
                   "a macro's parameter must be a `$local`, a `@map` or a name for any expression")
            .hint = "for example `macro add($to, @from, value) { ... }`";
    }
    ast::Macro node = {std::move(name), name_span, std::move(parameters), {}, {}};
    const bool is_alone = !body.empty() && std::holds_alternative<ast::Evaluate>(tree.program[body.back()].node);
    // With a `;` after it, the last call is a statement; as an unused value it does the same.
    node.value = take_value(tree, body, !is_alone);
    if (!node.value) settle(tree, body);
    node.body.statements = std::move(body);
    tree.add_item(span, std::move(node));
}

void add_parameter(GrowingTree& tree, const Source& source, Span span, ast::Parameter name, ast::ExprId value,
                   std::string help) {
    const Span at = name.name_span;
    tree.add_item(span, ast::Parameter{std::move(name.name), at, value, std::move(help)});
    const ParamNames names = param_names(source, {span, ast::Parameter{"", at, value, ""}});
    if (!names.fits) {
        tree.diags.error({span.begin, at.begin}, "a parameter has one short name of one letter, and one word").hint =
            "for example `param -n $1 count = 10 \"how many\"`";
        return;
    }
    for (size_t i = 0; i + 1 < tree.program.items.size(); i++) {
        const ast::Item& item = tree.program.items[i];
        if (!std::holds_alternative<ast::Parameter>(item.node)) continue;
        const ParamNames others = param_names(source, item);
        const bool same_letter = !names.short_name.empty() && names.short_name == others.short_name;
        const bool same_word = names.word != 0 && names.word == others.word;
        if (!same_letter && !same_word) continue;
        const std::string which = same_letter ? "-" + names.short_name : '$' + std::to_string(names.word);
        tree.diags.error({span.begin, at.begin}, "another parameter is `" + which + "` already").hint =
            same_letter ? "use another letter" : "use another number";
        return;
    }
}

}  // namespace lt
