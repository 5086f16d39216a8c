// Functions that ask about the probe itself: its kind, registers, what lies at an address of the process; and abort().
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "stdlib/system_calls.h"
#include "stp_names.h"

namespace lt::stp {
namespace {

// What probe_type() says of a shape of probe points, and whether registers are seen there: the first row that fits.
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

// A register by SystemTap's name: the one of 64 bits that it is a part of, how many bits, and from which.
struct RegisterRow {
    std::string_view name;
    std::string_view whole;
    int bits;
    int from = 0;
};
constexpr std::array registers{
    RegisterRow{"rax", "ax", 64},
    RegisterRow{"rbx", "bx", 64},
    RegisterRow{"rcx", "cx", 64},
    RegisterRow{"rdx", "dx", 64},
    RegisterRow{"rsi", "si", 64},
    RegisterRow{"rdi", "di", 64},
    RegisterRow{"rbp", "bp", 64},
    RegisterRow{"rsp", "sp", 64},
    RegisterRow{"rip", "ip", 64},
    RegisterRow{"r8", "r8", 64},
    RegisterRow{"r9", "r9", 64},
    RegisterRow{"r10", "r10", 64},
    RegisterRow{"r11", "r11", 64},
    RegisterRow{"r12", "r12", 64},
    RegisterRow{"r13", "r13", 64},
    RegisterRow{"r14", "r14", 64},
    RegisterRow{"r15", "r15", 64},
    RegisterRow{"orig_rax", "orig_ax", 64},
    RegisterRow{"xcs", "cs", 64},
    RegisterRow{"xss", "ss", 64},
    RegisterRow{"eflags", "flags", 64},
    RegisterRow{"eax", "ax", 32},
    RegisterRow{"ebx", "bx", 32},
    RegisterRow{"ecx", "cx", 32},
    RegisterRow{"edx", "dx", 32},
    RegisterRow{"esi", "si", 32},
    RegisterRow{"edi", "di", 32},
    RegisterRow{"ebp", "bp", 32},
    RegisterRow{"esp", "sp", 32},
    RegisterRow{"eip", "ip", 32},
    RegisterRow{"orig_eax", "orig_ax", 32},
    RegisterRow{"ax", "ax", 16},
    RegisterRow{"bx", "bx", 16},
    RegisterRow{"cx", "cx", 16},
    RegisterRow{"dx", "dx", 16},
    RegisterRow{"si", "si", 16},
    RegisterRow{"di", "di", 16},
    RegisterRow{"bp", "bp", 16},
    RegisterRow{"sp", "sp", 16},
    RegisterRow{"ip", "ip", 16},
    RegisterRow{"cs", "cs", 16},
    RegisterRow{"ss", "ss", 16},
    RegisterRow{"flags", "flags", 16},
    RegisterRow{"orig_ax", "orig_ax", 16},
    RegisterRow{"al", "ax", 8},
    RegisterRow{"ah", "ax", 8, 8},
    RegisterRow{"bl", "bx", 8},
    RegisterRow{"bh", "bx", 8, 8},
    RegisterRow{"cl", "cx", 8},
    RegisterRow{"ch", "cx", 8, 8},
    RegisterRow{"dl", "dx", 8},
    RegisterRow{"dh", "dx", 8, 8},
};

}  // namespace

// register("eax") has a sign, u_register("eax") has none.
void NameResolver::register_value(ast::ExprId id, const ast::Call& n, const StpFunction& row) {
    const auto* text = std::get_if<ast::String>(&node(n.arguments[0]));
    const auto found =
        std::ranges::find_if(registers, [&](const RegisterRow& r) { return text != nullptr && r.name == text->value; });
    if (found == registers.end()) {
        diags_
            .error(span(n.arguments[0]), text == nullptr ? "a register is named in quotes"
                                                         : fmt::format("there is no register {}", text->value))
            .hint = "for example register(\"rax\"), register(\"eax\"), register(\"al\")";
        return put(id, ast::Integer{0});
    }
    const ast::ExprId name = add(id, ast::String{std::string(found->whole)});
    ast::ExprId value = add(id, ast::Call{"reg", n.name_span, {name}});
    if (found->from != 0) {
        const ast::ExprId by = add(id, ast::Integer{static_cast<uint64_t>(found->from)});
        value = add(id, ast::Binary{ast::BinaryOp::shift_right, value, by});
    }
    const std::string type = fmt::format("{}{}", row.lt, found->bits);
    put(id, ast::Cast{{span(id), found->bits == 64 ? "int64" : type, 0, {}}, value});
    as_long(id);
}

// syscall_num("read")
void NameResolver::system_call_number(ast::ExprId id, const ast::Call& n) {
    const auto* name = std::get_if<ast::String>(&node(n.arguments[0]));
    uint32_t number = 0;
    while (name && number < system_call_numbers && system_call_name(number) != name->value) number++;
    if (name && number < system_call_numbers) return put(id, ast::Integer{number});
    diags_
        .error(span(n.arguments[0]), name ? fmt::format("there is no system call {}", name->value)
                                          : "the name of a system call stands in quotes here")
        .hint = "for example syscall_num(\"openat\")";
}

void NameResolver::fact(ast::ExprId id, const ast::Call& n, const StpFunction& row) {
    if (row.lt == "system call") return system_call_number(id, n);
    if (around_->row == nullptr) {
        diags_.error(n.name_span, fmt::format("what {}() would say is not known here", n.name)).hint =
            "it is in probes, each for itself, and not in functions";
        return put(id, ast::Integer{0});
    }
    const std::string_view shape = around_->row->shape;
    const TypeRow& type = type_of(shape);
    if (row.lt == "type") return put(id, ast::String{std::string(type.type)});
    if (row.lt == "label") return put(id, ast::String{});  // lt has no probes at labels
    const bool holds = row.lt == "return" ? shape.ends_with(".return") : type.registers;
    put(id, ast::Integer{holds ? 1u : 0u});
}

// usymfileline(address)
void NameResolver::symbol_part(ast::ExprId id, const ast::Call& n, const StpFunction& row) {
    arguments(n);
    if (row.lt != "object") program_.settings.shows_lines = true;
    const ast::ExprId part = add(id, ast::String{std::string(row.lt)});
    put(id, ast::Call{"usym_part", n.name_span, {n.arguments[0], part}});
}

// abort(): exit(), and the handler ends at once.
void NameResolver::abort(ast::ExprId id, const ast::Call& n) {
    if (around_->function != nullptr)
        diags_.error(n.name_span, "abort() can be called in probes, not in functions").hint =
            "exit() ends the run; return a value by which the probe knows that it has to end, with next";
    ast::BlockValue all;
    const auto act = [&](ast::StmtNode done) {
        all.block.statements.push_back(program_.add(span(id), std::move(done)));
    };
    act(ast::Evaluate{add(id, ast::Call{"exit", n.name_span, {}})});
    act(ast::Return{});
    put(id, std::move(all));
}

}  // namespace lt::stp
