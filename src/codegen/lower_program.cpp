// Variables of programs: the steps that their debug information tells, from the registers to where they lie.
#include <algorithm>
#include <array>

#include "lower.h"

namespace lt {
namespace {

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

}  // namespace lt
