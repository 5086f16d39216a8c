#include "codegen/lower/calls/code.h"

#include <algorithm>

#include "codegen/ir/outside.h"
#include "codegen/lower/values/text.h"
#include "codegen/lower/values/value.h"

namespace lt {

const CodeRule* code_rule(Function id) {
    for (const std::span<const CodeRule> table : {address_code(), format_code(), kernel_code(), map_code(), part_code(),
                                                  path_code(), runtime_code(), text_code(), value_code()}) {
        const auto row = std::ranges::find(table, id, &CodeRule::id);
        if (row != table.end()) return &*row;
    }
    return nullptr;
}

ir::Value call_c(Lowering& l, const ast::Call& node, uint32_t index, ir::Value to) {
    const ast::CFunction& f = l.program.c_functions[index];
    std::vector<ir::Value> given;
    for (size_t i = 0; i < node.arguments.size(); i++) {
        const ast::ExprId argument = node.arguments[i];
        // C code may read all bytes that a string can have; a zero follows them.
        const uint32_t room = padded_size(std::max(l.type(argument).size + 8, l.program.settings.max_strlen));
        given.push_back(f.parameters[i].is_text ? text_of(l, argument, room) : integer_of(l, argument));
    }
    if (f.result == ast::CFunction::Result::text)
        given.push_back(to != ir::no_value ? to : l.b.buffer(padded_size(l.program.settings.max_strlen)));
    return ir::c_call(l.b, index, given, l.unit.loss(LossKind::failed_read, 0));
}

ir::Value first_argument(Lowering& l, ast::ExprId, const ast::Call& node) { return integer_of(l, node.arguments[0]); }

ir::Value known_number(Lowering& l, ast::ExprId id, const ast::Call&) {
    return l.b.constant(std::get<ConstantUse>(l.use(id)).value);
}

ir::Value length_given(Lowering& l, ast::ExprId id) {
    const ir::Value number = integer_of(l, id);
    if (!l.type(id).is_signed) return number;
    return l.b.alu(ir::Alu::mul, number, l.b.alu(ir::Alu::sge, number, l.b.constant(0)));
}

}  // namespace lt
