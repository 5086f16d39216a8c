#include "codegen/lower/values/arguments.h"

#include <linux/bpf.h>

#include <algorithm>
#include <array>

#include "arch/arch.h"
#include "codegen/ir/outside.h"
#include "codegen/lower/system_calls.h"
#include "codegen/lower/values/location.h"
#include "codegen/lower/values/memory.h"
#include "codegen/lower/values/text.h"
#include "codegen/lower/values/value.h"

namespace lt {
namespace {

struct AluRow {
    LocationStep::Op step;
    ir::Alu alu;
};

constexpr std::array operations{
    AluRow{LocationStep::Op::add, ir::Alu::add},
    AluRow{LocationStep::Op::subtract, ir::Alu::sub},
    AluRow{LocationStep::Op::multiply, ir::Alu::mul},
    AluRow{LocationStep::Op::bit_and, ir::Alu::bit_and},
    AluRow{LocationStep::Op::bit_or, ir::Alu::bit_or},
    AluRow{LocationStep::Op::bit_xor, ir::Alu::bit_xor},
    AluRow{LocationStep::Op::shift_left, ir::Alu::shl},
    AluRow{LocationStep::Op::shift_right, ir::Alu::lshr},
    AluRow{LocationStep::Op::shift_right_signed, ir::Alu::ashr},
};

// The results of the steps, with the last number on top: the variable's value, or else its address. The steps have been
// checked: each has its operands.
std::vector<ir::Value> program_words(Lowering& l, const ProgramVariable& variable) {
    using Op = LocationStep::Op;
    std::vector<ir::Value> stack;
    const auto take = [&] {
        const ir::Value top = stack.back();
        stack.pop_back();
        return top;
    };
    for (const LocationStep& step : variable.steps) {
        if (step.op == Op::constant) {
            stack.push_back(l.b.constant(step.number));
        } else if (step.op == Op::saved) {
            stack.push_back(ir::field(l.b, static_cast<uint32_t>(step.number), 8, false));
        } else if (step.op == Op::code) {
            const ir::Value here = ir::field(l.b, arch::native.instruction_pointer.offset, 8, false);
            stack.push_back(l.b.alu(ir::Alu::add, here, l.b.constant(step.number)));
        } else if (step.op == Op::fetch) {
            const auto width = static_cast<uint8_t>(step.number);
            stack.push_back(read_word(l, take(), width, false, in_program(l.body.place), l.b.where()));
        } else if (step.op == Op::copy) {
            stack.push_back(stack[stack.size() - 1 - static_cast<size_t>(step.number)]);
        } else if (step.op == Op::drop) {
            take();
        } else if (step.op == Op::swap) {
            std::swap(stack.back(), stack[stack.size() - 2]);
        } else {
            const ir::Value upper = take(), lower = take();
            stack.push_back(l.b.alu(std::ranges::find(operations, step.op, &AluRow::step)->alu, lower, upper));
        }
    }
    return stack;
}

}  // namespace

// A structure in registers is copied to the program's memory.
Location program_location(Lowering& l, const ProgramVariable& variable) {
    const std::vector<ir::Value> words = program_words(l, variable);
    if (!variable.is_value) return {words.back(), in_program(l.body.place)};
    Location own;
    own.base = l.b.buffer(8 * variable.words);
    own.direct = true;
    for (uint32_t i = 0; i < variable.words; i++) l.b.store(own.base, 8 * i, words[words.size() - variable.words + i]);
    return own;
}

void all_arguments_into(Lowering& l, ast::ExprId id, ir::Value to) {
    const auto& all = std::get<ArgumentsUse>(l.use(id));
    const Type& record = l.type(id);
    const auto read = [&](ir::Value at, uint32_t size, ir::Value from, bool user) {
        count_failure(l, l.b.helper(user ? BPF_FUNC_probe_read_user : BPF_FUNC_probe_read_kernel,
                                    {at, l.b.constant(size), from}));
    };
    size_t part = 0;
    for (const Field& field : all.fields) {
        const uint32_t offset = tuple_offset(record, part++);
        if (!in_memory(field.type))
            l.b.store(to, offset, argument_value(l, field));
        else if (field.type.kind == Kind::string)
            field_text(l, field, l.b.address(to, offset), field.type.size);
        else
            read(l.b.address(to, offset), field.type.size,
                 l.b.alu(ir::Alu::add, ir::context(l.b), l.b.constant(field.offset)), false);
    }
    for (const ProgramVariable& v : all.variables) {
        const uint32_t offset = tuple_offset(record, part++);
        if (!in_memory(v.type)) {
            l.b.store(to, offset, program_value(l, v));
            continue;
        }
        const Location p = program_location(l, v);
        const ir::Value from = p.direct ? l.b.address(p.base, p.offset) : address_of(l, p);
        if (v.type.kind != Kind::string) {
            read(l.b.address(to, offset), v.type.size, from, p.user);
            continue;
        }
        const auto at = [&](uint32_t more) {
            return p.direct ? l.b.address(from, more) : l.b.alu(ir::Alu::add, from, l.b.constant(more));
        };
        count_failure(l, read_letters(l, l.b.address(to, offset), v.type.size, p.user, at));
    }
}

ir::Value program_value(Lowering& l, const ProgramVariable& variable) {
    const auto width = static_cast<uint8_t>(variable.type.size);
    if (variable.is_value) return computed_value(l, variable, variable.type);
    return read_word(l, address_of(l, program_location(l, variable)), width, variable.type.is_signed,
                     in_program(l.body.place), l.b.where());
}

ir::Value argument_value(Lowering& l, const Field& field) {
    const auto width = static_cast<uint8_t>(field.type.size);
    if (serves_system_calls(l.body.place)) return l.b.extend(call_value(l, field), width, field.type.is_signed);
    if (in_record(l)) return ir::field(l.b, field.offset, width, field.type.is_signed);
    if (l.as_handed) return ir::field(l.b, field.offset * 8, 8, false);
    return l.b.extend(ir::argument(l.b, field.offset), width, field.type.is_signed);
}

ir::Value handed_address(Lowering& l, ast::ExprId id) {
    l.as_handed = true;
    const ir::Value at = in_memory(l.type(id)) ? address_of(l, location_of(l, id)) : integer_of(l, id);
    l.as_handed = false;
    return at;
}

ir::Value marker_argument(Lowering& l, const MarkerArgument& a) {
    const auto width = static_cast<uint8_t>(a.size);
    const auto saved = [&](const SavedRegister& r) { return ir::field(l.b, r.offset, 8, false); };
    switch (a.where) {
        case MarkerArgument::Where::constant:
            return l.b.extend(l.b.constant(a.number), width, a.is_signed);
        case MarkerArgument::Where::in_register:
            return ir::field(l.b, a.base->offset, width, a.is_signed);
        case MarkerArgument::Where::memory: {
            ir::Value at = l.b.constant(a.number);
            if (a.base) at = l.b.alu(ir::Alu::add, saved(*a.base), at);
            if (a.index) at = l.b.alu(ir::Alu::add, l.b.alu(ir::Alu::mul, saved(*a.index), l.b.constant(a.scale)), at);
            return l.b.fetch(at, width, a.is_signed, true, l.unit.loss(LossKind::failed_read, 0));
        }
        case MarkerArgument::Where::unknown:
            break;
    }
    return l.b.constant(0);
}

bool in_record(const Lowering& l) {
    return !record(l.body.place).event.empty() && event_place(l.body.place).arguments_of.empty();
}

ir::Value computed_value(Lowering& l, const ProgramVariable& variable, const Type& type) {
    return l.b.extend(program_words(l, variable).back(), static_cast<uint8_t>(type.size), type.is_signed);
}

}  // namespace lt
