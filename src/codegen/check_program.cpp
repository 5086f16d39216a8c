// What the debug information of a program tells of the place of a probe there: variables by name, and what its function
// returns.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "check.h"

namespace lt {
namespace {

constexpr size_t few_names = 16;

Type of_user(Type type) {
    const bool address = type.kind == Kind::integer && type.view == View::hex;
    if (address || in_memory(type)) type.user_memory = true;
    return type;
}

// Of the script: with a type in it that is written there in C.
bool is_declared(const Type& type) {
    return type.shape && (type.shape->declared || std::ranges::any_of(type.shape->parts, is_declared));
}

}  // namespace

// Where a variable lies is known by debug information, but the kernel's own type information says what it is: members
// are found by relocation, as anywhere in the kernel.
Type BodyChecker::of_kernel(Type type) {
    type.user_memory = false;
    if (!type.shape) return type;
    if (of_program(*type.shape)) {
        const std::string name = type.shape->name;
        return kernel_.type(name).value_or(type.kind == Kind::integer ? integer_type(type.size) : nothing());
    }
    for (Type& part : type.shape->parts) part = of_kernel(std::move(part));
    return type;
}

Type BodyChecker::of_place(Type type) {
    return in_program(body_.place) ? of_user(std::move(type)) : of_kernel(std::move(type));
}

Type BodyChecker::program_variable(ast::ExprId id, const ast::Member& node) {
    const UserFunction& f = body_.place.user;
    const Result<ProgramScope>& scope = kernel_.program_scope(f);
    if (!scope) {
        diags_.error(node.field_span, scope.error().what).hint =
            fmt::format("write arg0, arg1 ...{}{}", scope.error().hint.empty() ? "" : ", or ", scope.error().hint);
        return nothing();
    }
    const std::optional<ProgramVariable> found = variable_named(node, *scope);
    if (!found) return nothing();
    const auto refused = [&](std::string_view why) {
        diags_.error(node.field_span, fmt::format("`{}` of {} {}", found->name, scope->function, why));
        return nothing();
    };
    if (!found->missing.empty()) return refused(found->missing);
    Type type = of_place(found->type);
    if (type.kind == Kind::none) return refused(fmt::format("is of type `{}`, which cannot be read", found->c_type));
    if (found->is_value && found->type.size > found->words * 8) return refused("lies in registers, and not all of it");
    use(id) = ProgramUse{*found};
    return type;
}

std::optional<ProgramVariable> BodyChecker::variable_named(const ast::Member& node, const ProgramScope& scope) {
    const auto known = std::ranges::find(scope.variables, node.field, &ProgramVariable::name);
    if (known != scope.variables.end()) return *known;
    const UserFunction& f = body_.place.user;
    if (auto global = kernel_.program_global(f.path, f.offset, node.field)) return global;
    std::vector<std::string_view> names;
    for (const ProgramVariable& v : scope.variables) names.push_back(v.name);
    Diag& d =
        diags_.error(node.field_span, fmt::format("{} has no variable `{}` at this place", scope.function, node.field));
    const auto near = closest(node.field, names);
    if (!near.empty())
        d.hint = fmt::format("did you mean {}?", either(near));
    else if (!names.empty() && names.size() <= few_names)
        d.hint = fmt::format("there are {}", fmt::join(names, ", "));
    return {};
}

// Without debug information, or where one program serves functions that differ, it is the register as it stands.
Type BodyChecker::program_result(ast::ExprId id) {
    const Type plain = integer_type(8, true);
    const UserFunction& f = body_.place.user;
    body_.place.result = plain;
    if (!body_.place.members.empty()) return plain;
    const Result<ProgramScope>& scope = kernel_.program_scope(f);
    if (!scope || !scope->at_entry) return plain;
    if (scope->result.kind != Kind::integer) {
        diags_.error(span(id), fmt::format("{} returns `{}`, which is no integer and no address", scope->function,
                                           scope->c_result));
        return nothing();
    }
    body_.place.result = scope->result;
    return of_user(scope->result);
}

// Those of the script itself before those of the program, and these before those of the kernel.
TypeLookup BodyChecker::types_here() {
    const bool of_its_own = in_program(body_.place);
    return [this, of_its_own](std::string_view name) {
        auto other = kernel_.type(name);
        if (!of_its_own || (other && is_declared(*other))) return other;
        auto own = kernel_.program_type(body_.place.user.path, name);
        return own ? own : other;
    };
}

}  // namespace lt
