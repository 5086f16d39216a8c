#include "codegen/check/slips.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "base/literal.h"
#include "parser/tree/print.h"
#include "stdlib/format.h"
#include "stdlib/functions/builtins.h"

namespace lt {
namespace {

const Type* type_in_any(const Typed& typed, ast::ExprId id) {
    for (const Body& body : typed.bodies) {
        const auto i = static_cast<uint32_t>(id);
        if (i < body.types.size() && body.types[i].kind != Kind::none) return &body.types[i];
    }
    return nullptr;
}

// %s of a char pointer prints the pointer.
void texts_not_read(const ast::Program& program, const Typed& typed, const ast::Expr& whole, Diags& diags) {
    const auto* call = std::get_if<ast::Call>(&whole.node);
    const FunctionRow* row = call ? find_function(call->name) : nullptr;
    if (row == nullptr || row->id != Function::printf || call->arguments.empty()) return;
    const auto* format = program.get<ast::String>(call->arguments.front());
    if (format == nullptr) return;
    size_t value = 0;
    FormatReader pieces(format->value);
    while (const auto piece = pieces.next()) {
        if (!piece->takes_value()) continue;
        if (++value >= call->arguments.size()) return;
        const ast::ExprId at = call->arguments[value];
        const Type* type = type_in_any(typed, at);
        const Type* to = type ? pointee(*type) : nullptr;
        if (piece->conversion != Conversion::string || to == nullptr || to->kind != Kind::integer || to->size != 1)
            continue;
        diags.warning(program[at].span, "%s prints this address, not the text that is there").hint =
            fmt::format("write `str({})`", ast::print(program, at));
    }
}

void numbers_below_least(const ast::Program& program, const ast::Expr& whole, Diags& diags) {
    const auto* minus = std::get_if<ast::Unary>(&whole.node);
    if (minus == nullptr || minus->op != ast::UnaryOp::minus) return;
    const auto* number = program.get<ast::Integer>(minus->operand);
    if (number == nullptr || number->value <= uint64_t{1} << 63) return;
    diags
        .warning(whole.span, fmt::format("-{} does not fit into 64 bits: this is {}", number->value,
                                         negated(static_cast<int64_t>(number->value))))
        .hint = "the least number is -9223372036854775808";
}

void shift_by(const ast::Program& program, std::optional<ast::BinaryOp> op, ast::ExprId count, Diags& diags) {
    constexpr int64_t width = 64;
    if (op != ast::BinaryOp::shift_left && op != ast::BinaryOp::shift_right) return;
    const auto bits = ast::literal_integer(program, count);
    if (!bits || (*bits >= 0 && *bits < width)) return;
    diags
        .warning(program[count].span,
                 fmt::format("a shift by {} is a shift by {}: only the last 6 bits of a count are used", *bits,
                             static_cast<uint64_t>(*bits) % width))
        .hint = "write a count from 0 to 63";
}

void shifts_by_too_much(const ast::Program& program, Diags& diags) {
    for (const ast::Expr& expr : program.exprs)
        if (const auto* node = std::get_if<ast::Binary>(&expr.node)) shift_by(program, node->op, node->right, diags);
    for (const ast::Stmt& stmt : program.stmts)
        if (const auto* node = std::get_if<ast::Assign>(&stmt.node)) shift_by(program, node->op, node->value, diags);
}

// Is it an instruction after a function's first one?
bool is_within_function(const ResolvedPlace& place) {
    if (const auto* kernel = std::get_if<KernelPlace>(&place.there))
        return kernel->offset != 0 || kernel->function.name.starts_with("0x");
    if (!in_program(place)) return false;
    const std::string& name = user_function(place).name;
    const size_t sign = name.find('+');
    return sign != name.npos && name.find_first_not_of("+0x", sign) != name.npos;
}

void arguments_within_functions(const ast::Program& program, const Typed& typed, Diags& diags) {
    std::vector<Span> warned;
    for (const Body& body : typed.bodies) {
        if (!is_within_function(body.place)) continue;
        for (size_t i = 0; i < body.uses.size(); i++) {
            const auto* variable = std::get_if<VariableUse>(&body.uses[i]);
            const Span span = program.exprs[i].span;
            if (variable == nullptr || variable->id != Variable::arg || std::ranges::find(warned, span) != warned.end())
                continue;
            warned.push_back(span);
            const bool is_systemtap = program.settings.systemtap_hints;
            const std::string subject = is_systemtap ? "this" : fmt::format("`arg{}`", variable->number);
            const std::string_view finds = is_systemtap ? "`$NAME` finds the argument by the debug information"
                                                        : "`args.NAME` finds the argument by the debug information";
            diags
                .warning(span, subject +
                                   " is what the argument's register or place on the stack holds at this "
                                   "instruction, which may no longer be the argument")
                .hint =
                has_debug_scope(body.place) ? finds : "a probe at the function itself, without an offset, has it";
        }
    }
}

// Where bpftrace has the task that CPU 0 runs.
void own_task_in_intervals(const ast::Program& program, const Typed& typed, Diags& diags) {
    constexpr std::array of_task{Variable::pid,      Variable::tid,    Variable::uid,        Variable::gid,
                                 Variable::comm,     Variable::cgroup, Variable::curtask,    Variable::ppid,
                                 Variable::username, Variable::pcomm,  Variable::leader_tid, Variable::leader_comm};
    std::vector<Span> told;
    for (const Body& body : typed.bodies) {
        if (body.place.kind != ProbeKind::interval) continue;
        for (size_t i = 0; i < body.uses.size(); i++) {
            const auto* variable = std::get_if<VariableUse>(&body.uses[i]);
            if (variable == nullptr || std::ranges::find(of_task, variable->id) == of_task.end()) continue;
            const Span span = program.exprs[i].span;
            if (std::ranges::find(told, span) != told.end()) continue;
            told.push_back(span);
            diags
                .warning(span, fmt::format("`{}` is lt's own here: lt runs interval probes itself",
                                           variable_row(variable->id).name))
                .hint = "`profile:hz:99` runs in the task that a CPU happens to run, on every CPU";
        }
    }
}

}  // namespace

void warn_of_slips(const ast::Program& program, const Typed& typed, Diags& diags) {
    for (const ast::Expr& expr : program.exprs) {
        texts_not_read(program, typed, expr, diags);
        numbers_below_least(program, expr, diags);
    }
    shifts_by_too_much(program, diags);
    arguments_within_functions(program, typed, diags);
    if (program.settings.warns_of_own_task) own_task_in_intervals(program, typed, diags);
}

}  // namespace lt
