#include "codegen/check/local.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "codegen/check/collect.h"
#include "codegen/check/expr/kept.h"
#include "codegen/check/expr/sizes.h"
#include "codegen/check/expr/strings.h"
#include "codegen/check/map.h"
#include "codegen/check/pair.h"
#include "codegen/typed/operators.h"

namespace lt {
namespace {

// Starts from the type that the previous round ended with, since a later use may have changed it: a value in memory
// has the same layout at all its uses.
void merge_last_round(LocalInfo& info, const LocalInfo& last) {
    const Type& before = last.type;
    info.own_size = last.own_size;
    if (info.type.kind == Kind::none) {
        info.type = before;
    } else if (in_memory(info.type) && !apart(info.type, before)) {
        info.type = joined(info.type, before);
    } else if (info.type.kind == Kind::integer && before.kind == Kind::integer) {
        info.type.user_memory = info.has_type ? before.user_memory : user_memory_of(info.type, before);
    }
}

// The literals of a tuple take the signs of what else is assigned; an integer has the sign of its first value. The
// block of a timeout knows nothing of its last round, so its tuples keep the signs of literals.
Type first_type(const CheckContext& c, const Type& t, ast::ExprId value) {
    return t.kind == Kind::tuple && c.region != Region::timeout ? without_literal_signs(c, t, value) : t;
}

void merge_memory(CheckContext& c, LocalInfo& info, const Type& kept, ast::ExprId value) {
    info.type = joined(info.type, first_type(c, kept, value));
    if (kept.kind != Kind::tuple) return;
    info.own_size = std::max(info.own_size, own_size(c, value));
    const Type signs = signs_of(c, kept, value);
    info.signs = info.signs.kind == Kind::none ? signs : joined(info.signs, signs);
}

uint32_t new_local(CheckContext& c, LocalInfo info) {
    const size_t index = c.body.locals.size();
    if (index < c.before.size() && c.before[index].name == info.name) merge_last_round(info, c.before[index]);
    c.body.locals.push_back(std::move(info));
    return static_cast<uint32_t>(index);
}

// Does the value that it should have have an error, which is reported?
bool has_failed(const CheckContext& c, const std::string& name) {
    const bool is_of_chain = name.find('.') != std::string::npos;
    return c.diags.has_errors() && (is_of_chain || std::ranges::find(c.failed, name) != c.failed.end());
}

// Reports a use of a variable without a value.
void no_value(CheckContext& c, ast::ExprId use, const std::string& name, std::string_view hint) {
    if (has_failed(c, name)) return;
    c.error(use, fmt::format("`${}` has no value yet", name)).hint = hint;
}

}  // namespace

void in_new_scope(CheckContext& c, const std::function<void()>& body) {
    c.level++;
    body();
    const auto is_over = [&](const NamedLocal& k) { return k.level == c.level && c.body.locals[k.index].in_block; };
    std::erase_if(c.named, is_over);
    for (NamedLocal& k : c.named) k.is_open = k.is_open && k.level != c.level;
    c.level--;
}

NamedLocal* find_local(CheckContext& c, std::string_view name) {
    const auto found =
        std::find_if(c.named.rbegin(), c.named.rend(), [&](const NamedLocal& k) { return k.name == name; });
    return found == c.named.rend() ? nullptr : &*found;
}

uint32_t declare_local(CheckContext& c, const std::string& name, Span where, LocalInfo info) {
    if (const NamedLocal* known = find_local(c, name); known != nullptr && known->is_open) {
        c.error(where, fmt::format("there is already a variable `${}`", name)).hint = "use another name";
    }
    info.in_block = true;
    c.named.push_back({name, new_local(c, std::move(info)), c.level});
    return c.named.back().index;
}

void assign_local(CheckContext& c, const ast::Assign& node, const ast::Local& target) {
    if (const FunctionRow* row = aggregation_of(c.program, node.value)) {
        c.error(node.target, fmt::format("`{}()` collects into a map, not a variable", row->name)).hint =
            fmt::format("write `@{} = {}`", target.name, signature(*row));
        return;
    }
    const Type t = check_kept(c, node.value);
    if (t.kind == Kind::none) return c.failed.push_back(target.name);
    NamedLocal* known = find_local(c, target.name);
    if (known != nullptr && !known->is_open && c.body.locals[known->index].type.kind != t.kind && !node.op)
        known = nullptr;
    if (known == nullptr) {
        if (node.op) return no_value(c, node.target, target.name, "assign to it with `=` first");
        c.named.push_back({target.name, new_local(c, {target.name, first_type(c, t, node.value)}), c.level});
        known = &c.named.back();
    }
    c.use(node.target) = LocalUse{known->index};
    if (node.op && t.kind != Kind::integer) {
        c.error(node.value, fmt::format("`{}=` takes an integer, not {}", spelling(*node.op), type_name(t)));
        return;
    }
    assign_to(c, known->index, t, node.value);
    c.type(node.target) = c.body.locals[known->index].type;
}

void assign_to(CheckContext& c, uint32_t local, const Type& t, ast::ExprId value) {
    LocalInfo& info = c.body.locals[local];
    const Type kept = kept_type(c, value, t);
    const Span where = c.span(value);
    if (kept.kind == Kind::none) return;
    if (info.type.kind == Kind::none) info.type = first_type(c, kept, value);
    if (info.pair_of != no_map) {
        c.error(where, fmt::format("`${}` is the pair of a loop and cannot be assigned to", info.name));
    } else if (apart(info.type, kept) || units_differ(info.type, kept) || names_differ(info.type, kept)) {
        // In the copy of a function or macro, the user's name is the part before the `#`.
        const std::string name = info.name.substr(0, info.name.find('#'));
        c.error(where, fmt::format("`${}` is {}, not {}", name, type_name(info.type), type_name(kept))).hint =
            hint_of_names(info.type, kept);
    } else if (kept.kind == Kind::integer) {
        info.own_size = std::max(info.own_size, info.has_type ? info.type.size : own_size(c, value));
        info.type.user_memory =
            info.has_type ? info.type.user_memory || kept.user_memory : user_memory_of(info.type, kept);
        info.width = std::max(info.width, width_of(c, value));
        const bool was_truth = info.type.view == View::boolean && !info.has_type;
        if (was_truth && kept.view != View::boolean) info.type = joined(info.type, kept);
    } else if (in_memory(kept)) {
        merge_memory(c, info, kept, value);
    }
}

Type type_of(CheckContext& c, ast::ExprId id, const ast::Local& node) {
    const NamedLocal* known = find_local(c, node.name);
    if (known == nullptr) {
        no_value(c, id, node.name, "assign to it first");
        return nothing();
    }
    LocalInfo& info = c.body.locals[known->index];
    if (info.type.kind == Kind::none && info.pair_of == no_map && c.typed.assume_numbers) info.type = integer_type();
    if (info.pair_of != no_map) return whole_pair(c, id, known->index);
    c.use(id) = LocalUse{known->index};
    if (info.type.kind == Kind::none) no_value(c, id, node.name, "assign to it first");
    return info.type;
}

}  // namespace lt
