// Calls of SystemTap's functions and @-words, by the table of functions.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/text.h"
#include "stdlib/builtins.h"
#include "stdlib/probes.h"
#include "stp_clone.h"
#include "stp_names.h"

namespace lt::stp {
namespace {

bool is_number_form(StpForm form) { return form == StpForm::value || form == StpForm::call; }

// The parameters that C in a function's body names: STAP_ARG_x.
std::vector<std::string> arguments_in(std::string_view text) {
    constexpr std::string_view prefix = "STAP_ARG_";
    std::vector<std::string> out;
    for (size_t at = text.find(prefix); at != text.npos; at = text.find(prefix, at + 1)) {
        size_t end = at + prefix.size();
        while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_'))
            end++;
        std::string name(text.substr(at + prefix.size(), end - at - prefix.size()));
        if (std::ranges::find(out, name) == out.end()) out.push_back(std::move(name));
    }
    return out;
}

}  // namespace

void NameResolver::arguments(const ast::Call& n) {
    for (ast::ExprId argument : n.arguments) expr(argument);
}

bool NameResolver::count_fits(ast::ExprId id, const ast::Call& n, uint32_t least, uint32_t most) {
    if (n.arguments.size() >= least && n.arguments.size() <= most) return true;
    const std::string takes = least == most ? std::to_string(least) : fmt::format("{} to {}", least, most);
    diags_.error(span(id), fmt::format("{}() takes {} argument{}, not {}", n.name, takes, takes == "1" ? "" : "s",
                                       n.arguments.size()));
    return false;
}

void NameResolver::call(ast::ExprId id) {
    ast::Call n = std::get<ast::Call>(node(id));
    if (n.name.starts_with("@")) return at_call(id, n);
    if (n.name == collect_call) return collect(id, n);
    if (n.name == in_call) {
        if (const auto* chosen = std::get_if<ast::Map>(&node(n.arguments[0])); chosen && has_wildcard(*chosen))
            return any_chosen(id, ast::Map(*chosen));
        if (collecting(n.arguments[0]))
            n.arguments[0] = maps_of(n.arguments[0]).front();
        else
            arguments(n);
        const auto* map = std::get_if<ast::Map>(&node(n.arguments[0]));
        if (map != nullptr) put(id, ast::Call{"has_key", n.name_span, n.arguments});
        return;
    }
    if (n.name == delete_call) return removal(id, n);
    if (n.name == address_call && is_target(n.arguments[0])) return address_of(id, n);
    if (part_of_time(id, n)) return;
    if (n.name == embedded_call) return value_in_c(id, n);
    if (n.name == "ctime" && n.arguments.empty()) n.arguments = {add(id, ast::Call{"gettimeofday_s", n.name_span, {}})};
    if (const Function* f = functions_.find(n.name, n.arguments.size())) {
        arguments(n);
        called_.insert(f);
        return put(id, ast::Call{name_in_tree(*f, functions_), n.name_span, n.arguments});
    }
    if ((n.name == "modname" || n.name == "probemod") && n.arguments.empty()) return module_name(id, n);
    if (const StpFunction* row = find_stp_function(n.name)) return by_row(id, n, *row);
    unknown_function(n);
}

// %{ EIO %}, %{ /* string */ "x" %}: a function of those arguments of the one around it that it names.
void NameResolver::value_in_c(ast::ExprId id, const ast::Call& n) {
    ast::CFunction function;
    function.name = fmt::format("%{}", program_.c_functions.size());
    function.shown = "this value";
    function.span = n.name_span;
    function.text = std::get<ast::String>(node(n.arguments[0])).value;
    function.text_span = c_span(n.name_span);
    function.is_value = true;
    if (function.text.find("/* string */") != std::string::npos) function.result = ast::CFunction::Result::text;
    ast::Call call{function.name, n.name_span, {}};
    for (const std::string& name : arguments_in(function.text)) {
        function.parameters.push_back({name, false});
        call.arguments.push_back(add(id, ast::Name{name}));
        expr(call.arguments.back());
    }
    put(id, std::move(call));
    program_.c_functions.push_back(std::move(function));
}

// modname(): that of the place, which the probe point says.
void NameResolver::module_name(ast::ExprId id, const ast::Call& n) {
    if (!around_->module.empty()) return put(id, ast::String{around_->module});
    diags_.error(n.name_span, fmt::format("what {}() would say is not known here", n.name)).hint =
        "it is in probes of kernel.* and module().*, each for itself, and not in functions";
    put(id, ast::String{});
}

// &$x->member. What is kept of the entry is the address, not the member.
void NameResolver::address_of(ast::ExprId id, const ast::Call& n) {
    const auto* whole = std::get_if<ast::Call>(&node(n.arguments[0]));
    if (whole != nullptr && whole->name == "@cast") return put(id, moved_target(n.arguments[0]));
    path(n.arguments[0]);
    const auto* entry = std::get_if<ast::Call>(&node(n.arguments[0]));
    const bool kept = entry != nullptr && entry->name == "entry";
    const ast::ExprId member = kept ? entry->arguments[0] : n.arguments[0];
    const ast::ExprId address = add(id, ast::Unary{ast::UnaryOp::address, member});
    as_long(address);
    put(id, kept ? ast::ExprNode(ast::Call{"entry", span(id), {address}}) : node(address));
}

// substr(ctime(seconds), 11, 8): of a time that is made into text when it is printed, a part is one of these.
bool NameResolver::part_of_time(ast::ExprId id, const ast::Call& n) {
    struct Part {
        uint64_t begin, length;
        std::string_view format;
    };
    constexpr Part parts[] = {
        {0, 3, "%a"}, {4, 3, "%b"}, {4, 6, "%b %e"}, {8, 2, "%e"}, {11, 8, "%H:%M:%S"}, {11, 5, "%H:%M"}, {20, 4, "%Y"},
    };
    const auto* time =
        n.name == "substr" && n.arguments.size() == 3 ? std::get_if<ast::Call>(&node(n.arguments[0])) : nullptr;
    const auto begin = time ? constant(n.arguments[1]) : std::nullopt,
               length = time ? constant(n.arguments[2]) : std::nullopt;
    if (!begin || !length || (time->name != "ctime" && time->name != "tz_ctime") || time->arguments.size() != 1)
        return false;
    const auto* part =
        std::ranges::find_if(parts, [&](const Part& p) { return p.begin == *begin && p.length == *length; });
    if (part == std::end(parts)) return false;
    const ast::ExprId format = add(id, ast::String{std::string(part->format)});
    const ast::ExprId when = add(id, ast::Call{"__monotonic", n.name_span, {time->arguments[0]}});
    ast::Call text{"@lt", n.name_span, {add(id, ast::String{"strftime"}), format, when}};
    if (time->name == "ctime") text.arguments.push_back(add(id, ast::String{"utc"}));
    put(id, std::move(text));
    call(id);
    return true;
}

// &@cast(p, "type") is p.
ast::ExprNode NameResolver::moved_target(ast::ExprId id) {
    target(id);
    return node(id);
}

void NameResolver::unknown_function(const ast::Call& n) {
    if (n.name == address_call) {
        diags_.error(n.name_span, "only what the kernel has, has an address").hint =
            "write & before $x->member or @cast()->member";
        return;
    }
    std::vector<std::string_view> names;
    for (const Function* f : functions_.all) names.push_back(f->name);
    for (const StpFunction& row : stp_functions()) names.push_back(row.name);
    const auto near = closest(n.name, names);
    if (functions_.has(n.name)) {
        diags_.error(n.name_span, fmt::format("no function {}() takes {} argument{}", n.name, n.arguments.size(),
                                              n.arguments.size() == 1 ? "" : "s"));
        return;
    }
    diags_.error(n.name_span, fmt::format("there is no function {}()", n.name)).hint =
        near.empty() ? "lt-stp(7) lists them" : fmt::format("did you mean {}?", either(near));
}

// A busy wait; in lt it is told in nanoseconds.
void NameResolver::delay(ast::ExprId id, const ast::Call& n, const StpFunction& row) {
    constexpr uint64_t longest = 1'000'000;  // units; what is longer is refused by its number
    const uint64_t unit = std::stoull(std::string(row.lt));
    expr(n.arguments[0]);
    const auto* known = std::get_if<ast::Integer>(&node(n.arguments[0]));
    const ast::ExprId time =
        known && known->value <= longest
            ? add(id, ast::Duration{static_cast<int64_t>(known->value * unit)})
            : add(id, ast::Binary{ast::BinaryOp::multiply, n.arguments[0], add(id, ast::Integer{unit})});
    put(id, ast::Call{"delay", n.name_span, {time}});
}

// A variable of lt, or the members of the task that runs which it is short for.
ast::ExprNode NameResolver::variable(ast::ExprId at, std::string_view name) {
    const VariableRow* row = find_variable(name);
    if (row == nullptr || row->members.empty()) return ast::Name{std::string(name)};
    const auto fields = split(row->members, '.');
    ast::ExprId task = add(at, ast::Name{std::string(variable_row(Variable::curtask).name)});
    for (size_t i = 0; i + 1 < fields.size(); i++) task = add(at, ast::Member{task, std::string(fields[i]), span(at)});
    return ast::Member{task, std::string(fields.back()), span(at)};
}

// ---- functions by their rows

void NameResolver::by_row(ast::ExprId id, ast::Call n, const StpFunction& row) {
    const bool printed_at_once = std::exchange(printed_, std::nullopt) == id;
    if (row.form == StpForm::refused) {
        diags_.error(n.name_span, fmt::format("there is no {}() in lt", n.name)).hint = row.lt;
        return;
    }
    if (!count_fits(id, n, row.least, row.most)) return;
    switch (row.form) {
        case StpForm::symbol:
            arguments(n);
            put(id, ast::Call{std::string(row.lt), n.name_span, n.arguments});
            if (!printed_at_once) put(id, ast::Call{"sprintf", n.name_span, {add(id, ast::String{"%s"}), moved(id)}});
            break;
        case StpForm::value:
        case StpForm::text:
            put(id, variable(id, row.lt));
            break;
        case StpForm::call:
        case StpForm::text_call:
        case StpForm::act: {
            arguments(n);
            const std::vector<std::string_view> words = split(row.lt, ' ');
            for (size_t i = 1; i < words.size(); i++) n.arguments.push_back(add(id, ast::Name{std::string(words[i])}));
            if (given_.for_port && row.lt == "exit" && followed_ > 0)
                diags_.warning(n.name_span, "in .lt exit() ends its block: what comes after this is not done there");
            put(id, ast::Call{std::string(words.front()), n.name_span, n.arguments});
            break;
        }
        case StpForm::memory:
        case StpForm::memory_or_nothing:
        case StpForm::bytes:
        case StpForm::bytes_or_nothing:
            return text_at(id, n, row);
        case StpForm::memory_bytes:
            is_target(n.arguments[0]) ? path(n.arguments[0]) : expr(n.arguments[0]);
            expr(n.arguments[1]);
            put(id, ast::Call{"buf", n.name_span, n.arguments});
            break;
        case StpForm::memory_quoted:
            arguments(n);
            n.arguments[0] = add(id, ast::Call{std::string(row.lt), n.name_span, {n.arguments[0]}});
            put(id, ast::Call{"quoted_bytes", n.name_span, n.arguments});
            break;
        case StpForm::kernel_number:
        case StpForm::user_number:
        case StpForm::user_number_or_error:
            return number_at(id, n, row);
        case StpForm::target:
            if (given_.for_port) return put(id, ast::Name{"target"});
            put(id, ast::Integer{static_cast<uint64_t>(given_.target)});
            break;
        case StpForm::printf:
        case StpForm::print:
        case StpForm::println:
        case StpForm::printd:
        case StpForm::printdln:
            return printing(id, n, row);
        case StpForm::sprint:
        case StpForm::sprintln:
        case StpForm::sprintd:
        case StpForm::sprintdln:
        case StpForm::sprintf:
            return sprinted(id);
        case StpForm::show:
            put(id, ast::Call{"print", n.name_span, {add(id, ast::Name{std::string(row.lt)})}});
            break;
        case StpForm::argument:
            return argument(id, n, row);
        case StpForm::delay:
            return delay(id, n, row);
        case StpForm::register_:
            return register_value(id, n, row);
        case StpForm::fact:
            return fact(id, n, row);
        case StpForm::place:
            return symbol_part(id, n, row);
        case StpForm::error:
            return error(id, n);
        case StpForm::abort:
            return abort(id, n);
        case StpForm::format:
            return printing(id, n, row);
        case StpForm::refused:
            return;
    }
    if (is_number_form(row.form)) as_long(id);
}

// kernel_string(address), user_string_n(address, length): with one argument more that is the text where it cannot be
// read.
void NameResolver::text_at(ast::ExprId id, const ast::Call& n, const StpFunction& row) {
    const bool counted = row.form == StpForm::bytes || row.form == StpForm::bytes_or_nothing;
    const bool lenient = row.form == StpForm::memory_or_nothing || row.form == StpForm::bytes_or_nothing;
    is_target(n.arguments[0]) ? path(n.arguments[0]) : expr(n.arguments[0]);
    for (size_t i = 1; i < n.arguments.size(); i++) expr(n.arguments[i]);
    ast::Call read{"str", n.name_span, {n.arguments[0]}, lenient};
    if (counted) read.arguments.push_back(n.arguments[1]);
    if (n.arguments.size() == read.arguments.size() || lenient || given_.for_port) return put(id, std::move(read));
    const std::string name = fmt::format("text#{}", ++loops_);
    const auto give = [&](ast::ExprId value) {
        return program_.add(span(id), ast::Assign{add(id, ast::Local{name}), std::nullopt, value});
    };
    ast::BlockValue all;
    all.block.statements.push_back(program_.add(span(id), ast::Let{name, span(id), std::nullopt, std::nullopt}));
    ast::Attempt attempt{{{give(add(id, std::move(read)))}}, "", span(id), {{give(n.arguments.back())}}};
    all.block.statements.push_back(program_.add(span(id), std::move(attempt)));
    all.value = add(id, ast::Local{name});
    put(id, std::move(all));
}

// kernel_int(address): what lies there, in its type of C.
void NameResolver::number_at(ast::ExprId id, const ast::Call& n, const StpFunction& row) {
    expr(n.arguments[0]);
    const std::string memory = row.form == StpForm::kernel_number ? "kptr" : "uptr";
    const ast::ExprId typed = add(id, ast::Cast{{span(id), std::string(row.lt), 1, {}}, n.arguments[0]});
    const bool lenient = row.form == StpForm::user_number;  // it is 0 then
    const ast::ExprId address = add(id, ast::Call{memory, n.name_span, {typed}, lenient});
    put(id, ast::Unary{ast::UnaryOp::dereference, address});
    as_long(id);
}

// int_arg(1) is arg0, as wide as it is said to be.
void NameResolver::argument(ast::ExprId id, const ast::Call& n, const StpFunction& row) {
    const auto* number = std::get_if<ast::Integer>(&node(n.arguments[0]));
    if (number == nullptr || number->value < 1 || number->value > 12) {
        diags_.error(span(n.arguments[0]), "the number of an argument is one from 1 to 12 as it stands");
        return;
    }
    // of a system call it is a field of the record
    const bool is_field = around_->row != nullptr && around_->row->shape.starts_with("kernel.syscall(s)");
    const std::string place = std::to_string(number->value - 1);
    const ast::ExprId whole = add(id, is_field ? ast::ExprNode(ast::Member{add(id, ast::Name{"args"}), place, span(id)})
                                               : ast::ExprNode(ast::Name{"arg" + place}));
    if (around_->at_return) at_entry(whole);
    put(id, ast::Cast{{span(id), std::string(row.lt), 0, {}}, whole});
    as_long(id);
}

void NameResolver::error(ast::ExprId id, const ast::Call& n) {
    errors_++;
    ast::BlockValue raised;
    if (!given_.for_port) {
        expr(n.arguments[0]);
        raised.block.statements.push_back(program_.add(n.name_span, ast::Raise{n.arguments[0]}));
        return put(id, std::move(raised));
    }
    // a message, and the end of the run and of the block
    const ast::ExprId message = add(id, n);
    printing(message, n, *find_stp_function(n.name));
    ast::BlockValue all;
    const auto act = [&](ast::StmtNode node) {
        all.block.statements.push_back(program_.add(span(id), std::move(node)));
    };
    act(ast::Evaluate{message});
    act(ast::Evaluate{add(id, ast::Call{"exit", n.name_span, {}})});
    act(ast::Return{});
    put(id, std::move(all));
}

bool NameResolver::has_wildcard(const ast::Map& map) const {
    return globals_.contains(map.name) && std::ranges::any_of(map.key, [&](ast::ExprId part) {
               const auto* name = std::get_if<ast::Name>(&node(part));
               return name != nullptr && name->name == wildcard_name;
           });
}

// A loop over all entries that does `act` with the key of each one that fits.
ast::StmtId NameResolver::each_chosen(ast::ExprId id, const ast::Map& chosen,
                                      const std::function<ast::Block(std::vector<ast::ExprId>)>& act) {
    ast::ForMap loop;
    loop.name = fmt::format("chosen#{}", ++loops_);
    loop.name_span = span(id);
    loop.map = add(id, ast::Name{chosen.name});
    std::optional<ast::ExprId> fits;
    std::vector<ast::ExprId> key;
    for (size_t i = 0; i < chosen.key.size(); i++) {
        const auto part = [&] {
            const ast::ExprId whole = add(id, ast::Member{add(id, ast::Local{loop.name}), "0", span(id)});
            return chosen.key.size() == 1 ? whole : add(id, ast::Member{whole, std::to_string(i), span(id)});
        };
        key.push_back(part());
        const auto* name = std::get_if<ast::Name>(&node(chosen.key[i]));
        if (name != nullptr && name->name == wildcard_name) continue;
        const ast::ExprId same = add(id, ast::Binary{ast::BinaryOp::equal, part(), chosen.key[i]});
        fits = fits ? add(id, ast::Binary{ast::BinaryOp::logical_and, *fits, same}) : same;
    }
    if (!fits) fits = add(id, ast::Integer{1});
    loop.body.statements.push_back(program_.add(span(id), ast::If{*fits, act(key), {}}));
    return program_.add(span(id), std::move(loop));
}

// delete array[key, *]: all entries are looked at.
void NameResolver::remove_chosen(ast::ExprId id, const ast::Map& chosen) {
    ast::BlockValue all;
    all.block.statements.push_back(each_chosen(id, chosen, [&](std::vector<ast::ExprId> key) {
        const ast::ExprId entry = add(id, ast::Map{chosen.name, std::move(key), true});
        const ast::ExprId removed = add(id, ast::Call{std::string(delete_call), span(id), {entry}});
        return ast::Block{{program_.add(span(id), ast::Evaluate{removed})}};
    }));
    put(id, all);
    block(all.block);
}

// [key, *] in array: is there any such entry?
void NameResolver::any_chosen(ast::ExprId id, const ast::Map& chosen) {
    const std::string name = fmt::format("any#{}", ++loops_);
    const ast::ExprId none = add(id, ast::Integer{0});
    ast::BlockValue all;
    all.block.statements.push_back(program_.add(span(id), ast::Let{name, span(id), std::nullopt, none}));
    all.block.statements.push_back(each_chosen(id, chosen, [&](const std::vector<ast::ExprId>&) {
        const ast::ExprId found = add(id, ast::Local{name}), one = add(id, ast::Integer{1});
        return ast::Block{
            {program_.add(span(id), ast::Assign{found, std::nullopt, one}), program_.add(span(id), ast::Jump{false})}};
    }));
    all.value = add(id, ast::Local{name});
    put(id, all);
    block(all.block);
}

// delete array, delete array[key], delete scalar
void NameResolver::removal(ast::ExprId id, const ast::Call& n) {
    const ast::ExprId what = n.arguments[0];
    if (changes_walked(what)) return;
    if (const auto* map = std::get_if<ast::Map>(&node(what)); map != nullptr && globals_.contains(map->name)) {
        const ast::Map chosen = *map;
        if (has_wildcard(chosen)) return remove_chosen(id, chosen);
    }
    if (const GlobalUse* use = collecting(what)) {
        const bool whole = std::holds_alternative<ast::Name>(node(what));
        // A report takes away what it has read and no more.
        const ProbeRow* kind =
            around_->row ? find_probe(around_->row->probe.substr(0, around_->row->probe.find(':'))) : nullptr;
        const bool clears = whole && (use->is_array || (kind && run_by_lt(kind->place)));
        ast::BlockValue all;
        for (ast::ExprId map : maps_of(what)) {
            const ast::Call removed{clears ? "clear" : "delete", n.name_span, {map}};
            all.block.statements.push_back(program_.add(span(id), ast::Evaluate{add(id, removed)}));
        }
        return put(id, std::move(all));
    }
    if (const auto* name = std::get_if<ast::Name>(&node(what)); name && globals_.contains(name->name)) {
        const GlobalUse& use = globals_[name->name];
        const ast::ExprId map = add(what, ast::Map{name->name, {}, false});
        return put(id, ast::Call{use.is_array ? "clear" : "delete", n.name_span, {map}});
    }
    expr(what);
    if (const auto* map = std::get_if<ast::Map>(&node(what)); map != nullptr)
        return put(id, ast::Call{"delete", n.name_span, {what}});
    if (const auto* local = std::get_if<ast::Local>(&node(what)); local != nullptr) {
        diags_.error(span(id), fmt::format("{} is no global", local->name)).hint = "assign 0 to it";
        return;
    }
    diags_.error(span(id), "only an array, an element of one or a global can be deleted");
}

}  // namespace lt::stp
