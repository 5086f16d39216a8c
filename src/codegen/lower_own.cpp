// Addresses of the program's own variables and of values in maps. A number lives in a register: one whose address is
// taken anywhere has a copy in memory, which each assignment writes as well.
#include "lower.h"

namespace lt {

bool BodyLowering::keeps_value(ast::ExprId id) const {
    const ast::ExprNode& node = program_[id].node;
    return std::holds_alternative<ast::Local>(node) || std::holds_alternative<ast::Map>(node);
}

std::set<uint32_t> BodyLowering::addressed_locals() const {
    std::set<uint32_t> out;
    for (const ast::Expr& e : program_.exprs) {
        const auto* unary = std::get_if<ast::Unary>(&e.node);
        if (!unary || unary->op != ast::UnaryOp::address) continue;
        if (const auto* local = std::get_if<LocalUse>(&use(unary->operand))) out.insert(local->index);
    }
    return out;
}

// The verifier lets nobody compute with an address that it knows, so it is read back from memory as a number. 0: the
// map has no such key.
ir::Value BodyLowering::own_address(ast::ExprId id) {
    const auto as_number = [&](ir::Value address) {
        const ir::Value kept = b_->buffer(8);
        b_->store(kept, 0, address);
        return b_->fetch(kept, 8, false, false, unit_.loss(LossKind::failed_read, 0));
    };
    if (const auto* local = std::get_if<LocalUse>(&use(id))) return as_number(local_buffers_[local->index]);
    const uint32_t map = std::get<MapUse>(use(id)).index, out = b_->new_slot();
    const ir::Value value = stored(map, key_of(map, std::get<ast::Map>(program_[id].node)));
    b_->write(out, b_->constant(0));
    b_->branch(value, [&] { b_->write(out, as_number(value)); });
    return b_->read(out);
}

}  // namespace lt
