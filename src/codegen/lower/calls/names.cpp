#include "codegen/lower/calls/names.h"

#include <bit>

#include "codegen/lower/values/value.h"
#include "codegen/typed/calls/names.h"

namespace lt {
namespace {

// The first row is empty, for numbers without a name. The number of rows is a power of two, so that the verifier sees
// that no access is out of range.
void row_into(Lowering& l, ast::ExprId value, const NameRow* row, uint32_t room, ir::Value to) {
    Builder& b = l.b;
    const size_t rows = std::bit_ceil(static_cast<size_t>(row->count) + 1);
    std::string table(room, '\0');
    for (int64_t i = 0; i < row->count; i++) {
        table += row->name(i);
        table.resize((static_cast<size_t>(i) + 2) * room);
    }
    ir::Value number = integer_of(l, value);
    if (row->any_sign) {
        const ir::Value sign = b.alu(ir::Alu::ashr, number, b.constant(63));
        number = b.alu(ir::Alu::sub, b.alu(ir::Alu::bit_xor, number, sign), sign);
    }
    const ir::Value in_range = b.alu(ir::Alu::ult, number, b.constant(row->count));
    const ir::Value next = b.alu(ir::Alu::mul, in_range, b.alu(ir::Alu::add, number, b.constant(1)));
    const ir::Value at = b.alu(ir::Alu::bit_and, next, b.constant(static_cast<int64_t>(rows - 1)));
    const ir::Value text = b.text(l.unit.text(std::move(table), static_cast<uint32_t>(rows * room)));
    b.copy(to, 0, b.address_plus(text, b.alu(ir::Alu::mul, at, b.constant(room))), room);
}

}  // namespace

void name_into(Lowering& l, ast::ExprId value, ir::Value to) {
    const Type& named = l.type(value);
    row_into(l, value, find_names(named), padded_size(name_size(named)), to);
}

}  // namespace lt
