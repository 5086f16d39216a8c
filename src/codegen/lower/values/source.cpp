#include "codegen/lower/values/source.h"

#include "codegen/ir/follow.h"
#include "codegen/ir/outside.h"
#include "codegen/lower/values/arguments.h"
#include "codegen/lower/values/memory.h"

namespace lt {
namespace {

// The member to which the path leads.
ir::Value number_at(Lowering& l, const FieldSource& source, Location at, const std::vector<Member>& path,
                    ast::ExprId id) {
    at.path = path;
    const Type& type = path.back().type;
    const auto width = static_cast<uint8_t>(type.size);
    if (has_known_type(l, source)) return ir::follow(l.b, address_of(l, at), width, type.is_signed);
    return read_word(l, address_of(l, at), width, type.is_signed, false, l.program[id].span);
}

}  // namespace

bool has_known_type(const Lowering& l, const FieldSource& source) {
    return l.way == Way::typed_tracepoint && !source.of_task && !source.hops.back().root.empty();
}

Location source_location(Lowering& l, const FieldSource& source, ast::ExprId id) {
    Location at{source.of_task ? l.b.helper(variable_row(Variable::curtask).helper)
                               : ir::argument(l.b, source.argument.offset)};
    for (const FieldSource::Hop& hop : source.hops) {
        const bool is_first = &hop == source.hops.data();
        if (!is_first && l.way == Way::typed_tracepoint)
            at = {ir::follow(l.b, address_of(l, at), 8, false)};
        else if (!is_first)
            at = {read_word(l, address_of(l, at), 8, false, false, l.program[id].span)};
        at.root = hop.root;
        at.path = hop.path;
    }
    return at;
}

ir::Value source_value(Lowering& l, ast::ExprId id, const FieldSource& source) {
    const Type& t = l.type(id);
    const auto width = static_cast<uint8_t>(t.size);
    if (source.hops.empty() && source.adapted == Adapted::copied)
        return l.b.extend(argument_value(l, source.argument), width, t.is_signed);
    const Location at = source.hops.empty() ? Location{} : source_location(l, source, id);
    const ir::Value value = source.hops.empty() ? argument_value(l, source.argument)
                                                : number_at(l, source, at, source.hops.back().path, id);
    constexpr int64_t all_ones = -1, sector_bits = 9, minor_bits = 20;
    switch (source.adapted) {
        case Adapted::copied:
        case Adapted::or_zero:
            return value;
        case Adapted::unknown_is_zero:
            return l.b.alu(ir::Alu::mul, value, l.b.alu(ir::Alu::ne, value, l.b.constant(all_ones)));
        case Adapted::sectors:
            return l.b.extend(l.b.alu(ir::Alu::lshr, value, l.b.constant(sector_bits)), width, t.is_signed);
        case Adapted::device:
            return l.b.alu(ir::Alu::bit_or, l.b.alu(ir::Alu::shl, value, l.b.constant(minor_bits)),
                           number_at(l, source, at, source.minor, id));
    }
    return value;
}

}  // namespace lt
