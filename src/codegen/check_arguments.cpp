// The arguments of a call: how many there are, and whether each is what the function's row wants, one function for each
// sort of argument.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "check.h"
#include "operators.h"
#include "percent.h"
#include "samples.h"
#include "stacks.h"
#include "stdlib/format.h"

namespace lt {

struct BodyChecker::Asked {
    const FunctionRow& row;
    const Parameter& want;
    ast::ExprId argument;
};

void BodyChecker::arguments(ast::ExprId id, const ast::Call& node, const FunctionRow& row) {
    const auto wants = row.wants();
    const size_t required =
        static_cast<size_t>(std::count_if(wants.begin(), wants.end(), [](const Parameter& p) { return !p.optional; }));
    const bool open = !wants.empty() && wants.back().repeated;
    const size_t given = node.arguments.size();
    if (given < required || (given > wants.size() && !open)) {
        const std::string takes =
            wants.empty() ? "no arguments"
                          : fmt::format("{}{}{}", required,
                                        open || wants.size() == required ? "" : fmt::format(" to {}", wants.size()),
                                        required == 1 && (open || wants.size() == 1) ? " argument" : " arguments");
        diags_.error(span(id), fmt::format("{}() takes {}{}, not {}", row.name, open ? "at least " : "", takes, given))
            .hint = fmt::format("write {}; for example {}", signature(row), row.example);
        return;
    }
    if (row.id == Function::print && given > 1) print_arguments(node);
    for (size_t i = 0; i < given; i++) {
        if (row.id == Function::print || row.id == Function::printf) printed_ = node.arguments[i];
        argument_fits({row, wants[std::min(i, wants.size() - 1)], node.arguments[i]});
    }
    if (given > 0 && wants[0].want == Want::format) printf_arguments(node);
}

void BodyChecker::argument_fits(const Asked& asked) {
    struct Fits {
        Want want;
        void (BodyChecker::*check)(const Asked&);
    };
    static constexpr Fits rows[] = {
        {Want::at_opening, &BodyChecker::opening_fits},
        {Want::integer, &BodyChecker::integer_fits},
        {Want::string, &BodyChecker::string_fits},
        {Want::address_or_string, &BodyChecker::address_or_string_fits},
        {Want::bytes, &BodyChecker::bytes_fit},
        {Want::number, &BodyChecker::number_fits},
        {Want::literal, &BodyChecker::literal_fits},
        {Want::word, &BodyChecker::word_fits},
        {Want::value, &BodyChecker::value_fits},
        {Want::map, &BodyChecker::map_fits},
        {Want::map_or_value, &BodyChecker::map_or_value_fits},
        {Want::collected, &BodyChecker::collected_argument},
        {Want::format, &BodyChecker::format_fits},
        {Want::distribution, &BodyChecker::distribution_fits},
        {Want::percent, &BodyChecker::percent_fits},
        {Want::frames, &BodyChecker::frames_fit},
        {Want::frames_or_form, &BodyChecker::frames_or_form_fit},
    };
    static_assert(std::size(rows) == static_cast<size_t>(Want::collected) + 1, "each sort of argument has a row");
    (this->*std::ranges::find(rows, asked.want.want, &Fits::want)->check)(asked);
}

void BodyChecker::opening_fits(const Asked& asked) {  // what it holds is looked at by entry()
    if (body_.role != Role::action) return;
    error(asked.argument, "only a span has an opening").hint = "entry() stands in the block or the threshold of a span";
}

void BodyChecker::integer_fits(const Asked& asked) {
    const Type t = value(asked.argument);
    if (t.kind == Kind::none || t.kind == Kind::integer) return;
    Diag& d = error(asked.argument, fmt::format("{}() takes a number, not {}", asked.row.name, type_name(t)));
    if (asked.row.aggregation == Aggregation::none) return;
    d.hint = fmt::format("to tell values apart use them as a key: @[{}] = count()", program_text(asked.argument));
}

void BodyChecker::string_fits(const Asked& asked) {
    const Type t = value(asked.argument);
    if (t.kind == Kind::none || t.kind == Kind::string) return;
    error(asked.argument, fmt::format("{}() takes a string, not {}", asked.row.name, type_name(t)));
}

void BodyChecker::address_or_string_fits(const Asked& asked) {
    const Type t = value(asked.argument);
    if (!in_memory(t) || t.kind == Kind::string) return;
    error(asked.argument, fmt::format("{}() takes an address or a string, not {}", asked.row.name, type_name(t)));
}

void BodyChecker::bytes_fit(const Asked& asked) {
    if (value(asked.argument).kind != Kind::stack) return;
    error(asked.argument, fmt::format("{}() takes an address or bytes, not a stack", asked.row.name));
}

void BodyChecker::number_fits(const Asked& asked) {
    const bool negative = std::holds_alternative<ast::Unary>(program_[asked.argument].node);
    const bool bound = asked.row.aggregation == Aggregation::lhist;
    if (number_as_it_stands(program_, asked.argument) && (bound || !negative)) {
        value(asked.argument);
    } else {
        as_it_stands(asked, "a number as it stands");
    }
}

void BodyChecker::literal_fits(const Asked& asked) {
    if (std::holds_alternative<ast::String>(program_[asked.argument].node)) {
        value(asked.argument);
    } else {
        as_it_stands(asked, "a string in quotes");
    }
}

void BodyChecker::word_fits(const Asked& asked) {
    if (!std::holds_alternative<ast::Name>(program_[asked.argument].node)) as_it_stands(asked, "a name as it stands");
}

void BodyChecker::as_it_stands(const Asked& asked, std::string_view what) {
    error(asked.argument, fmt::format("{} is {}", asked.want.name, what)).hint =
        fmt::format("for example {}", asked.row.example);
}

void BodyChecker::format_fits(const Asked& asked) {
    if (std::holds_alternative<ast::String>(program_[asked.argument].node)) return;
    error(asked.argument, "a format is a string in quotes").hint = fmt::format("for example {}", asked.row.example);
}

void BodyChecker::value_fits(const Asked& asked) { show_whole(asked.argument); }

// A whole map, or one key of it where the function is about keys.
bool BodyChecker::map_taken(const Asked& asked) {
    const auto* map = std::get_if<ast::Map>(&program_[asked.argument].node);
    const bool keyed = asked.row.id == Function::remove || asked.row.id == Function::has_key;
    if (map == nullptr || (map->has_key && !keyed)) return false;
    const MapInfo& info = maps_[map_at(asked.argument, *map, !map->has_key)];
    if (keyed && !map->has_key && !info.key.empty()) {
        error(asked.argument, fmt::format("{} has a key", info.name)).hint =
            fmt::format("write delete({}[...]) for one key, clear({}) for all", info.name, info.name);
    }
    return true;
}

void BodyChecker::map_fits(const Asked& asked) {
    if (map_taken(asked)) return;
    const auto* map = std::get_if<ast::Map>(&program_[asked.argument].node);
    const bool counts = asked.row.id == Function::length;
    if (counts && !map && expression(asked.argument).kind == Kind::stack) return;
    Diag& d = error(asked.argument, fmt::format("{}() takes {}{}", asked.row.name, map ? "the whole map" : "a map",
                                                counts && !map ? " or a stack" : ""));
    d.hint = fmt::format("write {}(@{})", asked.row.name, map ? map->name : "name");
}

bool BodyChecker::is_statistic_call(ast::ExprId id) const {
    const auto* called = std::get_if<ast::Call>(&program_[id].node);
    const FunctionRow* row = called ? find_function(called->name) : nullptr;
    return row != nullptr && is_statistic(row->id);
}

// One key of a map that collects more than a number: @sizes[comm] of hist(), or $pair.1 in a loop over it.
bool BodyChecker::collected_entry(ast::ExprId argument) {
    const auto* member = std::get_if<ast::Member>(&program_[argument].node);
    const auto* pair = member && member->field == "1" ? std::get_if<ast::Local>(&program_[member->base].node) : nullptr;
    const Known* known = pair ? known_local(pair->name) : nullptr;
    const uint32_t looped = known ? body_.locals[known->index].pair_of : no_map;
    if (looped != no_map && maps_[looped].value.kind == Kind::aggregation && !is_folded(maps_[looped].value)) {
        use(argument) = PairUse{known->index, looped, true, 0};
        slot(argument) = maps_[looped].value;
        return true;
    }
    const auto* map = std::get_if<ast::Map>(&program_[argument].node);
    if (map == nullptr || !map->has_key) return false;
    const Type held = maps_[maps_.index(map->name, span(argument))].value;
    if (held.kind != Kind::aggregation || is_folded(held)) return false;
    map_at(argument, *map, false);
    slot(argument) = held;
    return true;
}

void BodyChecker::map_or_value_fits(const Asked& asked) {
    if (map_taken(asked)) return;
    if (const SpanInfo* info = span_named(asked.argument)) {
        use(asked.argument) = SpanUse{static_cast<uint32_t>(info - typed_.spans.data())};
    } else if (asked.row.id == Function::print && is_statistic_call(asked.argument)) {
        expression(asked.argument);
    } else if (asked.row.id != Function::print || !collected_entry(asked.argument)) {
        show_whole(asked.argument);
    }
}

void BodyChecker::distribution_fits(const Asked& asked) {
    const auto& [row, want, argument] = asked;
    const auto* map = std::get_if<ast::Map>(&program_[argument].node);
    if (!map) {
        diags_.error(span(argument), fmt::format("{}() takes a map of dist()", row.name)).hint =
            fmt::format("write {}(@name, 99)", row.name);
        return;
    }
    const Type held = maps_[map_at(argument, *map, false)].value;
    slot(argument) = held;
    if (held.kind == Kind::none || held.aggregation == Aggregation::dist) return;
    diags_
        .error(span(argument),
               fmt::format("{}() takes a map of dist(), but @{} holds {}", row.name, map->name, type_name(held)))
        .hint = fmt::format("write `@name = {}`", signature(function_row(Function::dist)));
}

void BodyChecker::collected_argument(const Asked& asked) { collected_fits(asked.row, asked.argument); }

void BodyChecker::percent_fits(const Asked& asked) {
    if (percent_share(program_[asked.argument])) return;
    error(asked.argument, "a percent is a number from 0 to 100").hint =
        "one with a fraction stands in quotes: \"99.9\"";
}

void BodyChecker::frames_fit(const Asked& asked) {
    if (frame_count(program_[asked.argument])) return;
    error(asked.argument, fmt::format("how many frames is a number from 1 to {}", stack_frames)).hint =
        fmt::format("write {}(5), or {} for all", asked.row.name, asked.row.name);
}

void BodyChecker::frames_or_form_fit(const Asked& asked) {
    if (stack_form(program_[asked.argument])) return;
    if (!std::holds_alternative<ast::Name>(program_[asked.argument].node)) return frames_fit(asked);
    error(asked.argument, fmt::format("there is no form `{}` of stacks", program_text(asked.argument))).hint =
        fmt::format("there are bpftrace, perf and raw, as in {}(perf)", asked.row.name);
}

std::string BodyChecker::program_text(ast::ExprId id) const {
    const auto* name = std::get_if<ast::Name>(&program_[id].node);
    return name ? name->name : "...";
}

void BodyChecker::print_arguments(const ast::Call& node) {
    const auto* map = std::get_if<ast::Map>(&program_[node.arguments[0]].node);
    if (map == nullptr || map->has_key) {
        diags_.error(span(node.arguments[0]), "only of a map the largest values can be chosen").hint =
            "write print(@name, 10)";
    }
    for (size_t i = 1; i < node.arguments.size(); i++) {
        const auto* number = std::get_if<ast::Integer>(&program_[node.arguments[i]].node);
        if (number != nullptr && number->value > 0 && number->value <= INT32_MAX) continue;
        diags_.error(span(node.arguments[i]), "this is a number from 1 on, known beforehand").hint =
            "for example print(@name, 10, 1000)";
    }
}

void BodyChecker::printf_arguments(const ast::Call& node) {
    const auto* format = std::get_if<ast::String>(&program_[node.arguments[0]].node);
    if (!format) return;
    std::vector<Type> types;
    for (size_t i = 1; i < node.arguments.size(); i++) {
        types.push_back(slot(node.arguments[i]));
        if (types.back().kind == Kind::none) return;
    }
    for (const FormatMistake& mistake : check_format(format->value, types)) {
        const ast::ExprId at = node.arguments[mistake.value ? *mistake.value + 1 : 0];
        diags_.error(span(at), mistake.message).hint = mistake.hint;
    }
}

}  // namespace lt
