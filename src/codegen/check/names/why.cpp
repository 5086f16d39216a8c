#include "codegen/check/names/why.h"

#include <fmt/format.h>

#include <algorithm>

#include "arch/arch.h"
#include "codegen/ir/why_events.h"
#include "runtime/border/time_accounts.h"
#include "stdlib/causes.h"

namespace lt {
namespace {

// The path of a member below a structure; empty if there is none.
std::vector<Member> path(Kernel& kernel, std::string_view structure, std::initializer_list<std::string_view> names) {
    std::optional<Type> owner = kernel.type(structure);
    std::vector<Member> out;
    for (const std::string_view name : names) {
        if (!owner) return {};
        const std::vector<Member>& members = kernel.members(*owner);
        const auto found = std::ranges::find(members, name, &Member::name);
        if (found == members.end()) return {};
        out.push_back(*found);
        owner = found->type;
    }
    return out;
}

bool has_accounts(Kernel& kernel) { return dynamic_cast<TimeAccounts*>(&kernel) != nullptr; }

WhyFacts facts_of(Kernel& kernel) {
    if (has_accounts(kernel)) return {};
    constexpr std::string_view task = "struct task_struct";
    WhyFacts out;
    out.state = path(kernel, task, {"__state"});
    if (out.state.empty()) out.state = path(kernel, task, {"state"});  // before Linux 5.14
    out.mm = path(kernel, task, {"mm"});
    out.mmap_lock = path(kernel, "struct mm_struct", {"mmap_lock"});
    out.throttled = path(kernel, task, {"throttled"});  // since Linux 6.18
    out.queue = path(kernel, task, {"se", "cfs_rq"});
    out.queue_throttled = path(kernel, "struct cfs_rq", {"throttle_count"});
    out.pid = path(kernel, task, {"pid"});
    out.comm = path(kernel, task, {"comm"});
    out.mutex_owner = path(kernel, "struct mutex", {"owner"});
    out.rwsem_owner = path(kernel, "struct rw_semaphore", {"owner"});
    if (kernel.constant("BPF_FUNC_task_pt_regs")) {  // Linux 5.15
        out.thread_pid = path(kernel, task, {"thread_pid"});
        out.level = path(kernel, "struct pid", {"level"});
        out.numbers = path(kernel, "struct pid", {"numbers"});
    }
    for (const WhyEvent& event : why_events())
        if (kernel.raw_tracepoint(event.name)) out.events.emplace_back(event.name);
    return out;
}

// The part that this kernel lacks; empty if it has all.
std::string missing(Kernel& kernel, const WhyFacts& facts) {
    if (has_accounts(kernel)) return {};
    if (const Answer btf = kernel.can(Feature::btf); !btf.yes) return btf.why;
    if (const Answer storage = kernel.can(Feature::task_storage); !storage.yes) return storage.why;
    for (const WhyEvent& event : why_events())
        if (event.needed && std::ranges::find(facts.events, event.name) == facts.events.end())
            return fmt::format("this kernel has no raw tracepoint `{}`", event.name);
    if (facts.state.empty() || facts.mm.empty() || facts.mmap_lock.empty() || facts.pid.empty() || facts.comm.empty())
        return "the kernel's type information has no `__state`, `mm`, `mmap_lock`, `pid` or `comm`";
    return {};
}

bool is_current_thread(const ast::Program& program, const std::vector<ast::ExprId>& key) {
    if (key.empty()) return true;  // the default
    const auto* name = std::get_if<ast::Name>(&program[key.front()].node);
    const VariableRow* row = name ? find_variable(name->name) : nullptr;
    return key.size() == 1 && row && row->id == Variable::tid;
}

// Does the thread that closes the span always open it?
bool stays_in_thread(const CheckContext& c, const SpanInfo& info) {
    if (info.by_frame) return false;
    if (!info.between_events) return true;
    const auto& node = std::get<ast::SpanAction>(c.program.items[info.item].node);
    const auto by_thread = [&](const ast::Endpoint& e) { return is_current_thread(c.program, e.key); };
    return std::ranges::all_of(node.opens, by_thread) && std::ranges::all_of(node.closes, by_thread);
}

}  // namespace

bool why_record(CheckContext& c, Span where, bool whole) {
    SpanInfo& info = c.typed.spans[c.body.span];
    if (!stays_in_thread(c, info)) {
        Diag& d = c.error(where, "causes are known for one thread, and this span may be closed by another one");
        d.hint = info.by_frame ? "trace a function or a system call of the thread itself"
                               : "if one thread opens and closes it, write the key `[tid]` after each event";
        return false;
    }
    WhyFacts facts = c.typed.why ? *c.typed.why : facts_of(c.kernel);
    if (const std::string why = missing(c.kernel, facts); !why.empty()) {
        c.error(where, "this kernel does not report where the time inside a span goes").hint = why;
        return false;
    }
    info.why = true;
    info.longest_wait |= whole;
    c.typed.why = std::move(facts);
    return true;
}

void coarser_causes(const Typed& typed, Diags& diags) {
    if (!typed.why || typed.why->events.empty() ||
        std::ranges::find(typed.why->events, "contention_begin") != typed.why->events.end())
        return;
    diags.warning({}, "this kernel does not report waits for its own locks").hint =
        "they count as what the waiting function is known for, or as `other`; Linux 5.19 and later report them";
}

}  // namespace lt
