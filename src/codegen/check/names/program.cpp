#include "codegen/check/names/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "codegen/check/names/args.h"

namespace lt {
namespace {

constexpr size_t few_names = 16;

Type of_user(Type type) {
    const bool address = type.kind == Kind::integer && type.view == View::hex;
    if (address || in_memory(type)) type.user_memory = true;
    return type;
}

// True if the script declares the type, or a part of it, in C.
bool is_declared(const Type& type) {
    return type.shape && (type.shape->declared || std::ranges::any_of(type.shape->parts, is_declared));
}

// As the traced program's debug information describes it.
std::optional<Type> type_of_program(CheckContext& c, std::string_view name) {
    const UserFunction& f = user_function(c.place());
    return c.kernel.programs().program_type(f.path, f.offset, name);
}

// Debug information gives a variable's location, but its type comes from the kernel's own type information, so that
// members are found by relocation, as anywhere in the kernel.
Type kernel_type(CheckContext& c, Type type) {
    type.user_memory = false;
    if (!type.shape) return type;
    if (of_program(*type.shape)) {
        const std::string name = type.shape->name;
        return c.kernel.type(name).value_or(type.kind == Kind::integer ? integer_type(type.size) : nothing());
    }
    for (Type& part : type.shape->parts) part = kernel_type(c, std::move(part));
    return type;
}

std::optional<ProgramVariable> find_program_variable(CheckContext& c, const ast::Member& node,
                                                     const ProgramScope& scope) {
    const auto known = std::ranges::find(scope.variables, node.field, &ProgramVariable::name);
    if (known != scope.variables.end()) return *known;
    const UserFunction& f = user_function(c.place());
    if (auto global = c.kernel.programs().program_global(f.path, f.offset, node.field)) return global;
    std::vector<std::string_view> names;
    for (const ProgramVariable& v : scope.variables) names.push_back(v.name);
    Diag& d =
        c.error(node.field_span, fmt::format("`{}` has no variable `{}` at this location", scope.function, node.field));
    const auto near = closest(node.field, names);
    if (!near.empty())
        d.hint = did_you_mean(near);
    else if (!names.empty() && names.size() <= few_names)
        d.hint = fmt::format("the variables are {}", join(names, ", "));
    return {};
}

// Describes the first of the location's functions that ends with a jump to another one and so returns its result.
std::optional<std::string> jump_out(const ResolvedPlace& place) {
    const auto describe = [](const UserFunction& f) -> std::optional<std::string> {
        if (!f.ends || f.ends->first_jump == 0) return {};
        return fmt::format("`{}` ends with a jump at +{:#x} to another function", f.name,
                           f.ends->first_jump - f.offset);
    };
    for (const SharedPlace& member : place.members)
        if (auto jump = describe(member.user)) return jump;
    return describe(user_function(place));
}

}  // namespace

Type type_at_probe(CheckContext& c, Type type) {
    return in_program(c.place()) ? of_user(std::move(type)) : kernel_type(c, std::move(type));
}

Type program_variable(CheckContext& c, ast::ExprId id, const ast::Member& node) {
    const UserFunction& f = user_function(c.place());
    const Result<ProgramScope>& scope = c.kernel.programs().program_scope(f);
    if (!scope) {
        c.error(node.field_span, scope.error().what).hint = fmt::format(
            "write {}{}{}", arguments_by_number(c), scope.error().hint.empty() ? "" : ", or ", scope.error().hint);
        return nothing();
    }
    const std::optional<ProgramVariable> found = find_program_variable(c, node, *scope);
    if (!found) return nothing();
    const auto refused = [&](std::string_view why) {
        c.error(node.field_span, fmt::format("`{}` of `{}` {}", found->name, scope->function, why));
        return nothing();
    };
    if (!found->missing.empty()) return refused(found->missing);
    Type type = type_at_probe(c, found->type);
    if (type.kind == Kind::none) return refused(fmt::format("has the type `{}`, which cannot be read", found->c_type));
    if (found->is_value && found->type.size > found->words * 8) return refused("is only partly in registers");
    c.use(id) = ProgramUse{*found};
    return type;
}

Type program_result(CheckContext& c, ast::ExprId id) {
    const Type plain = integer_type(8, true);
    const UserFunction& f = user_function(c.place());
    c.body.result = plain;
    if (const auto jump = jump_out(c.place())) {
        c.error(id, *jump + ", whose result is not known yet").hint =
            "trace the other function, or do not use `retval`";
        return nothing();
    }
    if (!c.place().members.empty()) return plain;
    const Result<ProgramScope>& scope = c.kernel.programs().program_scope(f);
    if (!scope || !scope->at_entry) return plain;
    if (scope->result.kind != Kind::integer) {
        c.error(id, fmt::format("`{}` returns `{}`, which is neither an integer nor an address", scope->function,
                                scope->c_result));
        return nothing();
    }
    c.body.result = scope->result;
    return of_user(scope->result);
}

bool has_types_of(CheckContext& c, const std::string& source) {
    if (source == ast::kernel_source) return true;
    if (!in_program(c.place())) return false;
    const std::string& path = user_function(c.place()).path;
    std::error_code failed;
    return source.starts_with('<') || source == path || std::filesystem::equivalent(source, path, failed);
}

TypeLookup type_lookup(CheckContext& c, std::vector<std::string> sources) {
    const bool of_its_own = in_program(c.place());
    return [&c, of_its_own, sources = std::move(sources)](std::string_view name) -> std::optional<Type> {
        for (const std::string& source : sources) {
            if (!has_types_of(c, source)) continue;
            auto found = source == ast::kernel_source ? c.kernel.type(name) : type_of_program(c, name);
            if (found) return found;
        }
        if (!sources.empty()) return {};
        auto other = c.kernel.type(name);
        if (!of_its_own || (other && is_declared(*other))) return other;
        auto own = type_of_program(c, name);
        return own ? own : other;
    };
}

}  // namespace lt
