// Functions that build or examine strings. sprintf() uses the kernel's formatting, which has fewer conversions than
// printf(); any other conversion is an error.
#include <fmt/format.h>

#include <algorithm>

#include "base/matcher.h"
#include "base/text.h"
#include "codegen/check/calls/type_rules.h"
#include "codegen/check/calls/words.h"
#include "codegen/check/expr/strings.h"
#include "codegen/typed/calls/facts.h"
#include "codegen/typed/calls/kernel_format.h"
#include "codegen/typed/calls/names.h"
#include "stdlib/flag_sets.h"
#include "stdlib/limits.h"

namespace lt {
namespace {

// For functions that examine each byte in unrolled code.
bool is_short(CheckContext& c, ast::ExprId text, std::string_view function) {
    if (c.type(text).size <= most_in_line) return true;
    c.error(text, fmt::format("`{}()` takes a string of up to {} bytes; this one can have {}", function,
                              most_in_line - 1, c.type(text).size - 1))
        .hint = fmt::format("shorten it with `str(..., {})`", most_in_line - 1);
    return false;
}

Type part_of_string(CheckContext& c, ast::ExprId, const ast::Call& node) {
    const auto* length = node.arguments.size() > 2 ? plain_number(c.expr(node.arguments[2])) : nullptr;
    const uint32_t most = letters(c, node.arguments[0]) + 1;
    if (length && length->value < most) return string_type(static_cast<uint32_t>(length->value + 1));
    return string_made_of(c, {node.arguments[0]}, most);
}

Type joined_strings(CheckContext& c, ast::ExprId, const ast::Call& node) {
    return string_made_of(c, {node.arguments[0], node.arguments[1]},
                          letters(c, node.arguments[0]) + letters(c, node.arguments[1]) + 1);
}

Type changed_string(CheckContext& c, ast::ExprId, const ast::Call& node) {
    if (!is_short(c, node.arguments[0], node.name)) return nothing();
    return string_type(c.type(node.arguments[0]).size);
}

Type number_in_string(CheckContext& c, ast::ExprId, const ast::Call& node) {
    const auto* word = node.arguments.size() > 2 ? std::get_if<ast::Name>(&c.expr(node.arguments[2]).node) : nullptr;
    if (word && word->name != "bare") {
        c.error(node.arguments[2], fmt::format("`strtol()` does not know `{}`", word->name)).hint =
            "write `bare` to allow neither blanks nor a `+` before the number";
        return nothing();
    }
    if (node.arguments.size() > 1) {
        const auto* base = plain_number(c.expr(node.arguments[1]));
        if (!base || base->value == 1 || base->value > 36) {
            c.error(node.arguments[1], "the base must be 0 or a literal from 2 to 36").hint =
                "write `strtol(string, 16)`";
            return nothing();
        }
    }
    return integer_type(8, true);
}

Type names_of_flags(CheckContext& c, ast::ExprId, const ast::Call& node) {
    const std::string& name = std::get<ast::Name>(c.expr(node.arguments[1]).node).name;
    if (const FlagSet* set = find_flag_set(name)) return string_type(set->room());
    std::string all;
    for (const FlagSet& set : flag_sets()) all += (all.empty() ? "" : ", ") + std::string(set.name);
    c.error(node.arguments[1], fmt::format("there is no set of flags `{}`", name)).hint = "the sets are " + all;
    return nothing();
}

template <Result<Matcher> (*make)(std::string_view pattern)>
Type matched_string(CheckContext& c, ast::ExprId, const ast::Call& node) {
    const Result<Matcher> matcher = make(text_literal(c.expr(node.arguments[1])));
    if (matcher) return is_short(c, node.arguments[0], node.name) ? c.truth() : nothing();
    c.error(node.arguments[1], matcher.error().what).hint = matcher.error().hint;
    return nothing();
}

Type compared_bytes(CheckContext& c, ast::ExprId, const ast::Call& node) {
    const auto* length = plain_number(c.expr(node.arguments[2]));
    for (size_t i = 0; i < 2; i++) {
        const Type& t = c.type(node.arguments[i]);
        if (!in_memory(t) || t.kind == Kind::stack) {
            c.error(node.arguments[i],
                    fmt::format("`memcmp()` takes a string, an array or a structure, not {}", type_name(t)));
            return nothing();
        }
        if (length && length->value <= t.size) continue;
        c.error(node.arguments[2], fmt::format("one of the values has only {} bytes", t.size));
        return nothing();
    }
    return integer_type(8, true);
}

constexpr size_t most_values = 12;  // of sprintf()

Type formatted(CheckContext& c, ast::ExprId id, const ast::Call& node) {
    std::vector<Type> types;
    size_t numbers = 0;
    for (size_t i = 1; i < node.arguments.size(); i++) {
        types.push_back(c.type(node.arguments[i]));
        numbers += argument_numbers(types.back());
        if (numbers > most_values && holds_arguments(types.back())) {
            c.error(node.arguments[i], fmt::format("`sprintf()` takes up to {} values, and this counts as {}",
                                                   most_values, argument_numbers(types.back())))
                .hint = "name the arguments that you need, or use `printf()`";
            return nothing();
        }
    }
    const KernelFormat format = kernel_format(text_literal(c.expr(node.arguments[0])), types, c.settings().conventions);
    const auto letters = static_cast<size_t>(std::ranges::count_if(
        format.parts, [](const std::variant<size_t, char>& part) { return std::holds_alternative<char>(part); }));
    if (numbers + letters > most_values) {
        c.error(id, fmt::format("`sprintf()` takes up to {} values{}", most_values,
                                numbers > most_values ? "" : "; a letter after `%s` counts as one"));
        return nothing();
    }
    const auto is_plain = [](unsigned char b) { return b >= 9 && b < 127 && (b >= 32 || b <= 13); };
    if (!std::ranges::all_of(format.text, is_plain)) {
        c.error(node.arguments[0], "the format of `sprintf()` must be ASCII text, which is what the kernel formats")
            .hint = "give other text as a value, as in `sprintf(\"%d %s\", x, \"µs\")`";
        return nothing();
    }
    if (format.bad) {
        c.error(node.arguments[std::min(*format.bad + 1, node.arguments.size() - 1)],
                "the kernel does not support this conversion of this value")
            .hint = "`sprintf()` supports %d, %u, %x, %#x, %c and %s, with a width; `printf()` supports more";
        return nothing();
    }
    return string_type(c.settings().max_strlen);
}

// The argument that is a stack, of the outermost call that has one.
std::optional<ast::ExprId> passed_stack(CheckContext& c) {
    for (const ast::BlockValue* call : c.calls) {
        for (ast::StmtId s : call->block.statements) {
            const auto* let = std::get_if<ast::Let>(&c.program[s].node);
            if (let && let->value && c.type(*let->value).kind == Kind::stack) return let->value;
        }
    }
    return {};
}

// In a function that takes a text: reports a stack where the script passes it.
bool is_passed_stack(CheckContext& c) {
    const auto stack = passed_stack(c);
    if (!stack) return false;
    c.error(*stack, "this function takes a string, not a stack").hint =
        c.settings().systemtap_hints
            ? "`callers(20)` and `ucallers(20)` are strings of addresses; `print_backtrace()` prints a stack"
            : "`print(kstack)` prints a stack";
    return true;
}

Type text_type(CheckContext& c, ast::ExprId id, const ast::Call& node) {
    const Type& type = c.type(node.arguments[0]);
    if (type.kind == Kind::string) return type;
    if (const uint32_t size = name_size(type); size != 0) return string_type(size);
    if (type.kind == Kind::stack && c.body.host) return string_type(c.settings().max_strlen);
    if (type.kind == Kind::stack && is_passed_stack(c)) return string_type(c.settings().max_strlen);
    c.error(id, "`name_text()` takes the name or text of an error, or the name of a signal or a system call").hint =
        "for example `name_text(errno_name(retval))`";
    return nothing();
}

bool has_loops(CheckContext& c, ast::ExprId id) {
    const Answer a = c.kernel.can(Feature::bpf_loop);
    if (!a.yes) c.error(id, "this kernel does not support loops in BPF programs, which this function needs: " + a.why);
    c.assume({Assumed::feature, "", "", {}, static_cast<uint64_t>(Feature::bpf_loop)});
    return a.yes;
}

Type quoted_string(CheckContext& c, ast::ExprId id, const ast::Call& node) {
    if (!has_loops(c, id)) return nothing();
    // at most four characters for each byte, and more for UTF-8
    const uint64_t all = uint64_t{5} * c.type(node.arguments[0]).size + 8;
    return string_type(static_cast<uint32_t>(std::min<uint64_t>(all, most_quoted)));
}

Type quoted_memory(CheckContext& c, ast::ExprId id, const ast::Call&) {
    return has_loops(c, id) ? string_type(most_quoted) : nothing();
}

constexpr TypeRule text_rules[] = {
    {Function::substr, part_of_string},
    {Function::str_concat, joined_strings},
    {Function::tolower, changed_string},
    {Function::toupper, changed_string},
    {Function::flag_names, names_of_flags},
    {Function::strtol, number_in_string},
    {Function::glob, matched_string<glob_matcher>},
    {Function::globmatch, matched_string<glob_matcher>},
    {Function::matches, matched_string<regex_matcher>},
    {Function::memcmp, compared_bytes},
    {Function::sprintf_, formatted},
    {Function::name_text, text_type},
    {Function::quoted, quoted_string},
    {Function::quoted_bytes, quoted_memory},
};

}  // namespace

std::span<const TypeRule> text_type_rules() { return text_rules; }

}  // namespace lt
