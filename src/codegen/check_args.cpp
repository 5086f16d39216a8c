// `args` as a whole: a record of the arguments of a place, each as it is alone. What cannot be read (a structure in
// several registers, a floating-point number) is left out.
#include <fmt/format.h>

#include <algorithm>

#include "check.h"

namespace lt {
namespace {

constexpr uint32_t most_copied = 4096;  // bytes of a record

bool can_be_read(const ProgramVariable& v) {
    if (!v.missing.empty() || v.type.kind == Kind::none || v.type.size == 0) return false;
    return !v.is_value || v.type.size <= v.words * 8;
}

}  // namespace

bool BodyChecker::wanted(const ProgramVariable& v, const ArgumentSort& sort) {
    if (!(v.parameter ? sort.parameters : sort.locals) || !can_be_read(v)) return false;
    return sort.numbers_only ? v.type.kind == Kind::integer : of_place(v.type).kind != Kind::none;
}

std::optional<ArgumentsUse> BodyChecker::readable_arguments(ast::ExprId id, const ArgumentSort& sort) {
    ArgumentsUse all;
    if (has_debug_scope(body_.place)) {
        const Result<ProgramScope>& scope = kernel_.program_scope(body_.place.user);
        if (!scope) {
            error(id, scope.error().what).hint = "write arg0, arg1 ...";
            return {};
        }
        for (const ProgramVariable& v : scope->variables)
            if (wanted(v, sort)) all.variables.push_back(v);
        return all;
    }
    if (!sort.parameters) return all;
    const KernelFunction& function = body_.place.function;
    if (!function.name.empty() && !function.in_btf) {
        error(id, fmt::format("the kernel's type information (BTF) does not describe {}", function.name)).hint =
            "write arg0, arg1 ...";
        return {};
    }
    for (const Field& field : function.name.empty() ? body_.place.tracepoint.fields : function.parameters) {
        if (field.type.kind == Kind::none || field.name.empty()) continue;
        if (sort.numbers_only && (field.type.kind != Kind::integer || field.name == syscall_number)) continue;
        assume_field(field);
        all.fields.push_back(field);
    }
    return all;
}

Type BodyChecker::whole_arguments(ast::ExprId id) {
    std::optional<ArgumentsUse> all = readable_arguments(id, {});
    if (!all) return nothing();
    std::vector<Type> parts;
    std::vector<std::string> names;
    const auto add = [&](const std::string& name, Type type) {
        names.push_back(name);
        parts.push_back(kept(id, std::move(type)));
    };
    for (const Field& field : all->fields) add(field.name, field.type);
    for (const ProgramVariable& v : all->variables) add(v.name, of_place(v.type));
    if (std::ranges::find(parts, Kind::none, &Type::kind) != parts.end()) return nothing();
    if (parts.empty()) {
        error(id, "there are no arguments here by name that can be read").hint =
            "`lt -lv PROBE` lists them; arg0, arg1 ... are there by number";
        return nothing();
    }
    Type record = tuple_type(std::move(parts), std::move(names));
    if (record.size > most_copied) {
        error(id, fmt::format("the arguments take {} bytes: too large to be copied", record.size)).hint =
            fmt::format("write args.NAME; up to {} bytes can be copied", most_copied);
        return nothing();
    }
    say(id, std::move(*all));
    return record;
}

}  // namespace lt
