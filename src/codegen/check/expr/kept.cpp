#include "codegen/check/expr/kept.h"

#include <fmt/format.h>

#include "codegen/check/expr/assume.h"
#include "codegen/check/expr/expr.h"

namespace lt {
namespace {

// A copy ends where the structure's size does: the characters of a flexible array come after it.
Type without_open_ends(Type type) {
    if (!type.shape || pointee(type)) return type;
    for (Type& part : type.shape->parts) part = without_open_ends(part);
    for (Member& m : type.shape->members) {
        const bool is_inside = m.bit_size != 0 || uint64_t{m.offset} + m.type.size <= type.size;
        m.type = is_inside ? without_open_ends(m.type) : nothing();
    }
    return type;
}

}  // namespace

Type copied_layout(CheckContext& c, Type type) {
    const Type* each = &type;
    while (element(*each)) each = element(*each);
    if (each->kind == Kind::structure && each->shape && !each->shape->members.empty()) return type;  // it has it
    return without_open_ends(assume_layout(c, c.kernel.whole(std::move(type))));
}

Type kept_type(CheckContext& c, ast::ExprId id, Type type) {
    const bool has_addresses = type.kind == Kind::structure || type.kind == Kind::array;
    if (type.kind == Kind::integer)
        type.size = 8;
    else if (!has_addresses)
        type.user_memory = false;
    if (type.kind == Kind::integer && type.view == View::enumeration)
        return assume_layout(c, c.kernel.whole(std::move(type)));
    if (type.kind != Kind::structure && type.kind != Kind::array) return type;
    if (type.size > most_copied || type.size == 0) {
        c.error(id, fmt::format("{} of {} bytes is too large to copy", type_name(type), type.size)).hint =
            fmt::format("use its members; the limit is {} bytes", most_copied);
        return nothing();
    }
    return copied_layout(c, std::move(type));
}

Type check_kept(CheckContext& c, ast::ExprId id) { return kept_type(c, id, check_value(c, id)); }

Type check_key_part(CheckContext& c, ast::ExprId id) {
    Type type = check_kept(c, id);
    if (type.naming != Naming::why) return type;
    c.error(id, "the causes of a span cannot be a key: they differ in nearly every span").hint =
        "use the largest cause: `@[why.cause] = count()`";
    return nothing();
}

void check_shown(CheckContext& c, ast::ExprId id) {
    const Type held = check_kept(c, id);
    c.type(id).shape = held.shape;
}

}  // namespace lt
