#include "codegen/lower/statements/statement.h"

#include <set>
#include <utility>

#include "codegen/lower/calls/code.h"
#include "codegen/lower/maps/change.h"
#include "codegen/lower/statements/error.h"
#include "codegen/lower/statements/locals.h"
#include "codegen/lower/statements/loops.h"
#include "codegen/lower/values/operators.h"
#include "codegen/lower/values/text.h"
#include "codegen/lower/values/value.h"

namespace lt {
namespace {

// Evaluated for what it does: it may increment something, or call a function.
void drop_value(Lowering& l, ast::ExprId value) {
    const Type& type = l.type(value);
    if (type.kind == Kind::integer)
        integer_of(l, value);
    else if (type.kind == Kind::string || type.kind == Kind::tuple)
        text_of(l, value, padded_size(type.size));
}

void run_call(Lowering& l, const ast::Call& node) {
    if (const auto c = l.program.c_function(node.name)) {
        call_c(l, node, *c, ir::no_value);
        return;
    }
    const CodeRule* rule = code_rule(find_function(node.name)->id);
    if (rule != nullptr && rule->run != nullptr) rule->run(l, node);  // other functions only have a value
}

void statement(Lowering& l, const ast::Stmt& stmt, const ast::Evaluate& node) {
    const ast::ExprNode& value = l.program[node.value].node;
    if (const auto* c = std::get_if<ast::Call>(&value)) {
        run_call(l, *c);
    } else if (const auto* inner = std::get_if<ast::BlockValue>(&value)) {
        run_block(l, *inner);
        if (inner->value && !inner->is_call) statement(l, stmt, ast::Evaluate{*inner->value, true});
    } else if (node.discard) {
        drop_value(l, node.value);
    }
}

void statement(Lowering& l, const ast::Stmt&, const ast::If& node) {
    if (const auto decision = decision_of(l, node.condition)) return lower_block(l, *decision ? node.yes : node.no);
    const std::set<uint32_t> printed = l.printed_maps;
    const auto branch = [&](const ast::Block& block) {
        l.printed_maps = printed;  // whatever the other branch prints
        lower_block(l, block);
    };
    l.b.branch(truth(l, integer_of(l, node.condition)), [&] { branch(node.yes); }, [&] { branch(node.no); });
}

void assign_local(Lowering& l, const ast::Assign& node, uint32_t local) {
    if (!node.op) return set_local(l, local, node.value);
    const Type& info = l.locals()[local].type;
    const ir::Value v = scaled(l, integer_of(l, node.value), info, l.type(node.value));
    if_no_divisor(l, *node.op, v, node.target, node.value, true);
    const bool is_signed = signed_operation(l.program, l.body, node, info);
    set_local(l, local, arithmetic(l, *node.op, is_signed, l.b.read(l.local_slots[local]), v));
}

void statement(Lowering& l, const ast::Stmt&, const ast::Assign& node) {
    if (const auto* map = std::get_if<ast::Map>(&l.program[node.target].node)) {
        assign_map(l, node, *map, std::get<MapUse>(l.use(node.target)).index);
    } else {
        assign_local(l, node, std::get<LocalUse>(l.use(node.target)).index);
    }
}

void statement(Lowering& l, const ast::Stmt&, const ast::Return& node) {
    if (l.calls.empty()) {
        if (node.value) drop_value(l, *node.value);
        return l.b.leave();
    }
    const CallAround around = l.calls.back();
    if (node.value && around.result) set_local(l, *around.result, *node.value);
    l.b.quit(around.scope);
}

void statement(Lowering& l, const ast::Stmt& stmt, const ast::Let& node) {
    const uint32_t local = l.declared(stmt);
    if (node.value) return set_local(l, local, *node.value);
    const Type& type = l.locals()[local].type;
    if (!in_memory(type)) return set_local(l, local, l.b.constant(0));
    l.b.copy(l.local_buffers[local], 0, l.b.text(l.unit.zeros(type.size)), padded_size(type.size));
}

void statement(Lowering& l, const ast::Stmt&, const ast::Scope& node) { lower_block(l, node.body); }

// The map that a statement prints as a whole.
std::optional<uint32_t> map_printed_by(Lowering& l, const ast::Stmt& stmt) {
    const auto* evaluate = std::get_if<ast::Evaluate>(&stmt.node);
    const auto* call = evaluate ? std::get_if<ast::Call>(&l.program[evaluate->value].node) : nullptr;
    if (!call || call->name != function_row(Function::print).name) return {};
    const auto* map = std::get_if<ast::Map>(&l.program[call->arguments[0]].node);
    if (!map || map->has_key) return {};
    const auto* map_use = std::get_if<MapUse>(&l.use(call->arguments[0]));
    return map_use ? std::optional(map_use->index) : std::nullopt;
}

// A clear() removes exactly what was printed if between the two only statements run that use other maps, and that have
// no branch or block of their own.
void note_printed(Lowering& l, const ast::Stmt& stmt) {
    bool is_plain = std::holds_alternative<ast::Evaluate>(stmt.node) ||
                    std::holds_alternative<ast::Assign>(stmt.node) || std::holds_alternative<ast::Let>(stmt.node);
    ast::each_expr(stmt, [&](ast::ExprId root) {
        ast::walk(l.program, root, [&](ast::ExprId id) {
            if (const auto* map = std::get_if<MapUse>(&l.use(id))) l.printed_maps.erase(map->index);
            is_plain = is_plain && !l.program.get<ast::BlockValue>(id);
            return true;
        });
    });
    if (!is_plain) l.printed_maps.clear();
    if (const auto printed = map_printed_by(l, stmt)) l.printed_maps.insert(*printed);
}

void statement(Lowering& l, const ast::Stmt& stmt) {
    const Span before = l.b.where();
    l.b.at(stmt.span);
    l.b.with_buffers([&] { std::visit([&](const auto& node) { statement(l, stmt, node); }, stmt.node); });
    l.b.at(before);
}

}  // namespace

void lower_block(Lowering& l, const ast::Block& b) {
    for (ast::StmtId id : b.statements) {
        statement(l, l.program[id]);
        note_printed(l, l.program[id]);
    }
}

void run_block(Lowering& l, const ast::BlockValue& node) {
    if (!node.is_call) return lower_block(l, node.block);
    l.b.scope([&](uint32_t scope) {
        const auto* result = node.value ? std::get_if<LocalUse>(&l.use(*node.value)) : nullptr;
        l.calls.push_back({scope, result ? std::optional(result->index) : std::nullopt});
        const std::vector<LoopAround> around = std::exchange(l.loops, {});
        lower_block(l, node.block);
        l.loops = around;
        l.calls.pop_back();
    });
}

}  // namespace lt
