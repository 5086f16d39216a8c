// Items: their events, predicates and thresholds, which stand in one line with the bracket of the block if they fit.
// Otherwise `->` and then a predicate begin a line; of several events with keys each has its own. Each point of a chain
// has a line of its own.
#include <algorithm>
#include <array>

#include "parser/format/layout.h"

namespace lt::format {
namespace {

using K = Parser::symbol_kind;
using Form = Node::Form;

template <class Is>
size_t index_if(Nodes nodes, const Is& is) {
    return static_cast<size_t>(std::ranges::find_if(nodes, is) - nodes.begin());
}

}  // namespace

std::string Layout::all() {
    const std::vector<Statement> items = items_of(pieces_);
    const Statement* before = nullptr;
    for (const Statement& each : items) {
        item(each, before);
        before = &each;
    }
    begin(pieces_.size() - 1);  // the comments at the end
    return out_.take();
}

void Layout::item(const Statement& item, const Statement* before) {
    const size_t first = first_piece(item);
    const bool is_rest = kind(item.nodes.front()) == K::S_TIMEOUT || kind(item.nodes.front()) == K::S_ELSE;
    const bool goes_on = is_rest && at(first).comments.empty() && before != nullptr;
    if (!goes_on) begin(first);
    const SymbolKind kind_of_item = at(first).kind;
    if (kind_of_item == K::S_PROBE || kind_of_item == K::S_LABEL || kind_of_item == K::S_SPAN)
        action(item.nodes);
    else if (kind_of_item == K::S_CHAIN)
        chain_item(item.nodes);
    else
        statement(item);
}

void Layout::action(Nodes nodes) {
    const size_t end = index_if(nodes, [](const Node& n) { return n.form == Form::block; });
    if (fits(nodes, 0, 0)) return flat(nodes, 0);
    head(nodes.first(end), 2);
    for (const Node& node : nodes.subspan(end)) block(node, fits(Nodes(&node, 1), 0, 0));
}

// `chain name =`, then a line for each point, `unless` and the threshold, indented, and the block.
void Layout::chain_item(Nodes nodes) {
    constexpr std::array begins{K::S_ARROW, K::S_UNLESS, K::S_THRESHOLD, K::S_SPAN_OPEN};
    constexpr size_t name_size = 3;  // chain NAME =
    flat(nodes.first(name_size), 0);
    for (Nodes rest = nodes.subspan(name_size); !rest.empty();) {
        const size_t size = 1 + index_if(rest.subspan(1), [&](const Node& n) {
                                return std::ranges::find(begins, kind(n)) != begins.end();
                            });
        const Nodes part = rest.first(size);
        rest = rest.subspan(size);
        if (kind(part.front()) == K::S_SPAN_OPEN) {
            break_line(part, 0);
            return block(part.front(), fits(part, 0, 0));
        }
        break_line(part, indent_step);
        indent_ = indent_step;
        expression(part, 2 * indent_step, 0);
        indent_ = 0;
    }
}

void Layout::head(Nodes nodes, size_t trail) {
    if (fits(nodes, 0, trail)) return flat(nodes, 0);
    const size_t arrow = index_if(nodes, [&](const Node& n) { return kind(n) == K::S_ARROW; });
    const size_t threshold = index_if(nodes, [&](const Node& n) { return kind(n) == K::S_THRESHOLD; });
    const size_t limit = width(nodes.subspan(threshold));
    const size_t after = limit > 0 ? trail + limit + 1 : trail;
    events(nodes.first(std::min(arrow, threshold)), arrow < nodes.size() ? 0 : after);
    if (arrow < nodes.size()) {
        break_line(nodes.subspan(arrow), 0);
        events(nodes.subspan(arrow, threshold - arrow), after);
    }
    flat(nodes.subspan(threshold), 0);
}

// The events of one side.
void Layout::events(Nodes nodes, size_t trail) {
    if (fits(nodes, 0, trail)) return flat(nodes, 0);
    const bool has_keys = std::ranges::any_of(nodes, [&](const Node& n) { return kind(n) == K::S_LBRACKET; });
    const std::vector<Nodes> all = parts(nodes, Rank::comma);
    bool wraps = false;
    for (const Nodes& each : all) {
        const bool is_last = &each == &all.back();
        const size_t condition = index_if(each, [&](const Node& n) { return kind(n) == K::S_PREDICATE_OPEN; });
        const Nodes event = each.first(condition), rest = each.subspan(condition);
        const bool begins_line = &each != &all.front() && (has_keys || !fits(is_last ? event : each, 0, 0));
        if (begins_line) break_line(event, 0);
        wraps |= begins_line;
        flat(event, 0);
        if (rest.empty()) continue;
        const size_t after = is_last ? trail : width(rest.subspan(1));
        const bool apart = is_last && wraps && !has_keys;  // the condition of all events
        if (apart || !fits(rest.first(1), 0, after)) break_line(rest, 0);
        predicate(rest.front(), after);
        flat(rest.subspan(1), 0);
    }
}

void Layout::predicate(const Node& node, size_t trail) { group(node, 0, indent_step, trail); }

}  // namespace lt::format
