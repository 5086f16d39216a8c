#include "codegen/typed/decided.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/literal.h"
#include "codegen/typed/operators.h"
#include "stdlib/functions/builtins.h"

namespace lt {
namespace {

struct OperatorRow {
    ast::BinaryOp op;
    int64_t (*result)(int64_t, int64_t);
    bool compares = false;
};
constexpr std::array operators{
    OperatorRow{ast::BinaryOp::equal, [](int64_t a, int64_t b) -> int64_t { return a == b; }, true},
    OperatorRow{ast::BinaryOp::not_equal, [](int64_t a, int64_t b) -> int64_t { return a != b; }, true},
    OperatorRow{ast::BinaryOp::less, [](int64_t a, int64_t b) -> int64_t { return a < b; }, true},
    OperatorRow{ast::BinaryOp::less_equal, [](int64_t a, int64_t b) -> int64_t { return a <= b; }, true},
    OperatorRow{ast::BinaryOp::greater, [](int64_t a, int64_t b) -> int64_t { return a > b; }, true},
    OperatorRow{ast::BinaryOp::greater_equal, [](int64_t a, int64_t b) -> int64_t { return a >= b; }, true},
    OperatorRow{ast::BinaryOp::logical_and, [](int64_t a, int64_t b) -> int64_t { return a != 0 && b != 0; }},
    OperatorRow{ast::BinaryOp::logical_or, [](int64_t a, int64_t b) -> int64_t { return a != 0 || b != 0; }},
    OperatorRow{ast::BinaryOp::bit_and, [](int64_t a, int64_t b) { return a & b; }},
    OperatorRow{ast::BinaryOp::bit_or, [](int64_t a, int64_t b) { return a | b; }},
    OperatorRow{
        ast::BinaryOp::add,
        [](int64_t a, int64_t b) { return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b)); }},
    OperatorRow{
        ast::BinaryOp::subtract,
        [](int64_t a, int64_t b) { return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b)); }},
    OperatorRow{
        ast::BinaryOp::multiply,
        [](int64_t a, int64_t b) { return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b)); }},
};

// Functions whose result is in the use of the call; for other functions, a part of it can be.
bool answers(const ast::ExprNode& node) {
    const auto* call = std::get_if<ast::Call>(&node);
    const FunctionRow* row = call ? find_function(call->name) : nullptr;
    if (!call) return true;
    return row && ((row->id >= Function::is_str && row->id <= Function::kfunc_allowed) ||
                   row->id == Function::size_of || row->id == Function::kaddr || row->id == Function::cgroupid);
}

// The texts of typeinfo(), by name and by number in its tuple.
constexpr std::array<std::array<std::string_view, 2>, 2> described{{{"base_type", "1"}, {"full_type", "2"}}};

const TextsUse* description(const Body& body, ast::ExprId id) {
    return std::get_if<TextsUse>(&body.uses[static_cast<size_t>(id)]);
}

// Compares two string literals, or two descriptions of types.
std::optional<int64_t> same_text(const ast::Program& program, const Body& body, const ast::Binary& node) {
    if (node.op != ast::BinaryOp::equal && node.op != ast::BinaryOp::not_equal) return {};
    const bool wanted = node.op == ast::BinaryOp::equal;
    const TextsUse *l = description(body, node.left), *r = description(body, node.right);
    if (l && r) return (l->texts == r->texts) == wanted;
    const auto left = known_text(program, body, node.left), right = known_text(program, body, node.right);
    if (!left || !right) return {};
    return (*left == *right) == wanted;
}

}  // namespace

std::optional<std::string_view> known_text(const ast::Program& program, const Body& body, ast::ExprId id) {
    const ast::ExprNode& node = program[id].node;
    if (const auto* text = std::get_if<ast::String>(&node)) return text->value;
    const auto* variable = std::get_if<VariableUse>(&body.uses[static_cast<size_t>(id)]);
    if (variable && variable->id == Variable::probetype) return type_of_probe(body.place);
    const auto* member = std::get_if<ast::Member>(&node);
    const TextsUse* texts = member ? description(body, member->base) : nullptr;
    for (size_t i = 0; texts && i < described.size(); i++)
        if (std::ranges::find(described[i], member->field) != described[i].end()) return texts->texts[i];
    return {};
}

