#include "codegen/lower/values/value.h"

#include <algorithm>

#include "codegen/ir/outside.h"
#include "codegen/lower/calls/code.h"
#include "codegen/lower/maps/change.h"
#include "codegen/lower/maps/fold.h"
#include "codegen/lower/maps/map.h"
#include "codegen/lower/maps/statistics.h"
#include "codegen/lower/maps/walk.h"
#include "codegen/lower/spans/opening.h"
#include "codegen/lower/statements/locals.h"
#include "codegen/lower/statements/statement.h"
#include "codegen/lower/values/arguments.h"
#include "codegen/lower/values/location.h"
#include "codegen/lower/values/operators.h"
#include "codegen/lower/values/source.h"
#include "codegen/lower/values/text.h"
#include "codegen/lower/values/variable.h"

namespace lt {
namespace {

// Copies the parts of one tuple to the layout of another, whose strings may be longer.
void tuple_parts(Lowering& l, const Type& from, ir::Value source, uint32_t source_offset, const Type& target,
                 ir::Value to, uint32_t offset) {
    for (size_t i = 0; i < target.shape->parts.size(); i++) {
        const size_t own = same_part(from, target, i);
        const Type &a = from.shape->parts[own], &b = target.shape->parts[i];
        const uint32_t at = source_offset + tuple_offset(from, own), there = offset + tuple_offset(target, i);
        if (a.kind == Kind::tuple) {
            tuple_parts(l, a, source, at, b, to, there);
        } else {
            l.b.copy(to, there, l.b.address(source, at), std::min(padded_size(a.size), padded_size(b.size)));
        }
    }
}

ir::Value evaluate(Lowering& l, ast::ExprId, const ast::Integer& node) {
    return l.b.constant(static_cast<int64_t>(node.value));
}

ir::Value evaluate(Lowering& l, ast::ExprId, const ast::Duration& node) { return l.b.constant(node.nanoseconds); }

ir::Value evaluate(Lowering& l, ast::ExprId, const ast::String&) { return l.b.constant(0); }

ir::Value evaluate(Lowering& l, ast::ExprId id, const ast::Name&) {
    if (const auto* c = std::get_if<ConstantUse>(&l.use(id))) return l.b.constant(c->value);
    if (const auto* p = std::get_if<ParamUse>(&l.use(id))) return l.b.load(ir::param(l.b, l.unit.param(p->index)), 0);
    return variable_value(l, std::get<VariableUse>(l.use(id)));
}

ir::Value evaluate(Lowering& l, ast::ExprId, const ast::Ellipsis&) { return l.b.read(l.latency_slot); }

ir::Value evaluate(Lowering& l, ast::ExprId id, const ast::Local&) {
    return l.b.read(l.local_slots[std::get<LocalUse>(l.use(id)).index]);
}

ir::Value evaluate(Lowering& l, ast::ExprId id, const ast::Map& node) {
    const uint32_t map = std::get<MapUse>(l.use(id)).index;
    const uint32_t result = l.b.new_slot();
    const ir::Value key = key_of(l, map, node);
    if (l.unit.map(map).value.kind == Kind::aggregation) return folded_number(l, map, key);
    l.b.write(result, l.b.constant(0));
    const ir::Value slot = find_value(l, map, key);
    l.b.branch(slot, [&] { l.b.write(result, l.b.load(slot, 0)); });
    return l.b.read(result);
}

ir::Value evaluate(Lowering& l, ast::ExprId id, const ast::Call& node) {
    if (const auto c = l.program.c_function(node.name)) return call_c(l, node, *c, ir::no_value);
    const CodeRule* rule = code_rule(find_function(node.name)->id);
    return rule != nullptr && rule->integer != nullptr ? rule->integer(l, id, node) : l.b.constant(0);
}

ir::Value evaluate(Lowering& l, ast::ExprId id, const ast::Unary& node) { return unary_value(l, id, node); }

ir::Value evaluate(Lowering& l, ast::ExprId, const ast::Binary& node) { return binary_value(l, node); }

ir::Value evaluate(Lowering& l, ast::ExprId, const ast::Conditional& node) {
    if (const auto decision = decision_of(l, node.condition)) return integer_of(l, *decision ? node.yes : node.no);
    const uint32_t result = l.b.new_slot();
    if (node.yes == node.condition) {  // a ?: b
        l.b.write(result, integer_of(l, node.condition));
        l.b.branch(l.b.read(result), [] {}, [&] { l.b.write(result, integer_of(l, node.no)); });
        return l.b.read(result);
    }
    l.b.branch(
        truth(l, integer_of(l, node.condition)), [&] { l.b.write(result, integer_of(l, node.yes)); },
        [&] { l.b.write(result, integer_of(l, node.no)); });
    return l.b.read(result);
}

ir::Value evaluate(Lowering& l, ast::ExprId, const ast::BlockValue& node) {
    l.printed_maps.clear();  // the value may be wanted in one branch only
    run_block(l, node);
    return node.value ? integer_of(l, *node.value) : l.b.constant(0);
}

ir::Value evaluate(Lowering& l, ast::ExprId, const ast::Positional&) { return l.b.constant(0); }

ir::Value evaluate(Lowering& l, ast::ExprId id, const ast::Defined&) {
    return l.b.constant(std::get<ConstantUse>(l.use(id)).value);
}

ir::Value evaluate(Lowering& l, ast::ExprId, const ast::AnyPart&) { return l.b.constant(0); }

ir::Value evaluate(Lowering& l, ast::ExprId, const ast::Step& node) {
    if (const auto* map = std::get_if<MapUse>(&l.use(node.target))) return step_map(l, node, map->index);
    const uint32_t local = std::get<LocalUse>(l.use(node.target)).index;
    const Type& type = l.locals()[local].type;
    const ir::Value before = l.b.read(l.local_slots[local]);
    set_local(l, local, arithmetic(l, node.op, type.is_signed, before, l.b.constant(element_size(type))));
    return node.before ? l.b.read(l.local_slots[local]) : before;
}

ir::Value evaluate(Lowering& l, ast::ExprId, const ast::Boolean& node) { return l.b.constant(node.value); }

ir::Value evaluate(Lowering& l, ast::ExprId id, const ast::Member&) {
    if (const auto* pair = std::get_if<PairUse>(&l.use(id))) return pair_integer(l, *pair);
    if (const auto* of_program = std::get_if<ProgramUse>(&l.use(id)); of_program && of_program->variable.is_value)
        return computed_value(l, of_program->variable, l.type(id));
    if (const auto* from = std::get_if<SourceUse>(&l.use(id)); from && !from->source.is_memory())
        return source_value(l, id, from->source);
    if (!std::holds_alternative<FieldUse>(l.use(id))) return fetched(l, id);
    return argument_value(l, std::get<FieldUse>(l.use(id)).field);
}

// An element of an array in a tracepoint's record is loaded from the record if its index is constant.
ir::Value evaluate(Lowering& l, ast::ExprId id, const ast::Index& node) {
    if (l.type(node.base).aggregation == Aggregation::samples) return bucket_value(l, node);
    const auto* field = std::get_if<FieldUse>(&l.use(node.base));
    const auto* number = std::get_if<ast::Integer>(&l.program[node.index].node);
    const bool in_place = field && number && !frozen_index(l, node.base) && element(l.type(node.base)) && in_record(l);
    if (!in_place) return fetched(l, id);
    const Type& t = l.type(id);
    return ir::field(l.b, field->field.offset + static_cast<uint32_t>(number->value) * t.size,
                     static_cast<uint8_t>(t.size), t.is_signed);
}

ir::Value evaluate(Lowering& l, ast::ExprId, const ast::Tuple&) { return l.b.constant(0); }

ir::Value evaluate(Lowering& l, ast::ExprId id, const ast::Cast& node) {
    const Type& t = l.type(id);
    const bool decays = node.decays || node.type.pointers > 0;
    if (decays && in_memory(l.type(node.value)) && lies_in_memory(l, node.value))
        return address_of(l, location_of(l, node.value));
    if (l.type(node.value).kind == Kind::array)
        return l.b.load(text_of(l, node.value, 8), 0, static_cast<uint8_t>(t.size), t.is_signed);
    if (l.type(node.value).kind == Kind::string)
        return truth(l, l.b.load(text_of(l, node.value, padded_size(l.type(node.value).size)), 0, 1));
    const ir::Value v = integer_of(l, node.value);
    if (t.view == View::boolean) return truth(l, v);
    return l.b.extend(v, static_cast<uint8_t>(t.size), t.is_signed);
}

ir::Value evaluate(Lowering& l, ast::ExprId id, const ast::SizeOf&) {
    return l.b.constant(std::get<ConstantUse>(l.use(id)).value);
}

ir::Value evaluate(Lowering& l, ast::ExprId id, const ast::OffsetOf&) {
    return l.b.constant(std::get<ConstantUse>(l.use(id)).value);
}

}  // namespace

ir::Value integer_of(Lowering& l, ast::ExprId id) {
    if (const auto i = frozen_index(l, id)) return l.b.read(l.thawed[*i].slot);
    return std::visit([&](const auto& node) { return evaluate(l, id, node); }, l.program[id].node);
}

void value_into(Lowering& l, ast::ExprId id, ir::Value to, uint32_t offset, const Type& target) {
    if (!in_memory(target)) return l.b.store(to, offset, integer_of(l, id));
    if (target.kind != Kind::tuple) return text_into(l, id, to, offset, padded_size(target.size));
    const auto* literal = std::get_if<ast::Tuple>(&l.program[id].node);
    if (literal && !frozen_index(l, id)) {
        for (size_t i = 0; i < literal->parts.size(); i++) {  // in source order
            const size_t at = same_part(target, l.type(id), i);
            value_into(l, literal->parts[i], to, offset + tuple_offset(target, at), target.shape->parts[at]);
        }
        return;
    }
    if (const auto* choice = std::get_if<ast::Conditional>(&l.program[id].node); choice && !frozen_index(l, id)) {
        if (const auto decision = decision_of(l, choice->condition))
            return value_into(l, *decision ? choice->yes : choice->no, to, offset, target);
        return l.b.branch(
            truth(l, integer_of(l, choice->condition)), [&] { value_into(l, choice->yes, to, offset, target); },
            [&] { value_into(l, choice->no, to, offset, target); });
    }
    if (l.type(id) == target) return text_into(l, id, to, offset, padded_size(target.size));
    tuple_parts(l, l.type(id), text_of(l, id, padded_size(l.type(id).size)), 0, target, to, offset);
}

ir::Value value_as(Lowering& l, ast::ExprId id, const Type& target) {
    if (target.kind != Kind::tuple || l.type(id) == target) return text_of(l, id, padded_size(target.size));
    const ir::Value out = l.b.buffer(padded_size(target.size));
    value_into(l, id, out, 0, target);
    return out;
}

}  // namespace lt
