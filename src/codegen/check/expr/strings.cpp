#include "codegen/check/expr/strings.h"

#include <algorithm>

#include "codegen/typed/calls/names.h"
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

bool has_looked_up_name(const Type& t) { return t.naming != Naming::none && t.naming != Naming::why; }

std::string_view hint_of_names(const Type& a, const Type& b) {
    const bool a_named = has_looked_up_name(a), b_named = has_looked_up_name(b);
    if (!a_named && !b_named) return "";
    const bool have_texts = (!a_named || name_size(a) != 0) && (!b_named || name_size(b) != 0);
    if (a.kind == Kind::string || b.kind == Kind::string)
        return have_texts ? "lt looks this name up when it prints: `name_text()` makes a string of it"
                          : "lt looks this name up when it prints: print it by itself, or use it as a part of a key";
    if (a.kind != Kind::integer || b.kind != Kind::integer) return "";
    const auto is_time = [](const Type& t) { return t.naming == Naming::time || t.naming == Naming::time_utc; };
    if (is_time(a) && is_time(b))
        return "lt writes times when it prints, all of one variable or map in one format and one time zone";
    return a_named && b_named && have_texts
               ? "lt looks these names up when it prints: `name_text()` makes strings of them"
               : "lt looks the name up when it prints: keep the number, and look its name up where you print it";
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
