// Functions that make strings from strings or memory, and functions that examine strings.
#include <linux/bpf.h>

#include <algorithm>

#include "base/matcher.h"
#include "codegen/ir/outside.h"
#include "codegen/lower/calls/code.h"
#include "codegen/lower/calls/names.h"
#include "codegen/lower/spans/opening.h"
#include "codegen/lower/values/long_text.h"
#include "codegen/lower/values/memory.h"
#include "codegen/lower/values/text.h"
#include "codegen/lower/values/value.h"
#include "codegen/typed/calls/facts.h"
#include "codegen/typed/calls/names.h"
#include "codegen/typed/operators.h"
#include "runtime/border/host_calls.h"
#include "stdlib/flag_sets.h"

namespace lt {
namespace {

// A zero always follows the string's bytes.
ir::Value with_zero(Lowering& l, ast::ExprId id) { return text_of(l, id, padded_size(l.type(id).size) + 8); }

void part_into(Lowering& l, ast::ExprId id, const ast::Call& node, ir::Value to) {
    Builder& b = l.b;
    const auto size = static_cast<int64_t>(l.type(node.arguments[0]).size);
    const auto room = static_cast<int64_t>(l.type(id).size);
    const ir::Value from = with_zero(l, node.arguments[0]);
    const ir::Value begin = b.call(ir::Library::at_most, {integer_of(l, node.arguments[1]), b.constant(size)});
    const bool open = node.arguments.size() > 2 && !plain_number(l.expr(node.arguments[2]));
    const auto asked = [&] {
        const ir::Value number = integer_of(l, node.arguments[2]);
        const ir::Value at_least_0 = b.alu(ir::Alu::mul, number, b.alu(ir::Alu::sge, number, b.constant(0)));
        return b.call(ir::Library::at_most, {b.alu(ir::Alu::add, at_least_0, b.constant(1)), b.constant(room)});
    };
    const ir::Value length = open ? asked() : b.constant(room);
    b.helper(BPF_FUNC_probe_read_kernel_str, {to, length, b.address_plus(from, begin)});
}

void both_into(Lowering& l, ast::ExprId id, const ast::Call& node, ir::Value to) {
    joined_into(l, node.arguments[0], node.arguments[1], l.type(id).size, to);
}

template <char first>
void case_into(Lowering& l, ast::ExprId id, const ast::Call& node, ir::Value to) {
    Builder& b = l.b;
    const uint32_t size = l.type(id).size;
    text_into(l, node.arguments[0], to, 0, padded_size(size));
    b.call(ir::Library::change_case, {to, b.constant(size), b.constant(first)});
}

void names_into(Lowering& l, ast::ExprId id, const ast::Call& node, ir::Value to) {
    Builder& b = l.b;
    const FlagSet* set = find_flag_set(std::get<ast::Name>(l.expr(node.arguments[1]).node).name);
    const std::string table = set->table();
    const auto size = static_cast<uint32_t>(table.size());
    const ir::Value rows = b.text(l.unit.text(table, size));
    const ir::Value number = integer_of(l, node.arguments[0]);
    b.call(ir::Library::names,
           {to, b.constant(l.type(id).size), number, rows, b.constant(static_cast<int64_t>(set->rows.size()))});
}

ir::Value number_of_string(Lowering& l, ast::ExprId, const ast::Call& node) {
    constexpr uint32_t longest = 80;  // 64 binary digits, with blanks and a sign
    Builder& b = l.b;
    const uint32_t size = l.type(node.arguments[0]).size;
    const int64_t base =
        node.arguments.size() > 1 ? static_cast<int64_t>(plain_number(l.expr(node.arguments[1]))->value) : 10;
    const ir::Value text = text_of(l, node.arguments[0], padded_size(size));
    const ir::Value number = b.call(ir::Library::number, {text, b.constant(std::min(size, longest)), b.constant(base)});
    if (node.arguments.size() < 3) return number;
    const ir::Value first = b.load(text, 0, 1);  // `bare`
    ir::Value skipped = b.constant(0);
    for (const char c : {' ', '\t', '+'})
        skipped = b.alu(ir::Alu::bit_or, skipped, b.alu(ir::Alu::eq, first, b.constant(c)));
    return b.alu(ir::Alu::bit_and, number, b.alu(ir::Alu::sub, skipped, b.constant(1)));
}

ir::Value found_in_string(Lowering& l, ast::ExprId, const ast::Call& node) {
    Builder& b = l.b;
    const uint32_t size = l.type(node.arguments[0]).size, part = l.type(node.arguments[1]).size;
    // Evaluated in source order: the first may change what the second reads.
    const ir::Value whole = text_of(l, node.arguments[0], padded_size(size));
    return text_found(b, {whole, size}, {text_of(l, node.arguments[1], padded_size(part)), part});
}

using MakeMatcher = Result<Matcher> (*)(std::string_view pattern);

template <MakeMatcher make>
ir::Value matches_pattern(Lowering& l, ast::ExprId, const ast::Call& node) {
    Builder& b = l.b;
    const uint32_t size = l.type(node.arguments[0]).size;
    Result<Matcher> matcher = make(text_literal(l.expr(node.arguments[1])));
    const auto bytes = static_cast<uint32_t>(matcher->table.size());
    const ir::Value text = text_of(l, node.arguments[0], padded_size(size));
    const ir::Value table = b.text(l.unit.text({matcher->table.begin(), matcher->table.end()}, bytes));
    return b.call(ir::Library::matches, {text, b.constant(size), table, b.constant(matcher->width), b.constant(bytes)});
}

ir::Value capacity(Lowering& l, ast::ExprId, const ast::Call& node) {
    return l.b.constant(l.type(node.arguments[0]).size);
}

ir::Value bytes_compared(Lowering& l, ast::ExprId, const ast::Call& node) {
    Builder& b = l.b;
    const auto bytes = [&](size_t i) {
        return bytes_of(l, node.arguments[i], padded_size(l.type(node.arguments[i]).size));
    };
    const auto length = static_cast<int64_t>(plain_number(l.expr(node.arguments[2]))->value);
    const ir::Value left = bytes(0), right = bytes(1);
    return b.call(ir::Library::bytes_compare, {left, right, b.constant(length)});
}

// The length that the script computes, and `more` bytes; no_value if there is none.
ir::Value computed_length(Lowering& l, const ast::Call& node, uint32_t more) {
    if (node.arguments.size() < 2 || std::holds_alternative<ast::Integer>(l.program[node.arguments[1]].node))
        return ir::no_value;
    return l.b.alu(ir::Alu::add, length_given(l, node.arguments[1]), l.b.constant(more));
}

// The number of bytes: the whole buffer, or the script's number if that is smaller.
ir::Value measure(Lowering& l, const ast::Call& node, uint32_t most, uint32_t more) {
    const ir::Value requested = computed_length(l, node, more);
    if (requested == ir::no_value) return l.b.constant(most);
    return l.b.call(ir::Library::at_most, {requested, l.b.constant(most)});
}

// str()
void str_into(Lowering& l, ast::ExprId id, const ast::Call& node, ir::Value to) {
    const ast::ExprId from = node.arguments[0];
    const uint32_t size = l.type(id).size;
    if (l.type(from).kind != Kind::string)
        return read_bytes(l, to, measure(l, node, size, 1), from, true, l.program[id].span, node.lenient);
    const bool differs = size != l.type(from).size || !l.program.settings.cut_mark.empty();
    if (differs && has_open_end(l.program, l.body, from) && !frozen_index(l, from))
        return open_text_into(l, from, to, size, computed_length(l, node, 1));
    if (node.arguments.size() == 1) return text_into(l, from, to, 0, padded_size(size));
    // A helper can also read the program's own memory.
    l.b.helper(BPF_FUNC_probe_read_kernel_str,
               {to, measure(l, node, size, 1), text_of(l, from, padded_size(l.type(from).size + 1))});
}

// buf(): the length comes first.
void buf_into(Lowering& l, ast::ExprId id, const ast::Call& node, ir::Value to) {
    const ast::ExprId from = node.arguments[0];
    const ir::Value length = measure(l, node, l.type(id).size - buffer_header, 0);
    const ir::Value bytes = l.b.address(to, buffer_header);
    l.b.store(to, 0, length);
    if (!in_memory(l.type(from))) return read_bytes(l, bytes, length, from, false, l.program[id].span, node.lenient);
    l.b.helper(
        BPF_FUNC_probe_read_kernel,
        {bytes, length, bytes_of(l, from, padded_size(std::max(l.type(from).size, l.type(id).size - buffer_header)))});
}

ir::Value string_length(Lowering& l, ast::ExprId, const ast::Call& node) {
    const ast::ExprId text = node.arguments[0];
    const uint32_t size = l.type(text).size;
    return text_length(l.b, {text_of(l, text, padded_size(size)), size});
}

ir::Value text_contains(Lowering& l, ast::ExprId, const ast::Call& node) {
    const auto [text, sought] = std::pair(node.arguments[0], node.arguments[1]);
    const uint32_t size = l.type(text).size, other = l.type(sought).size;
    const Text whole{text_of(l, text, padded_size(size)), size}, part{text_of(l, sought, padded_size(other)), other};
    if (is_long_search(l.b, whole, part)) return l.b.alu(ir::Alu::ne, text_found(l.b, whole, part), l.b.constant(-1));
    return l.b.call(ir::Library::contains, {whole.at, l.b.constant(size), part.at, l.b.constant(other)});
}

ir::Value beginnings_compared(Lowering& l, ast::ExprId, const ast::Call& node) {
    const auto [left, right] = std::pair(node.arguments[0], node.arguments[1]);
    const uint64_t requested = std::get<ast::Integer>(l.program[node.arguments[2]].node).value;
    const uint32_t room = padded_size(std::max(l.type(left).size, l.type(right).size));
    const ir::Value first = text_of(l, left, room), second = text_of(l, right, room);  // evaluated in this order
    const ir::Value order = text_order(l.b, first, second, static_cast<uint32_t>(std::min<uint64_t>(requested, room)));
    return l.program.settings.plain_strncmp ? l.b.alu(ir::Alu::ne, order, l.b.constant(0)) : order;
}

void name_text_into(Lowering& l, ast::ExprId id, const ast::Call& node, ir::Value to) {
    const uint32_t room = padded_size(l.type(id).size);
    const Type& named = l.type(node.arguments[0]);
    Builder& b = l.b;
    if (named.kind == Kind::stack) {
        ir::host(b, HostCall::frames, {text_of(l, node.arguments[0], named.size), to, b.constant(room)});
        return;
    }
    if (find_names(named) == nullptr) return b.copy(to, 0, text_of(l, node.arguments[0], room), room);
    name_into(l, node.arguments[0], to);
}

// function, number, bytes, statement
constexpr CodeRule text_rules[] = {
    {Function::str, nullptr, str_into},
    {Function::buf, nullptr, buf_into},
    {Function::strlen, string_length},
    {Function::strncmp, beginnings_compared},
    {Function::strcontains, text_contains},
    {Function::substr, nullptr, part_into},
    {Function::str_concat, nullptr, both_into},
    {Function::tolower, nullptr, case_into<'A'>},
    {Function::toupper, nullptr, case_into<'a'>},
    {Function::flag_names, nullptr, names_into},
    {Function::strtol, number_of_string},
    {Function::strstr, found_in_string},
    {Function::glob, matches_pattern<glob_matcher>},
    {Function::globmatch, matches_pattern<glob_matcher>},
    {Function::matches, matches_pattern<regex_matcher>},
    {Function::strcap, capacity},
    {Function::memcmp, bytes_compared},
    {Function::name_text, nullptr, name_text_into},
};

}  // namespace

std::span<const CodeRule> text_code() { return text_rules; }

}  // namespace lt
