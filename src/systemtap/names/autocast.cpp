// p = @cast(x, "struct file"), then p->f_flags: the type of an address is known from where it came from. A local still
// is a number, which is cast where it is followed.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/rows.h"
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

const Gives* find_gives(std::string_view function) { return find_row(gives, function, &Gives::function); }

bool is_entry(const ast::Call& call) { return call.name == "@entry" && call.arguments.size() == 1; }
bool is_cast(const ast::Call& call) { return call.name == "@cast" && call.arguments.size() > 1; }

bool is_address(const Names& scope, ast::ExprId value) {
    const auto* call = scope.get<ast::Call>(value);
    return call != nullptr && call->name == address_call && call->arguments.size() == 1;
}

// Without the `&` before it.
ast::ExprId path_of(const Names& scope, ast::ExprId value) {
    return is_address(scope, value) ? scope.get<ast::Call>(value)->arguments[0] : value;
}

// A path that follows a cast, for use in another body: only its type matters. No value for any other path.
std::optional<ast::ExprId> for_type_only(Names& scope, ast::ExprId value) {
    const auto* root = scope.get<ast::Call>(root_of(scope, path_of(scope, value)));
    if (root == nullptr || !is_cast(*root)) return {};
    const ast::ExprId like = ast::clone(scope.program, value);
    const ast::ExprId nothing = scope.program.add(scope.span(value), ast::Integer{0});
    const ast::ExprId cast = root_of(scope, path_of(scope, like));
    std::get<ast::Call>(scope.program.exprs[static_cast<size_t>(cast)].node).arguments[0] = nothing;
    return like;
}

// For a function's result, if it is a cast or a call, or follows a cast.
std::optional<ast::TypeName> pointed_by_result(Names& scope, const Function& function, uint32_t depth) {
    std::optional<ast::ExprId> returned;
    ast::each_statement(scope.program, function.body, [&](ast::StmtId id) {
        const auto* leave = scope.program.get<ast::Return>(id);
        if (leave && !returned) returned = leave->value;
    });
    if (!returned) return {};
    const auto* call = scope.get<ast::Call>(*returned);
    if (call != nullptr && call->name != address_call) return pointed_by(scope, *returned, depth);
    const auto like = for_type_only(scope, *returned);
    return like ? pointed_by(scope, *like, depth) : std::nullopt;
}

// typeof($file->f_path), typeof(&$file->f_path)
std::optional<ast::TypeName> typeof_target(Names& scope, ast::ExprId value) {
    if (!is_target(scope, path_of(scope, value))) return {};
    Around as_it_is = *scope.around;
    as_it_is.at_return = false;
    const Around* outside = std::exchange(scope.around, &as_it_is);
    const ast::ExprId path = ast::clone(scope.program, path_of(scope, value));
    const size_t reported = scope.unassigned.size();
    resolve_path(scope, path);
    scope.unassigned.resize(reported);  // it may be an expression of another body
    scope.around = outside;
    ast::TypeName type;
    type.span = scope.span(value);
    type.like = is_address(scope, value) ? scope.add(value, ast::Unary{ast::UnaryOp::address, path}) : path;
    return type;
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
        if (call->name == address_call) {
            const auto* whole = scope.get<ast::Call>(call->arguments[0]);  // &@cast(p, "type") is p
            const bool is_same = whole != nullptr && is_cast(*whole);
            return is_same ? pointed_by(scope, call->arguments[0], depth + 1) : typeof_target(scope, value);
        }
        if (call->name == "@var") return typeof_target(scope, value);
        if (is_entry(*call)) return pointed_by(scope, call->arguments[0], depth + 1);
        if (const Gives* row = find_gives(call->name)) return pointed_type(std::string(row->type), scope.span(value));
        const Function* f = scope.functions.find(call->name, call->arguments.size());
        return f != nullptr && !f->embedded ? pointed_by_result(scope, *f, depth + 1) : std::nullopt;
    }
    if (const auto* name = std::get_if<ast::Name>(&copy); name && !name->name.starts_with("$")) {
        const auto given = scope.given_types.find(name->name);
        if (given != scope.given_types.end()) {
            auto taken = scope.given_types.extract(given);  // it may follow itself, also by way of others
            const auto type = pointed_by(scope, taken.mapped(), depth + 1);
            scope.given_types.insert(std::move(taken));
            return type;
        }
        if (!scope.globals.contains(name->name)) return {};
        for (const ast::Stmt& stmt : scope.program.stmts) {
            const auto* assign = std::get_if<ast::Assign>(&stmt.node);
            const auto* target = assign ? scope.get<ast::Name>(assign->target) : nullptr;
            const auto* call = assign ? scope.get<ast::Call>(assign->value) : nullptr;
            if (!target || !call || target->name != name->name || call->name == "@var" || is_entry(*call)) continue;
            const ast::ExprId assigned = assign->value;
            if (!is_address(scope, assigned)) return pointed_by(scope, assigned, depth + 1);
            const auto like = for_type_only(scope, assigned);
            return like ? pointed_by(scope, *like, depth + 1) : std::nullopt;
        }
        return {};
    }
    return typeof_target(scope, value);
}

}  // namespace

void note_type(Names& scope, ast::ExprId target, ast::ExprId value) {
    const auto* name = scope.get<ast::Name>(target);
    if (name == nullptr || name->name.starts_with("$") || scope.given_types.contains(name->name)) return;
    const auto* root = scope.get<ast::Name>(root_of(scope, path_of(scope, value)));
    if (root != nullptr && root->name == name->name) return;  // p = p->next
    const auto* from = scope.get<ast::Name>(value);
    const auto* call = scope.get<ast::Call>(value);
    const bool gives_address = call != nullptr && (!call->name.starts_with("@") || is_entry(*call));
    const bool may = is_target(scope, value) || from != nullptr || gives_address;
    const std::string local = name->name;
    if (may) scope.given_types.emplace(local, ast::clone(scope.program, value));
}

// Can a name or a call be an address that is followed?
bool may_point(const Names& scope, ast::ExprId root) {
    if (const auto* name = scope.get<ast::Name>(root))
        return !name->name.starts_with("$") && name->name != "args" && name->name != wildcard_name;
    const auto* call = scope.get<ast::Call>(root);
    if (call == nullptr) return false;
    if (call->name.starts_with("@")) return is_entry(*call);
    return find_gives(call->name) != nullptr || scope.functions.find(call->name, call->arguments.size()) != nullptr;
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
