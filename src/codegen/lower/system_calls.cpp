// A program at the raw tracepoint for the start or end of all system calls first checks whether this is one of its
// calls. It finds only registers, and the number of the call or its result.
//
// If the programs differ between calls, one program at that tracepoint continues in the call's program with a tail
// call. That program gets what its own tracepoint would provide.
#include "codegen/lower/system_calls.h"

#include <fmt/format.h>
#include <linux/bpf.h>

#include <functional>

#include "arch/arch.h"
#include "codegen/ir/follow.h"
#include "codegen/ir/outside.h"
#include "codegen/lower/spans/frame.h"
#include "codegen/lower/values/location.h"
#include "runtime/border/run_words.h"
#include "stdlib/system_calls.h"

namespace lt {
namespace {

constexpr int64_t numbers = system_call_numbers;
constexpr uint32_t row_size = 2;  // u16: 0, or the index of the location plus one

// In the records of raw_syscalls:sys_enter and sys_exit.
constexpr uint32_t number_in_record = 8;

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

bool knows_types(const Lowering& l) { return l.way == Way::typed_tracepoint; }

ir::Value is_wide(Lowering& l) { return is_wide_call(l, event_place(l.body.place).narrow); }

// The number of the call that ends, which stands in the registers.
ir::Value ended_call(Lowering& l) {
    const ir::Value at =
        l.b.alu(ir::Alu::add, ir::argument(l.b, 0), l.b.constant(arch::native.system_call_number.offset));
    return knows_types(l) ? ir::follow(l.b, at, 8, false)
                          : l.b.fetch(at, 8, false, false, l.unit.loss(LossKind::failed_read, 0));
}

// The program that calls the programs in the table.
Attachment all_calls(const BodyContext& c, const std::string& table, bool at_return) {
    const bool at_end = at_calls_end(c.body.place, at_return);
    Attachment a;
    a.program = fmt::format("calls_{}_{}", c.number(), end_name(at_end));
    a.at_return = at_return;
    a.site = TracepointSite{
        std::string(all_calls_category), std::string(at_end ? all_calls_exit : all_calls_entry),
        at_end ? event_place(c.body.place).by_number->at_end : event_place(c.body.place).by_number->entry};
    constexpr uint32_t size = 4;
    const uint32_t map = c.unit.add_map({table, ir::Storage::programs, size, size, system_call_numbers, false});
    Lowering l(c, a.program, Way::system_call, at_return);
    const ir::Value call = ir::field(l.b, number_in_record, 8, false);
    l.b.branch(l.b.alu(ir::Alu::ult, call, l.b.constant(numbers)), [&] {
        l.b.branch(is_wide(l), [&] { l.b.helper(BPF_FUNC_tail_call, {ir::context(l.b), l.b.map(map), call}); });
    });
    l.finish(l.body.place.span);
    return a;
}

}  // namespace

ir::Value is_wide_call(Lowering& l, const std::vector<Member>& path) {
    Location word;
    word.base = l.b.helper(knows_types(l) ? BPF_FUNC_get_current_task_btf : variable_row(Variable::curtask).helper);
    word.root = "struct task_struct";
    word.path = path;
    const ir::Value at = address_of(l, word);
    const ir::Value status = knows_types(l) ? ir::follow(l.b, at, 4, false)
                                            : l.b.fetch(at, 4, false, false, l.unit.loss(LossKind::failed_read, 0));
    return l.b.alu(ir::Alu::eq, l.b.alu(ir::Alu::bit_and, status, l.b.constant(arch::native.narrow_call_mask)),
                   l.b.constant(0));
}

bool at_calls_end(const ResolvedPlace& place, bool at_return) {
    return at_return || record(place).event.starts_with(syscall_exit);
}

namespace {

// The program may still be attached after the run.
void unless_over(Lowering& l, const std::function<void()>& work) {
    if (!way_row(l.way).lingers) return work();
    l.unit.plan().ends_by_word = true;
    l.b.branch(l.b.alu(ir::Alu::eq, ir::stopping(l.b), l.b.constant(run_is_over)), [] {}, work);
}

void where_served(Lowering& l, const std::function<void()>& work) {
    if (!serves_system_calls(l.body.place)) return where_begun(l, work);
    const ir::Value number = at_calls_end(l.body.place, l.at_return) ? ended_call(l) : ir::argument(l.b, 1);
    l.b.branch(l.b.alu(ir::Alu::ult, number, l.b.constant(numbers)), [&] {
        const ir::Value rows = l.b.text(l.unit.text(table(l.body.place.members), numbers * row_size));
        const ir::Value distance = l.b.alu(ir::Alu::mul, number, l.b.constant(row_size));
        l.call_number = number;
        l.call_row = l.b.load(l.b.address_plus(rows, distance), 0, row_size);
        l.b.branch(l.call_row, [&] { l.b.branch(is_wide(l), work); });
    });
}

}  // namespace

void where_called(Lowering& l, const std::function<void()>& work) {
    unless_over(l, [&] { where_served(l, work); });
}

ir::Value place_index(Lowering& l) {
    return serves_system_calls(l.body.place) ? l.b.alu(ir::Alu::sub, l.call_row, l.b.constant(1))
                                             : l.b.helper(BPF_FUNC_get_attach_cookie, {ir::context(l.b)});
}

ir::Value call_value(Lowering& l, const Field& field) {
    return field.name == syscall_number ? l.call_number : ir::argument(l.b, 1);
}

void call_by_number(const BodyContext& c, std::vector<Attachment> all, Rung& rung) {
    for (Attachment& own : rung.attachments) {
        const bool at_end = at_calls_end(c.body.place, own.at_return);
        const auto is_there = [&](const Attachment& a) {
            const auto* call = std::get_if<CallSite>(&a.site);
            return call && call->own.event.starts_with(syscall_exit) == at_end;
        };
        const auto existing = std::ranges::find_if(all, is_there);
        const std::string table = existing != all.end() ? std::get<CallSite>(existing->site).table
                                                        : fmt::format("lt_calls_{}_{}", c.number(), end_name(at_end));
        if (existing == all.end()) all.push_back(all_calls(c, table, own.at_return));
        own.site = CallSite{std::get<TracepointSite>(own.site), event_place(c.body.place).by_number->number, table};
        all.push_back(std::move(own));
    }
    rung.attachments = std::move(all);
}

}  // namespace lt
