// Functions that make texts of texts, and those that look at them.
#include <fmt/format.h>

#include <algorithm>

#include "calls.h"
#include "codegen/matcher.h"
#include "long_text.h"
#include "operators.h"
#include "stdlib/flag_sets.h"

namespace lt {
namespace {

constexpr int helper_probe_read_kernel_str = 115;

const ast::Integer* plain_number(const ast::Expr& expr) { return std::get_if<ast::Integer>(&expr.node); }

// ---- types

// What is looked at byte by byte, and cannot be a loop.
bool is_short(BodyChecker& c, ast::ExprId text, std::string_view function) {
    if (c.checked(text).size <= most_in_line) return true;
    c.error(text, fmt::format("{}() takes a string of up to {} bytes, and this one may have {}", function,
                              most_in_line - 1, c.checked(text).size - 1))
        .hint = fmt::format("str(..., {}) makes it shorter", most_in_line - 1);
    return false;
}

Type part_of_string(BodyChecker& c, ast::ExprId, const ast::Call& node) {
    const auto* length = node.arguments.size() > 2 ? plain_number(c.expr(node.arguments[2])) : nullptr;
    const uint32_t most = c.letters(node.arguments[0]) + 1;
    return string_type(length ? static_cast<uint32_t>(std::min<uint64_t>(length->value + 1, most)) : most);
}

Type joined_strings(BodyChecker& c, ast::ExprId, const ast::Call& node) {
    return string_type(c.letters(node.arguments[0]) + c.letters(node.arguments[1]) + 1);
}

Type changed_string(BodyChecker& c, ast::ExprId, const ast::Call& node) {
    if (!is_short(c, node.arguments[0], node.name)) return nothing();
    return string_type(c.checked(node.arguments[0]).size);
}

Type number_in_string(BodyChecker& c, ast::ExprId, const ast::Call& node) {
    const auto* word = node.arguments.size() > 2 ? std::get_if<ast::Name>(&c.expr(node.arguments[2]).node) : nullptr;
    if (word && word->name != "bare") {
        c.error(node.arguments[2], fmt::format("strtol() does not know `{}`", word->name)).hint =
            "with `bare` neither blanks nor a + come before the number";
        return nothing();
    }
    if (node.arguments.size() > 1) {
        const auto* base = plain_number(c.expr(node.arguments[1]));
        if (!base || base->value == 1 || base->value > 36) {
            c.error(node.arguments[1], "a base is a number from 2 to 36, or 0").hint = "write strtol(string, 16)";
            return nothing();
        }
    }
    return integer_type(8, true);
}

Type names_of_flags(BodyChecker& c, ast::ExprId, const ast::Call& node) {
    const std::string& name = std::get<ast::Name>(c.expr(node.arguments[1]).node).name;
    if (const FlagSet* set = find_flag_set(name)) return string_type(set->room());
    std::string all;
    for (const FlagSet& set : flag_sets()) all += (all.empty() ? "" : ", ") + std::string(set.name);
    c.error(node.arguments[1], fmt::format("there are no names for `{}`", name)).hint = "there are " + all;
    return nothing();
}

using MakeMatcher = Result<Matcher> (*)(std::string_view pattern);

const std::string& pattern_of(const ast::Expr& expr) { return std::get<ast::String>(expr.node).value; }

template <MakeMatcher make>
Type matched_string(BodyChecker& c, ast::ExprId, const ast::Call& node) {
    const Result<Matcher> matcher = make(pattern_of(c.expr(node.arguments[1])));
    if (matcher) return is_short(c, node.arguments[0], node.name) ? c.truth() : nothing();
    c.error(node.arguments[1], matcher.error().what).hint = matcher.error().hint;
    return nothing();
}

Type compared_bytes(BodyChecker& c, ast::ExprId, const ast::Call& node) {
    const auto* length = plain_number(c.expr(node.arguments[2]));
    for (size_t i = 0; i < 2; i++) {
        const Type& t = c.checked(node.arguments[i]);
        if (!in_memory(t) || t.kind == Kind::stack) {
            c.error(node.arguments[i],
                    fmt::format("memcmp() takes a string, an array or a structure, not {}", type_name(t)));
            return nothing();
        }
        if (length && length->value <= t.size) continue;
        c.error(node.arguments[2], fmt::format("one value has {} bytes only", t.size));
        return nothing();
    }
    return integer_type(8, true);
}

// ---- code

// A zero follows whatever the string holds.
ir::Value with_zero(BodyLowering& l, ast::ExprId id) { return l.text(id, padded(l.type_of(id).size) + 8); }

void part_into(BodyLowering& l, ast::ExprId id, const ast::Call& node, ir::Value to) {
    Builder& b = l.builder();
    const auto size = static_cast<int64_t>(l.type_of(node.arguments[0]).size);
    const auto room = static_cast<int64_t>(l.type_of(id).size);
    const ir::Value from = with_zero(l, node.arguments[0]);
    const ir::Value begin = b.call(ir::Library::at_most, {l.number(node.arguments[1]), b.constant(size)});
    const bool open = node.arguments.size() > 2 && !plain_number(l.expr(node.arguments[2]));
    const ir::Value length =
        open ? b.call(ir::Library::at_most,
                      {b.alu(ir::Alu::add, l.number(node.arguments[2]), b.constant(1)), b.constant(room)})
             : b.constant(room);
    b.helper(helper_probe_read_kernel_str, {to, length, b.address_plus(from, begin)});
}

void joined_into(BodyLowering& l, ast::ExprId id, const ast::Call& node, ir::Value to) {
    l.concat(node.arguments[0], node.arguments[1], l.type_of(id).size, to);
}

template <char first>
void case_into(BodyLowering& l, ast::ExprId id, const ast::Call& node, ir::Value to) {
    Builder& b = l.builder();
    const uint32_t size = l.type_of(id).size;
    l.text_to(node.arguments[0], to, padded(size));
    b.call(ir::Library::change_case, {to, b.constant(size), b.constant(first)});
}

void names_into(BodyLowering& l, ast::ExprId id, const ast::Call& node, ir::Value to) {
    Builder& b = l.builder();
    const FlagSet* set = find_flag_set(std::get<ast::Name>(l.expr(node.arguments[1]).node).name);
    const std::string table = set->table();
    const auto size = static_cast<uint32_t>(table.size());
    const ir::Value rows = b.text(l.unit().text(table, size));
    const ir::Value number = l.number(node.arguments[0]);
    b.call(ir::Library::names,
           {to, b.constant(l.type_of(id).size), number, rows, b.constant(static_cast<int64_t>(set->rows.size()))});
}

ir::Value number_of_string(BodyLowering& l, ast::ExprId, const ast::Call& node) {
    constexpr uint32_t longest = 80;  // 64 digits by base 2, with blanks and a sign
    Builder& b = l.builder();
    const uint32_t size = l.type_of(node.arguments[0]).size;
    const int64_t base =
        node.arguments.size() > 1 ? static_cast<int64_t>(plain_number(l.expr(node.arguments[1]))->value) : 10;
    const ir::Value text = l.text(node.arguments[0], padded(size));
    const ir::Value number = b.call(ir::Library::number, {text, b.constant(std::min(size, longest)), b.constant(base)});
    if (node.arguments.size() < 3) return number;
    const ir::Value first = b.load(text, 0, 1);  // `bare`
    ir::Value skipped = b.constant(0);
    for (const char c : {' ', '\t', '+'})
        skipped = b.alu(ir::Alu::bit_or, skipped, b.alu(ir::Alu::eq, first, b.constant(c)));
    return b.alu(ir::Alu::bit_and, number, b.alu(ir::Alu::sub, skipped, b.constant(1)));
}

ir::Value found_in_string(BodyLowering& l, ast::ExprId, const ast::Call& node) {
    Builder& b = l.builder();
    const uint32_t size = l.type_of(node.arguments[0]).size, part = l.type_of(node.arguments[1]).size;
    // in the order in which they are written: the first may change what the second reads
    const ir::Value whole = l.text(node.arguments[0], padded(size));
    return text_found(b, {whole, size}, {l.text(node.arguments[1], padded(part)), part});
}

template <MakeMatcher make>
ir::Value matches_pattern(BodyLowering& l, ast::ExprId, const ast::Call& node) {
    Builder& b = l.builder();
    const uint32_t size = l.type_of(node.arguments[0]).size;
    Result<Matcher> matcher = make(pattern_of(l.expr(node.arguments[1])));
    const auto bytes = static_cast<uint32_t>(matcher->table.size());
    const ir::Value text = l.text(node.arguments[0], padded(size));
    const ir::Value table = b.text(l.unit().text({matcher->table.begin(), matcher->table.end()}, bytes));
    return b.call(ir::Library::matches, {text, b.constant(size), table, b.constant(matcher->width), b.constant(bytes)});
}

ir::Value capacity(BodyLowering& l, ast::ExprId, const ast::Call& node) {
    return l.builder().constant(l.type_of(node.arguments[0]).size);
}

ir::Value bytes_compared(BodyLowering& l, ast::ExprId, const ast::Call& node) {
    Builder& b = l.builder();
    const auto bytes = [&](size_t i) { return l.bytes(node.arguments[i], padded(l.type_of(node.arguments[i]).size)); };
    const auto length = static_cast<int64_t>(plain_number(l.expr(node.arguments[2]))->value);
    const ir::Value left = bytes(0), right = bytes(1);
    return b.call(ir::Library::bytes_compare, {left, right, b.constant(length)});
}

// id, type, number, bytes
constexpr CallRule rules[] = {
    {Function::substr, part_of_string, nullptr, part_into},
    {Function::str_concat, joined_strings, nullptr, joined_into},
    {Function::tolower, changed_string, nullptr, case_into<'A'>},
    {Function::toupper, changed_string, nullptr, case_into<'a'>},
    {Function::flag_names, names_of_flags, nullptr, names_into},
    {Function::strtol, number_in_string, number_of_string},
    {Function::strstr, nullptr, found_in_string},
    {Function::glob, matched_string<glob_matcher>, matches_pattern<glob_matcher>},
    {Function::globmatch, matched_string<glob_matcher>, matches_pattern<glob_matcher>},
    {Function::matches, matched_string<regex_matcher>, matches_pattern<regex_matcher>},
    {Function::strcap, nullptr, capacity},
    {Function::memcmp, compared_bytes, bytes_compared},
};

}  // namespace

std::span<const CallRule> text_rules() { return rules; }

// Both strings, one behind the other, to memory that is zero. What there is no room for is made elsewhere and cut.
void BodyLowering::concat(ast::ExprId left, ast::ExprId right, uint32_t size, ir::Value to) {
    const uint32_t first = letters(left) + 1, second = letters(right) + 1, both = first + second - 1;
    if (both > size) {
        const ir::Value whole = b_->buffer(padded(both));
        concat(left, right, both, whole);
        b_->helper(helper_probe_read_kernel_str, {to, b_->constant(size), whole});
        return;
    }
    string_into(left, to, 0, padded(type(left).size));
    const ir::Value length = lt::text_length(*b_, {to, first - 1});
    const ir::Value behind = b_->address_plus(to, b_->call(ir::Library::at_most, {length, b_->constant(first - 1)}));
    b_->helper(helper_probe_read_kernel_str, {behind, b_->constant(second), string(right, padded(second))});
}

}  // namespace lt
