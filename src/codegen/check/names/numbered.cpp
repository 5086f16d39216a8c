#include "codegen/check/names/numbered.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "arch/arch.h"
#include "base/text.h"
#include "codegen/check/expr/assume.h"
#include "stdlib/successors.h"

namespace lt {
namespace {

// False with an error if lt does not know where Go passes this argument.
bool go_passes_argument(CheckContext& c, ast::ExprId id, uint32_t n, std::string_view name) {
    const UserFunction& f = user_function(c.place());
    if (!in_program(c.place()) || f.convention == Convention::c) return true;
    const auto known = static_cast<uint32_t>(argument_registers(f.convention).size());
    if (f.convention == Convention::go && n < known) return true;
    if (f.convention == Convention::go)
        c.error(id, fmt::format("`{}` of `{}` is on the stack, and lt does not know where", name, f.name)).hint =
            fmt::format("Go passes {} words in registers: `arg0` to `arg{}`", known, known - 1);
    else
        c.error(id, fmt::format("lt does not know where the arguments of `{}` are: {}", f.name,
                                f.convention == Convention::go_assembly
                                    ? "it is written in assembly, in a Go program"
                                    : "lt cannot read this Go program's table of functions"));
    return false;
}

Type marker_argument(CheckContext& c, ast::ExprId id, uint32_t n) {
    const auto& [marker, all] = std::get<MarkerPlace>(c.place().there);
    if (n >= all.size()) {
        const std::string few = all.empty() ? "no arguments" : "only " + plural(all.size(), "argument");
        Diag& d = c.error(id, fmt::format("`{}` has {}", marker.name, few));
        if (!all.empty()) d.hint = fmt::format("the last is `arg{}`", all.size() - 1);
        return nothing();
    }
    if (all[n].where == MarkerArgument::Where::unknown) {
        c.error(id, fmt::format("`arg{}` of `{}` cannot be read: it is at {}", n, marker.name, quoted(all[n].text)));
        return nothing();
    }
    Type type = integer_type(8, all[n].is_signed);
    type.user_memory = true;
    return type;
}

std::vector<const ast::ProbeSpec*> probes_of(const ast::Item& item) {
    std::vector<const ast::ProbeSpec*> out;
    if (const auto* action = std::get_if<ast::Action>(&item.node))
        for (const ast::ProbeSpec& spec : action->probes) out.push_back(&spec);
    if (const auto* span = std::get_if<ast::SpanAction>(&item.node))
        for (const ast::Endpoint& opening : span->opens) out.push_back(&opening.probe);
    return out;
}

std::string quoted_names(const std::vector<Field>& fields) {
    std::vector<std::string> out;
    for (const Field& field : fields)
        if (!field.name.empty()) out.push_back(fmt::format("`args.{}`", field.name));
    return join(out, ", ");
}

// lt found another function than the script names, and this argument is not what it was there.
bool is_moved_argument(CheckContext& c, ast::ExprId id, const KernelFunction& f, uint32_t n) {
    for (const ast::ProbeSpec* spec : probes_of(c.program.items[c.body.item])) {
        const std::string& old_name = spec->parts.back().text;
        if (spec->span != c.place().span || old_name == f.name) continue;
        const auto rows = successors(old_name);
        const auto row = std::ranges::find(rows, f.name, &Candidate::name);
        if (row == rows.end() || n < row->same) continue;
        Diag& d = c.error(id, fmt::format("`arg{}` of `{}` is not what it was in `{}`", n, f.name, old_name));
        const std::string names = quoted_names(f.parameters);
        if (!names.empty()) d.hint = fmt::format("it has {}", names);
        return true;
    }
    return false;
}

// A system call's function has one argument, the registers that hold those of the call.
std::string hint_for_arguments(const CheckContext& c, const KernelFunction& f, uint32_t words) {
    const std::string_view of_calls = arch::native.system_call_functions;
    const std::string_view before = of_calls.substr(0, of_calls.find('*'));
    if (words == 1 && f.name.starts_with(before)) {
        const std::string call = f.name.substr(before.size());
        const auto entry = c.kernel.tracepoint("syscalls", "sys_enter_" + call);
        if (entry) return fmt::format("`tracepoint:syscalls:sys_enter_{}` has the call's arguments by name", call);
    }
    return words == 0 ? "" : fmt::format("the last is `arg{}`", words - 1);
}

}  // namespace

Type numbered_argument(CheckContext& c, ast::ExprId id, std::string_view name) {
    uint32_t n = 0;
    const auto [end, error] = std::from_chars(name.data() + 3, name.data() + name.size(), n);
    constexpr uint32_t most_arguments = 12;
    if (!go_passes_argument(c, id, n, name)) return nothing();
    if (error != std::errc{} || n >= most_arguments) {
        c.error(id, fmt::format("`{}` is out of range", name)).hint = "use `arg0` to `arg11`";
        return nothing();
    }
    const KernelFunction& f = kernel_function(c.place());
    if (!f.name.empty() && is_moved_argument(c, id, f, n)) return nothing();
    const uint32_t words = argument_words(f);
    if (f.in_btf && n >= words) {
        Diag& d = c.error(id, fmt::format("`{}` has only {}", f.name, plural(words, "argument")));
        d.hint = hint_for_arguments(c, f, words);
        return nothing();
    }
    c.use(id) = VariableUse{Variable::arg, n};
    if (std::holds_alternative<MarkerPlace>(c.place().there)) return marker_argument(c, id, n);
    assume_arguments(c, n);
    Type type = integer_type(8, false);
    type.user_memory = in_program(c.place());
    return type;
}

}  // namespace lt
