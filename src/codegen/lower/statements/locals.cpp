#include "codegen/lower/statements/locals.h"

#include <algorithm>

#include "codegen/lower/values/operators.h"
#include "codegen/lower/values/own.h"
#include "codegen/lower/values/value.h"

namespace lt {
namespace {

bool has_loops(const ast::Program& program) {
    return std::ranges::any_of(program.stmts, [](const ast::Stmt& s) {
        return std::holds_alternative<ast::While>(s.node) || std::holds_alternative<ast::ForRange>(s.node) ||
               std::holds_alternative<ast::ForMap>(s.node);
    });
}

}  // namespace

void make_locals(Lowering& l) {
    const bool loops = has_loops(l.program);
    const std::set<uint32_t> addressed = addressed_locals(l);
    for (const LocalInfo& local : l.locals()) {
        const bool text = in_memory(local.type);
        l.local_slots.push_back(text ? 0 : l.b.new_slot());
        // A local that is set outside of all loops keeps its value from one iteration to the next.
        if (!text && loops && !local.in_block) l.b.write(l.local_slots.back(), l.b.constant(0));
        const bool needs_memory = text || addressed.contains(static_cast<uint32_t>(l.local_buffers.size()));
        l.local_buffers.push_back(needs_memory ? l.b.buffer(padded_size(local.type.size)) : ir::no_value);
    }
}

void set_local(Lowering& l, uint32_t local, ast::ExprId value) {
    const Type& type = l.locals()[local].type;
    if (!in_memory(type)) return set_local(l, local, integer_of(l, value));
    l.b.copy(l.local_buffers[local], 0, value_as(l, value, type), padded_size(type.size));
}

void set_local(Lowering& l, uint32_t local, ir::Value number) {
    const Type& type = l.locals()[local].type;
    if (type.view == View::boolean) number = truth(l, number);
    const ir::Value value = l.b.extend(number, static_cast<uint8_t>(type.size), type.is_signed);
    l.b.write(l.local_slots[local], value);
    if (l.local_buffers[local] != ir::no_value) l.b.store(l.local_buffers[local], 0, value);
}

}  // namespace lt
