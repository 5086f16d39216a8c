// Functions that ask about the probe itself: its kind, registers, the symbol at an address of the process; and abort().
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "arch/arch.h"
#include "stdlib/system_calls.h"
#include "systemtap/names/calls.h"
#include "systemtap/names/scope.h"
#include "systemtap/names/targets.h"

namespace lt::stp {
namespace {

// The result of probe_type() for a shape of probe points, and whether registers are available there: the first row that
// matches.
struct TypeRow {
    std::string_view begins;
    std::string_view ends;
    std::string_view type;
    bool registers;
};
constexpr std::array types{
    TypeRow{"begin", "", "begin_end", false},
    TypeRow{"end", "", "begin_end", false},
    TypeRow{"error", "", "begin_end", false},
    TypeRow{"timer.profile", "", "profile_timer", true},
    TypeRow{"timer.jiffies", "", "timer", false},
    TypeRow{"timer.", "", "hrtimer", false},
    TypeRow{"kernel.trace", "", "kernel_tracepoint", false},
    TypeRow{"kernel.data", "", "hardware_data_breakpoint", true},
    TypeRow{"kernel.any_syscall", "", "utrace_syscall", false},
    TypeRow{"kernel.syscall", ".return", "kretprobe", false},
    TypeRow{"kernel.syscall", "", "kprobe", false},
    TypeRow{"process", "mark(s)", "uprobe", true},
    TypeRow{"process", ".return", "uretprobe", true},
    TypeRow{"process", "", "uprobe", true},
    TypeRow{"perf.", "", "perf_event", true},
    TypeRow{"procfs", "", "procfs", false},
    TypeRow{"", ".return", "kretprobe", true},
    TypeRow{"", "", "kprobe", true},
};

const TypeRow& type_of(std::string_view shape) {
    return *std::ranges::find_if(
        types, [&](const TypeRow& row) { return shape.starts_with(row.begins) && shape.ends_with(row.ends); });
}

}  // namespace

// register() has a sign, u_register() has none.
void register_value(Names& scope, ast::ExprId id, const ast::Call& n, const StpFunction& row) {
    const auto* text = scope.get<ast::String>(n.arguments[0]);
    const auto found = text != nullptr ? arch::find_register_part(text->value) : std::nullopt;
    if (!found) {
        scope.diags
            .error(scope.span(n.arguments[0]), text == nullptr ? "write the register's name in quotes"
                                                               : fmt::format("there is no register {}", text->value))
            .hint = fmt::format("for example {}", arch::native.register_example);
        return scope.put(id, ast::Integer{0});
    }
    const ast::ExprId name = scope.add(id, ast::String{std::string(found->whole->name)});
    ast::ExprId value = scope.add(id, ast::Call{"reg", n.name_span, {name}});
    if (found->shift != 0) {
        const ast::ExprId by = scope.add(id, ast::Integer{found->shift});
        value = scope.add(id, ast::Binary{ast::BinaryOp::shift_right, value, by});
    }
    const std::string type = fmt::format("{}{}", row.lt, found->bits);
    scope.put(id, ast::Cast{{scope.span(id), found->bits == 64 ? "int64" : type, 0, {}}, value});
    as_long(scope, id);
}

namespace {

// syscall_num("read")
void system_call_number(Names& scope, ast::ExprId id, const ast::Call& n) {
    const auto* name = scope.get<ast::String>(n.arguments[0]);
    uint32_t number = 0;
    while (name && number < system_call_numbers && system_call_name(number) != name->value) number++;
    if (name && number < system_call_numbers) return scope.put(id, ast::Integer{number});
    scope.diags
        .error(scope.span(n.arguments[0]),
               name ? fmt::format("there is no system call {}", name->value) : "write the system call's name in quotes")
        .hint = "for example `syscall_num(\"openat\")`";
}

}  // namespace

void resolve_fact(Names& scope, ast::ExprId id, const ast::Call& n, const StpFunction& row) {
    if (row.lt == "system call") return system_call_number(scope, id, n);
    if (scope.around->row == nullptr) {
        scope.diags.error(n.name_span, fmt::format("the result of {}() is not known here", n.name)).hint =
            "call it in probes, not in functions or in probes with several points";
        return scope.put(id, ast::Integer{0});
    }
    const std::string_view shape = scope.around->row->shape;
    const TypeRow& type = type_of(shape);
    if (row.lt == "type") return scope.put(id, ast::String{std::string(type.type)});
    if (row.lt == "label") return scope.put(id, ast::String{});  // lt has no probes at labels
    const bool holds = row.lt == "return" ? shape.ends_with(".return") : type.registers;
    scope.put(id, ast::Integer{holds ? 1u : 0u});
}

// usymfileline(address)
void symbol_part(Names& scope, ast::ExprId id, const ast::Call& n, const StpFunction& row) {
    resolve_arguments(scope, n);
    if (row.lt != "object") scope.program.settings.shows_lines = true;
    const ast::ExprId part = scope.add(id, ast::String{std::string(row.lt)});
    scope.put(id, ast::Call{"usym_part", n.name_span, {n.arguments[0], part}});
}

// abort(): exit(), and the handler ends at once.
void resolve_abort(Names& scope, ast::ExprId id, const ast::Call& n) {
    if (scope.around->function != nullptr)
        scope.diags.error(n.name_span, "abort() can be called in probes, not in functions").hint =
            "call exit(), return a value to the probe, and let it use `next`";
    ast::BlockValue all;
    const auto act = [&](ast::StmtNode done) { all.block.statements.push_back(scope.add(id, std::move(done))); };
    act(ast::Evaluate{scope.add(id, ast::Call{"exit", n.name_span, {}})});
    act(ast::Return{});
    scope.put(id, std::move(all));
}

}  // namespace lt::stp
