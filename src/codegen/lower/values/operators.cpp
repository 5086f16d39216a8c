#include "codegen/lower/values/operators.h"

#include <algorithm>
#include <array>

#include "codegen/lower/calls/names.h"
#include "codegen/lower/statements/error.h"
#include "codegen/lower/values/key_part.h"
#include "codegen/lower/values/location.h"
#include "codegen/lower/values/long_text.h"
#include "codegen/lower/values/own.h"
#include "codegen/lower/values/text.h"
#include "codegen/lower/values/value.h"
#include "codegen/typed/calls/names.h"
#include "codegen/typed/decided.h"

namespace lt {
namespace {

// The operation on unsigned integers, and the one on signed integers if it differs.
struct OperatorRow {
    ast::BinaryOp op;
    ir::Alu plain;
    ir::Alu when_signed;
};

constexpr std::array operators{
    OperatorRow{ast::BinaryOp::add, ir::Alu::add, ir::Alu::add},
    OperatorRow{ast::BinaryOp::subtract, ir::Alu::sub, ir::Alu::sub},
    OperatorRow{ast::BinaryOp::multiply, ir::Alu::mul, ir::Alu::mul},
    OperatorRow{ast::BinaryOp::divide, ir::Alu::udiv, ir::Alu::sdiv},
    OperatorRow{ast::BinaryOp::modulo, ir::Alu::umod, ir::Alu::smod},
    OperatorRow{ast::BinaryOp::shift_left, ir::Alu::shl, ir::Alu::shl},
    OperatorRow{ast::BinaryOp::shift_right, ir::Alu::lshr, ir::Alu::ashr},
    OperatorRow{ast::BinaryOp::bit_and, ir::Alu::bit_and, ir::Alu::bit_and},
    OperatorRow{ast::BinaryOp::bit_or, ir::Alu::bit_or, ir::Alu::bit_or},
    OperatorRow{ast::BinaryOp::bit_xor, ir::Alu::bit_xor, ir::Alu::bit_xor},
    OperatorRow{ast::BinaryOp::equal, ir::Alu::eq, ir::Alu::eq},
    OperatorRow{ast::BinaryOp::not_equal, ir::Alu::ne, ir::Alu::ne},
    OperatorRow{ast::BinaryOp::less, ir::Alu::ult, ir::Alu::slt},
    OperatorRow{ast::BinaryOp::less_equal, ir::Alu::ule, ir::Alu::sle},
    OperatorRow{ast::BinaryOp::greater, ir::Alu::ugt, ir::Alu::sgt},
    OperatorRow{ast::BinaryOp::greater_equal, ir::Alu::uge, ir::Alu::sge},
};

bool is_equality(ast::BinaryOp op) { return op == ast::BinaryOp::equal || op == ast::BinaryOp::not_equal; }

// The size of the targets of two addresses, whose difference counts elements as in C; 1 if the sizes differ.
int64_t size_of_both(const Type& left, const Type& right) {
    const Type *a = pointee(left), *b = pointee(right);
    return a && b && a->size == b->size ? std::max<int64_t>(a->size, 1) : 1;
}

bool is_logical(ast::BinaryOp op) { return op == ast::BinaryOp::logical_and || op == ast::BinaryOp::logical_or; }

ir::Value logical_value(Lowering& l, const ast::Binary& node) {
    const bool both = node.op == ast::BinaryOp::logical_and;
    const uint32_t result = l.b.new_slot();
    l.b.write(result, l.b.constant(both ? 0 : 1));
    const auto second = [&] { l.b.write(result, truth(l, integer_of(l, node.right))); };
    const ir::Value first = truth(l, integer_of(l, node.left));
    both ? l.b.branch(first, second) : l.b.branch(first, [] {}, second);
    return l.b.read(result);
}

// The size of a string, or of the text of a name.
uint32_t text_size(const Type& type) { return in_memory(type) ? type.size : name_size(type); }

// Word by word if it is short: with a literal, each word becomes one comparison.
ir::Value texts_equal(Lowering& l, const ast::Binary& node) {
    constexpr uint32_t longest_unrolled = 64;
    const Type &left = l.type(node.left), &right = l.type(node.right);
    const bool tuples = left.kind == Kind::tuple;
    const Type both = tuples ? joined(left, right) : left;
    const uint32_t room = padded_size(tuples ? both.size : std::max(text_size(left), text_size(right)));
    // if both are equal, the padding of the shorter one (at least one zero) is also in the other
    const uint32_t compared =
        tuples ? room : std::min(room, padded_size(std::min(text_size(left), text_size(right)) + 1));
    const auto side = [&](ast::ExprId id) {
        if (!in_memory(l.type(id))) {
            const ir::Value name = l.b.buffer(room);
            name_into(l, id, name);  // a name that represents a text
            return name;
        }
        const ir::Value out = tuples ? value_as(l, id, both) : text_of(l, id, room);
        clear_padding(l, out, 0, tuples ? both : l.type(id));
        return out;
    };
    const ir::Value a = side(node.left), b = side(node.right);
    const bool end_at_zero = left.kind == Kind::string || right.kind == Kind::string;
    ir::Value same;
    if (compared > most_compared_in_line && !end_at_zero) {
        same = bytes_equal(l.b, a, b, compared);
    } else if (compared > most_compared_in_line) {
        same = l.b.alu(ir::Alu::eq, text_order(l.b, a, b, compared), l.b.constant(0));
    } else if (compared > longest_unrolled) {
        same = l.b.call(ir::Library::same, {a, b, l.b.constant(compared)});
    } else {
        ir::Value apart = l.b.constant(0);
        for (uint32_t at = 0; at < compared; at += 8) {
            const ir::Value word = l.b.alu(ir::Alu::bit_xor, l.b.load(a, at), l.b.load(b, at));
            apart = l.b.alu(ir::Alu::bit_or, apart, word);
        }
        same = l.b.alu(ir::Alu::eq, apart, l.b.constant(0));
    }
    return node.op == ast::BinaryOp::equal ? same : l.b.alu(ir::Alu::eq, same, l.b.constant(0));
}

ir::Value texts_ordered(Lowering& l, const ast::Binary& node) {
    const uint32_t room = padded_size(std::max(l.type(node.left).size, l.type(node.right).size));
    const ir::Value left = text_of(l, node.left, room),
                    right = text_of(l, node.right, room);  // evaluated in this order
    const ir::Value order = text_order(l.b, left, right, room);
    return arithmetic(l, node.op, true, order, l.b.constant(0));
}

}  // namespace

ir::Value truth(Lowering& l, ir::Value v) { return l.b.alu(ir::Alu::ne, v, l.b.constant(0)); }

ir::Value arithmetic(Lowering& l, ast::BinaryOp op, bool is_signed, ir::Value a, ir::Value b) {
    const auto* row = std::ranges::find(operators, op, &OperatorRow::op);
    if (row == operators.end()) return a;
    const ir::Alu alu = is_signed ? row->when_signed : row->plain;
    const bool divides = op == ast::BinaryOp::divide || op == ast::BinaryOp::modulo;
    if (!divides) return l.b.alu(alu, a, b);
    const ir::Value result = alu == ir::Alu::sdiv   ? l.b.call(ir::Library::divide, {a, b})
                             : alu == ir::Alu::smod ? l.b.call(ir::Library::modulo, {a, b})
                                                    : l.b.alu(alu, a, b);
    if (!l.program.settings.one_for_zero) return result;
    return l.b.alu(ir::Alu::add, result, l.b.alu(ir::Alu::eq, b, l.b.constant(0)));
}

ir::Value scaled(Lowering& l, ir::Value v, const Type& other, const Type& own) {
    if (!pointee(other) || pointee(own)) return v;
    return l.b.alu(ir::Alu::mul, v, l.b.constant(element_size(other)));
}

ir::Value unary_value(Lowering& l, ast::ExprId id, const ast::Unary& node) {
    if (node.op == ast::UnaryOp::dereference) return fetched(l, id);
    if (node.op == ast::UnaryOp::address)
        return keeps_value(l, node.operand) ? own_address(l, node.operand)
                                            : address_of(l, location_of(l, node.operand));
    const ir::Value v = integer_of(l, node.operand);
    switch (node.op) {
        case ast::UnaryOp::minus:
            return l.b.alu(ir::Alu::sub, l.b.constant(0), v);
        case ast::UnaryOp::bit_not:
            return l.b.alu(ir::Alu::bit_xor, v, l.b.constant(-1));
        case ast::UnaryOp::logical_not:
            return l.b.alu(ir::Alu::eq, v, l.b.constant(0));
        case ast::UnaryOp::dereference:
        case ast::UnaryOp::address:
            break;
    }
    return v;
}

ir::Value binary_value(Lowering& l, const ast::Binary& node) {
    if (is_logical(node.op)) return logical_value(l, node);
    if (l.type(node.left).kind == Kind::string && !is_equality(node.op)) return texts_ordered(l, node);
    if (in_memory(l.type(node.left)) || in_memory(l.type(node.right))) return texts_equal(l, node);
    ir::Value a = integer_of(l, node.left), b = integer_of(l, node.right);
    if (node.op == ast::BinaryOp::add || node.op == ast::BinaryOp::subtract) {
        a = scaled(l, a, l.type(node.right), l.type(node.left));
        b = scaled(l, b, l.type(node.left), l.type(node.right));
    }
    if_no_divisor(l, node.op, b, node.left, node.right, false);
    const ir::Value result = arithmetic(l, node.op, signed_operation(l.program, l.body, node), a, b);
    const int64_t each = node.op == ast::BinaryOp::subtract ? size_of_both(l.type(node.left), l.type(node.right)) : 1;
    return each == 1 ? result : l.b.call(ir::Library::divide, {result, l.b.constant(each)});
}

namespace {

void run_sides(Lowering& l, ast::ExprId id) {
    const auto* unary = l.program.get<ast::Unary>(id);
    if (unary && unary->op == ast::UnaryOp::logical_not) return run_sides(l, unary->operand);
    const auto* binary = l.program.get<ast::Binary>(id);
    const bool is_and = binary && binary->op == ast::BinaryOp::logical_and;
    if (!binary || (!is_and && binary->op != ast::BinaryOp::logical_or)) return;
    const auto left = decided(l.program, l.body, binary->left);
    if (!left) {
        integer_of(l, binary->left);
        return;
    }
    run_sides(l, binary->left);
    if (*left == is_and) run_sides(l, binary->right);
}

}  // namespace

std::optional<bool> decision_of(Lowering& l, ast::ExprId condition) {
    const auto decision = decided(l.program, l.body, condition);
    if (decision) run_sides(l, condition);
    return decision;
}

}  // namespace lt
