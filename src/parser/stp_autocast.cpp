// p = @cast(x, "struct file"), then p->f_flags: what an address points to is known from where the program has it. A
// local is a number all the same, which is cast where it is followed.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "stp_clone.h"
#include "stp_each.h"
#include "stp_names.h"

namespace lt::stp {
namespace {

constexpr uint32_t most_steps = 8;  // from local to local

// Functions of lt's own that give an address.
struct Gives {
    std::string_view function, type;
};
constexpr std::array gives{
    Gives{"task_current", "task_struct"},
    Gives{"task_parent", "task_struct"},
    Gives{"pid2task", "task_struct"},
};

const Gives* find_gives(std::string_view function) {
    const auto* found = std::ranges::find(gives, function, &Gives::function);
    return found == gives.end() ? nullptr : found;
}

bool is_cast(const ast::Call& call) { return call.name == "@cast" && call.arguments.size() > 1; }

}  // namespace

void NameResolver::note_type(ast::ExprId target, ast::ExprId value) {
    const auto* name = std::get_if<ast::Name>(&node(target));
    if (name == nullptr || name->name.starts_with("$") || given_types_.contains(name->name)) return;
    const auto* from = std::get_if<ast::Name>(&node(value));
    const auto* call = std::get_if<ast::Call>(&node(value));
    const bool may = is_target(value) || from != nullptr || (call != nullptr && !call->name.starts_with("@"));
    const std::string local = name->name;
    if (may) given_types_.emplace(local, clone(program_, value));
}

// Can a name or a call stand for an address that is followed?
bool NameResolver::may_point(ast::ExprId root) const {
    if (const auto* name = std::get_if<ast::Name>(&node(root)))
        return !name->name.starts_with("$") && name->name != "args" && name->name != wildcard_name;
    const auto* call = std::get_if<ast::Call>(&node(root));
    return call != nullptr && !call->name.starts_with("@") &&
           (find_gives(call->name) != nullptr || functions_.find(call->name, call->arguments.size()) != nullptr);
}

// The type of the address that a value is.
std::optional<ast::TypeName> NameResolver::pointed_by(ast::ExprId value, uint32_t depth) {
    if (depth > most_steps) return {};
    const ast::ExprNode copy = node(value);
    if (const auto* call = std::get_if<ast::Call>(&copy)) {
        if (is_cast(*call)) {
            const auto* type = std::get_if<ast::String>(&node(call->arguments[1]));
            return type ? std::optional(pointed_type(type->value, span(value))) : std::nullopt;
        }
        if (const Gives* row = find_gives(call->name)) return pointed_type(std::string(row->type), span(value));
        const Function* f = functions_.find(call->name, call->arguments.size());
        return f != nullptr && !f->embedded ? pointed_by_result(*f, depth + 1) : std::nullopt;
    }
    if (const auto* name = std::get_if<ast::Name>(&copy); name && !name->name.starts_with("$")) {
        const auto given = given_types_.find(name->name);
        if (given != given_types_.end()) return pointed_by(given->second, depth + 1);
        if (!globals_.contains(name->name)) return {};
        for (const ast::Stmt& stmt : program_.stmts) {
            const auto* assign = std::get_if<ast::Assign>(&stmt.node);
            const auto* target = assign ? std::get_if<ast::Name>(&node(assign->target)) : nullptr;
            const auto* call = assign ? std::get_if<ast::Call>(&node(assign->value)) : nullptr;
            if (target && call && target->name == name->name) return pointed_by(assign->value, depth + 1);
        }
        return {};
    }
    if (!is_target(value)) return {};
    Around as_it_is = *around_;
    as_it_is.at_return = false;
    const Around* outside = std::exchange(around_, &as_it_is);
    const ast::ExprId like = clone(program_, value);
    path(like);
    around_ = outside;
    ast::TypeName type;
    type.span = span(value);
    type.like = like;
    return type;
}

// Of what a function returns, as far as that is a cast, a call, or follows a cast.
std::optional<ast::TypeName> NameResolver::pointed_by_result(const Function& function, uint32_t depth) {
    std::optional<ast::ExprId> returned;
    const std::function<void(const ast::Block&)> find = [&](const ast::Block& block) {
        for (ast::StmtId id : block.statements) {
            const ast::Stmt& stmt = program_[id];
            if (const auto* leave = std::get_if<ast::Return>(&stmt.node); leave && leave->value && !returned)
                returned = leave->value;
            ast::each_block(stmt, find);
        }
    };
    find(function.body);
    if (!returned) return {};
    const auto* call = std::get_if<ast::Call>(&node(*returned));
    if (call != nullptr) return pointed_by(*returned, depth);
    const auto* root = std::get_if<ast::Call>(&node(root_of(*returned)));
    if (root == nullptr || !is_cast(*root)) return {};
    const ast::ExprId like = clone(program_, *returned);
    const ast::ExprId nothing = program_.add(span(*returned), ast::Integer{0});  // only its type counts
    std::get<ast::Call>(program_.exprs[static_cast<size_t>(root_of(like))].node).arguments[0] = nothing;
    return pointed_by(like, depth);
}

void NameResolver::cast_by_itself(ast::ExprId id) {
    const auto type = pointed_by(id, 0);
    const ast::ExprId value = moved(id);
    expr(value);
    if (type) return put(id, ast::Cast{*type, value});
    const auto* name = std::get_if<ast::Local>(&node(value));
    diags_
        .error(span(id), name ? fmt::format("lt does not know what {} points to", name->name)
                              : "lt does not know what this points to")
        .hint = "say it: @cast(address, \"struct NAME\")->member";
    put(id, ast::Integer{0});
}

}  // namespace lt::stp
