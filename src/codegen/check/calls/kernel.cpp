// Functions that only the kernel or another process can answer, and override(), which changes what a function returns.
// Some take the address of a kernel object: the verifier accepts an argument of the program, perhaps plus the offset
// of a member, but not an address that was read from memory.
#include <fmt/format.h>
#include <linux/perf_event.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "codegen/check/calls/type_rules.h"
#include "codegen/check/calls/words.h"
#include "codegen/providers/counter.h"
#include "codegen/providers/provider.h"
#include "codegen/typed/calls/facts.h"

namespace lt {
namespace {

void assume_symbol(CheckContext& c, const std::string& name, uint64_t address) {
    c.assume({Assumed::symbol, "", name, {}, address});
}

Type kernel_address(CheckContext& c, ast::ExprId id, const ast::Call& node) {
    const std::string& name = text_literal(c.expr(node.arguments[0]));
    const auto address = c.kernel.symbol(name);
    if (!address) {
        c.error(node.arguments[0], fmt::format("this kernel has no symbol `{}`, or hides its address", name));
        return integer_type(8, false);  // avoids follow-up errors
    }
    c.use(id) = ConstantUse{static_cast<int64_t>(*address)};
    assume_symbol(c, name, *address);
    return integer_type(8, false);
}

Type control_group(CheckContext& c, ast::ExprId id, const ast::Call& node) {
    const auto number = c.kernel.machine().cgroup(text_literal(c.expr(node.arguments[0])));
    if (!number) {
        c.error(node.arguments[0], number.error().what).hint =
            "give the folder of a control group (cgroup) of version 2";
        return integer_type(8, false);
    }
    c.use(id) = ConstantUse{static_cast<int64_t>(*number)};
    c.assume({Assumed::cgroup, "", text_literal(c.expr(node.arguments[0])), {}, *number});
    return integer_type(8, false);
}

Type group_path_type(CheckContext& c, ast::ExprId, const ast::Call& node) {
    constexpr std::string_view hierarchy = "unified";  // bpftrace's name of version 2
    const auto* wanted =
        node.arguments.size() > 1 ? std::get_if<ast::String>(&c.expr(node.arguments[1]).node) : nullptr;
    if (wanted != nullptr && !glob_match(wanted->value, hierarchy)) {
        c.error(node.arguments[1], fmt::format("there is no cgroup hierarchy '{}'", wanted->value)).hint =
            "lt reads version 2, which is called \"unified\"";
        return nothing();
    }
    return named(integer_type(8, false), c.settings().names_hierarchies ? Naming::cgroup_unified : Naming::cgroup);
}

// With a type and a member, Builder::container has replaced the call.
Type not_a_container(CheckContext& c, ast::ExprId id, const ast::Call&) {
    c.error(id, "`container_of()` takes an address, a type and a member of it").hint =
        "for example `container_of($list, struct task_struct, tasks)`";
    return nothing();
}

constexpr std::string_view offsets_symbol = "__per_cpu_offset";

// The variable's address is the one in the kernel's image; each CPU's copy is at that CPU's offset from it.
Type per_cpu_type(CheckContext& c, ast::ExprId id, const ast::Call& node) {
    const std::string& name = text_literal(c.expr(node.arguments[0]));
    const auto address = c.kernel.symbol(name), offsets = c.kernel.symbol(offsets_symbol);
    if (!address || !offsets) {
        c.error(node.arguments[0], fmt::format("this kernel has no symbol `{}`, or hides its address",
                                               address ? offsets_symbol : std::string_view(name)));
    } else {
        c.use(id) = ConstantUse{static_cast<int64_t>(*address)};
        c.use(node.arguments[0]) = ConstantUse{static_cast<int64_t>(*offsets)};
        assume_symbol(c, name, *address);
        assume_symbol(c, std::string(offsets_symbol), *offsets);
    }
    return integer_type(8, false);
}

// A program can be loaded anywhere, so the result is the distance from the probe's instruction.
Type user_address_type(CheckContext& c, ast::ExprId id, const ast::Call& node) {
    const ResolvedPlace& place = c.place();
    if (place.kind != ProbeKind::uprobe || !c.in_action() || !place.members.empty()) {
        c.error(id, "`uaddr()` needs a probe at exactly one location in a program").hint =
            "for example `u:/bin/bash:readline { printf(\"%x\\n\", uaddr(\"main\")); }`";
        return integer_type(8, false);
    }
    const Result<UserSymbol> symbol = c.kernel.programs().user_symbol(
        user_function(place).path, text_literal(c.expr(node.arguments[0])), user_function(place).offset);
    if (!symbol) {
        c.error(node.arguments[0], symbol.error().what).hint = symbol.error().hint;
        return integer_type(8, false);
    }
    c.use(id) = ConstantUse{symbol->distance};
    c.assume({Assumed::file, user_function(place).path, "", {}, 1});
    constexpr std::array<uint64_t, 4> widths{1, 2, 4, 8};
    const bool word = std::ranges::find(widths, symbol->size) != widths.end();
    const Type variable = integer_type(static_cast<uint32_t>(symbol->size), c.settings().signed_variables);
    return pointer_type(word ? variable : nothing(), true);
}

bool in_trampoline(CheckContext& c, ast::ExprId id, const FunctionRow& row) {
    if (c.place().kind == ProbeKind::fentry || c.place().kind == ProbeKind::fexit) return true;
    c.error(id,
            fmt::format("`{}()` needs an argument as the kernel passes it: only `fentry` and `fexit` probes have it",
                        row.name))
        .hint = fmt::format("for example `{}`", row.example);
    return false;
}

bool is_argument(CheckContext& c, ast::ExprId id) { return std::holds_alternative<FieldUse>(c.use(id)); }

// A structure inside the object that an argument points to.
bool lies_in_argument(CheckContext& c, ast::ExprId id) {
    const auto* member = std::get_if<ast::Member>(&c.expr(id).node);
    if (member == nullptr) return false;
    return pointee(c.type(member->base)) ? is_argument(c, member->base) : lies_in_argument(c, member->base);
}

// The kernel's list for bpf_d_path since Linux 5.10.
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

// A chain of members that starts at ctx: ctx->a->b.
bool is_ctx(CheckContext& c, ast::ExprId id) {
    const auto* variable = std::get_if<VariableUse>(&c.use(id));
    return variable && variable->id == Variable::ctx;
}
bool leads_from_ctx(CheckContext& c, ast::ExprId id) {
    const auto* member = std::get_if<ast::Member>(&c.expr(id).node);
    const auto* use = std::get_if<MemberUse>(&c.use(id));
    if (!member || !use || use->member.bit_size != 0) return false;
    if (!is_ctx(c, member->base)) return leads_from_ctx(c, member->base);
    c.assume({Assumed::offset, objects(c.place()).context, use->member.name, {}, use->member.offset});
    return true;
}

// The type of path(), if its first argument is a path that the kernel accepts; otherwise `message` says what it is not.
Type path_string(CheckContext& c, const ast::Call& node, bool accepted, std::string message, std::string hint) {
    const uint32_t size = path_size(node.arguments.size() > 1 ? &c.expr(node.arguments[1]) : nullptr);
    if (accepted && size >= 2) return string_type(size);
    if (accepted)
        c.error(node.arguments[1], "the length must be at least 2");
    else
        c.error(node.arguments[0], std::move(message)).hint = std::move(hint);
    return nothing();
}

Type iterated_path(CheckContext& c, const ast::Call& node) {
    const ast::ExprId from = node.arguments[0];
    const ast::ExprId* taken = address_taken(c.expr(from));
    const ast::ExprId at = taken ? *taken : from;
    const auto* member = std::get_if<ast::Member>(&c.expr(at).node);
    const bool leads = member && is_struct_path(c.type(at)) && !is_ctx(c, member->base) && leads_from_ctx(c, at);
    return path_string(c, node, leads, "this is not a `struct path` that `ctx` leads to",
                       "write `ctx->file->f_path`: the kernel does not accept a value that was stored in between");
}

Type path_type(CheckContext& c, ast::ExprId id, const ast::Call& node) {
    if (!objects(c.place()).context.empty()) return iterated_path(c, node);
    const FunctionRow& row = function_row(Function::path);
    if (!in_trampoline(c, id, row)) return nothing();
    const std::string& function = kernel_function(c.place()).name;
    if (std::ranges::find(path_functions, function) == path_functions.end()) {
        c.error(id, fmt::format("the kernel does not allow `path()` in `{}`", function)).hint =
            fmt::format("it allows it in {}", join(path_functions, ", "));
        return nothing();
    }
    const ast::ExprId from = node.arguments[0];
    const Type& type = c.type(from);
    const auto* unary = std::get_if<ast::Unary>(&c.expr(from).node);
    const bool whole = is_struct_path(type) && lies_in_argument(c, from);
    const bool address = pointee(type) && is_struct_path(*pointee(type)) &&
                         (unary ? lies_in_argument(c, unary->operand) : is_argument(c, from));
    return path_string(
        c, node, whole || address, "this is not a `struct path` of an argument",
        "write `args.path` or `args.file->f_path`: the kernel does not accept an address that was read from memory");
}

Type cookie_type(CheckContext& c, ast::ExprId id, const ast::Call& node) {
    if (!in_trampoline(c, id, function_row(Function::socket_cookie))) return nothing();
    const Type* to = pointee(c.type(node.arguments[0]));
    if (is_argument(c, node.arguments[0]) && to && to->shape && to->shape->name == "struct sock")
        return integer_type(8, false);
    c.error(node.arguments[0], "this is not an argument of type `struct sock *`").hint =
        "write `args.sk`: the kernel does not accept an address that was read from memory";
    return nothing();
}

Type override_type(CheckContext& c, ast::ExprId id, const ast::Call&) {
    if (c.place().kind != ProbeKind::kprobe || !c.in_action()) {
        c.error(id, "`override()` only works at the entry of a kernel function").hint =
            "write it in a kprobe: `k:FUNCTION { override(-5); }`";
    } else if (const Answer a = c.kernel.can(Feature::override_return); !a.yes) {
        c.error(id, "this kernel does not let programs override return values: " + a.why);
    }
    c.assume({Assumed::feature, "", "", {}, static_cast<uint64_t>(Feature::override_return)});
    return nothing();
}

// A software or hardware event; the machine may not have hardware events.
Type counter_type(CheckContext& c, ast::ExprId id, const ast::Call& node) {
    const std::string& name = text_literal(c.expr(node.arguments[0]));
    if (!provider(c.place()).counters)
        c.error(id, fmt::format("the kernel does not let `{}` probes read counters", probe_row(c.place().kind).name));
    Result<PerfEvent> event = perf_event_named(c.kernel, ProbeKind::software, name);
    if (!event) event = perf_event_named(c.kernel, ProbeKind::hardware, name);
    if (!event) {
        c.error(node.arguments[0], event.error().what).hint =
            "`lt -l 'software:*'` and `lt -l 'hardware:*'` list the events";
        return integer_type(8, false);
    }
    const bool of_processor = event->type == PERF_TYPE_HARDWARE || event->type == PERF_TYPE_HW_CACHE;
    if (const Answer a = c.kernel.can(of_processor ? Feature::hardware_events : Feature::perf_event); !a.yes)
        c.error(node.arguments[0], fmt::format("this machine cannot count {}: {}", name, a.why));
    event->every = 0;
    c.use(id) = CounterUse{*event};
    return integer_type(8, false);
}

constexpr TypeRule kernel_rules[] = {
    {Function::kaddr, kernel_address},
    {Function::cgroup_path, group_path_type},
    {Function::cgroupid, control_group},
    {Function::container_of, not_a_container},
    {Function::percpu_kaddr, per_cpu_type},
    {Function::uaddr, user_address_type},
    {Function::path, path_type},
    {Function::socket_cookie, cookie_type},
    {Function::override_, override_type},
    {Function::counter, counter_type},
};

}  // namespace

std::span<const TypeRule> kernel_type_rules() { return kernel_rules; }

}  // namespace lt
