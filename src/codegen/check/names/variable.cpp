#include "codegen/check/names/variable.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.h"
#include "codegen/check/expr/assume.h"
#include "codegen/check/names/args.h"
#include "codegen/check/names/numbered.h"
#include "codegen/check/names/program.h"
#include "codegen/check/names/why.h"
#include "codegen/providers/provider.h"
#include "codegen/typed/stacks.h"
#include "stdlib/causes.h"
#include "stdlib/header_constants.h"

namespace lt {
namespace {

Type longest(const std::vector<std::string>& texts) {
    size_t most = 0;
    for (const std::string& text : texts) most = std::max(most, text.size());
    return string_type(static_cast<uint32_t>(most + 1));
}

// Does the variable describe the current task, or how it got here?
bool describes_task(const VariableRow& row) {
    constexpr std::array others{Variable::nsecs, Variable::cpu,  Variable::probe, Variable::elapsed,
                                Variable::rand,  Variable::args, Variable::ncpus, Variable::probetype};
    return std::ranges::find(others, row.id) == others.end();
}

// The type that the traced function's declaration gives `retval`. A saved plan depends on it only if it is used.
Type declared_result(CheckContext& c, ast::ExprId id, bool is_used) {
    if (in_program(c.place())) return program_result(c, id);
    const KernelFunction& f = kernel_function(c.place());
    if (is_used) assume_result(c, f);
    if (!f.in_btf) return integer_type(8, true);  // also a system call
    if (f.result.kind == Kind::integer) return f.result;
    c.error(id, fmt::format("`{}` returns neither an integer nor an address", f.name));
    return nothing();
}

bool has_plain_result(const CheckContext& c) {
    const ProbeKind kind = c.place().kind;
    return c.settings().plain_results && (kind == ProbeKind::kretprobe || kind == ProbeKind::uretprobe);
}

Type return_value_type(CheckContext& c, ast::ExprId id) {
    const bool is_plain = has_plain_result(c);
    Type type = declared_result(c, id, !is_plain);
    if (type.kind == Kind::none || !is_plain) return type;
    type = integer_type(8, false);
    c.body.result = type;
    type.user_memory = in_program(c.place());
    return type;
}

Type variable_type(CheckContext& c, ast::ExprId id, const VariableRow& row, std::string_view name) {
    if (!is_available(c, id, row)) return nothing();
    if (row.id == Variable::arg) return numbered_argument(c, id, name);
    if (row.id == Variable::args) return whole_args(c, id);
    if (row.id == Variable::why) return why_record(c, c.span(id), true) ? why_type() : nothing();
    if (row.id == Variable::retval) return return_value_type(c, id);
    if (row.id == Variable::ctx && !objects(c.place()).context.empty())
        return pointer_type(c.kernel.type(objects(c.place()).context).value_or(nothing()));
    if (row.id == Variable::curtask) return pointer_type(c.kernel.type("struct task_struct").value_or(nothing()));
    if (row.type.view == View::duration && c.settings().conventions.plain_integers) return integer_type();
    if (row.type.kind == Kind::stack) return stack_of(c.program, c.settings().stack_form);
    if (row.id == Variable::probe) {
        std::vector<std::string> texts = place_texts(c.place());
        texts.push_back(pattern_text(c.place()));
        return longest(texts);
    }
    if (row.id == Variable::func) return longest(function_names(c.place()));
    return c.of_row(row.type);
}

Type unknown_name(CheckContext& c, ast::ExprId id, std::string_view name) {
    if (const auto constant = c.kernel.constant(name)) {
        c.use(id) = ConstantUse{constant->value};
        const bool declared = constant->type.shape && constant->type.shape->declared;
        if (!declared) c.assume({Assumed::constant, "", std::string(name), {}, static_cast<uint64_t>(constant->value)});
        return constant->type;
    }
    if (const auto constant = header_constant(name)) {
        c.use(id) = ConstantUse{*constant};
        return integer_type(8, true);
    }
    if (const OtherName* other = find_other_name(name)) {
        c.error(id, fmt::format("`{}` is not supported yet", name)).hint = other->instead;
        return nothing();
    }
    Diag& d = c.error(id, fmt::format("there is nothing with the name `{}`", name));
    if (const FunctionRow* row = find_function(name)) {
        d.message = fmt::format("`{}` is a function", name);
        d.hint = fmt::format("write `{}`", signature(*row));
        return nothing();
    }
    std::vector<std::string_view> names;
    for (const VariableRow& r : variable_rows()) names.push_back(r.name);
    for (const SpanInfo& s : c.typed.spans) names.push_back(s.name);
    for (const ParamInfo& p : c.typed.params) names.push_back(p.name);
    const auto near = closest(name, names);
    const bool shouts = name.size() > 1 && std::ranges::none_of(name, [](char letter) { return std::islower(letter); });
    d.hint = shouts ? fmt::format("if it is a C macro, define it at the start of the script: `#define {} VALUE`", name)
             : near.empty() ? "a map is `@name`, a variable is `$name`"
                            : did_you_mean(near);
    return nothing();
}

std::optional<Type> parameter_type(CheckContext& c, ast::ExprId id, std::string_view name) {
    const auto found = std::ranges::find_if(c.typed.params, [&](const ParamInfo& p) { return p.name == name; });
    if (found == c.typed.params.end()) return {};
    c.use(id) = ParamUse{static_cast<uint32_t>(found - c.typed.params.begin())};
    return found->type;
}

}  // namespace

bool is_available(CheckContext& c, ast::ExprId id, const VariableRow& row) {
    const ProbeRow& probe = probe_row(c.place().kind);
    const bool span_item = !c.in_action(), opens = c.is_opening();
    std::string why, hint;
    if (!provider(probe.place).has_current && row.scope != Scope::entry_fields && describes_task(row)) {
        c.error(id,
                fmt::format("`{}` means nothing here: a new connection interrupts whatever runs on the CPU", row.name))
            .hint = "compare `args.local_port`; `iter:tcp` lists the listening sockets";
        return false;
    }
    if (c.region == Region::timeout && !row.in_timeout) {
        c.error(id, fmt::format("a timeout's block does not run in the thread that is stuck: `{}` is not available",
                                row.name))
            .hint = "use `pid`, `tid`, `comm`, `kstack`, `latency`, `entry()` and the arguments of the opening";
        return false;
    }
    if (c.region == Region::timeout && c.body.role == Role::open &&
        (row.scope == Scope::entry_arguments || row.scope == Scope::entry_fields)) {
        c.error(id, fmt::format("`{}` is only available at the opening", row.name)).hint =
            fmt::format("read it at the opening with `entry({})`", row.name);
        return false;
    }
    switch (row.scope) {
        case Scope::anywhere:
            return true;
        case Scope::entry_arguments:
            if (probe.arguments) return true;
            why = fmt::format("`{}` probes have no numbered arguments", probe.name);
            hint = probe.fields ? "their fields are `args.NAME`" : "";
            break;
        case Scope::entry_fields:
            if (probe.fields) return true;
            why = fmt::format("`{}` probes have no named arguments", probe.name);
            hint = probe.arguments ? "write arg0, arg1 ..." : "";
            break;
        case Scope::function_return:
            if (probe.result || (c.body.role == Role::call && !opens)) return true;
            why = c.body.role == Role::call ? "there is no return value yet when the span opens"
                                            : fmt::format("`{}` probes have no return value", probe.name);
            hint = "use it at a function's return: in `kr:`, `ur:` and `fexit:` probes, and in the block of a span";
            break;
        case Scope::span_close:
            if (span_item && !opens) return true;
            why =
                fmt::format(fmt::runtime(span_item ? "there is no {} yet when the span opens" : "only a span has a {}"),
                            row.id == Variable::why ? "`why`" : "latency");
            hint = row.id == Variable::why
                       ? span_item ? "test it in the block: `sc:read < if (why.runq > 1ms) { print(why); } >`"
                                   : "write a span: `sc:read < print(why); >`"
                   : span_item ? "test it with a threshold after the predicate: `k:f /.../ > 10ms < ... >`"
                               : "write a span: `k:vfs_read < @ns = hist(...) >`";
            break;
        case Scope::stack:
            if (!run_by_lt(probe.place) || probe.place == Place::nothing) return true;
            why = fmt::format("`{}` has no stack: lt itself runs it", probe.name);
            hint = "stacks exist where the kernel or a program is traced: `k:vfs_read { @[kstack] = count(); }`";
            break;
        case Scope::function:
            if (provider(probe.place).at_function) return true;
            why = fmt::format("`{}` probes are not at a function", probe.name);
            hint = "`probe` is the probe's own text";
            break;
    }
    c.error(id, why).hint = hint;
    return false;
}

Type result_with_members(CheckContext& c, ast::ExprId id) {
    const auto* variable = std::get_if<VariableUse>(&c.use(id));
    if (!variable || variable->id != Variable::retval || !has_plain_result(c)) return c.type(id);
    const Type in_register = c.body.result;
    Type declared = declared_result(c, id, true);
    c.body.result = in_register;
    if (pointee(declared)) c.type(id) = std::move(declared);
    return c.type(id);
}

Type type_of(CheckContext& c, ast::ExprId id, const ast::Name& node) {
    if (const auto t = parameter_type(c, id, node.name)) return *t;
    const VariableRow* row = find_variable(node.name);
    if (!row) return unknown_name(c, id, node.name);
    c.use(id) = VariableUse{row->id, 0};  // variable_type() may replace this
    return variable_type(c, id, *row, node.name);
}

Type type_of(CheckContext& c, ast::ExprId id, const ast::Ellipsis&) {
    c.use(id) = VariableUse{Variable::latency, 0};
    return variable_type(c, id, variable_row(Variable::latency), "...");
}

}  // namespace lt
