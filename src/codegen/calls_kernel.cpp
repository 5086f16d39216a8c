// Functions whose answer only the kernel or another process has, and override(), which changes what a function returns.
// Some of them take the kernel's own address of an argument: the verifier accepts it as it was handed to the program,
// perhaps with the offset of a member, and not what was read from memory.
#include <fmt/format.h>
#include <linux/perf_event.h>

#include <algorithm>
#include <array>
#include <functional>

#include "calls.h"
#include "operators.h"
#include "perf_events.h"

namespace lt {
namespace {

constexpr int helper_get_smp_processor_id = 8;
constexpr int helper_get_socket_cookie = 46;
constexpr int helper_override_return = 58;
constexpr int helper_probe_read_kernel_str = 115;
constexpr int helper_d_path = 147;
constexpr uint32_t instruction_pointer = 128;  // in struct pt_regs of x86-64

const std::string& literal(const ast::Expr& expr) { return std::get<ast::String>(expr.node).value; }

ir::Value first_number(BodyLowering& l, ast::ExprId, const ast::Call& node) { return l.number(node.arguments[0]); }

// ---- addresses

// With a type and a member it is no call any more (Builder::container).
Type not_a_container(BodyChecker& c, ast::ExprId id, const ast::Call&) {
    c.error(id, "container_of() takes an address, a type and a member of it").hint =
        "for example container_of($list, struct task_struct, tasks)";
    return nothing();
}

constexpr std::string_view offsets_symbol = "__per_cpu_offset";

// A variable's own address is where the kernel's image has it; each CPU's copy lies at a distance of its own.
Type per_cpu_type(BodyChecker& c, ast::ExprId id, const ast::Call& node) {
    const std::string& name = literal(c.expr(node.arguments[0]));
    const auto address = c.kernel().symbol(name), offsets = c.kernel().symbol(offsets_symbol);
    if (!address || !offsets) {
        c.error(node.arguments[0], fmt::format("this kernel has no symbol {}, or hides its address",
                                               address ? offsets_symbol : std::string_view(name)));
    } else {
        c.say(id, ConstantUse{static_cast<int64_t>(*address)});
        c.say(node.arguments[0], ConstantUse{static_cast<int64_t>(*offsets)});
        c.assume_symbol(name, *address);
        c.assume_symbol(std::string(offsets_symbol), *offsets);
    }
    return integer_type(8, false);
}

ir::Value per_cpu_address(BodyLowering& l, ast::ExprId id, const ast::Call& node) {
    Builder& b = l.builder();
    const auto known = [&](ast::ExprId at) { return b.constant(std::get<ConstantUse>(l.use_of(at)).value); };
    const ir::Value cpu = node.arguments.size() > 1 ? l.number(node.arguments[1])
                                                    : b.extend(b.helper(helper_get_smp_processor_id), 4, false);
    const uint32_t result = b.new_slot();
    b.write(result, b.constant(0));
    b.branch(b.alu(ir::Alu::ult, cpu, l.session_value(SessionValue::cpus)), [&] {
        const ir::Value at = b.alu(ir::Alu::add, known(node.arguments[0]), b.alu(ir::Alu::mul, cpu, b.constant(8)));
        const ir::Value distance = b.fetch(at, 8, false, false, l.unit().loss(LossKind::failed_read, 0));
        b.write(result, b.alu(ir::Alu::add, known(id), distance));
    });
    return b.read(result);
}

// Programs are loaded anywhere: the address is counted from the instruction at which the probe stands.
Type user_address_type(BodyChecker& c, ast::ExprId id, const ast::Call& node) {
    const ResolvedPlace& place = c.place();
    if (place.kind != ProbeKind::uprobe || !c.in_action() || !place.members.empty()) {
        c.error(id, "uaddr() needs one place in a program, where it is known which instruction runs").hint =
            "for example u:/bin/bash:readline { printf(\"%x\\n\", uaddr(\"main\")); }";
        return integer_type(8, false);
    }
    const Result<UserSymbol> symbol =
        c.kernel().user_symbol(place.user.path, literal(c.expr(node.arguments[0])), place.user.offset);
    if (!symbol) {
        c.error(node.arguments[0], symbol.error().what).hint = symbol.error().hint;
        return integer_type(8, false);
    }
    c.say(id, ConstantUse{symbol->distance});
    c.assume({Assumed::file, place.user.path, "", {}, 1});
    constexpr std::array<uint64_t, 4> widths{1, 2, 4, 8};
    const bool word = std::ranges::find(widths, symbol->size) != widths.end();
    return pointer_type(word ? integer_type(static_cast<uint32_t>(symbol->size), false) : nothing(), true);
}

ir::Value user_address(BodyLowering& l, ast::ExprId id, const ast::Call&) {
    Builder& b = l.builder();
    return b.alu(ir::Alu::add, b.field(instruction_pointer, 8, false),
                 b.constant(std::get<ConstantUse>(l.use_of(id)).value));
}

// ---- the kernel's own addresses of arguments

bool in_trampoline(BodyChecker& c, ast::ExprId id, const FunctionRow& row) {
    if (c.place().kind == ProbeKind::fentry || c.place().kind == ProbeKind::fexit) return true;
    c.error(id, fmt::format("{}() needs an argument as the kernel hands it over: `fentry` and `fexit` probes have it",
                            row.name))
        .hint = fmt::format("for example {}", row.example);
    return false;
}

bool is_argument(BodyChecker& c, ast::ExprId id) { return std::holds_alternative<FieldUse>(c.said(id)); }

// A structure inside of what an argument points to.
bool lies_in_argument(BodyChecker& c, ast::ExprId id) {
    const auto* member = std::get_if<ast::Member>(&c.expr(id).node);
    if (member == nullptr) return false;
    return pointee(c.checked(member->base)) ? is_argument(c, member->base) : lies_in_argument(c, member->base);
}

// In the kernel's list of bpf_d_path since Linux 5.10.
constexpr std::array<std::string_view, 9> path_functions{"security_file_permission",
                                                         "security_inode_getattr",
                                                         "security_file_open",
                                                         "security_path_truncate",
                                                         "vfs_truncate",
                                                         "vfs_fallocate",
                                                         "dentry_open",
                                                         "vfs_getattr",
                                                         "filp_close"};
constexpr uint32_t longest_path = 1024;

bool is_struct_path(const Type& type) {
    return type.kind == Kind::structure && type.shape && type.shape->name == "struct path";
}

uint32_t path_size(const ast::Expr* length) {
    const auto* number = length ? std::get_if<ast::Integer>(&length->node) : nullptr;
    return number ? static_cast<uint32_t>(std::min<uint64_t>(number->value, longest_path)) : longest_path;
}

// ---- paths of what an iterator has at hand

// A member of a structure, which an address leads to: ctx, or a member that leads on itself.
bool is_ctx(BodyChecker& c, ast::ExprId id) {
    const auto* variable = std::get_if<VariableUse>(&c.said(id));
    return variable && variable->id == Variable::ctx;
}
bool leads_from_ctx(BodyChecker& c, ast::ExprId id) {
    const auto* member = std::get_if<ast::Member>(&c.expr(id).node);
    const auto* use = std::get_if<MemberUse>(&c.said(id));
    if (!member || !use || use->member.bit_size != 0) return false;
    if (!is_ctx(c, member->base)) return leads_from_ctx(c, member->base);
    c.assume({Assumed::offset, c.place().context, use->member.name, {}, use->member.offset});
    return true;
}

// The members from what an address leads to, and the address.
struct Led {
    std::vector<Member> path;
    ast::ExprId base;
};
Led led(BodyLowering& l, ast::ExprId id) {
    Led out{{}, id};
    do {
        out.path.insert(out.path.begin(), std::get<MemberUse>(l.use_of(out.base)).member);
        out.base = std::get<ast::Member>(l.expr(out.base).node).base;
    } while (!pointee(l.type_of(out.base)));
    return out;
}

using WithAddress = std::function<void(ir::Value)>;
void with_pointer(BodyLowering& l, ast::ExprId id, const WithAddress& work);

// Where a member lies, as the verifier knows it: each address on the way is loaded, and is not null.
void with_place(BodyLowering& l, ast::ExprId id, const WithAddress& work) {
    const Led at = led(l, id);
    with_pointer(l, at.base, [&](ir::Value base) {
        uint64_t offset = 0;
        for (const Member& m : at.path) offset += m.offset;
        const std::string& root = pointee(l.type_of(at.base))->shape->name;
        Builder& b = l.builder();
        work(b.alu(ir::Alu::add, base, b.relocation(l.unit().relocation({ir::Ask::offset, root, at.path, offset}))));
    });
}

void with_pointer(BodyLowering& l, ast::ExprId id, const WithAddress& work) {
    Builder& b = l.builder();
    const auto guarded = [&](ir::Value address) { b.branch(address, [&] { work(address); }); };
    const Led at = led(l, id);
    if (std::holds_alternative<VariableUse>(l.use_of(at.base)))
        return guarded(b.field(at.path.front().offset, 8, false));
    with_place(l, id, [&](ir::Value place) { guarded(b.load(place, 0)); });
}

// ---- path()

const ast::ExprId* address_taken(const ast::Expr& expr) {
    const auto* unary = std::get_if<ast::Unary>(&expr.node);
    return unary && unary->op == ast::UnaryOp::address ? &unary->operand : nullptr;
}

Type iterated_path(BodyChecker& c, const ast::Call& node) {
    const ast::ExprId from = node.arguments[0];
    const ast::ExprId* taken = address_taken(c.expr(from));
    const ast::ExprId at = taken ? *taken : from;
    const auto* member = std::get_if<ast::Member>(&c.expr(at).node);
    const uint32_t size = path_size(node.arguments.size() > 1 ? &c.expr(node.arguments[1]) : nullptr);
    if (!member || !is_struct_path(c.checked(at)) || is_ctx(c, member->base) || !leads_from_ctx(c, at)) {
        c.error(from, "this is no struct path that ctx leads to").hint =
            "write ctx->file->f_path: what was kept in between the kernel does not accept";
    } else if (size < 2) {
        c.error(node.arguments[1], "a length is from 2 on");
    } else {
        return string_type(size);
    }
    return nothing();
}

Type path_type(BodyChecker& c, ast::ExprId id, const ast::Call& node) {
    if (!c.place().context.empty()) return iterated_path(c, node);
    const FunctionRow& row = function_row(Function::path);
    if (!in_trampoline(c, id, row)) return nothing();
    const std::string& function = c.place().function.name;
    if (std::ranges::find(path_functions, function) == path_functions.end()) {
        c.error(id, fmt::format("the kernel does not allow path() in {}", function)).hint =
            fmt::format("it does in {}", fmt::join(path_functions, ", "));
        return nothing();
    }
    const ast::ExprId from = node.arguments[0];
    const Type& type = c.checked(from);
    const auto* unary = std::get_if<ast::Unary>(&c.expr(from).node);
    const bool whole = is_struct_path(type) && lies_in_argument(c, from);
    const bool address = pointee(type) && is_struct_path(*pointee(type)) &&
                         (unary ? lies_in_argument(c, unary->operand) : is_argument(c, from));
    const uint32_t size = path_size(node.arguments.size() > 1 ? &c.expr(node.arguments[1]) : nullptr);
    if (!whole && !address) {
        c.error(from, "this is no struct path of an argument").hint =
            "write args.path, or args.file->f_path; what was read from memory on the way the kernel does not accept";
    } else if (size < 2) {
        c.error(node.arguments[1], "a length is from 2 on");
    } else {
        return string_type(size);
    }
    return nothing();
}

// The kernel writes the path at the end of the room and moves it to its begin, so what stands behind it is no zeros.
void path_into(BodyLowering& l, ast::ExprId id, const ast::Call& node, ir::Value to) {
    Builder& b = l.builder();
    const ast::ExprId from = node.arguments[0];
    const uint32_t size = l.type_of(id).size;
    const auto write = [&](ir::Value address) {
        const ir::Value room = b.buffer(padded(size));
        const ir::Value length = b.helper(helper_d_path, {address, room, b.constant(size)});
        l.count_failed(length);
        b.branch(b.alu(ir::Alu::sgt, length, b.constant(0)),
                 [&] { b.helper(helper_probe_read_kernel_str, {to, b.constant(size), room}); });
    };
    if (l.place().context.empty()) return write(l.known_address(from));
    const ast::ExprId* taken = address_taken(l.expr(from));
    with_place(l, taken ? *taken : from, write);
}

Type cookie_type(BodyChecker& c, ast::ExprId id, const ast::Call& node) {
    if (!in_trampoline(c, id, function_row(Function::socket_cookie))) return nothing();
    const Type* to = pointee(c.checked(node.arguments[0]));
    if (is_argument(c, node.arguments[0]) && to && to->shape && to->shape->name == "struct sock")
        return integer_type(8, false);
    c.error(node.arguments[0], "this is no struct sock * that is an argument").hint =
        "write args.sk; what was read from memory the kernel does not accept";
    return nothing();
}

ir::Value cookie(BodyLowering& l, ast::ExprId, const ast::Call& node) {
    return l.builder().helper(helper_get_socket_cookie, {l.known_address(node.arguments[0])});
}

// ---- what a function returns

Type override_type(BodyChecker& c, ast::ExprId id, const ast::Call&) {
    if (c.place().kind != ProbeKind::kprobe || !c.in_action()) {
        c.error(id, "only where a function of the kernel begins it can be decided what it returns").hint =
            "write it in a kprobe: k:FUNCTION { override(-5); }";
    } else if (const Answer a = c.kernel().can(Feature::override_return); !a.yes) {
        c.error(id, "this kernel lets no program decide what a function returns: " + a.why);
    }
    c.assume({Assumed::feature, "", "", {}, static_cast<uint64_t>(Feature::override_return)});
    return nothing();
}

void override_return(BodyLowering& l, const ast::Call& node) {
    Builder& b = l.builder();
    b.helper(helper_override_return, {b.context(), l.number(node.arguments[0])});
}

// ---- counters

constexpr int helper_perf_event_read = 22;

// An event of either kind; what the processor counts may not be there.
Type counter_type(BodyChecker& c, ast::ExprId id, const ast::Call& node) {
    const std::string& name = literal(c.expr(node.arguments[0]));
    if (c.place().kind == ProbeKind::socket)
        c.error(id, "`socket` probes cannot read counters: the kernel does not let them");
    Result<PerfEvent> event = perf_event_named(c.kernel(), ProbeKind::software, name);
    if (!event) event = perf_event_named(c.kernel(), ProbeKind::hardware, name);
    if (!event) {
        c.error(node.arguments[0], event.error().what).hint =
            "`lt -l 'software:*'` and `lt -l 'hardware:*'` list what there is";
        return integer_type(8, false);
    }
    const bool of_processor = event->type == PERF_TYPE_HARDWARE || event->type == PERF_TYPE_HW_CACHE;
    if (const Answer a = c.kernel().can(of_processor ? Feature::hardware_events : Feature::perf_event); !a.yes)
        c.error(node.arguments[0], fmt::format("this machine cannot count {}: {}", name, a.why));
    event->every = 0;
    c.say(id, CounterUse{*event});
    return integer_type(8, false);
}

// An error is a negative number; no count is that large.
ir::Value counter_value(BodyLowering& l, ast::ExprId id, const ast::Call& node) {
    constexpr uint32_t this_cpu = 0xffffffff;  // BPF_F_CURRENT_CPU
    Builder& b = l.builder();
    const uint32_t map = l.unit().counter(std::get<CounterUse>(l.use_of(id)).event, literal(l.expr(node.arguments[0])));
    const ir::Value count = b.helper(helper_perf_event_read, {b.map(map), b.constant(this_cpu)});
    const uint32_t result = b.new_slot();
    b.write(result, count);
    b.branch(b.alu(ir::Alu::slt, count, b.constant(0)), [&] {
        b.loss(l.unit().loss(LossKind::failed_read, 0));
        b.write(result, b.constant(0));
    });
    return b.read(result);
}

// id, type, number, bytes, statement
constexpr CallRule rules[] = {
    {Function::process_comm, nullptr, first_number},
    {Function::container_of, not_a_container},
    {Function::percpu_kaddr, per_cpu_type, per_cpu_address},
    {Function::uaddr, user_address_type, user_address},
    {Function::path, path_type, nullptr, path_into},
    {Function::socket_cookie, cookie_type, cookie},
    {Function::override_, override_type, nullptr, nullptr, override_return},
    {Function::counter, counter_type, counter_value},
};

}  // namespace

std::span<const CallRule> kernel_rules() { return rules; }

}  // namespace lt
