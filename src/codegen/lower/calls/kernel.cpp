// Functions that need the kernel or another process for their result, and override(), which changes a function's return
// value.
#include <fmt/format.h>
#include <linux/bpf.h>

#include <algorithm>

#include "codegen/ir/outside.h"
#include "codegen/lower/calls/code.h"
#include "codegen/lower/context.h"
#include "codegen/lower/values/arguments.h"
#include "codegen/lower/values/value.h"
#include "codegen/lower/values/variable.h"
#include "codegen/typed/calls/facts.h"

#include "arch/arch.h"

namespace lt {
namespace {

ir::Value per_cpu_address(Lowering& l, ast::ExprId id, const ast::Call& node) {
    Builder& b = l.b;
    const auto constant_of = [&](ast::ExprId at) { return b.constant(std::get<ConstantUse>(l.use(at)).value); };
    const ir::Value cpu = node.arguments.size() > 1 ? integer_of(l, node.arguments[1])
                                                    : b.extend(b.helper(BPF_FUNC_get_smp_processor_id), 4, false);
    const uint32_t result = b.new_slot();
    b.write(result, b.constant(0));
    b.branch(b.alu(ir::Alu::ult, cpu, session_value(l, SessionValue::cpus)), [&] {
        const ir::Value at =
            b.alu(ir::Alu::add, constant_of(node.arguments[0]), b.alu(ir::Alu::mul, cpu, b.constant(8)));
        const ir::Value distance = b.fetch(at, 8, false, false, l.unit.loss(LossKind::failed_read, 0));
        b.write(result, b.alu(ir::Alu::add, constant_of(id), distance));
    });
    return b.read(result);
}

ir::Value user_address(Lowering& l, ast::ExprId id, const ast::Call&) {
    Builder& b = l.b;
    return b.alu(ir::Alu::add, ir::field(b, arch::native.instruction_pointer.offset, 8, false),
                 b.constant(std::get<ConstantUse>(l.use(id)).value));
}

ir::Value cookie(Lowering& l, ast::ExprId, const ast::Call& node) {
    return l.b.helper(BPF_FUNC_get_socket_cookie, {handed_address(l, node.arguments[0])});
}

void override_return(Lowering& l, const ast::Call& node) {
    Builder& b = l.b;
    b.helper(BPF_FUNC_override_return, {ir::context(b), integer_of(l, node.arguments[0])});
}

// The map has one entry per CPU; the loader knows their number.
uint32_t counter_map(Unit& unit, const PerfEvent& event, std::string name) {
    std::vector<PlannedCounter>& all = unit.plan().counters;
    const auto existing = std::ranges::find(all, event, &PlannedCounter::event);
    const std::string symbol = existing != all.end() ? existing->symbol : fmt::format("lt_counter_{}", all.size());
    if (existing == all.end()) all.push_back({symbol, event, std::move(name)});
    return unit.shared_map({symbol, ir::Storage::perf_events, 4, 4, 0, false});
}

// Errors are negative numbers; no count is that large.
ir::Value counter_value(Lowering& l, ast::ExprId id, const ast::Call& node) {
    constexpr uint32_t this_cpu = 0xffffffff;  // BPF_F_CURRENT_CPU
    Builder& b = l.b;
    const uint32_t map =
        counter_map(l.unit, std::get<CounterUse>(l.use(id)).event, text_literal(l.expr(node.arguments[0])));
    const ir::Value count = b.helper(BPF_FUNC_perf_event_read, {b.map(map), b.constant(this_cpu)});
    const uint32_t result = b.new_slot();
    b.write(result, count);
    b.branch(b.alu(ir::Alu::slt, count, b.constant(0)), [&] {
        b.loss(l.unit.loss(LossKind::failed_read, 0));
        b.write(result, b.constant(0));
    });
    return b.read(result);
}

// function, number, bytes, statement
constexpr CodeRule kernel_rules[] = {
    {Function::process_comm, first_argument},
    {Function::percpu_kaddr, per_cpu_address},
    {Function::uaddr, user_address},
    {Function::socket_cookie, cookie},
    {Function::override_, nullptr, nullptr, override_return},
    {Function::counter, counter_value},
};

}  // namespace

std::span<const CodeRule> kernel_code() { return kernel_rules; }

}  // namespace lt
