// Variables of programs: the steps that their debug information tells, from the registers to where they lie.
#include <algorithm>
#include <array>

#include "lower.h"
#include "operators.h"

namespace lt {
namespace {

constexpr int helper_probe_read_user = 112;
constexpr int helper_probe_read_kernel = 113;
constexpr uint32_t instruction_pointer = 128;  // in struct pt_regs of x86-64

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

}  // namespace

// A structure in registers is put into memory of the program.
BodyLowering::Location BodyLowering::program_place(const ProgramVariable& variable) {
    const std::vector<ir::Value> words = located(variable);
    if (!variable.is_value) return {words.back(), in_program(body_.place)};
    Location own;
    own.base = b_->buffer(8 * variable.words);
    own.direct = true;
    for (uint32_t i = 0; i < variable.words; i++) b_->store(own.base, 8 * i, words[words.size() - variable.words + i]);
    return own;
}

// What the steps leave, the last number on top: its value, where they give that, else its address. They have been
// checked: each finds what it takes.
std::vector<ir::Value> BodyLowering::located(const ProgramVariable& variable) {
    using Op = LocationStep::Op;
    std::vector<ir::Value> stack;
    const auto take = [&] {
        const ir::Value top = stack.back();
        stack.pop_back();
        return top;
    };
    for (const LocationStep& step : variable.steps) {
        if (step.op == Op::constant) {
            stack.push_back(b_->constant(step.number));
        } else if (step.op == Op::saved) {
            stack.push_back(b_->field(static_cast<uint32_t>(step.number), 8, false));
        } else if (step.op == Op::code) {
            const ir::Value here = b_->field(instruction_pointer, 8, false);
            stack.push_back(b_->alu(ir::Alu::add, here, b_->constant(step.number)));
        } else if (step.op == Op::fetch) {
            const auto width = static_cast<uint8_t>(step.number);
            stack.push_back(read_word(take(), width, false, in_program(body_.place), b_->where()));
        } else if (step.op == Op::copy) {
            stack.push_back(stack[stack.size() - 1 - static_cast<size_t>(step.number)]);
        } else if (step.op == Op::drop) {
            take();
        } else if (step.op == Op::swap) {
            std::swap(stack.back(), stack[stack.size() - 2]);
        } else {
            const ir::Value upper = take(), lower = take();
            stack.push_back(b_->alu(std::ranges::find(operations, step.op, &AluRow::step)->alu, lower, upper));
        }
    }
    return stack;
}

// A record of all arguments, to memory that is zero.
void BodyLowering::arguments_into(ast::ExprId id, ir::Value to) {
    const auto& all = std::get<ArgumentsUse>(use(id));
    const Type& record = type(id);
    const auto read = [&](ir::Value at, uint32_t size, ir::Value from, bool user) {
        count_failure(
            b_->helper(user ? helper_probe_read_user : helper_probe_read_kernel, {at, b_->constant(size), from}));
    };
    size_t part = 0;
    for (const Field& field : all.fields) {
        const uint32_t offset = tuple_offset(record, part++);
        if (!in_memory(field.type))
            b_->store(to, offset, argument_value(field));
        else if (field.type.kind == Kind::string)
            field_string(field, b_->address(to, offset), field.type.size);
        else
            read(b_->address(to, offset), field.type.size,
                 b_->alu(ir::Alu::add, b_->context(), b_->constant(field.offset)), false);
    }
    for (const ProgramVariable& v : all.variables) {
        const uint32_t offset = tuple_offset(record, part++);
        if (!in_memory(v.type)) {
            b_->store(to, offset, variable_value(v));
            continue;
        }
        const Location p = program_place(v);
        const ir::Value from = p.direct ? b_->address(p.base, p.offset) : address(p);
        if (v.type.kind != Kind::string) {
            read(b_->address(to, offset), v.type.size, from, p.user);
            continue;
        }
        const auto at = [&](uint32_t more) {
            return p.direct ? b_->address(from, more) : b_->alu(ir::Alu::add, from, b_->constant(more));
        };
        count_failure(letters_into(b_->address(to, offset), v.type.size, p.user, at));
    }
}

}  // namespace lt
