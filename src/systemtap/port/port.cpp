#include "systemtap/port/port.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "systemtap/port/remarks.h"
#include "systemtap/port/steps.h"

namespace lt::port {
namespace {

bool is_at(const ast::Item& item, std::string_view probe) {
    const auto* action = std::get_if<ast::Action>(&item.node);
    return action != nullptr && action->probes.front().parts.front().text == probe;
}

// In the order of the text; items that are not in the text come last. Those at the beginning and those at the end keep
// their own order, in which they run: initial values of globals first, then by the numbers of begin(n) and end(n).
void order_items(ast::Program& program, uint32_t own_end) {
    constexpr std::array<std::string_view, 2> kinds{"BEGIN", "END"};
    std::array<std::vector<ast::Item>, kinds.size()> in_turn;
    for (size_t kind = 0; kind < kinds.size(); kind++)
        std::ranges::copy_if(program.items, std::back_inserter(in_turn[kind]),
                             [&](const ast::Item& item) { return is_at(item, kinds[kind]); });
    const auto place = [&](const ast::Item& item) -> uint32_t {
        if (std::holds_alternative<ast::MapDeclaration>(item.node)) return 0;
        return item.span.empty() || item.span.begin >= own_end ? UINT32_MAX : item.span.begin;
    };
    std::ranges::stable_sort(program.items,
                             [&](const ast::Item& a, const ast::Item& b) { return place(a) < place(b); });
    for (size_t kind = 0; kind < kinds.size(); kind++) {
        auto next = in_turn[kind].begin();
        for (ast::Item& item : program.items) {
            if (is_at(item, kinds[kind])) item = *next++;
        }
    }
}

uint32_t own_end(const Source& source) {
    return source.parts.empty() ? static_cast<uint32_t>(source.text.size()) : source.parts.front().begin;
}

}  // namespace

OnlyWritten prepare(const Source& source, ast::Program& linked, bool by_name) {
    Tree tree(linked);
    OnlyWritten only_written = take_display(tree, source);
    shorten_functions(tree, source, by_name);
    for (ast::Item& item : linked.items) {
        const auto* f = std::get_if<ast::FunctionItem>(&item.node);
        if (f == nullptr || f->body.statements.empty() || item.span.begin >= own_end(source)) continue;
        item.span = cover(item.span, linked[f->body.statements.back()].span);
    }
    order_items(linked, own_end(source));
    return only_written;
}

Ported port(const Source& source, ast::Program prepared, const OnlyWritten& only_written, const Machine& machine) {
    Tree tree(prepared);
    std::vector<Span> places;
    for (const ast::Item& item : prepared.items) {
        if (!item.span.empty() && item.span.begin < own_end(source)) places.push_back(item.span);
    }
    std::vector<ast::ProbeSpec> left_out = settle_alternatives(tree, machine);
    join_statistics(tree, only_written);
    plain_blocks(tree);
    settle_questions(tree, machine);
    place_aliases(tree, source);
    count_in_ranges(tree);
    use_pairs(tree);
    make_predicates(tree);
    place_aliases(tree, source);
    join_items(tree);
    fold_spans(tree);
    join_items(tree);
    drop_dead(tree);
    do {
        drop_unwritten(tree, source);
        drop_unwritten(tree, source);  // globals that only had an initial value
    } while (drop_dead(tree));
    drop_casts(tree, machine);
    plain_locals(tree);
    name_addresses(tree);
    short_probes(tree);
    add_settings(tree, only_written, machine);
    const bool has_probes = std::ranges::any_of(prepared.items, [](const ast::Item& item) {
        return std::holds_alternative<ast::Action>(item.node) || std::holds_alternative<ast::SpanAction>(item.node);
    });
    return {ast::print(prepared, with_remarks(source, places, tree.absorbed, prepared)), has_probes,
            std::move(left_out)};
}

}  // namespace lt::port
