#include "parser/tree/ast.h"

#include <algorithm>
#include <array>

#include "base/literal.h"
#include "base/rows.h"

namespace lt::ast {
namespace {

constexpr std::array<std::string_view, 5> unary_spellings = {"-", "!", "~", "*", "&"};
constexpr std::array<std::string_view, 18> binary_spellings = {
    "+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "==", "!=", "<", "<=", ">", ">=", "&&", "||",
};

constexpr std::array<std::string_view, 8> order_spellings = {
    "value", "key", "count", "sum", "min", "max", "avg", "variance",
};

constexpr std::array order_heads{OrderHead{"sort", false}, OrderHead{"top", true}};

}  // namespace

const OrderHead* order_head(std::string_view name) { return find_row(order_heads, name, &OrderHead::name); }

std::string_view spelling(MapOrder::By by) { return order_spellings[static_cast<size_t>(by)]; }

std::optional<MapOrder::By> order_named(std::string_view name) {
    const auto found = std::ranges::find(order_spellings, name);
    if (found == order_spellings.end()) return std::nullopt;
    return static_cast<MapOrder::By>(found - order_spellings.begin());
}

std::string_view spelling(UnaryOp op) { return unary_spellings[static_cast<size_t>(op)]; }
std::string_view spelling(BinaryOp op) { return binary_spellings[static_cast<size_t>(op)]; }

std::optional<int64_t> literal_integer(const Program& program, ExprId id) {
    if (const auto* number = program.get<Integer>(id)) return static_cast<int64_t>(number->value);
    const auto* minus = program.get<Unary>(id);
    if (!minus || minus->op != UnaryOp::minus) return std::nullopt;
    const auto inner = literal_integer(program, minus->operand);
    return inner ? std::optional(negated(*inner)) : std::nullopt;
}

std::optional<uint32_t> Program::c_function(std::string_view name) const {
    for (uint32_t i = 0; i < c_functions.size(); i++) {
        if (c_functions[i].name == name) return i;
    }
    return std::nullopt;
}

ExprId Program::add(Span span, ExprNode node) {
    exprs.push_back({span, std::move(node)});
    return static_cast<ExprId>(exprs.size() - 1);
}

StmtId Program::add(Span span, StmtNode node) {
    stmts.push_back({span, std::move(node)});
    return static_cast<StmtId>(stmts.size() - 1);
}

void Program::put(ExprId id, ExprNode node) { exprs[static_cast<uint32_t>(id)].node = std::move(node); }

void Program::put(StmtId id, StmtNode node) { stmts[static_cast<uint32_t>(id)].node = std::move(node); }

}  // namespace lt::ast
