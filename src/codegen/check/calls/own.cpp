// Functions whose rules check the arguments themselves: some return a type even after an error, to avoid follow-up
// errors; others must not check the arguments in the usual way.
#include <fmt/format.h>

#include <algorithm>

#include "codegen/check/calls/arguments.h"
#include "codegen/check/calls/type_rules.h"
#include "codegen/check/expr/sizes.h"
#include "codegen/check/expr/strings.h"
#include "codegen/check/names/variable.h"
#include "codegen/check/samples.h"
#include "codegen/check/span.h"
#include "codegen/typed/calls/facts.h"
#include "codegen/typed/operators.h"
#include "codegen/typed/stacks.h"
#include "stdlib/limits.h"

namespace lt {
namespace {

// str() and buf() with a length. If the length is only known at run time, it is at most most_measured bytes, or
// max_strlen if that is more.
Type measured(CheckContext& c, const ast::Call& node, Function which) {
    constexpr uint64_t most_measured = 1024, most_length = most_string_bytes - 1;
    const ast::ExprId from = node.arguments[0];
    uint64_t length = std::max<uint64_t>(most_measured, c.settings().max_strlen);
    if (node.arguments.size() > 1) {
        const auto* number = plain_number(c.expr(node.arguments[1]));
        if (number) length = number->value;
        if (number && (length == 0 || length > most_length)) {
            c.error(node.arguments[1], fmt::format("the length must be from 1 to {}", most_length));
            return nothing();
        }
    } else if (in_memory(c.type(from))) {
        length = c.type(from).size;
    }
    const auto bytes = static_cast<uint32_t>(length);
    if (which == Function::buf) return buffer_type(bytes);
    const Type wanted = string_type(bytes + 1);
    const bool reads_on = has_open_end(c.program, c.body, from);
    if (c.type(from).kind != Kind::string || reads_on || letters(c, from) >= wanted.size) return wanted;
    return string_made_of(c, {from}, letters(c, from) + 1);
}

Type str_type(CheckContext& c, ast::ExprId id, const ast::Call& node) {
    const bool fits = check_arguments(c, id, node, function_row(Function::str));
    if (node.arguments.size() == 2) return fits ? measured(c, node, Function::str) : nothing();
    const uint32_t most = c.settings().max_strlen;
    const bool is_text = node.arguments.size() == 1 && c.type(node.arguments[0]).kind == Kind::string;
    if (!is_text) return string_type(most);
    const Type& text = c.type(node.arguments[0]);
    return text.size != most && has_open_end(c.program, c.body, node.arguments[0]) ? string_type(most) : text;
}

Type bytes_type(CheckContext& c, ast::ExprId id, const ast::Call& node) {
    return check_arguments(c, id, node, function_row(Function::buf)) ? measured(c, node, Function::buf) : nothing();
}

Type part_found(CheckContext& c, ast::ExprId id, const ast::Call& node) {
    return check_arguments(c, id, node, function_row(Function::strcontains)) ? c.truth() : nothing();
}

template <Function which>
Type first_frames(CheckContext& c, ast::ExprId id, const ast::Call& node) {
    const FunctionRow& row = function_row(which);
    check_arguments(c, id, node, row);
    if (c.region == Region::timeout) {
        c.error(id, "a timeout only has the whole stack").hint = "write `kstack`";
        return nothing();
    }
    const auto is_form = [](const ast::Expr& e) {
        return stack_form(e) || std::holds_alternative<ast::Name>(e.node);  // a wrong name was reported
    };
    if (node.arguments.size() == 2 && !is_form(c.expr(node.arguments[0]))) {
        c.error(node.arguments[1], "the number of frames is given once, after the form").hint =
            fmt::format("write `{}(perf, 5)` or `{}(5)`", row.name, row.name);
    }
    return is_available(c, id, variable_row(*stack_variable(which)))
               ? stack_of(c.program, stack_request(c.program, node).form)
               : nothing();
}

// kptr() and uptr(): an address in the memory of the kernel or of a process.
template <Function which>
Type address_type(CheckContext& c, ast::ExprId id, const ast::Call& node) {
    check_arguments(c, id, node, function_row(which));
    if (node.arguments.size() != 1) return nothing();
    Type address = c.type(node.arguments[0]);
    address.user_memory = which == Function::uptr;
    return address;
}

Type opening_type(CheckContext& c, ast::ExprId id, const ast::Call& node) {
    check_arguments(c, id, node, function_row(Function::entry));
    return node.arguments.size() == 1 ? entry_type(c, node) : nothing();
}

// The argument may be the name of a type.
Type size_type(CheckContext& c, ast::ExprId id, const ast::Call& node) {
    if (node.arguments.size() == 1) return size_of_value(c, id, node.arguments[0]);
    const FunctionRow& row = function_row(Function::size_of);
    check_arguments(c, id, node, row);
    return row.result;
}

// Only the runtime walks the buckets of all CPUs, so a BPF program cannot use the result.
Type percentile_type(CheckContext& c, ast::ExprId id, const ast::Call& node) {
    const FunctionRow& row = function_row(Function::percentile);
    if (c.printed != id) {
        c.error(id, fmt::format("`{}()` only has a value where it is printed", row.name)).hint =
            fmt::format("pass it directly to `print()` or `printf()`: `print({}(@name, 99))`", row.name);
        return nothing();
    }
    return check_arguments(c, id, node, row) ? integer_type(8, true, c.type(node.arguments[0]).view) : nothing();
}

constexpr TypeRule own_rules[] = {
    {Function::str, str_type, true},
    {Function::buf, bytes_type, true},
    {Function::strcontains, part_found, true},
    {Function::kstack, first_frames<Function::kstack>, true},
    {Function::ustack, first_frames<Function::ustack>, true},
    {Function::kptr, address_type<Function::kptr>, true},
    {Function::uptr, address_type<Function::uptr>, true},
    {Function::entry, opening_type, true},
    {Function::age, age_type, true},
    {Function::size_of, size_type, true},
    {Function::percentile, percentile_type, true},
    {Function::count_of, statistic_type, true},
    {Function::sum_of, statistic_type, true},
    {Function::avg_of, statistic_type, true},
    {Function::min_of, statistic_type, true},
    {Function::max_of, statistic_type, true},
    {Function::variance_of, statistic_type, true},
    {Function::hist_log, statistic_type, true},
    {Function::hist_linear, statistic_type, true},
};

}  // namespace

std::span<const TypeRule> own_type_rules() { return own_rules; }

}  // namespace lt
