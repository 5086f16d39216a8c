// Calls of SystemTap's functions and @-words, by the table of functions.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "parser/tree/rewrite.h"
#include "stdlib/functions/builtins.h"
#include "stdlib/probes.h"
#include "systemtap/names/calls.h"
#include "systemtap/names/effects.h"
#include "systemtap/names/names.h"
#include "systemtap/names/printing.h"
#include "systemtap/names/scope.h"
#include "systemtap/names/statistics.h"
#include "systemtap/names/targets.h"

namespace lt::stp {
namespace {

bool is_number_form(StpForm form) { return form == StpForm::value || form == StpForm::call; }

// The parameters that C in a function's body names: STAP_ARG_x.
std::vector<std::string> arguments_in(std::string_view text) {
    constexpr std::string_view prefix = "STAP_ARG_";
    std::vector<std::string> out;
    for (size_t at = text.find(prefix); at != text.npos; at = text.find(prefix, at + 1)) {
        size_t end = at + prefix.size();
        while (end < text.size() && is_word_character(text[end])) end++;
        std::string name(text.substr(at + prefix.size(), end - at - prefix.size()));
        if (std::ranges::find(out, name) == out.end()) out.push_back(std::move(name));
    }
    return out;
}

bool count_fits(Names& scope, ast::ExprId id, const ast::Call& n, uint32_t least, uint32_t most) {
    if (n.arguments.size() >= least && n.arguments.size() <= most) return true;
    const std::string takes = least == most ? std::to_string(least) : fmt::format("{} to {}", least, most);
    scope.diags.error(scope.span(id), fmt::format("{}() takes {} argument{}, not {}", n.name, takes,
                                                  takes == "1" ? "" : "s", n.arguments.size()));
    return false;
}

// modname(): the module of the location, known from the probe point.
void module_name(Names& scope, ast::ExprId id, const ast::Call& n) {
    if (!scope.around->module.empty()) return scope.put(id, ast::String{scope.around->module});
    scope.diags.error(n.name_span, fmt::format("the result of {}() is not known here", n.name)).hint =
        "call it in probes of kernel.* and module().*, not in functions or in probes with several points";
    scope.put(id, ast::String{});
}

// &@cast(p, "type") is p.
ast::ExprNode moved_target(Names& scope, ast::ExprId id) {
    resolve_target(scope, id);
    return scope.node(id);
}

// &$x->member. At a return, the address is saved at the entry, not the member.
void address_of(Names& scope, ast::ExprId id, const ast::Call& n) {
    const auto* whole = scope.get<ast::Call>(n.arguments[0]);
    if (whole != nullptr && whole->name == "@cast") return scope.put(id, moved_target(scope, n.arguments[0]));
    resolve_path(scope, n.arguments[0]);
    const auto* entry = scope.get<ast::Call>(n.arguments[0]);
    const bool kept = entry != nullptr && entry->name == "entry";
    const ast::ExprId member = kept ? entry->arguments[0] : n.arguments[0];
    const ast::ExprId address = scope.add(id, ast::Unary{ast::UnaryOp::address, member});
    as_long(scope, address);
    scope.put(id, kept ? ast::ExprNode(ast::Call{"entry", scope.span(id), {address}}) : scope.node(address));
}

// substr(ctime(seconds), 11, 8): a part of a time that only becomes text when printed.
bool part_of_time(Names& scope, ast::ExprId id, const ast::Call& n) {
    struct Part {
        uint64_t begin, length;
        std::string_view format;
    };
    constexpr Part parts[] = {
        {0, 3, "%a"}, {4, 3, "%b"}, {4, 6, "%b %e"}, {8, 2, "%e"}, {11, 8, "%H:%M:%S"}, {11, 5, "%H:%M"}, {20, 4, "%Y"},
    };
    const auto* time = n.name == "substr" && n.arguments.size() == 3 ? scope.get<ast::Call>(n.arguments[0]) : nullptr;
    const auto begin = time ? constant_of(scope, n.arguments[1]) : std::nullopt,
               length = time ? constant_of(scope, n.arguments[2]) : std::nullopt;
    if (!begin || !length || (time->name != "ctime" && time->name != "tz_ctime") || time->arguments.size() != 1)
        return false;
    const auto* part =
        std::ranges::find_if(parts, [&](const Part& p) { return p.begin == *begin && p.length == *length; });
    if (part == std::end(parts)) return false;
    const ast::ExprId format = scope.add(id, ast::String{std::string(part->format)});
    const ast::ExprId when = scope.add(id, ast::Call{"__monotonic", n.name_span, {time->arguments[0]}});
    ast::Call text{"@lt", n.name_span, {scope.add(id, ast::String{"strftime"}), format, when}};
    if (time->name == "ctime") text.arguments.push_back(scope.add(id, ast::String{"utc"}));
    scope.put(id, std::move(text));
    resolve_call(scope, id);
    return true;
}

void unknown_function(Names& scope, const ast::Call& n) {
    if (n.name == address_call) {
        scope.diags.error(n.name_span, "only kernel data has an address").hint =
            "use `&` before `$x->member` or `@cast()->member`";
        return;
    }
    std::vector<std::string_view> names;
    for (const Function* f : scope.functions.all) names.push_back(f->name);
    for (const StpFunction& row : stp_functions()) names.push_back(row.name);
    const auto near = closest(n.name, names);
    if (scope.functions.has(n.name)) {
        scope.diags.error(n.name_span,
                          fmt::format("no function {}() takes {}", n.name, plural(n.arguments.size(), "argument")));
        return;
    }
    scope.diags.error(n.name_span, fmt::format("there is no function `{}()`", n.name)).hint =
        near.empty() ? "lt-stp(7) lists them" : did_you_mean(near);
}

// A busy wait, in nanoseconds.
void resolve_delay(Names& scope, ast::ExprId id, const ast::Call& n, const StpFunction& row) {
    constexpr uint64_t longest = 1'000'000;  // units; longer delays are refused because of the number
    const uint64_t unit = std::stoull(std::string(row.lt));
    resolve_expr(scope, n.arguments[0]);
    const auto* known = scope.get<ast::Integer>(n.arguments[0]);
    const ast::ExprId time =
        known && known->value <= longest
            ? scope.add(id, ast::Duration{static_cast<int64_t>(known->value * unit)})
            : scope.add(id, ast::Binary{ast::BinaryOp::multiply, n.arguments[0], scope.add(id, ast::Integer{unit})});
    scope.put(id, ast::Call{"delay", n.name_span, {time}});
}

// A variable of lt, or the members of the current task that it is short for.
ast::ExprNode variable_of_lt(Names& scope, ast::ExprId at, std::string_view name) {
    const VariableRow* row = find_variable(name);
    if (row == nullptr || row->members.empty()) return ast::Name{std::string(name)};
    const auto fields = split(row->members, '.');
    ast::ExprId task = scope.add(at, ast::Name{std::string(variable_row(Variable::curtask).name)});
    for (size_t i = 0; i + 1 < fields.size(); i++)
        task = scope.add(at, ast::Member{task, std::string(fields[i]), scope.span(at)});
    return ast::Member{task, std::string(fields.back()), scope.span(at)};
}

// The same function, with the words of its row.
void call_of_lt(Names& scope, ast::ExprId id, ast::Call n, const StpFunction& row) {
    resolve_arguments(scope, n);
    const std::vector<std::string_view> words = split(row.lt, ' ');
    for (size_t i = 1; i < words.size(); i++) n.arguments.push_back(scope.add(id, ast::Name{std::string(words[i])}));
    if (scope.given.for_port && row.lt == "exit" && scope.followed > 0)
        scope.diags.warning(n.name_span, "in .lt, exit() ends its block: the statements after this do not run there");
    scope.put(id, ast::Call{std::string(words.front()), n.name_span, n.arguments});
}

// Bytes at an address, raw or in quotes.
void bytes_at(Names& scope, ast::ExprId id, ast::Call n, const StpFunction& row) {
    if (row.form == StpForm::memory_bytes) {
        is_target(scope, n.arguments[0]) ? resolve_path(scope, n.arguments[0]) : resolve_expr(scope, n.arguments[0]);
        resolve_expr(scope, n.arguments[1]);
        return scope.put(id, ast::Call{"buf", n.name_span, n.arguments});
    }
    resolve_arguments(scope, n);
    n.arguments[0] = scope.add(id, ast::Call{std::string(row.lt), n.name_span, {n.arguments[0]}});
    scope.put(id, ast::Call{"quoted_bytes", n.name_span, n.arguments});
}

// .lt cannot say whether memory was read: an empty text stands for memory that was not.
void text_or(Names& scope, ast::ExprId id, const std::string& name, ast::Call read, ast::ExprId other) {
    const auto add = [&](ast::ExprNode node) { return scope.add(id, std::move(node)); };
    const auto local = [&] { return add(ast::Local{name}); };
    ast::BlockValue all;
    all.block.statements.push_back(
        scope.add(id, ast::StmtNode(ast::Assign{local(), std::nullopt, add(std::move(read))})));
    const ast::ExprId is_read = add(ast::Binary{ast::BinaryOp::not_equal, local(), add(ast::String{})});
    all.value = add(ast::Conditional{is_read, local(), other});
    scope.put(id, std::move(all));
}

// kernel_string(address), user_string_n(address, length): an additional argument is the text to use if memory cannot be
// read.
void text_at(Names& scope, ast::ExprId id, const ast::Call& n, const StpFunction& row) {
    const bool counted = row.form == StpForm::bytes || row.form == StpForm::bytes_or_nothing;
    const bool lenient = row.form == StpForm::memory_or_nothing || row.form == StpForm::bytes_or_nothing;
    is_target(scope, n.arguments[0]) ? resolve_path(scope, n.arguments[0]) : resolve_expr(scope, n.arguments[0]);
    for (size_t i = 1; i < n.arguments.size(); i++) resolve_expr(scope, n.arguments[i]);
    ast::Call read{"str", n.name_span, {n.arguments[0]}, lenient};
    if (counted) read.arguments.push_back(n.arguments[1]);
    const bool has_other = n.arguments.size() > read.arguments.size() && !lenient;
    const auto* other = has_other ? scope.get<ast::String>(n.arguments.back()) : nullptr;
    if (!has_other || (scope.given.for_port && other && other->value.empty())) return scope.put(id, std::move(read));
    const std::string name = fmt::format("text#{}", ++scope.loops);
    if (scope.given.for_port) return text_or(scope, id, name, std::move(read), n.arguments.back());
    const auto give = [&](ast::ExprId value) {
        return scope.add(id, ast::Assign{scope.add(id, ast::Local{name}), std::nullopt, value});
    };
    ast::BlockValue all;
    all.block.statements.push_back(scope.add(id, ast::Let{name, scope.span(id), std::nullopt, std::nullopt}));
    ast::Attempt attempt{{{give(scope.add(id, std::move(read)))}}, "", scope.span(id), {{give(n.arguments.back())}}};
    all.block.statements.push_back(scope.add(id, std::move(attempt)));
    all.value = scope.add(id, ast::Local{name});
    scope.put(id, std::move(all));
}

// kernel_int(address): the number there, in its C type.
void number_at(Names& scope, ast::ExprId id, const ast::Call& n, const StpFunction& row) {
    resolve_expr(scope, n.arguments[0]);
    const std::string memory = row.form == StpForm::kernel_number ? "kptr" : "uptr";
    const ast::ExprId typed = scope.add(id, ast::Cast{{scope.span(id), std::string(row.lt), 1, {}}, n.arguments[0]});
    const bool lenient = row.form == StpForm::user_number;  // it is 0 in that case
    const ast::ExprId address = scope.add(id, ast::Call{memory, n.name_span, {typed}, lenient});
    scope.put(id, ast::Unary{ast::UnaryOp::dereference, address});
    as_long(scope, id);
}

// int_arg(1) is arg0, with the width and sign given by the function.
void resolve_argument(Names& scope, ast::ExprId id, const ast::Call& n, const StpFunction& row) {
    const auto* number = scope.get<ast::Integer>(n.arguments[0]);
    if (number == nullptr || number->value < 1 || number->value > 12) {
        scope.diags.error(scope.span(n.arguments[0]), "the argument's number must be a literal from 1 to 12");
        return;
    }
    // for a system call it is a field of the record
    const bool is_field = scope.around->row != nullptr && scope.around->row->shape.starts_with("kernel.syscall(s)");
    const std::string place = std::to_string(number->value - 1);
    const ast::ExprId whole =
        scope.add(id, is_field ? ast::ExprNode(ast::Member{scope.add(id, ast::Name{"args"}), place, scope.span(id)})
                               : ast::ExprNode(ast::Name{"arg" + place}));
    if (scope.around->at_return) at_entry(scope, whole);
    scope.put(id, ast::Cast{{scope.span(id), std::string(row.lt), 0, {}}, whole});
    as_long(scope, id);
}

// ---- functions by their rows

void by_row(Names& scope, ast::ExprId id, ast::Call n, const StpFunction& row) {
    const bool printed_at_once = std::exchange(scope.printed, std::nullopt) == id;
    if (row.form == StpForm::refused) {
        scope.diags.error(n.name_span, fmt::format("lt does not have {}()", n.name)).hint = row.lt;
        return;
    }
    if (!count_fits(scope, id, n, row.least, row.most)) return;
    switch (row.form) {
        case StpForm::value:
        case StpForm::text:
            scope.put(id, variable_of_lt(scope, id, row.lt));
            break;
        case StpForm::symbol:
        case StpForm::call:
        case StpForm::text_call:
        case StpForm::act:
            call_of_lt(scope, id, n, row);
            if (row.form == StpForm::symbol && !printed_at_once)
                scope.put(id, ast::Call{"sprintf", n.name_span, {scope.add(id, ast::String{"%s"}), moved(scope, id)}});
            break;
        case StpForm::memory:
        case StpForm::memory_or_nothing:
        case StpForm::bytes:
        case StpForm::bytes_or_nothing:
            return text_at(scope, id, n, row);
        case StpForm::memory_bytes:
        case StpForm::memory_quoted:
            return bytes_at(scope, id, n, row);
        case StpForm::kernel_number:
        case StpForm::user_number:
        case StpForm::user_number_or_error:
            return number_at(scope, id, n, row);
        case StpForm::target:
            return scope.put(id, scope.given.for_port ? ast::ExprNode(ast::Name{"target"})
                                                      : ast::Integer{static_cast<uint64_t>(scope.given.target)});
        case StpForm::printf:
        case StpForm::print:
        case StpForm::println:
        case StpForm::printd:
        case StpForm::printdln:
        case StpForm::format:
            return resolve_print(scope, id, n, row);
        case StpForm::sprint:
        case StpForm::sprintln:
        case StpForm::sprintd:
        case StpForm::sprintdln:
        case StpForm::sprintf:
            return resolve_sprint(scope, id);
        case StpForm::show:
            scope.put(id, ast::Call{"print", n.name_span, {scope.add(id, ast::Name{std::string(row.lt)})}});
            break;
        case StpForm::argument:
            return resolve_argument(scope, id, n, row);
        case StpForm::delay:
            return resolve_delay(scope, id, n, row);
        case StpForm::register_:
            return register_value(scope, id, n, row);
        case StpForm::fact:
            return resolve_fact(scope, id, n, row);
        case StpForm::place:
            return symbol_part(scope, id, n, row);
        case StpForm::error:
            return raise_error(scope, id, n);
        case StpForm::abort:
            return resolve_abort(scope, id, n);
        case StpForm::refused:
            return;
    }
    if (is_number_form(row.form)) as_long(scope, id);
}

bool has_wildcard(const Names& scope, const ast::Map& map) {
    return scope.globals.contains(map.name) && std::ranges::any_of(map.key, [&](ast::ExprId part) {
               const auto* name = scope.get<ast::Name>(part);
               return name != nullptr && name->name == wildcard_name;
           });
}

// A loop over all entries that runs `act` with the key of each match.
ast::StmtId each_chosen(Names& scope, ast::ExprId id, const ast::Map& chosen,
                        const std::function<ast::Block(std::vector<ast::ExprId>)>& act) {
    ast::ForMap loop;
    loop.name = fmt::format("{}{}", chosen_loop, ++scope.loops);
    loop.name_span = scope.span(id);
    loop.map = scope.add(id, ast::Name{chosen.name});
    std::optional<ast::ExprId> fits;
    std::vector<ast::ExprId> key;
    for (size_t i = 0; i < chosen.key.size(); i++) {
        const auto part = [&] {
            const ast::ExprId whole =
                scope.add(id, ast::Member{scope.add(id, ast::Local{loop.name}), "0", scope.span(id)});
            return chosen.key.size() == 1 ? whole
                                          : scope.add(id, ast::Member{whole, std::to_string(i), scope.span(id)});
        };
        key.push_back(part());
        const auto* name = scope.get<ast::Name>(chosen.key[i]);
        if (name != nullptr && name->name == wildcard_name) continue;
        const ast::ExprId same = scope.add(id, ast::Binary{ast::BinaryOp::equal, part(), chosen.key[i]});
        fits = fits ? scope.add(id, ast::Binary{ast::BinaryOp::logical_and, *fits, same}) : same;
    }
    if (!fits) fits = scope.add(id, ast::Integer{1});
    loop.body.statements.push_back(scope.add(id, ast::If{*fits, act(key), {}}));
    return scope.add(id, std::move(loop));
}

// delete array[key, *]: visits all entries.
void remove_chosen(Names& scope, ast::ExprId id, const ast::Map& chosen) {
    ast::BlockValue all;
    all.block.statements.push_back(each_chosen(scope, id, chosen, [&](std::vector<ast::ExprId> key) {
        const ast::ExprId entry = scope.add(id, ast::Map{chosen.name, std::move(key), true});
        const ast::ExprId removed = scope.add(id, ast::Call{std::string(delete_call), scope.span(id), {entry}});
        return ast::Block{{scope.add(id, ast::Evaluate{removed})}};
    }));
    scope.put(id, all);
    resolve_block(scope, all.block);
}

// [key, *] in array: does any such entry exist?
void any_chosen(Names& scope, ast::ExprId id, const ast::Map& chosen) {
    const std::string name = fmt::format("any#{}", ++scope.loops);
    const ast::ExprId none = scope.add(id, ast::Integer{0});
    ast::BlockValue all;
    all.block.statements.push_back(scope.add(id, ast::Let{name, scope.span(id), std::nullopt, none}));
    all.block.statements.push_back(each_chosen(scope, id, chosen, [&](const std::vector<ast::ExprId>&) {
        const ast::ExprId found = scope.add(id, ast::Local{name}), one = scope.add(id, ast::Integer{1});
        return ast::Block{{scope.add(id, ast::Assign{found, std::nullopt, one}), scope.add(id, ast::Jump{false})}};
    }));
    all.value = scope.add(id, ast::Local{name});
    scope.put(id, all);
    resolve_block(scope, all.block);
}

// The maps of a statistic, for a key that is evaluated once; a port has one map.
std::vector<ast::ExprId> maps_without_entry(Names& scope, ast::ExprId what, ast::Block& before) {
    if (scope.given.for_port) return {maps_of(scope, what).front()};
    if (const auto* keyed = scope.get<ast::Map>(what)) {
        ast::Map once = *keyed;
        save_key(scope, once, {}, before);
        resolve_block(scope, before);
        what = scope.add(what, std::move(once));
    }
    return maps_of(scope, what);
}

// delete array, delete array[key], delete scalar
void resolve_removal(Names& scope, ast::ExprId id, const ast::Call& n) {
    const ast::ExprId what = n.arguments[0];
    if (changes_walked(scope, what)) return;
    if (const auto* map = scope.get<ast::Map>(what); map != nullptr && scope.globals.contains(map->name)) {
        const ast::Map chosen = *map;
        if (has_wildcard(scope, chosen)) return remove_chosen(scope, id, chosen);
    }
    if (const GlobalUse* use = collecting_global(scope, what)) {
        const bool whole = std::holds_alternative<ast::Name>(scope.node(what));
        // A report only removes what it has read.
        const ProbeRow* kind = scope.around->row
                                   ? find_probe(scope.around->row->probe.substr(0, scope.around->row->probe.find(':')))
                                   : nullptr;
        const bool clears = whole && (use->is_array || (kind && run_by_lt(kind->place)));
        ast::BlockValue all;
        for (ast::ExprId map : maps_without_entry(scope, what, all.block)) {
            const ast::Call removed{clears ? "clear" : "delete", n.name_span, {map}};
            all.block.statements.push_back(scope.add(id, ast::Evaluate{scope.add(id, removed)}));
        }
        return scope.put(id, std::move(all));
    }
    if (const auto* name = scope.get<ast::Name>(what); name && scope.globals.contains(name->name)) {
        const GlobalUse& use = scope.globals[name->name];
        const ast::ExprId map = scope.add(what, ast::Map{name->name, {}, false});
        return scope.put(id, ast::Call{use.is_array ? "clear" : "delete", n.name_span, {map}});
    }
    resolve_expr(scope, what);
    if (const auto* map = scope.get<ast::Map>(what); map != nullptr)
        return scope.put(id, ast::Call{"delete", n.name_span, {what}});
    if (const auto* local = scope.get<ast::Local>(what); local != nullptr) {
        scope.diags.error(scope.span(id), fmt::format("{} is not a global", local->name)).hint = "assign 0 instead";
        return;
    }
    scope.diags.error(scope.span(id), "delete only works on an array, an element of one or a global");
}

}  // namespace

void resolve_arguments(Names& scope, const ast::Call& n) {
    for (ast::ExprId argument : n.arguments) resolve_expr(scope, argument);
}

void resolve_call(Names& scope, ast::ExprId id) {
    ast::Call n = std::get<ast::Call>(scope.node(id));
    if (n.name.starts_with("@")) return at_call(scope, id, n);
    if (n.name == collect_call) return resolve_collect(scope, id, n);
    if (n.name == in_call) {
        if (const auto* chosen = scope.get<ast::Map>(n.arguments[0]); chosen && has_wildcard(scope, *chosen))
            return any_chosen(scope, id, ast::Map(*chosen));
        if (collecting_global(scope, n.arguments[0]))
            n.arguments[0] = maps_of(scope, n.arguments[0]).front();
        else
            resolve_arguments(scope, n);
        const auto* map = scope.get<ast::Map>(n.arguments[0]);
        if (map != nullptr) scope.put(id, ast::Call{"has_key", n.name_span, n.arguments});
        return;
    }
    if (n.name == delete_call) return resolve_removal(scope, id, n);
    if (n.name == address_call && is_target(scope, n.arguments[0])) return address_of(scope, id, n);
    if (part_of_time(scope, id, n)) return;
    if (n.name == embedded_call) return value_in_c(scope, id, n);
    if (n.name == "ctime" && n.arguments.empty())
        n.arguments = {scope.add(id, ast::Call{"gettimeofday_s", n.name_span, {}})};
    if (const Function* f = scope.functions.find(n.name, n.arguments.size())) {
        resolve_arguments(scope, n);
        if (call_changes_walked(scope, id, *f)) return;
        scope.called.insert(f);
        return scope.put(id, ast::Call{name_in_tree(*f, scope.functions), n.name_span, n.arguments});
    }
    if ((n.name == "modname" || n.name == "probemod") && n.arguments.empty()) return module_name(scope, id, n);
    const StpPoint* point = scope.around->row;
    const bool in_record = point && !scope.around->at_return && point->result == "args.ret";  // of a system call
    if (n.name == "returnval" && n.arguments.empty() && in_record) {
        scope.put(id, ast::Name{"$return"});
        return resolve_target(scope, id);
    }
    if (const StpFunction* row = find_stp_function(n.name)) return by_row(scope, id, n, *row);
    unknown_function(scope, n);
}

// %{ EIO %}, %{ /* string */ "x" %}: becomes a function with those arguments of the enclosing one that it names.
void value_in_c(Names& scope, ast::ExprId id, const ast::Call& n) {
    ast::CFunction function;
    function.name = fmt::format("%{}", scope.program.c_functions.size());
    function.shown = "this value";
    function.span = n.name_span;
    function.text = std::get<ast::String>(scope.node(n.arguments[0])).value;
    function.text_span = c_span(n.name_span);
    function.is_value = true;
    if (function.text.find("/* string */") != std::string::npos) function.result = ast::CFunction::Result::text;
    ast::Call call{function.name, n.name_span, {}};
    for (const std::string& name : arguments_in(function.text)) {
        function.parameters.push_back({name, false});
        call.arguments.push_back(scope.add(id, ast::Name{name}));
        resolve_expr(scope, call.arguments.back());
    }
    scope.put(id, std::move(call));
    scope.program.c_functions.push_back(std::move(function));
}

void raise_error(Names& scope, ast::ExprId id, const ast::Call& n) {
    scope.errors++;
    ast::BlockValue raised;
    if (!scope.given.for_port) {
        resolve_expr(scope, n.arguments[0]);
        raised.block.statements.push_back(scope.program.add(n.name_span, ast::Raise{n.arguments[0]}));
        return scope.put(id, std::move(raised));
    }
    // a message, and the end of the run and of the block
    const ast::ExprId message = scope.add(id, n);
    resolve_print(scope, message, n, *find_stp_function(n.name));
    ast::BlockValue all;
    const auto act = [&](ast::StmtNode node) { all.block.statements.push_back(scope.add(id, std::move(node))); };
    act(ast::Evaluate{message});
    act(ast::Evaluate{scope.add(id, ast::Call{"exit", n.name_span, {}})});
    act(ast::Return{});
    scope.put(id, std::move(all));
}

}  // namespace lt::stp
