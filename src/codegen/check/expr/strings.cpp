#include "codegen/check/expr/strings.h"

#include <algorithm>

#include "codegen/typed/operators.h"

namespace lt {
namespace {

// Does its value come from a variable or a map, directly or through functions?
bool reads_kept(const ast::Program& program, ast::ExprId id) {
    return ast::any_expr_in(program, id, [&](ast::ExprId e) {
        return program.get<ast::Local>(e) || program.get<ast::Map>(e) || program.get<ast::BlockValue>(e);
    });
}

}  // namespace

uint32_t letters(const CheckContext& c, ast::ExprId id) { return most_letters(c.program, c.body, id); }

std::string_view hint_of_names(const Type& a, const Type& b) {
    const auto is_name = [](const Type& t) { return t.naming != Naming::none && t.naming != Naming::why; };
    const bool both = (a.kind == Kind::string && is_name(b)) || (b.kind == Kind::string && is_name(a));
    return both ? "lt looks this name up when it prints: print it by itself, or use it as a part of a key" : "";
}

Type string_made_of(const CheckContext& c, std::initializer_list<ast::ExprId> parts, uint32_t bytes) {
    if (c.settings().bounded_strings) return string_type(std::min(bytes, c.settings().max_strlen));
    const auto is_read = [&](ast::ExprId part) { return reads_kept(c.program, part); };
    if (!c.typed.strings_grow || std::ranges::none_of(parts, is_read)) return string_type(bytes);
    uint32_t most = c.settings().max_strlen;
    for (ast::ExprId part : parts) {
        const Type& type = c.body.types[static_cast<size_t>(part)];
        if (type.kind == Kind::string) most = std::max(most, type.size);
    }
    return string_type(most);
}

}  // namespace lt
