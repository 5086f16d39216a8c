#include "codegen/lower/conditions.h"

#include <linux/bpf.h>

#include <algorithm>
#include <functional>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "codegen/ir/outside.h"
#include "codegen/lower/plan/shared_maps.h"
#include "codegen/lower/values/location.h"
#include "codegen/lower/values/variable.h"
#include "codegen/providers/provider.h"

namespace lt {
namespace {

// Does the program also run for other processes there? If the kernel binds it to one process, it does not.
bool sees_others(const ResolvedPlace& place, TracedBy by) {
    const Sees sees = provider(place).sees;
    return sees == Sees::all || (sees == Sees::one && by != TracedBy::process);
}

ir::Value is_traced(Lowering& l) {
    const Traced& traced = l.unit.typed.traced;
    switch (traced.by) {
        case TracedBy::all:
            break;
        case TracedBy::process: {
            const ir::Value pid = variable_value(l, {Variable::pid, 0});
            return l.b.alu(ir::Alu::eq, pid, l.b.constant(traced.process));
        }
        case TracedBy::family:
            return l.b.call(ir::Library::in_family, {l.b.map(family_map(l.unit))});
        case TracedBy::cgroup:
            return l.b.call(ir::Library::in_cgroup,
                            {l.b.constant(static_cast<int64_t>(traced.cgroup)), l.b.constant(traced.level)});
    }
    return l.b.constant(1);
}

// Events of system calls are acts of the current process. At other events it may only be the one that an interrupt has
// met, or the one that the scheduler takes from the CPU.
bool is_act(const ResolvedPlace& place) {
    if (provider(place).acts) return true;
    if (const auto* raw = std::get_if<RawEventPlace>(&place.there))
        return raw->event.name == "sys_enter" || raw->event.name == "sys_exit";
    const auto of_calls = [](std::string_view category) {
        return category == syscall_category || category == all_calls_category;
    };
    // a pattern can match events of other categories, too
    const auto member_of_calls = [&](const SharedPlace& member) {
        const std::vector<std::string_view> parts = split(member.text, ':');
        return parts.size() == 3 && of_calls(parts[1]);
    };
    return of_calls(event_place(place).event.category) && std::ranges::all_of(place.members, member_of_calls);
}

}  // namespace

bool skips_own(Lowering& l) {
    const TracedBy by = l.unit.typed.traced.by;
    const bool can_be_own = by == TracedBy::all || by == TracedBy::cgroup;
    return l.unit.typed.skips_own && can_be_own && provider(l.body.place).sees != Sees::nobody && is_act(l.body.place);
}

void where_traced(Lowering& l, const std::function<void()>& asked, const std::function<void()>& otherwise) {
    const TracedBy by = l.unit.typed.traced.by;
    const auto left_out = [&] {
        if (otherwise) otherwise();
    };
    const auto unless_own = [&] {
        l.unit.plan().skips_own = true;
        l.b.branch(l.b.call(ir::Library::is_own, {}), left_out, asked);
    };
    const std::function<void()> work = skips_own(l) ? unless_own : asked;
    if (by != TracedBy::all && sees_others(l.body.place, by)) return l.b.branch(is_traced(l), work, left_out);
    if (!objects(l.body.place).object) return work();
    const Location object{l.b.alu(ir::Alu::add, ir::context(l.b), l.b.constant(0)),
                          false,
                          false,
                          0,
                          objects(l.body.place).context,
                          {*objects(l.body.place).object}};
    l.b.branch(l.b.fetch(address_of(l, object), 8, false, false, l.unit.loss(LossKind::failed_read, 0)), work);
}

void where_meant(Lowering& l, const std::function<void()>& work) {
    const std::optional<ContextTest>& test = provider(l.body.place).test;
    if (!test) return work();
    l.b.branch(l.b.alu(ir::Alu::eq, ir::field(l.b, test->offset, 4, false), l.b.constant(test->value)), work);
}

// If exit() stops everything, only the blocks that run at the end may still begin.
void unless_stopped(Lowering& l, const std::function<void()>& work) {
    const ProbeKind kind = l.body.place.kind;
    const bool comes_last = kind == ProbeKind::end || kind == ProbeKind::error;
    if (!l.program.settings.stops_at_exit || comes_last) return work();
    l.b.branch(ir::stopping(l.b), [] {}, work);
}

// Sampling is random rather than every Nth event, because events can have a rhythm of their own.
void through_gate(Lowering& l, const std::function<void()>& work, const std::function<void()>& otherwise) {
    if (!l.gate) return work();
    const uint32_t shut = l.b.new_slot();
    l.b.write(shut, l.b.constant(0));
    const ir::Value share = l.b.load(ir::param(l.b, l.gate->share), 0);
    l.b.branch(share, [&] {
        const ir::Value random = l.b.extend(l.b.helper(BPF_FUNC_get_prandom_u32), 4, false);
        const ir::Value next = l.b.alu(ir::Alu::add, random, l.b.constant(1));
        l.b.write(shut, l.b.alu(ir::Alu::uge, next, share));
    });
    const auto skips = [&] {
        const ir::Value page = l.b.find(left_out_map(l.unit), l.b.text(l.unit.zeros(4)));
        l.b.branch(page, [&] {
            const auto offset = static_cast<uint32_t>(sizeof(uint64_t)) * l.gate->left_out;
            l.b.call(ir::Library::add, {l.b.address(page, offset), l.b.constant(1), l.b.constant(0)});
        });
        if (otherwise) otherwise();
    };
    l.b.branch(l.b.read(shut), skips, work);
}

}  // namespace lt
