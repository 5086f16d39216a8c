#include "codegen/check/calls/arguments.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/check/expr/expr.h"
#include "codegen/check/expr/kept.h"
#include "codegen/check/expr/strings.h"
#include "codegen/check/local.h"
#include "codegen/check/map.h"
#include "codegen/check/samples.h"
#include "codegen/check/span.h"
#include "codegen/typed/operators.h"
#include "codegen/typed/percent.h"
#include "codegen/typed/samples.h"
#include "codegen/typed/stacks.h"
#include "stdlib/format.h"

namespace lt {
namespace {

// An argument, and the parameter that it is for.
struct Given {
    const FunctionRow& row;
    const Parameter& want;
    ast::ExprId argument;
};

void opening_fits(CheckContext& c, const Given& given) {  // entry() checks the value
    if (c.body.role != Role::action) return;
    c.error(given.argument, "only a span has an opening").hint =
        "use `entry()` in the block or the threshold of a span";
}

void integer_fits(CheckContext& c, const Given& given) {
    const Type t = check_value(c, given.argument);
    if (t.kind == Kind::none || t.kind == Kind::integer) return;
    Diag& d = c.error(given.argument, fmt::format("`{}()` takes a number, not {}", given.row.name, type_name(t)));
    if (given.row.aggregation == Aggregation::none) return;
    if (t.naming == Naming::why) {
        d.hint = fmt::format("each part is a time: `{0}(why.runq)`; `why()` collects them all", given.row.name);
        return;
    }
    d.hint = fmt::format("to count each value separately, use it as a key: `@[{}] = count()`",
                         short_text(c.program, given.argument));
}

void string_fits(CheckContext& c, const Given& given) {
    const Type t = check_value(c, given.argument);
    if (t.kind == Kind::none || t.kind == Kind::string) return;
    c.error(given.argument, fmt::format("`{}()` takes a string, not {}", given.row.name, type_name(t))).hint =
        hint_of_names(string_type(0), t);
}

void address_or_string_fits(CheckContext& c, const Given& given) {
    const Type t = check_value(c, given.argument);
    if (!in_memory(t) || t.kind == Kind::string) return;
    c.error(given.argument, fmt::format("`{}()` takes an address or a string, not {}", given.row.name, type_name(t)));
}

void bytes_fit(CheckContext& c, const Given& given) {
    if (check_value(c, given.argument).kind != Kind::stack) return;
    c.error(given.argument, fmt::format("`{}()` takes an address or bytes, not a stack", given.row.name));
}

void must_be(CheckContext& c, const Given& given, std::string_view what) {
    c.error(given.argument, fmt::format("{} must be {}", given.want.name, what)).hint =
        fmt::format("for example `{}`", given.row.example);
}

void number_fits(CheckContext& c, const Given& given) {
    const bool negative = std::holds_alternative<ast::Unary>(c.expr(given.argument).node);
    const bool bound = given.row.aggregation == Aggregation::lhist;
    if (number_as_it_stands(c.program, given.argument) && (bound || !negative)) {
        check_value(c, given.argument);
    } else {
        must_be(c, given, "a literal number");
    }
}

void literal_fits(CheckContext& c, const Given& given) {
    if (std::holds_alternative<ast::String>(c.expr(given.argument).node)) {
        check_value(c, given.argument);
    } else {
        must_be(c, given, "a string literal");
    }
}

void word_fits(CheckContext& c, const Given& given) {
    if (!std::holds_alternative<ast::Name>(c.expr(given.argument).node)) must_be(c, given, "a plain name");
}

void format_fits(CheckContext& c, const Given& given) {
    if (std::holds_alternative<ast::String>(c.expr(given.argument).node)) return;
    c.error(given.argument, "the format must be a string literal").hint =
        fmt::format("for example `{}`", given.row.example);
}

void value_fits(CheckContext& c, const Given& given) { check_shown(c, given.argument); }

// A whole map, or one key of it if the function takes keys.
bool map_taken(CheckContext& c, const Given& given) {
    const auto* map = std::get_if<ast::Map>(&c.expr(given.argument).node);
    const bool keyed = given.row.id == Function::remove || given.row.id == Function::has_key;
    if (map == nullptr || (map->has_key && !keyed)) return false;
    const MapInfo& info = c.maps[map_at(c, given.argument, *map, !map->has_key)];
    if (keyed && !map->has_key && !info.key.empty()) {
        c.error(given.argument, fmt::format("`{}` has a key", info.name)).hint =
            fmt::format("write `delete({}[...])` for one key, `clear({})` for all", info.name, info.name);
    }
    return true;
}

void map_fits(CheckContext& c, const Given& given) {
    if (map_taken(c, given)) return;
    const auto* map = std::get_if<ast::Map>(&c.expr(given.argument).node);
    const bool counts = given.row.id == Function::length;
    if (counts && !map && check_expression(c, given.argument).kind == Kind::stack) return;
    Diag& d = c.error(given.argument, fmt::format("`{}()` takes {}{}", given.row.name, map ? "the whole map" : "a map",
                                                  counts && !map ? " or a stack" : ""));
    d.hint = fmt::format("write `{}(@{})`", given.row.name, map ? map->name : "name");
}

bool is_statistic_call(const CheckContext& c, ast::ExprId id) {
    const auto* called = std::get_if<ast::Call>(&c.expr(id).node);
    const FunctionRow* row = called ? find_function(called->name) : nullptr;
    return row != nullptr && is_statistic(row->id);
}

// One entry of a map that collects more than a number: @sizes[comm] with hist(), or $pair.1 in a loop over it.
bool collected_entry(CheckContext& c, ast::ExprId argument) {
    const auto* member = std::get_if<ast::Member>(&c.expr(argument).node);
    const auto* pair = member && member->field == "1" ? std::get_if<ast::Local>(&c.expr(member->base).node) : nullptr;
    const NamedLocal* known = pair ? find_local(c, pair->name) : nullptr;
    const uint32_t looped = known ? c.body.locals[known->index].pair_of : no_map;
    if (looped != no_map && c.maps[looped].value.kind == Kind::aggregation && !is_folded(c.maps[looped].value)) {
        c.use(argument) = PairUse{known->index, looped, true, 0};
        c.type(argument) = c.maps[looped].value;
        return true;
    }
    const auto* map = std::get_if<ast::Map>(&c.expr(argument).node);
    if (map == nullptr || !map->has_key) return false;
    const Type held = c.maps[c.maps.index(map->name, c.span(argument))].value;
    if (held.kind != Kind::aggregation || is_folded(held)) return false;
    map_at(c, argument, *map, false);
    c.type(argument) = held;
    return true;
}

void map_or_value_fits(CheckContext& c, const Given& given) {
    if (map_taken(c, given)) return;
    if (const SpanInfo* info = find_span(c, given.argument)) {
        c.use(given.argument) = SpanUse{static_cast<uint32_t>(info - c.typed.spans.data())};
    } else if (given.row.id == Function::print && is_statistic_call(c, given.argument)) {
        check_expression(c, given.argument);
    } else if (given.row.id != Function::print || !collected_entry(c, given.argument)) {
        check_shown(c, given.argument);
    }
}

void distribution_fits(CheckContext& c, const Given& given) {
    const auto& [row, want, argument] = given;
    const auto* map = std::get_if<ast::Map>(&c.expr(argument).node);
    if (!map) {
        c.error(argument, fmt::format("`{}()` takes a map of `dist()`", row.name)).hint =
            fmt::format("write `{}(@name, 99)`", row.name);
        return;
    }
    const Type held = c.maps[map_at(c, argument, *map, false)].value;
    c.type(argument) = held;
    if (held.kind == Kind::none || held.aggregation == Aggregation::dist) return;
    c.error(argument,
            fmt::format("`{}()` takes a map of `dist()`, but `@{}` holds {}", row.name, map->name, type_name(held)))
        .hint = fmt::format("write `@name = {}`", signature(function_row(Function::dist)));
}

void collected_fits(CheckContext& c, const Given& given) { check_collected(c, given.row, given.argument); }

void percent_fits(CheckContext& c, const Given& given) {
    if (percent_share(c.program[given.argument])) return;
    c.error(given.argument, "a percentage is a number from 0 to 100").hint = "put a fraction in quotes: `\"99.9\"`";
}

void frames_fit(CheckContext& c, const Given& given) {
    if (frame_count(c.program[given.argument])) return;
    c.error(given.argument, fmt::format("the number of frames must be a literal from 1 to {}", stack_frames)).hint =
        fmt::format("write `{}(5)`, or `{}` for all", given.row.name, given.row.name);
}

void frames_or_form_fit(CheckContext& c, const Given& given) {
    if (stack_form(c.program[given.argument])) return;
    if (!std::holds_alternative<ast::Name>(c.expr(given.argument).node)) return frames_fit(c, given);
    const std::string form = short_text(c.program, given.argument);
    if (form == "build_id") {
        c.error(given.argument, "stacks of build ids and offsets are not supported yet").hint = fmt::format(
            "`{0}(perf)` prints addresses, functions and their files, `{0}(raw)` only addresses", given.row.name);
        return;
    }
    c.error(given.argument, fmt::format("there is no stack form `{}`", form)).hint =
        fmt::format("use `bpftrace`, `perf` or `raw`: `{}(perf)`", given.row.name);
}

void argument_fits(CheckContext& c, const Given& given) {
    struct Fits {
        Want want;
        void (*check)(CheckContext&, const Given&);
    };
    static constexpr Fits rows[] = {
        {Want::at_opening, opening_fits},
        {Want::integer, integer_fits},
        {Want::string, string_fits},
        {Want::address_or_string, address_or_string_fits},
        {Want::bytes, bytes_fit},
        {Want::number, number_fits},
        {Want::literal, literal_fits},
        {Want::word, word_fits},
        {Want::value, value_fits},
        {Want::map, map_fits},
        {Want::map_or_value, map_or_value_fits},
        {Want::collected, collected_fits},
        {Want::format, format_fits},
        {Want::distribution, distribution_fits},
        {Want::percent, percent_fits},
        {Want::frames, frames_fit},
        {Want::frames_or_form, frames_or_form_fit},
    };
    static_assert(std::size(rows) == static_cast<size_t>(Want::collected) + 1, "each kind of argument has a row");
    std::ranges::find(rows, given.want.want, &Fits::want)->check(c, given);
}

void print_arguments(CheckContext& c, const ast::Call& node) {
    const auto* map = std::get_if<ast::Map>(&c.expr(node.arguments[0]).node);
    if (map == nullptr || map->has_key) {
        c.error(node.arguments[0], "only a whole map can be limited to its largest values").hint =
            "write `print(@name, 10)`";
    }
    for (size_t i = 1; i < node.arguments.size(); i++) {
        const auto* number = std::get_if<ast::Integer>(&c.expr(node.arguments[i]).node);
        if (number != nullptr && number->value <= INT32_MAX) continue;  // 0: all keys, undivided
        c.error(node.arguments[i], "this must be a literal number of at least 0").hint =
            "for example `print(@name, 10, 1000)`";
    }
    const auto* divisor = node.arguments.size() > 2 ? c.program.get<ast::Integer>(node.arguments[2]) : nullptr;
    if (!map || map->has_key || !divisor || divisor->value <= 1) return;
    const Aggregation held = c.maps[map_at(c, node.arguments[0], *map, true)].value.aggregation;
    if (held != Aggregation::dist && held != Aggregation::samples && held != Aggregation::why) return;
    c.error(node.arguments[2], fmt::format("what `{}()` has collected cannot be divided", aggregation_name(held)))
        .hint = "divide the values when they are collected";
}

void printf_arguments(CheckContext& c, const ast::Call& node) {
    const auto* format = std::get_if<ast::String>(&c.expr(node.arguments[0]).node);
    if (!format) return;
    std::vector<Type> types;
    for (size_t i = 1; i < node.arguments.size(); i++) {
        types.push_back(c.type(node.arguments[i]));
        if (types.back().kind == Kind::none) return;
    }
    for (const FormatMistake& mistake : check_format(format->value, types)) {
        const ast::ExprId at = node.arguments[mistake.value ? *mistake.value + 1 : 0];
        c.error(at, mistake.message).hint = mistake.hint;
    }
}

}  // namespace

bool check_arguments(CheckContext& c, ast::ExprId id, const ast::Call& node, const FunctionRow& row) {
    const size_t errors = c.diags.all().size();
    const auto wants = row.wants();
    const size_t required =
        static_cast<size_t>(std::ranges::count_if(wants, [](const Parameter& p) { return !p.optional; }));
    const bool open = !wants.empty() && wants.back().repeated;
    const size_t given = node.arguments.size();
    if (given < required || (given > wants.size() && !open)) {
        const std::string takes =
            wants.empty() ? "no arguments"
                          : fmt::format("{}{}{}", required,
                                        open || wants.size() == required ? "" : fmt::format(" to {}", wants.size()),
                                        required == 1 && (open || wants.size() == 1) ? " argument" : " arguments");
        c.error(id, fmt::format("`{}()` takes {}{}, not {}", row.name, open ? "at least " : "", takes, given)).hint =
            fmt::format("write `{}`; for example `{}`", signature(row), row.example);
        return false;
    }
    if (row.id == Function::print && given > 1) print_arguments(c, node);
    for (size_t i = 0; i < given; i++) {
        if (row.id == Function::print || row.id == Function::printf) c.printed = node.arguments[i];
        argument_fits(c, {row, wants[std::min(i, wants.size() - 1)], node.arguments[i]});
    }
    if (given > 0 && wants[0].want == Want::format) printf_arguments(c, node);
    return c.diags.all().size() == errors;
}

}  // namespace lt
