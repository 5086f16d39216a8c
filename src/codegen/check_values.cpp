// Values that the language itself has at a place: what type each has there, which places have none, and names that are
// none of them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "base/text.h"
#include "check.h"
#include "stacks.h"
#include "stdlib/header_constants.h"

namespace lt {
namespace {

Type longest(const std::vector<std::string>& texts) {
    size_t most = 0;
    for (const std::string& text : texts) most = std::max(most, text.size());
    return string_type(static_cast<uint32_t>(most + 1));
}

// Does it ask about the task that runs, or what led there?
bool tells_who_runs(const VariableRow& row) {
    constexpr std::array others{Variable::nsecs, Variable::cpu,  Variable::probe, Variable::elapsed,
                                Variable::rand,  Variable::args, Variable::ncpus, Variable::probetype};
    return std::ranges::find(others, row.id) == others.end();
}

}  // namespace

Type BodyChecker::variable(ast::ExprId id, const VariableRow& row, std::string_view name) {
    if (!in_scope(id, row)) return nothing();
    if (row.id == Variable::arg) return argument(id, name);
    if (row.id == Variable::args) return whole_arguments(id);
    if (row.id == Variable::retval) return result_type(id);
    if (row.id == Variable::ctx && !body_.place.context.empty())
        return pointer_type(kernel_.type(body_.place.context).value_or(nothing()));
    if (row.id == Variable::curtask) return pointer_type(kernel_.type("struct task_struct").value_or(nothing()));
    if (row.type.view == View::duration && program_.settings.plain_integers) return integer_type();
    if (row.type.kind == Kind::stack) return stack_of(program_, program_.settings.stack_form);
    if (row.id == Variable::probe) {
        std::vector<std::string> texts = place_texts(body_.place);
        texts.push_back(pattern_text(body_.place));
        return longest(texts);
    }
    if (row.id == Variable::func) return longest(function_names(body_.place));
    return of_row(row.type);
}

Type BodyChecker::argument(ast::ExprId id, std::string_view name) {
    uint32_t n = 0;
    const auto [end, error] = std::from_chars(name.data() + 3, name.data() + name.size(), n);
    constexpr uint32_t most_arguments = 12;
    if (error != std::errc{} || n >= most_arguments) {
        diags_.error(span(id), fmt::format("{} is out of reach", name)).hint = "arg0 to arg11 can be read";
        return nothing();
    }
    const KernelFunction& f = body_.place.function;
    const uint32_t words = argument_words(f);
    if (f.in_btf && n >= words) {
        Diag& d =
            diags_.error(span(id), fmt::format("{} has only {} argument{}", f.name, words, words == 1 ? "" : "s"));
        if (words > 0) d.hint = fmt::format("the last is arg{}", words - 1);
        return nothing();
    }
    use(id) = VariableUse{Variable::arg, n};
    if (probe_row(body_.place.kind).place == Place::marker) return marker_argument(id, n);
    assume_arguments(n);
    Type type = integer_type(8, false);
    type.user_memory = in_program(body_.place);
    return type;
}

Type BodyChecker::marker_argument(ast::ExprId id, uint32_t n) {
    const std::vector<MarkerArgument>& all = body_.place.arguments;
    if (n >= all.size()) {
        const std::string few =
            all.empty() ? "no arguments" : fmt::format("only {} argument{}", all.size(), all.size() == 1 ? "" : "s");
        Diag& d = diags_.error(span(id), fmt::format("{} has {}", body_.place.user.name, few));
        if (!all.empty()) d.hint = fmt::format("the last is arg{}", all.size() - 1);
        return nothing();
    }
    if (all[n].where == MarkerArgument::Where::unknown) {
        diags_.error(span(id), fmt::format("arg{} of {} cannot be read: it is at {}", n, body_.place.user.name,
                                           quoted(all[n].text)));
        return nothing();
    }
    Type type = integer_type(8, all[n].is_signed);
    type.user_memory = true;
    return type;
}

Type BodyChecker::result_type(ast::ExprId id) {
    if (in_program(body_.place)) return program_result(id);
    const KernelFunction& f = body_.place.function;
    assume_result(f);
    if (!f.in_btf) return integer_type(8, true);  // a system call too
    if (f.result.kind == Kind::integer) return f.result;
    diags_.error(span(id), fmt::format("{} returns nothing that is an integer or an address", f.name));
    return nothing();
}

bool BodyChecker::in_scope(ast::ExprId id, const VariableRow& row) {
    const ProbeRow& probe = probe_row(body_.place.kind);
    const bool span_item = in_span(), opens = opening();
    std::string why, hint;
    if (probe.place == Place::socket_event && row.scope != Scope::entry_fields && tells_who_runs(row)) {
        diags_
            .error(span(id), fmt::format("`{}` says nothing here: whatever runs on the CPU is interrupted when a "
                                         "connection comes",
                                         row.name))
            .hint = "compare args.local_port; `iter:tcp` tells who listens there";
        return false;
    }
    if (region_ == Region::timeout && !row.in_timeout) {
        diags_
            .error(span(id),
                   fmt::format("a timeout's block does not run in the thread that is stuck: there is no {}", row.name))
            .hint = "there are pid, tid, comm, kstack, latency, entry() and the arguments of the opening";
        return false;
    }
    if (region_ == Region::timeout && body_.role == Role::open &&
        (row.scope == Scope::entry_arguments || row.scope == Scope::entry_fields)) {
        diags_.error(span(id), "the opening is over").hint =
            fmt::format("write entry(...) around what `{}` was then", row.name);
        return false;
    }
    switch (row.scope) {
        case Scope::anywhere:
            return true;
        case Scope::entry_arguments:
            if (probe.arguments) return true;
            why = fmt::format("`{}` probes have no numbered arguments", probe.name);
            hint = probe.fields ? "their fields are args.NAME" : "";
            break;
        case Scope::entry_fields:
            if (probe.fields) return true;
            why = fmt::format("`{}` probes have no named arguments", probe.name);
            hint = probe.arguments ? "write arg0, arg1 ..." : "";
            break;
        case Scope::function_return:
            if (probe.result || (body_.role == Role::call && !opens)) return true;
            why = body_.role == Role::call ? "when the span opens there is no return value yet"
                                           : fmt::format("`{}` probes have no return value", probe.name);
            hint = "it is there at a function's return: in kr:, ur:, fexit: probes and in the block of a span";
            break;
        case Scope::span_close:
            if (span_item && !opens) return true;
            why = span_item ? "when the span opens there is no latency yet" : "only a span has a latency";
            hint = span_item ? "a threshold after the predicate tests it: `k:f /.../ > 10ms < ... >`"
                             : "write a span: `k:vfs_read < @ns = hist(...) >`";
            break;
        case Scope::stack:
            if (!run_by_lt(probe.place) || probe.place == Place::nothing) return true;
            why = fmt::format("`{}` has no stack: lt itself runs it", probe.name);
            hint = "there is one wherever the kernel or a program is traced, as in k:vfs_read { @[kstack] = count(); }";
            break;
        case Scope::function:
            if (probe.place == Place::kernel_function || probe.place == Place::binary_function) return true;
            why = fmt::format("`{}` probes are at no function", probe.name);
            hint = "`probe` is the probe's own text";
            break;
    }
    diags_.error(span(id), why).hint = hint;
    return false;
}

Type BodyChecker::unknown_name(ast::ExprId id, std::string_view name) {
    if (const auto constant = kernel_.constant(name)) {
        use(id) = ConstantUse{constant->value};
        const bool declared = constant->type.shape && constant->type.shape->declared;
        if (!declared) assume({Assumed::constant, "", std::string(name), {}, static_cast<uint64_t>(constant->value)});
        return constant->type;
    }
    if (const auto constant = header_constant(name)) {
        use(id) = ConstantUse{*constant};
        return integer_type(8, true);
    }
    const auto later = later_names();
    if (std::find(later.begin(), later.end(), name) != later.end()) {
        diags_.error(span(id), fmt::format("`{}` is not there yet", name));
        return nothing();
    }
    Diag& d = diags_.error(span(id), fmt::format("there is nothing of the name `{}`", name));
    if (const FunctionRow* row = find_function(name)) {
        d.message = fmt::format("`{}` is a function", name);
        d.hint = fmt::format("write {}", signature(*row));
        return nothing();
    }
    std::vector<std::string_view> names;
    for (const VariableRow& r : variable_rows()) names.push_back(r.name);
    for (const SpanInfo& s : typed_.spans) names.push_back(s.name);
    for (const ParamInfo& p : typed_.params) names.push_back(p.name);
    const auto near = closest(name, names);
    const bool shouts =
        name.size() > 1 && std::none_of(name.begin(), name.end(), [](char c) { return std::islower(c); });
    d.hint = shouts         ? fmt::format("if it is a macro of C, define it at the beginning: #define {} VALUE", name)
             : near.empty() ? "a map is @name, a variable $name"
                            : fmt::format("did you mean {}?", either(near));
    return nothing();
}

}  // namespace lt
