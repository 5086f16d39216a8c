#include "codegen/lower/values/text.h"

#include <linux/bpf.h>

#include <algorithm>

#include "codegen/ir/outside.h"
#include "codegen/lower/calls/code.h"
#include "codegen/lower/maps/map.h"
#include "codegen/lower/maps/walk.h"
#include "codegen/lower/spans/opening.h"
#include "codegen/lower/statements/statement.h"
#include "codegen/lower/values/arguments.h"
#include "codegen/lower/values/location.h"
#include "codegen/lower/values/long_text.h"
#include "codegen/lower/values/memory.h"
#include "codegen/lower/values/operators.h"
#include "codegen/lower/values/value.h"
#include "codegen/lower/values/variable.h"

namespace lt {
namespace {

uint32_t letters(const Lowering& l, ast::ExprId id) { return most_letters(l.program, l.body, id); }

// A string with another size; a longer string is truncated.
void resized(Lowering& l, ast::ExprId value, uint32_t size, ir::Value to) {
    const uint32_t own = l.type(value).size;
    if (own <= size) return text_into(l, value, to, 0, padded_size(own));
    l.b.helper(BPF_FUNC_probe_read_kernel_str, {to, l.b.constant(size), text_of(l, value, padded_size(own))});
}

// A string with another size, or the bytes of a number.
void cast_into(Lowering& l, ast::ExprId value, const Type& type, ir::Value to) {
    if (type.kind == Kind::string) return resized(l, value, type.size, to);
    if (l.type(value).kind == Kind::string) {
        const uint32_t room = padded_size(std::max(l.type(value).size, type.size));
        l.b.helper(BPF_FUNC_probe_read_kernel, {to, l.b.constant(type.size), bytes_of(l, value, room)});
        return;
    }
    const ir::Value unused = l.b.constant(64 - 8 * static_cast<int64_t>(type.size));
    const ir::Value high = l.b.alu(ir::Alu::shl, integer_of(l, value), unused);
    l.b.store(to, 0, l.b.alu(ir::Alu::lshr, high, unused));
}

void call_into(Lowering& l, ast::ExprId id, const ast::Call& node, ir::Value to) {
    if (const auto c = l.program.c_function(node.name)) {
        call_c(l, node, *c, to);
    } else if (const CodeRule* rule = code_rule(find_function(node.name)->id); rule && rule->bytes) {
        rule->bytes(l, id, node, to);
    }
}

}  // namespace

ir::Value text_of(Lowering& l, ast::ExprId id, uint32_t room) {
    if (const auto* literal = std::get_if<ast::String>(&l.program[id].node))
        return l.b.text(l.unit.text(literal->value, room));
    if (const auto* local = std::get_if<LocalUse>(&l.use(id));
        local && padded_size(l.locals()[local->index].type.size) >= room) {
        return l.local_buffers[local->index];
    }
    if (const auto* name = std::get_if<VariableUse>(&l.use(id)); name && name->id == Variable::why) return l.why;
    const ir::Value out = l.b.buffer(room);
    text_into(l, id, out, 0, room);
    return out;
}

void text_into(Lowering& l, ast::ExprId id, ir::Value to, uint32_t offset, uint32_t room) {
    const ir::Value at = offset == 0 ? to : l.b.address(to, offset);
    if (const auto i = frozen_index(l, id))
        return l.b.copy(at, 0, l.thawed[*i].buffer, std::min(room, l.unit.layout(l.body.span).frozen[*i].room));
    const uint32_t own = padded_size(l.type(id).size);
    const ast::ExprNode& node = l.program[id].node;
    const Use& u = l.use(id);
    if (const auto* choice = std::get_if<ast::Conditional>(&node)) {
        if (const auto decision = decision_of(l, choice->condition))
            return text_into(l, *decision ? choice->yes : choice->no, to, offset, room);
        if (l.type(id).kind == Kind::tuple) return value_into(l, id, to, offset, l.type(id));
        l.b.branch(
            truth(l, integer_of(l, choice->condition)), [&] { text_into(l, choice->yes, to, offset, room); },
            [&] { text_into(l, choice->no, to, offset, room); });
    } else if (const auto* cast = std::get_if<ast::Cast>(&node)) {
        cast_into(l, cast->value, l.type(id), at);
    } else if (const auto* literal = std::get_if<ast::String>(&node)) {
        l.b.copy(at, 0, l.b.text(l.unit.text(literal->value, own)), own);
    } else if (const auto* p = std::get_if<ParamUse>(&u)) {
        l.b.copy(at, 0, ir::param(l.b, l.unit.param(p->index)), own);
    } else if (const auto* variable_use = std::get_if<VariableUse>(&u)) {
        variable_into(l, variable_use->id, l.type(id), at);
    } else if (const auto* inner = std::get_if<ast::BlockValue>(&node)) {
        l.printed_maps.clear();
        run_block(l, *inner);
        text_into(l, *inner->value, to, offset, room);
    } else if (const auto* pair = std::get_if<PairUse>(&u)) {
        pair_into(l, *pair, at, own);
    } else if (const auto* field = std::get_if<FieldUse>(&u); field && l.type(id).kind == Kind::string) {
        field_text(l, field->field, at, l.type(id).size);
    } else if (lies_in_memory(l, id)) {
        bytes_into(l, id, at, room, l.type(id).kind == Kind::string);
    } else if (std::holds_alternative<ast::Tuple>(node)) {
        value_into(l, id, to, offset, l.type(id));
    } else if (const auto* local = std::get_if<LocalUse>(&u)) {
        l.b.copy(at, 0, l.local_buffers[local->index], own);
    } else if (const auto* map = std::get_if<MapUse>(&u)) {
        const ir::Value slot = find_value(l, map->index, key_of(l, map->index, std::get<ast::Map>(node)));
        l.b.branch(slot, [&] { l.b.copy(at, 0, slot, own); });
    } else if (const auto* called = std::get_if<CallUse>(&u); called && called->id == Function::entry) {
        text_into(l, std::get<ast::Call>(node).arguments[0], to, offset, room);
    } else if (const auto* call = std::get_if<ast::Call>(&node)) {
        call_into(l, id, *call, at);
    } else if (std::holds_alternative<ArgumentsUse>(u)) {
        all_arguments_into(l, id, at);
    } else if (const auto* sum = std::get_if<ast::Binary>(&node)) {
        joined_into(l, sum->left, sum->right, l.type(id).size, at);
    }
}

namespace {

// A string that is recorded with its length may have no terminating zero: a helper that reads one more byte adds it.
void located_text(Lowering& l, const Field& field, ir::Value to, uint32_t size, ir::Value asked) {
    const ir::Value record = ir::context(l.b);
    const ir::Value location = ir::field(l.b, field.offset, 4, false);
    const ir::Value offset = l.b.alu(ir::Alu::bit_and, location, l.b.constant(0xffff));
    const ir::Value base = field.relative ? l.b.address(record, field.offset + 4) : record;
    const ir::Value from = l.b.address_plus(base, offset);
    const ir::Value length = l.b.alu(ir::Alu::lshr, location, l.b.constant(16));
    ir::Value with_end = l.b.alu(ir::Alu::add, length, l.b.constant(1));
    if (asked != ir::no_value) with_end = l.b.call(ir::Library::at_most, {with_end, asked});
    const ir::Value most = l.b.call(ir::Library::at_most, {with_end, l.b.constant(size)});
    l.b.helper(BPF_FUNC_probe_read_kernel_str, {to, most, from});
}

}  // namespace

void field_text(Lowering& l, const Field& field, ir::Value to, uint32_t size) {
    if (field.data_location) return located_text(l, field, to, padded_size(size), ir::no_value);
    const ir::Value record = ir::context(l.b);
    read_letters(l, to, size, false, [&](uint32_t more) { return l.b.address(record, field.offset + more); });
}

void open_text_into(Lowering& l, ast::ExprId id, ir::Value to, uint32_t size, ir::Value asked) {
    if (const auto* field = std::get_if<FieldUse>(&l.use(id))) return located_text(l, field->field, to, size, asked);
    const Location p = location_of(l, id);
    const ir::Value from = address_of(l, p), all = l.b.constant(size);
    const ir::Value most = asked == ir::no_value ? all : l.b.call(ir::Library::at_most, {asked, all});
    const int helper = p.user ? BPF_FUNC_probe_read_user_str : BPF_FUNC_probe_read_kernel_str;
    if_unreadable(l, l.b.helper(helper, {to, most, from}), from, l.program[id].span, "");
}

ir::Value bytes_of(Lowering& l, ast::ExprId id, uint32_t room) {
    const auto* field = std::get_if<FieldUse>(&l.use(id));
    const bool elsewhere = lies_in_memory(l, id) && !in_tuple(l, id) && !(field && field->field.data_location);
    if (!elsewhere || l.type(id).kind != Kind::string) return text_of(l, id, room);
    const ir::Value out = l.b.buffer(room);
    bytes_into(l, id, out, room, false);
    return out;
}

// If the buffer is too small, the text is made in another one and truncated.
void joined_into(Lowering& l, ast::ExprId left, ast::ExprId right, uint32_t size, ir::Value to) {
    const uint32_t first = letters(l, left) + 1, second = letters(l, right) + 1, both = first + second - 1;
    if (both > size) {
        const ir::Value whole = l.b.buffer(padded_size(both));
        joined_into(l, left, right, both, whole);
        l.b.helper(BPF_FUNC_probe_read_kernel_str, {to, l.b.constant(size), whole});
        return;
    }
    text_into(l, left, to, 0, padded_size(l.type(left).size));
    const ir::Value length = text_length(l.b, {to, first - 1});
    const ir::Value end_of_first =
        l.b.address_plus(to, l.b.call(ir::Library::at_most, {length, l.b.constant(first - 1)}));
    l.b.helper(BPF_FUNC_probe_read_kernel_str,
               {end_of_first, l.b.constant(second), text_of(l, right, padded_size(second))});
}

}  // namespace lt
