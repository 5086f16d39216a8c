// Many system calls by one program at the raw tracepoint where all of them begin, or end: first of all it asks whether
// this is one of them. What it is told there are the registers, and the call's number or its result.
#include "lower.h"
#include "stdlib/system_calls.h"

namespace lt {
namespace {

constexpr int64_t numbers = system_call_numbers;
constexpr uint32_t row_size = 2;      // u16: 0, or one more than the index of the place
constexpr int64_t original_ax = 120;  // of struct pt_regs: the number of the call, while it runs
constexpr int64_t is_narrow = 2;      // TS_COMPAT: a call of 32 bits, whose numbers mean others

std::string table(const std::vector<SharedPlace>& members) {
    std::string rows(numbers * row_size, '\0');
    for (size_t i = 0; i < members.size(); i++) {
        const auto row = static_cast<uint16_t>(i + 1);
        const size_t at = size_t{members[i].system_call} * row_size;
        if (at >= rows.size()) continue;
        rows[at] = static_cast<char>(row & 0xff);
        rows[at + 1] = static_cast<char>(row >> 8);
    }
    return rows;
}

}  // namespace

bool BodyLowering::at_calls_end(bool at_return) const {
    return at_return || body_.place.tracepoint.event.starts_with(syscall_exit);
}

Attachment BodyLowering::system_calls(Attachment a) const {
    a.event = at_calls_end(a.at_return) ? "sys_exit" : "sys_enter";
    return a;
}

// Runs the work where this is one of the calls.
void BodyLowering::where_called(const std::function<void()>& work) {
    if (!serves_system_calls(body_.place)) return work();
    const uint32_t loss = unit_.loss(LossKind::failed_read, 0);
    const ir::Value registers = b_->argument(0);
    const ir::Value number =
        at_calls_end_ ? b_->fetch(b_->alu(ir::Alu::add, registers, b_->constant(original_ax)), 8, false, false, loss)
                      : b_->argument(1);
    const auto is_wide = [&] {
        const Location word{b_->helper(variable_row(Variable::curtask).helper),
                            false,
                            false,
                            0,
                            "struct task_struct",
                            body_.place.narrow};
        const ir::Value status = b_->fetch(address(word), 4, false, false, loss);
        return b_->alu(ir::Alu::eq, b_->alu(ir::Alu::bit_and, status, b_->constant(is_narrow)), b_->constant(0));
    };
    b_->branch(b_->alu(ir::Alu::ult, number, b_->constant(numbers)), [&] {
        const ir::Value rows = b_->text(unit_.text(table(body_.place.members), numbers * row_size));
        const ir::Value distance = b_->alu(ir::Alu::mul, number, b_->constant(row_size));
        call_number_ = number;
        call_row_ = b_->load(b_->address_plus(rows, distance), 0, row_size);
        b_->branch(call_row_, [&] { b_->branch(is_wide(), work); });
    });
}

// Which of the places that the program serves this is.
ir::Value BodyLowering::place_index() {
    constexpr int helper_get_attach_cookie = 174;
    return serves_system_calls(body_.place) ? b_->alu(ir::Alu::sub, call_row_, b_->constant(1))
                                            : b_->helper(helper_get_attach_cookie, {b_->context()});
}

// Of the fields that the records of all calls have at one place: the number, and the result.
ir::Value BodyLowering::call_field(const Field& field) {
    return field.name == syscall_number ? call_number_ : b_->argument(1);
}

}  // namespace lt