std::optional<int64_t> known_value(const ast::Program& program, const Body& body, ast::ExprId id) {
    const ast::ExprNode& node = program[id].node;
    if (const auto* number = std::get_if<ast::Integer>(&node)) return static_cast<int64_t>(number->value);
    if (const auto* truth = std::get_if<ast::Boolean>(&node)) return truth->value ? 1 : 0;
    const auto* constant = std::get_if<ConstantUse>(&body.uses[static_cast<size_t>(id)]);
    if (constant && answers(node)) return constant->value;
    if (const auto* unary = std::get_if<ast::Unary>(&node)) {
        const auto inner = known_value(program, body, unary->operand);
        if (inner && unary->op == ast::UnaryOp::logical_not) return *inner == 0;
        if (inner && unary->op == ast::UnaryOp::minus) return negated(*inner);
        return {};
    }
    const auto* binary = std::get_if<ast::Binary>(&node);
    if (!binary) return {};
    if (const auto same = same_text(program, body, *binary)) return same;
    const auto left = known_value(program, body, binary->left), right = known_value(program, body, binary->right);
    const auto* row = std::ranges::find_if(operators, [&](const OperatorRow& r) { return r.op == binary->op; });
    if (!left || !right || row == operators.end()) return {};
    // with the highest bit flipped, the order of unsigned numbers is that of signed ones
    const bool flips = row->compares && !signed_operation(program, body, *binary);
    const int64_t flip = flips ? std::numeric_limits<int64_t>::min() : 0;
    return row->result(*left ^ flip, *right ^ flip);
}

std::optional<bool> decided(const ast::Program& program, const Body& body, ast::ExprId id) {
    const ast::ExprNode& node = program[id].node;
    const auto* constant = std::get_if<ConstantUse>(&body.uses[static_cast<size_t>(id)]);
    const bool asks =
        std::holds_alternative<ast::Defined>(node) || (std::holds_alternative<ast::Call>(node) && answers(node));
    if (asks) return constant ? std::optional(constant->value != 0) : std::nullopt;
    if (const auto* unary = std::get_if<ast::Unary>(&node); unary && unary->op == ast::UnaryOp::logical_not) {
        const auto inner = decided(program, body, unary->operand);
        return inner ? std::optional(!*inner) : std::nullopt;
    }
    if (const auto* choice = std::get_if<ast::Conditional>(&node)) {
        const auto first = decided(program, body, choice->condition);
        if (!first) return {};
        const ast::ExprId taken = *first ? choice->yes : choice->no;
        const auto* number = program.get<ast::Integer>(taken);
        return number ? std::optional(number->value != 0) : decided(program, body, taken);
    }
    const auto* binary = std::get_if<ast::Binary>(&node);
    if (!binary) return {};
    const bool is_and = binary->op == ast::BinaryOp::logical_and;
    if (!is_and && binary->op != ast::BinaryOp::logical_or) return {};
    const auto left = decided(program, body, binary->left), right = decided(program, body, binary->right);
    if (left && right) return is_and ? *left && *right : *left || *right;
    if ((left && *left != is_and) || (right && *right != is_and)) return !is_and;
    return {};
}

std::optional<bool> foreseen(const ast::Program& program, const Body& body, ast::ExprId id) {
    const ast::ExprNode& whole = program[id].node;
    if (const auto* number = std::get_if<ast::Integer>(&whole)) return number->value != 0;
    if (const auto* truth = std::get_if<ast::Boolean>(&whole)) return truth->value;
    if (const auto* unary = std::get_if<ast::Unary>(&whole); unary && unary->op == ast::UnaryOp::logical_not) {
        const auto inner = foreseen(program, body, unary->operand);
        return inner ? std::optional(!*inner) : std::nullopt;
    }
    const auto* node = std::get_if<ast::Binary>(&whole);
    if (!node) return {};
    const bool is_and = node->op == ast::BinaryOp::logical_and;
    if (is_and || node->op == ast::BinaryOp::logical_or) {
        const auto left = foreseen(program, body, node->left), right = foreseen(program, body, node->right);
        if ((left && *left != is_and) || (right && *right != is_and)) return !is_and;
        return left && right ? std::optional(is_and) : std::nullopt;
    }
    const auto* row = std::ranges::find_if(operators, [&](const OperatorRow& r) { return r.op == node->op; });
    if (row == operators.end() || !row->compares) return {};
    if (const auto same = same_text(program, body, *node)) return *same != 0;
    const auto left = known_value(program, body, node->left), right = known_value(program, body, node->right);
    if (!left || !right || *left < 0 || *right < 0) return {};  // the script may mean an unsigned number
    return row->result(*left, *right) != 0;
}

}  // namespace lt
