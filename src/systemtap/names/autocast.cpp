// p = @cast(x, "struct file"), then p->f_flags: the type of an address is known from where it came from. A local still
// is a number, which is cast where it is followed.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "parser/tree/rewrite.h"
#include "systemtap/names/names.h"
#include "systemtap/names/scope.h"
#include "systemtap/names/targets.h"

namespace lt::stp {
namespace {

constexpr uint32_t most_steps = 8;  // from local to local

// lt's own functions that return an address.
struct Gives {
    std::string_view function, type;
};

constexpr std::array gives{
    Gives{"task_current", "task_struct"},
    Gives{"task_parent", "task_struct"},
    Gives{"pid2task", "task_struct"},
};

std::optional<ast::TypeName> pointed_by(Names& scope, ast::ExprId value, uint32_t depth);

const Gives* find_gives(std::string_view function) {
    const auto* found = std::ranges::find(gives, function, &Gives::function);
    return found == gives.end() ? nullptr : found;
}

bool is_cast(const ast::Call& call) { return call.name == "@cast" && call.arguments.size() > 1; }

// For a function's result, if it is a cast or a call, or follows a cast.
std::optional<ast::TypeName> pointed_by_result(Names& scope, const Function& function, uint32_t depth) {
    std::optional<ast::ExprId> returned;
    ast::each_statement(scope.program, function.body, [&](ast::StmtId id) {
        const auto* leave = scope.program.get<ast::Return>(id);
        if (leave && !returned) returned = leave->value;
    });
    if (!returned) return {};
    const auto* call = scope.get<ast::Call>(*returned);
    if (call != nullptr) return pointed_by(scope, *returned, depth);
    const auto* root = scope.get<ast::Call>(root_of(scope, *returned));
    if (root == nullptr || !is_cast(*root)) return {};
    const ast::ExprId like = ast::clone(scope.program, *returned);
    const ast::ExprId nothing = scope.program.add(scope.span(*returned), ast::Integer{0});  // only its type matters
    std::get<ast::Call>(scope.program.exprs[static_cast<size_t>(root_of(scope, like))].node).arguments[0] = nothing;
    return pointed_by(scope, like, depth);
}

// The type to which a value points.
std::optional<ast::TypeName> pointed_by(Names& scope, ast::ExprId value, uint32_t depth) {
    if (depth > most_steps) return {};
    const ast::ExprNode copy = scope.node(value);
    if (const auto* call = std::get_if<ast::Call>(&copy)) {
        if (is_cast(*call)) {
            if (scope.get<ast::String>(call->arguments[1]) == nullptr) return {};
            ast::TypeName type = type_of_cast(scope, *call);
            type.span = scope.span(value);
            return type;
        }
        if (const Gives* row = find_gives(call->name)) return pointed_type(std::string(row->type), scope.span(value));
        const Function* f = scope.functions.find(call->name, call->arguments.size());
        return f != nullptr && !f->embedded ? pointed_by_result(scope, *f, depth + 1) : std::nullopt;
    }
    if (const auto* name = std::get_if<ast::Name>(&copy); name && !name->name.starts_with("$")) {
        const auto given = scope.given_types.find(name->name);
        if (given != scope.given_types.end()) return pointed_by(scope, given->second, depth + 1);
        if (!scope.globals.contains(name->name)) return {};
        for (const ast::Stmt& stmt : scope.program.stmts) {
            const auto* assign = std::get_if<ast::Assign>(&stmt.node);
            const auto* target = assign ? scope.get<ast::Name>(assign->target) : nullptr;
            const auto* call = assign ? scope.get<ast::Call>(assign->value) : nullptr;
            if (target && call && target->name == name->name) return pointed_by(scope, assign->value, depth + 1);
        }
        return {};
    }
    if (!is_target(scope, value)) return {};
    Around as_it_is = *scope.around;
    as_it_is.at_return = false;
    const Around* outside = std::exchange(scope.around, &as_it_is);
    const ast::ExprId like = ast::clone(scope.program, value);
    const size_t reported = scope.unassigned.size();
    resolve_path(scope, like);
    scope.unassigned.resize(reported);  // it may be an expression of another body
    scope.around = outside;
    ast::TypeName type;
    type.span = scope.span(value);
    type.like = like;
    return type;
}

}  // namespace

void note_type(Names& scope, ast::ExprId target, ast::ExprId value) {
    const auto* name = scope.get<ast::Name>(target);
    if (name == nullptr || name->name.starts_with("$") || scope.given_types.contains(name->name)) return;
    const auto* from = scope.get<ast::Name>(value);
    const auto* call = scope.get<ast::Call>(value);
    const bool may = is_target(scope, value) || from != nullptr || (call != nullptr && !call->name.starts_with("@"));
    const std::string local = name->name;
    if (may) scope.given_types.emplace(local, ast::clone(scope.program, value));
}

// Can a name or a call be an address that is followed?
bool may_point(const Names& scope, ast::ExprId root) {
    if (const auto* name = scope.get<ast::Name>(root))
        return !name->name.starts_with("$") && name->name != "args" && name->name != wildcard_name;
    const auto* call = scope.get<ast::Call>(root);
    return call != nullptr && !call->name.starts_with("@") &&
           (find_gives(call->name) != nullptr || scope.functions.find(call->name, call->arguments.size()) != nullptr);
}

void cast_by_itself(Names& scope, ast::ExprId id) {
    const auto type = pointed_by(scope, id, 0);
    const ast::ExprId value = moved(scope, id);
    resolve_expr(scope, value);
    if (type) return scope.put(id, ast::Cast{*type, value});
    const auto* name = scope.get<ast::Local>(value);
    scope.diags
        .error(scope.span(id), name ? fmt::format("lt does not know what {} points to", name->name)
                                    : "lt does not know what this points to")
        .hint = "give its type: `@cast(address, \"struct NAME\")->member`";
    scope.put(id, ast::Integer{0});
}

}  // namespace lt::stp
