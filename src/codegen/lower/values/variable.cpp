#include "codegen/lower/values/variable.h"

#include <linux/bpf.h>

#include <algorithm>
#include <bit>
#include <cstddef>

#include "arch/arch.h"
#include "codegen/ir/outside.h"
#include "codegen/lower/plan/plan.h"
#include "codegen/lower/system_calls.h"
#include "codegen/lower/values/arguments.h"
#include "codegen/lower/values/stack.h"
#include "codegen/providers/provider.h"

namespace lt {
namespace {

uint32_t result_offset(const Tracepoint& exit) {
    const auto ret =
        std::find_if(exit.fields.begin(), exit.fields.end(), [](const Field& f) { return f.name == "ret"; });
    return ret == exit.fields.end() ? 16 : ret->offset;
}

// Counted events can occur at any time; all others are always in user mode or always in the kernel.
ir::Value user_mode(Lowering& l) {
    const Provider& kind = provider(l.body.place);
    if (kind.side == Side::either) {
        const auto& [in, mask] = arch::native.privilege;
        const ir::Value level = l.b.alu(ir::Alu::bit_and, ir::field(l.b, in.offset, 8, false), l.b.constant(mask));
        return l.b.alu(ir::Alu::eq, level, l.b.constant(arch::native.program_privilege));
    }
    return l.b.constant(kind.side == Side::program || l.body.place.special ? 1 : 0);
}

// Each of several locations has a row in one table. The number of rows is a power of two, so that the verifier sees
// that no cookie is out of range.
ir::Value of_places(Lowering& l, const std::vector<std::string>& texts, uint32_t room) {
    if (texts.size() == 1) return l.b.text(l.unit.text(texts.front().substr(0, room - 1), room));
    const size_t rows = std::bit_ceil(texts.size());
    std::string table;
    for (const std::string& text : texts) {
        table += text.substr(0, room - 1);
        table.resize((table.size() / room + 1) * room);
    }
    const auto size = static_cast<uint32_t>(rows * room);
    const ir::Value row = l.b.alu(ir::Alu::bit_and, place_index(l), l.b.constant(static_cast<int64_t>(rows - 1)));
    return l.b.address_plus(l.b.text(l.unit.text(std::move(table), size)),
                            l.b.alu(ir::Alu::mul, row, l.b.constant(room)));
}

// Variables whose value is a text of the location.
ir::Value variable_text(Lowering& l, Variable id, uint32_t room) {
    if (l.stuck != ir::no_value && id == Variable::probe)
        return of_places(l, {pattern_text(l.body.place)}, room);  // it is not known which one it was
    return of_places(l, id == Variable::func ? function_names(l.body.place) : place_texts(l.body.place), room);
}

}  // namespace

// In the helper's struct bpf_pidns_info the thread comes first. If the helper fails, as for a process outside of the
// namespace, it leaves zeros.
ir::Value renumbered(Lowering& l, bool process) {
    const auto own_half = [&](ir::Value both) {
        return process ? l.b.alu(ir::Alu::lshr, both, l.b.constant(32)) : l.b.extend(both, 4, false);
    };
    const uint32_t result = l.b.new_slot();
    const ir::Value device = session_value(l, SessionValue::pid_device);
    const auto in_own = [&] {
        const ir::Value room = l.b.buffer(8);
        l.b.store(room, 0, l.b.constant(0));
        l.b.helper(BPF_FUNC_get_ns_current_pid_tgid,
                   {device, session_value(l, SessionValue::pid_inode), room, l.b.constant(8)});
        l.b.write(result, own_half(l.b.load(room, 0)));
    };
    const auto in_first = [&] { l.b.write(result, own_half(l.b.helper(variable_row(Variable::pid).helper))); };
    l.b.branch(device, in_own, in_first);
    return l.b.read(result);
}

ir::Value own_process(Lowering& l) {
    if (l.stuck != ir::no_value) return variable_value(l, {Variable::pid, 0});
    if (l.unit.typed.renumbered && !l.body.host) return renumbered(l, true);
    if (!l.body.host) l.unit.assume({Assumed::kernel_ids});
    const VariableRow& row = variable_row(Variable::pid);
    return l.b.alu(ir::Alu::lshr, l.b.helper(row.helper), l.b.constant(row.shift));
}

ir::Value variable_value(Lowering& l, const VariableUse& v) {
    const VariableRow& row = variable_row(v.id);
    if (l.stuck != ir::no_value && (v.id == Variable::pid || v.id == Variable::tid)) {
        const ir::Value ids = l.b.load(l.stuck, 0);
        return l.b.extend(l.b.alu(ir::Alu::lshr, ids, l.b.constant(row.shift)), 4, false);
    }
    const bool is_number = v.id == Variable::pid || v.id == Variable::tid;
    if (l.unit.typed.renumbered && !l.body.host && is_number) return renumbered(l, v.id == Variable::pid);
    if (!l.body.host && is_number) l.unit.assume({Assumed::kernel_ids});
    if (row.helper != 0) {
        ir::Value value = l.b.helper(row.helper);
        if (row.shift != 0) value = l.b.alu(ir::Alu::lshr, value, l.b.constant(row.shift));
        return l.b.extend(value, static_cast<uint8_t>(row.type.size), false);
    }
    if (v.id == Variable::latency) return l.b.read(l.latency_slot);
    if (v.id == Variable::ctx) return l.b.alu(ir::Alu::add, ir::context(l.b), l.b.constant(0));
    if (const auto* marker = std::get_if<MarkerPlace>(&l.body.place.there); marker && v.id == Variable::arg)
        return marker_argument(l, marker->arguments[v.number]);
    if (v.id == Variable::arg) return ir::argument(l.b, v.number);
    if (v.id == Variable::ncpus) return session_value(l, SessionValue::cpus);
    if (v.id == Variable::cpid) return session_value(l, SessionValue::command);
    if (v.id == Variable::has_cpid) return session_value(l, SessionValue::has_command);
    if (v.id == Variable::usermode) return user_mode(l);
    if (v.id == Variable::elapsed) {
        return l.b.alu(ir::Alu::sub, l.b.helper(variable_row(Variable::nsecs).helper),
                       session_value(l, SessionValue::start));
    }
    if (serves_system_calls(l.body.place)) return ir::argument(l.b, 1);
    if (l.body.place.kind == ProbeKind::syscall)
        return ir::field(l.b, result_offset(event_place(l.body.place).exit), 8, true);
    const bool of_program = l.body.result.kind == Kind::integer;
    const Type& t = of_program                             ? l.body.result
                    : kernel_function(l.body.place).in_btf ? kernel_function(l.body.place).result
                                                           : integer_type();
    return l.b.extend(ir::result(l.b), static_cast<uint8_t>(t.size), t.is_signed);
}

ir::Value session_value(Lowering& l, SessionValue what) {
    return l.b.load(ir::param(l.b, session_offset(l.unit, what)), 0);
}

void variable_into(Lowering& l, Variable id, const Type& type, ir::Value to) {
    const uint32_t own = padded_size(type.size);
    if (id == Variable::why) {
        l.b.copy(to, 0, l.why, own);
    } else if (type.kind == Kind::stack) {
        stack_into(l, id, stack_frames, to);
    } else if (id == Variable::probetype) {
        l.b.copy(to, 0, l.b.text(l.unit.text(std::string(type_of_probe(l.body.place)), own)), own);
    } else if (id == Variable::probe || id == Variable::func) {
        l.b.copy(to, 0, variable_text(l, id, own), own);
    } else if (l.stuck != ir::no_value) {
        l.b.copy(to, 0, l.b.address(l.stuck, offsetof(StuckSpan, comm)), sizeof(StuckSpan::comm));
    } else {
        l.b.helper(BPF_FUNC_get_current_comm, {to, l.b.constant(own)});
    }
}

}  // namespace lt
