// Goes through the items of a program and adds a body for each location of their probes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>

#include "base/text.h"
#include "codegen/providers/event_arguments.h"
#include "codegen/providers/system_call.h"
#include "codegen/resolve/abilities.h"
#include "codegen/resolve/params.h"
#include "codegen/resolve/probe.h"
#include "codegen/resolve/resolve.h"

namespace lt {
namespace {

std::string text_of(const std::vector<ast::Endpoint>& endpoints) {
    std::string out;
    for (const ast::Endpoint& e : endpoints) {
        if (!out.empty()) out += ", ";
        for (const Part& p : e.probe.parts) out += (&p == &e.probe.parts.front() ? "" : ":") + p.text;
    }
    return out;
}

bool takes_all(const std::string& function) {
    return function == function_row(Function::all_args).name || function == function_row(Function::syscall_args).name;
}

// Uses bpftrace's name, which is in lower case however the script spells it.
void call_special(ResolvedPlace& place) {
    place.special = provider(place).special;
    if (probe_row(place.kind).place != Place::nothing) return;
    for (char& c : place.text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

// Finds how an item uses `args`, `arg0` and `retval`.
struct ArgsReader {
    const ast::Program& program;
    Asked& out;

    // Also whether to look below the expression.
    bool expr(ast::ExprId id) const {
        const auto is_named = [&](ast::ExprId e, Variable which) {
            const auto* name = program.get<ast::Name>(e);
            return name && name->name == variable_row(which).name;
        };
        const auto* member = program.get<ast::Member>(id);
        if (member && is_named(member->base, Variable::args)) {
            out.by_fields = true;
            out.fields.insert(member->field);
            return false;
        }
        const auto* name = program.get<ast::Name>(id);
        const bool is_numbered = name && name->name.starts_with("arg");
        if (const auto n = is_numbered ? number<uint16_t>(name->name.substr(3)) : std::nullopt)
            out.words = std::max(out.words, uint32_t{*n} + 1);
        out.result = out.result || is_named(id, Variable::retval);
        const auto* call = program.get<ast::Call>(id);
        const bool all = call && call->name == function_row(Function::all_args).name;
        out.by_fields = out.by_fields || all || is_named(id, Variable::args);
        out.context = out.context || is_named(id, Variable::ctx);
        out.whole =
            out.whole || is_named(id, Variable::args) || is_named(id, Variable::ctx) || (call && takes_all(call->name));
        return true;
    }
    void block(const ast::Block& body) const {
        ast::walk(program, body, [&](ast::ExprId id) { return expr(id); });
    }
    void maybe(const std::optional<ast::ExprId>& id) const {
        if (id) ast::walk(program, *id, [&](ast::ExprId e) { return expr(e); });
    }
    void action(const ast::Action& node) const {
        maybe(node.predicate);
        block(node.body);
    }
    // Without its endpoints.
    void span(const ast::SpanAction& node) const {
        maybe(node.predicate);
        maybe(node.threshold);
        block(node.body);
        if (node.timeout) block(node.timeout->body);
    }
    void endpoint(const ast::Endpoint& node) const {
        maybe(node.predicate);
        for (ast::ExprId id : node.key) maybe(id);
    }
};

bool is_named(const ast::Program& program, const std::string& map) {
    return std::ranges::any_of(program.exprs, [&](const ast::Expr& e) {
        const auto* node = std::get_if<ast::Map>(&e.node);
        return node && node->name == map;
    });
}

void declare_map(const ast::Program& program, Typed& typed, const ast::MapDeclaration& m, Diags& diags) {
    constexpr uint64_t most_entries = 1U << 24;
    const std::string name = "@" + m.name;
    const auto kind = std::ranges::find(map_kinds, m.kind, &MapKind::name);
    if (kind == map_kinds.end()) {
        std::vector<std::string> names;
        for (const MapKind& k : map_kinds) names.emplace_back(k.name);
        diags.error(m.kind_span, fmt::format("there is no kind of map `{}`", m.kind)).hint = use_one(names);
    } else if (m.entries == 0 || m.entries > most_entries) {
        diags.error(m.kind_span, fmt::format("a map can have 1 to {} keys", most_entries)).hint =
            fmt::format("for example `let {} = {}(10000)`", name, m.kind);
    }
    const auto same = [&](const MapInfo& known) { return known.name == name; };
    if (std::ranges::any_of(typed.maps, same))
        diags.error(m.name_span, fmt::format("`{}` is declared twice", name)).hint = "remove one of the declarations";
    if (!is_named(program, m.name)) {
        diags.warning(m.name_span, fmt::format("`{}` is declared but never used", name));
        return;
    }
    MapInfo info;
    info.name = name;
    info.first = m.name_span;
    info.declared = kind == map_kinds.end() ? nullptr : &*kind;
    info.declared_at = m.name_span;
    info.entries = static_cast<uint32_t>(m.entries);
    typed.maps.push_back(std::move(info));
}

// Adds a body for each location of an item's probes.
class ItemResolver {
  public:
    struct Found {
        std::map<uint32_t, uint32_t> alternatives;  // by their group: the position of a sufficient one
        bool any = false, skipped = false;          // of the probes that are looked up
    };

    ItemResolver(Kernel& kernel, const ResolveOptions& options, const ast::Program& program, Typed& typed,
                 uint32_t item, Found& found, Diags& diags)
        : found_(found),
          kernel_(kernel),
          options_(options),
          program_(program),
          typed_(typed),
          item_(item),
          missing_(program.settings.missing_probes),
          diags_(diags) {}
    void operator()(const ast::Parameter&) {}
    void operator()(const ast::FunctionItem&) {}
    void operator()(const ast::Chain&) {}  // the parser has replaced them
    void operator()(const ast::Macro&) {}
    void operator()(const ast::Config&) {}
    void operator()(const ast::Import&) {}
    void operator()(const ast::CText&) {}
    void operator()(const ast::MapDeclaration& m) { declare_map(program_, typed_, m, diags_); }

    void operator()(const ast::Action& action) {
        asked_ = {};
        ArgsReader{program_, asked_}.action(action);
        has_others_ = action.probes.size() > 1;
        for (const ast::ProbeSpec& spec : action.probes) add(spec, Role::action, no_span, 0);
    }
    void operator()(const ast::SpanAction& node) {
        asked_ = {};
        ArgsReader{program_, asked_}.span(node);
        const auto span = static_cast<uint32_t>(typed_.spans.size());
        SpanInfo info;
        info.item = item_;
        info.name = node.name;
        info.between_events = !node.closes.empty();
        info.text = text_of(node.opens) + (info.between_events ? " -> " + text_of(node.closes) : "");
        info.task_storage = !info.between_events && kernel_.can(Feature::task_storage).yes;
        if (node.worst) info.worst = worst_of(typed_, node);
        info.opening = static_cast<uint32_t>(typed_.bodies.size());
        typed_.spans.push_back(std::move(info));
        const Asked in_all = asked_;
        const auto add_end = [&](const ast::Endpoint& end, Role role, uint32_t number) {
            asked_ = in_all;
            ArgsReader{program_, asked_}.endpoint(end);
            add(end.probe, role, span, number);
        };
        for (uint32_t i = 0; i < node.opens.size(); i++)
            add_end(node.opens[i], node.closes.empty() ? Role::call : Role::open, i);
        for (uint32_t i = 0; i < node.closes.size(); i++) add_end(node.closes[i], Role::close, i);
    }

  private:
    // Only names that are looked up can be missing; a wrong period or count is an error in the script.
    static bool can_be_missing(const ast::ProbeSpec& spec) {
        const ProbeRow* row = find_probe(spec.parts.front().text);
        return row && provider(row->place).looked_up;
    }

    // bpftrace's probe_inline adds the inlined copies of a function to its probe.
    void warn_of_copies(const ast::ProbeSpec& spec) const {
        const ProbeRow* row = find_probe(spec.parts.front().text);
        const bool in_file = row && row->kind == ProbeKind::uprobe;
        const size_t parts = in_file ? 3 : 2;  // others say where, or stand for one instruction
        const std::string& name = spec.parts.back().text;
        if (!row || (!in_file && row->kind != ProbeKind::kprobe) || spec.parts.size() != parts) return;
        if (name.find_first_of("+@") != name.npos || name.starts_with("0x")) return;
        diags_
            .warning(spec.span,
                     "lt does not add the inlined copies of a function, as bpftrace does with `probe_inline` or "
                     "`symbol_source = dwarf`")
            .hint = fmt::format("write `{}:{}inline:{}` as well", spec.parts[0].text,
                                in_file ? spec.parts[1].text + ":" : "", name);
    }

    void add(const ast::ProbeSpec& spec, Role role, uint32_t span, uint32_t endpoint) {
        if (is_superfluous(spec.alternative)) return;
        Places found = found_by(spec, role);
        if (found.empty()) return;
        if (program_.settings.wants_copies) warn_of_copies(spec);
        if (can_be_missing(spec)) found_.any = true;
        for (const auto& choice : spec.alternative.choices) {
            if (choice.sufficient) found_.alternatives.try_emplace(choice.group, choice.position);
        }
        for (ResolvedPlace& place : found) {
            if (program_.settings.special_probes) call_special(place);
            if (role == Role::call && is_decoded(place)) typed_.spans[span].by_frame = true;
            typed_.bodies.push_back({item_, role, span, endpoint, std::move(place), {}, {}, {}, {}, {}});
        }
    }

    // Has an earlier alternative been found that is sufficient?
    bool is_superfluous(const ast::Alternative& alternative) const {
        return std::ranges::any_of(alternative.choices, [&](const auto& choice) {
            const auto found = found_.alternatives.find(choice.group);
            return found != found_.alternatives.end() && found->second < choice.position;
        });
    }

    Places places_of(const ast::ProbeSpec& spec, const Asked& asked, Diags& diags) const {
        return places({kernel_, options_, program_.settings.max_probes, diags, spec, asked});
    }

    // If the program can do without the probe, a missing one is a warning or nothing.
    Places found_by(const ast::ProbeSpec& spec, Role role) {
        Asked asked = asked_;
        asked.role = role;
        asked.needs_registers = program_.settings.ctx_is_registers && asked_.context;
        asked.registers = program_.settings.reads_registers && role == Role::action &&
                          (has_others_ || is_glob(spec.parts.back().text));
        if (spec.alternative.optional) {
            Diags ignored;
            return places_of(spec, asked, ignored);
        }
        if (missing_ == MissingProbes::error || role != Role::action || !can_be_missing(spec)) {
            const size_t told = diags_.all().size();
            Places out = places_of(spec, asked, diags_);
            if (out.empty() && has_others_ && role == Role::action && can_be_missing(spec))
                diags_.explain(told,
                               {{}, "with `config = { missing_probes = warn }` lt skips probes that do not exist"});
            return out;
        }
        Diags found;
        Places out = places_of(spec, asked, found);
        if (!found.has_errors()) {
            diags_.take(std::move(found));
        } else {
            found_.skipped = true;
            if (missing_ != MissingProbes::ignore)
                diags_.warning(spec.span, found.all().front().message + "; this probe is skipped");
        }
        return out;
    }

    Found& found_;
    Kernel& kernel_;
    const ResolveOptions& options_;
    const ast::Program& program_;
    Typed& typed_;
    uint32_t item_;
    Asked asked_;
    bool has_others_ = false;  // the block has more than one probe
    MissingProbes missing_;
    Diags& diags_;
};

bool is_loop(const ast::Stmt& stmt) {
    return std::holds_alternative<ast::While>(stmt.node) || std::holds_alternative<ast::ForRange>(stmt.node) ||
           std::holds_alternative<ast::ForMap>(stmt.node);
}

void assume_loops(const ast::Program& program, Typed& typed) {
    const auto first = std::ranges::find_if(program.stmts, is_loop);
    if (first == program.stmts.end()) return;
    if (typed.abilities.loops)
        assume(typed.assumed, {Assumed::feature, "", "", {}, static_cast<uint64_t>(Feature::bpf_loop)});
}

// Attach methods whose programs cannot call a function.
struct Unfit {
    Function function;
    Way way;
    std::string_view why;
};
constexpr std::array unfit{
    Unfit{Function::reg, Way::fentry, "the program reads registers"},
    Unfit{Function::override_, Way::fentry, "the program overrides the return value"},
    Unfit{Function::override_, Way::breakpoint, "the program overrides the return value"},
};

bool calls(const ast::Program& program, Function function) {
    return std::ranges::any_of(program.exprs, [&](const ast::Expr& e) {
        const auto* call = std::get_if<ast::Call>(&e.node);
        return call && call->name == function_row(function).name;
    });
}

// A tracepoint about threads; the offset of its field comes from this kernel.
Result<ThreadEvent> thread_event(Kernel& kernel, Typed& typed, std::string_view name, std::string_view field) {
    const Result<Tracepoint> found = kernel.tracepoint("sched", name);
    if (!found) return found.error();
    const auto at = std::ranges::find(found->fields, field, &Field::name);
    if (at == found->fields.end()) return Error{"the tracepoint does not have this field in this kernel", "", 0};
    const std::string owner = found->category + ":" + found->event;
    assume(typed.assumed, {Assumed::field, owner, at->name, at->type, place_of(*at)});
    return ThreadEvent{found->category, found->event, found->id, at->offset};
}

// The events with which --follow tracks a process and its descendants.
void find_family_events(Kernel& kernel, Typed& typed, Diags& diags) {
    if (typed.traced.by != TracedBy::family) return;
    if (kernel.machine().renumbers_processes()) {
        diags.error({}, "`--follow` needs the kernel's own process ids, but lt runs in a PID namespace").hint =
            "run lt outside the container, or start the container with `--pid=host`";
        return;
    }
    struct Row {
        ThreadEvent& event;
        std::string_view name, field;
    };
    for (const Row& row : {Row{typed.traced.fork, "sched_process_fork", "child_pid"},
                           Row{typed.traced.free, "sched_process_free", "pid"}}) {
        Result<ThreadEvent> found = thread_event(kernel, typed, row.name, row.field);
        if (!found) {
            diags
                .error({}, fmt::format("`--follow` needs the tracepoint `sched:{}` with the field `{}`", row.name,
                                       row.field))
                .hint = found.error().what;
            return;
        }
        row.event = *std::move(found);
    }
}

// Finds the event that ends spans between two events when the thread in their key is gone. In a PID namespace the
// kernel's thread ids do not match lt's, so there is none.
void find_thread_end(const ast::Program& program, Kernel& kernel, Typed& typed) {
    const auto is_pair = [](const ast::Item& item) {
        const auto* span = std::get_if<ast::SpanAction>(&item.node);
        return span && !span->closes.empty();
    };
    if (std::ranges::none_of(program.items, is_pair) || kernel.machine().renumbers_processes()) return;
    if (Result<ThreadEvent> end = thread_event(kernel, typed, "sched_process_free", "pid")) typed.thread_end = *end;
    typed.looks_through = kernel.can(Feature::bpf_loop).yes;
}

// The programs at a tracepoint run in the script's order only if they all run in the same way: if one of them, or lt's
// own at the ends of threads, reads the record, all do.
void keep_order_of_events(Typed& typed) {
    std::set<std::string> by_record;
    for (const ThreadEvent* own : {&typed.traced.fork, &typed.traced.free}) by_record.insert(own->name);
    if (typed.thread_end) by_record.insert(typed.thread_end->name);
    for (const Body& body : typed.bodies) {
        const EventPlace& at = event_place(body.place);
        if (at.arguments_of.empty()) by_record.insert(at.event.event);
    }
    for (Body& body : typed.bodies) {
        const std::string& event = event_place(body.place).arguments_of;
        if (!event.empty() && by_record.contains(event)) read_record(body.place);
    }
}

// self:set:NAME
void parameters_there(const Typed& typed, Diags& diags) {
    std::vector<std::string_view> names;
    for (const ParamInfo& param : typed.params) names.push_back(param.name);
    for (const Body& body : typed.bodies) {
        const auto* signal = std::get_if<SignalPlace>(&body.place.there);
        const std::string name = signal ? signal->parameter : "";
        if (name.empty() || std::ranges::find(names, name) != names.end()) continue;
        const auto near = closest(name, names);
        diags.error(body.place.span, fmt::format("the script has no parameter `{}`", name)).hint =
            near.empty() ? fmt::format("write `param {} = \"\"`", name) : did_you_mean(near);
    }
}

}  // namespace

Typed resolve(const ast::Program& program, Kernel& kernel, const ResolveOptions& asked, Diags& diags) {
    ResolveOptions options = asked;
    for (const Unfit& row : unfit)
        if (calls(program, row.function)) options.ruled_out.push_back({"", row.way, std::string(row.why)});
    Typed typed;
    read_params(program, options, typed, diags);
    typed.accounts = options.accounts;
    typed.timestamps = options.timestamps;
    typed.sampled = options.sampled;
    typed.skips_own = program.settings.skips_own && !options.sees_own;
    typed.unsafe = options.unsafe;
    typed.traced = options.traced;
    typed.renumbered = kernel.machine().renumbers_processes();
    find_family_events(kernel, typed, diags);
    find_thread_end(program, kernel, typed);
    typed.max_keys = options.max_keys;
    ItemResolver::Found found;
    for (uint32_t i = 0; i < program.items.size(); i++)
        std::visit(ItemResolver(kernel, options, program, typed, i, found, diags), program.items[i].node);
    typed.abilities = abilities(kernel, typed);
    assume_loops(program, typed);
    keep_order_of_calls(typed);
    keep_order_of_events(typed);
    parameters_there(typed, diags);
    const auto is_probe = [](const ast::Item& item) { return std::holds_alternative<ast::Action>(item.node); };
    // bpftrace runs what is left, if only BEGIN or an interval
    const bool runs_rest = program.settings.special_probes;
    const bool nothing = typed.bodies.empty() || (found.skipped && !found.any && !runs_rest);
    if (nothing && std::ranges::any_of(program.items, is_probe) && !diags.has_errors())
        diags.error({}, "none of the script's probes exists").hint =
            "with `missing_probes = error` lt reports which are missing";
    if (program.items.empty() && !diags.has_errors()) {
        diags.error({}, "the script is empty").hint = "try `lt -e 'k:vfs_read < @ns = hist(...) >'`";
    }
    return typed;
}

}  // namespace lt
