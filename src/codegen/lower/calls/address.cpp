// Functions about addresses, names, and clocks. A name is stored as a number or a few bytes; the runtime looks up the
// text when it prints.
#include <linux/bpf.h>
#include <sys/socket.h>

#include <optional>

#include "arch/arch.h"
#include "codegen/ir/outside.h"
#include "codegen/lower/calls/code.h"
#include "codegen/lower/context.h"
#include "codegen/lower/system_calls.h"
#include "codegen/lower/values/memory.h"
#include "codegen/lower/values/text.h"
#include "codegen/lower/values/value.h"
#include "codegen/lower/values/variable.h"
#include "codegen/typed/calls/facts.h"
#include "stdlib/system_calls.h"

namespace lt {
namespace {

ir::Value clock_value(Lowering& l, ast::ExprId, const ast::Call& node) {
    const ClockRow& row = *find_clock(std::get<ast::Name>(l.expr(node.arguments[0]).node).name);
    const ir::Value now = l.b.helper(row.helper);
    if (!row.ahead) return now;
    return l.b.alu(ir::Alu::add, now, session_value(l, *row.ahead));
}

// The clock of nsecs(CLOCK); null: it is something else.
const ClockRow* clock_asked(const Lowering& l, ast::ExprId id) {
    const auto* call = l.program.get<ast::Call>(id);
    if (!call || call->name != function_row(Function::nsecs).name || call->arguments.empty()) return nullptr;
    const auto* word = l.program.get<ast::Name>(call->arguments[0]);
    return word ? find_clock(word->name) : nullptr;
}

// The clock of which a variable or a map keeps times, if only nsecs(CLOCK) is assigned to it.
const ClockRow* clock_kept(const Lowering& l, ast::ExprId id) {
    const auto* local = std::get_if<LocalUse>(&l.use(id));
    const auto* map = l.program.get<ast::Map>(id);
    const ClockRow* clock = nullptr;
    for (const ast::Stmt& stmt : l.program.stmts) {
        std::optional<ast::ExprId> value;
        const auto* let = std::get_if<ast::Let>(&stmt.node);
        const auto* assign = std::get_if<ast::Assign>(&stmt.node);
        if (let && let->value && local && l.type(*let->value).kind != Kind::none && l.declared(stmt) == local->index)
            value = let->value;
        if (assign && local) {
            const auto* target = std::get_if<LocalUse>(&l.use(assign->target));
            if (target && target->index == local->index) value = assign->value;
        }
        if (assign && map && l.program.is<ast::Map>(assign->target, map->name)) value = assign->value;
        if (!value) continue;
        const ClockRow* asked = clock_asked(l, *value);
        if (!asked || (clock && clock != asked)) return nullptr;
        clock = asked;
    }
    return clock;
}

bool is_tai(const ClockRow& clock) {
    return clock.helper == BPF_FUNC_ktime_get_tai_ns || clock.ahead == SessionValue::tai_offset;
}

// The runtime takes the number for one of the monotonic clock. Times of other clocks become moments on that clock, and
// those of TAI are as much later as it is ahead of the time of day. nsecs(CLOCK) itself is now, without its helper.
ir::Value moment(Lowering& l, ast::ExprId, const ast::Call& node) {
    const ast::ExprId given = node.arguments[1];
    if (const ClockRow* clock = clock_asked(l, given)) {
        const ir::Value now = l.b.helper(BPF_FUNC_ktime_get_ns);
        if (!is_tai(*clock)) return now;
        const ir::Value tai = l.b.alu(ir::Alu::add, now, session_value(l, SessionValue::tai_offset));
        return l.b.alu(ir::Alu::sub, tai, session_value(l, SessionValue::day_offset));
    }
    const ClockRow* clock = clock_kept(l, given);
    const ir::Value then = integer_of(l, given);
    if (!clock || (clock->helper == BPF_FUNC_ktime_get_ns && !clock->ahead)) return then;
    if (clock->helper != BPF_FUNC_ktime_get_boot_ns)
        return l.b.alu(ir::Alu::sub, then, session_value(l, SessionValue::day_offset));
    const ir::Value boot = l.b.helper(BPF_FUNC_ktime_get_boot_ns);
    return l.b.alu(ir::Alu::sub, then, l.b.alu(ir::Alu::sub, boot, l.b.helper(BPF_FUNC_ktime_get_ns)));
}

void user_symbol_into(Lowering& l, ast::ExprId, const ast::Call& node, ir::Value to) {
    Builder& b = l.b;
    b.store(to, 0, integer_of(l, node.arguments[0]));
    b.store(to, 8, own_process(l));
}

ir::Value register_value(Lowering& l, ast::ExprId, const ast::Call& node) {
    return ir::field(l.b, arch::find_register(text_literal(l.expr(node.arguments[0])))->offset, 8, false);
}

void internet_into(Lowering& l, ast::ExprId, const ast::Call& node, ir::Value to) {
    Builder& b = l.b;
    const ast::ExprId address = node.arguments.back();
    const Type& t = l.type(address);
    const bool longer = in_memory(t) && t.size == longest_internet_address;
    b.store(to, 0,
            node.arguments.size() > 1 ? integer_of(l, node.arguments[0]) : b.constant(longer ? AF_INET6 : AF_INET));
    if (!in_memory(t)) return b.store(to, 8, integer_of(l, address), 4);
    const uint32_t room = padded_size(t.size);
    b.copy(to, 8, bytes_of(l, address, room), room);
}

void known_bytes_into(Lowering& l, ast::ExprId, const ast::Call& node, ir::Value to) {
    const std::string bytes = internet_bytes(text_literal(l.expr(node.arguments[0])));
    const uint32_t room = padded_size(static_cast<uint32_t>(bytes.size()));
    l.b.copy(to, 0, l.b.text(l.unit.text(bytes, room)), room);
}

void hardware_into(Lowering& l, ast::ExprId, const ast::Call& node, ir::Value to) {
    Builder& b = l.b;
    const ast::ExprId from = node.arguments[0];
    if (!in_memory(l.type(from))) return read_bytes(l, to, b.constant(hardware_bytes), from, false);
    b.helper(BPF_FUNC_probe_read_kernel,
             {to, b.constant(hardware_bytes), bytes_of(l, from, padded_size(l.type(from).size))});
}

ir::Value swapped(Lowering& l, ast::ExprId id, const ast::Call& node) {
    Builder& b = l.b;
    return b.call(ir::Library::swap, {integer_of(l, node.arguments[0]), b.constant(l.type(id).size)});
}

ir::Value call_number(Lowering& l, ast::ExprId id, const ast::Call& node) {
    Builder& b = l.b;
    const ir::Value number = integer_of(l, node.arguments[0]);
    const std::vector<Member>& narrow = std::get<CallUse>(l.use(id)).narrow;
    if (narrow.empty()) return number;
    const ir::Value is_narrow = b.alu(ir::Alu::eq, is_wide_call(l, narrow), b.constant(0));
    return b.alu(ir::Alu::bit_or, number, b.alu(ir::Alu::shl, is_narrow, b.constant(narrow_call_bit)));
}

// function, number, bytes, statement
constexpr CodeRule address_rules[] = {
    {Function::nsecs, clock_value},
    {Function::ksym, first_argument},
    {Function::usym, nullptr, user_symbol_into},
    {Function::usym_part, nullptr, user_symbol_into},
    {Function::kaddr, known_number},
    {Function::reg, register_value},
    {Function::ntop, nullptr, internet_into},
    {Function::pton, nullptr, known_bytes_into},
    {Function::macaddr, nullptr, hardware_into},
    {Function::strftime, moment},
    {Function::strerror, first_argument},
    {Function::errno_name, first_argument},
    {Function::signal_name, first_argument},
    {Function::syscall_name, call_number},
    {Function::cgroup_path, first_argument},
    {Function::cgroupid, known_number},
    {Function::bswap, swapped},
};

}  // namespace

std::span<const CodeRule> address_code() { return address_rules; }

}  // namespace lt
