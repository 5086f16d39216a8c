// Many system calls by one program at the raw tracepoint where all of them begin, or end: first of all it asks whether
// this is one of them. What it is told there are the registers, and the call's number or its result.
//
// Where programs differ from call to call, one at the tracepoint of all calls goes on to that of the call, by a tail
// call: those find there what their own tracepoint would have handed over.
#include <fmt/format.h>

#include <algorithm>

#include "lower.h"
#include "stdlib/system_calls.h"

namespace lt {
namespace {

constexpr int64_t numbers = system_call_numbers;
constexpr uint32_t row_size = 2;      // u16: 0, or one more than the index of the place
constexpr int64_t original_ax = 120;  // of struct pt_regs: the number of the call, while it runs
constexpr int64_t is_narrow = 2;      // TS_COMPAT: a call of 32 bits, whose numbers mean others

// In the records of raw_syscalls:sys_enter and sys_exit.
constexpr uint32_t number_in_record = 8;
constexpr int helper_tail_call = 12;

std::string_view end_name(bool at_end) { return at_end ? "end" : "entry"; }

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

ir::Value BodyLowering::is_wide_call() {
    const ir::Value task = b_->helper(variable_row(Variable::curtask).helper);
    const Location word{task, false, false, 0, "struct task_struct", body_.place.narrow};
    const ir::Value status = b_->fetch(address(word), 4, false, false, unit_.loss(LossKind::failed_read, 0));
    return b_->alu(ir::Alu::eq, b_->alu(ir::Alu::bit_and, status, b_->constant(is_narrow)), b_->constant(0));
}

// Runs the work where this is one of the calls.
void BodyLowering::where_called(const std::function<void()>& work) {
    if (!serves_system_calls(body_.place)) return work();
    const uint32_t loss = unit_.loss(LossKind::failed_read, 0);
    const ir::Value registers = b_->argument(0);
    const ir::Value number =
        at_calls_end_ ? b_->fetch(b_->alu(ir::Alu::add, registers, b_->constant(original_ax)), 8, false, false, loss)
                      : b_->argument(1);
    b_->branch(b_->alu(ir::Alu::ult, number, b_->constant(numbers)), [&] {
        const ir::Value rows = b_->text(unit_.text(table(body_.place.members), numbers * row_size));
        const ir::Value distance = b_->alu(ir::Alu::mul, number, b_->constant(row_size));
        call_number_ = number;
        call_row_ = b_->load(b_->address_plus(rows, distance), 0, row_size);
        b_->branch(call_row_, [&] { b_->branch(is_wide_call(), work); });
    });
}

// ---- by number

PlannedProbe& Unit::pattern(const Body& body) {
    const bool at_end = body.place.tracepoint.event.starts_with(syscall_exit);
    const std::pair call{body.place.by_number->number, at_end};
    const auto is_it = [&](const Pattern& p) {
        const Body& b = *p.first;
        return b.item == body.item && b.role == body.role && b.endpoint == body.endpoint &&
               b.place.span == body.place.span && b.place.by_number->pattern == body.place.by_number->pattern &&
               !p.calls.contains(call);
    };
    auto known = std::ranges::find_if(patterns_, is_it);
    if (known == patterns_.end()) {
        probe(body.place).text = body.place.by_number->pattern;
        known = patterns_.insert(patterns_.end(), {&body, out_.plan.probes.size() - 1});
    }
    known->calls.insert(call);
    PlannedProbe& all = out_.plan.probes[known->probe];
    all.places = static_cast<uint32_t>(known->calls.size());
    return all;
}

uint32_t Unit::call_table(const std::string& symbol) {
    constexpr uint32_t size = 4;
    out_.maps.push_back({symbol, ir::Storage::programs, size, size, system_call_numbers, false});
    return static_cast<uint32_t>(out_.maps.size() - 1);
}

// Puts what the call has behind what the pattern's other ones have, at each end into the table there. The first at an
// end makes table and program.
void BodyLowering::call_by_number(std::vector<Attachment> all, Rung& rung) {
    for (Attachment& own : rung.attachments) {
        const bool at_end = at_calls_end(own.at_return);
        const auto is_there = [&](const Attachment& a) {
            return !a.table.empty() && a.event.starts_with(syscall_exit) == at_end;
        };
        const auto known = std::ranges::find_if(all, is_there);
        own.number = body_.place.by_number->number;
        own.table = known != all.end() ? known->table : fmt::format("lt_calls_{}_{}", number(), end_name(at_end));
        if (known == all.end()) all.push_back(all_calls(own.table, own.at_return));
        all.push_back(std::move(own));
    }
    rung.attachments = std::move(all);
}

// The program that calls those of the table.
Attachment BodyLowering::all_calls(const std::string& table, bool at_return) {
    const bool at_end = at_calls_end(at_return);
    Attachment a;
    a.program = fmt::format("calls_{}_{}", number(), end_name(at_end));
    a.at_return = at_return;
    a.function = all_calls_category;
    a.event = at_end ? all_calls_exit : all_calls_entry;
    a.number = at_end ? body_.place.by_number->at_end : body_.place.by_number->entry;
    const uint32_t map = unit_.call_table(table);
    begin(a.program, Way::system_call, at_return);
    const ir::Value call = b_->field(number_in_record, 8, false);
    b_->branch(b_->alu(ir::Alu::ult, call, b_->constant(numbers)), [&] {
        b_->branch(is_wide_call(), [&] { b_->helper(helper_tail_call, {b_->context(), b_->map(map), call}); });
    });
    finish(body_.place.span);
    return a;
}

// ---- what they are told

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
