// for ($pair : sort(@map, ...)) and for ($pair : top(@map, n, ...)): what stands in the parentheses says in which order
// the entries are visited, and how many of them.
#include <fmt/format.h>

#include <charconv>

#include "build.h"

namespace lt {
namespace {

constexpr std::string_view ways = "sort(@map), sort(@map, key), sort(@map, desc), top(@map, 10), top(@map, 10, key.1)";

std::optional<uint32_t> number(std::string_view text) {
    uint32_t n = 0;
    const char* end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, n);
    return error == std::errc{} && at == end ? std::optional(n) : std::nullopt;
}

}  // namespace

// One word of the order: `desc`, `key`, `key.1`, `count`; false where it is none.
bool Builder::order_word(ast::ExprId id, ast::MapOrder& order) const {
    const auto* member = std::get_if<ast::Member>(&program_[id].node);
    const auto* name = std::get_if<ast::Name>(&program_[member ? member->base : id].node);
    if (name == nullptr) return false;
    if (!member && (name->name == "asc" || name->name == "desc")) {
        order.descending = name->name == "desc";
        return true;
    }
    const auto by = ast::order_named(name->name);
    if (!by || (member && *by != ast::MapOrder::By::key)) return false;
    order.by = *by;
    if (member) order.part = number(member->field);
    return !member || order.part.has_value();
}

ast::StmtId Builder::for_map(Span span, ast::ForMap loop) {
    const auto* called = std::get_if<ast::Call>(&program_[loop.map].node);
    const ast::OrderHead* head = called ? ast::order_head(called->name) : nullptr;
    if (!head) return repeat(span, std::move(loop));
    const ast::Call call = *called;
    const size_t first = head->limited ? 2 : 1;
    if (call.arguments.size() < first) {
        diags_
            .error(program_[loop.map].span,
                   fmt::format("{}() takes a map{}", head->name, head->limited ? " and how many of its entries" : ""))
            .hint = fmt::format("for example {}", ways);
        return repeat(span, ast::Scope{});
    }
    ast::MapOrder order;
    order.descending = head->limited;
    order.span = program_[loop.map].span;
    for (size_t i = first; i < call.arguments.size(); i++) {
        if (order_word(call.arguments[i], order)) continue;
        diags_.error(program_[call.arguments[i]].span, fmt::format("this is no order that {}() knows", call.name))
            .hint = fmt::format("there are value, key, key.N, count, sum, min, max, avg, asc, desc, as in {}", ways);
    }
    loop.map = call.arguments[0];
    loop.order = order;
    if (head->limited) loop.limit = call.arguments[1];
    return repeat(span, std::move(loop));
}

}  // namespace lt
