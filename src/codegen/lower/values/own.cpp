#include "codegen/lower/values/own.h"

#include "codegen/lower/maps/map.h"

namespace lt {

bool keeps_value(const Lowering& l, ast::ExprId id) {
    const ast::ExprNode& node = l.program[id].node;
    return std::holds_alternative<ast::Local>(node) || std::holds_alternative<ast::Map>(node);
}

std::set<uint32_t> addressed_locals(const Lowering& l) {
    std::set<uint32_t> out;
    for (const ast::Expr& e : l.program.exprs) {
        const auto* unary = std::get_if<ast::Unary>(&e.node);
        if (!unary || unary->op != ast::UnaryOp::address) continue;
        if (const auto* local = std::get_if<LocalUse>(&l.use(unary->operand))) out.insert(local->index);
    }
    return out;
}

// The verifier forbids arithmetic on a known address, so the address is stored and loaded as a number.
ir::Value own_address(Lowering& l, ast::ExprId id) {
    const auto number_at = [&](ir::Value word) {
        return l.b.fetch(word, 8, false, false, l.unit.loss(LossKind::failed_read, 0));
    };
    if (const auto* local = std::get_if<LocalUse>(&l.use(id))) {
        const ir::Value word = l.b.buffer(8);
        l.b.store_address(word, 0, l.local_buffers[local->index]);
        return number_at(word);
    }
    const uint32_t map = std::get<MapUse>(l.use(id)).index, out = l.b.new_slot();
    const ir::Value value = find_value(l, map, key_of(l, map, std::get<ast::Map>(l.program[id].node)));
    l.b.write(out, l.b.constant(0));
    l.b.branch(value, [&] {
        const ir::Value word = l.b.buffer(8);
        l.b.store(word, 0, value);
        l.b.write(out, number_at(word));
    });
    return l.b.read(out);
}

}  // namespace lt
