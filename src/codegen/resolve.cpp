// Goes through the items of a program and adds a body for each place that their probes stand for.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

#include "base/text.h"
#include "codegen/compile.h"
#include "params.h"
#include "resolver.h"

namespace lt {
namespace {

using Part = ast::ProbeSpec::Part;

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

// As bpftrace calls it: in small letters whatever was written.
void call_special(ResolvedPlace& place) {
    const Place sort = probe_row(place.kind).place;
    place.special = sort == Place::nothing || sort == Place::signal;
    if (sort != Place::nothing) return;
    for (char& c : place.text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

// What an item asks of `args`.
struct ArgsReader {
    const ast::Program& program;
    Asked& out;

    void expr(ast::ExprId id) const {
        const auto is_named = [&](ast::ExprId e, Variable which) {
            const auto* name = std::get_if<ast::Name>(&program[e].node);
            return name && name->name == variable_row(which).name;
        };
        const auto* member = std::get_if<ast::Member>(&program[id].node);
        if (member && is_named(member->base, Variable::args)) {
            out.by_fields = true;
            out.fields.insert(member->field);
            return;
        }
        const auto* call = std::get_if<ast::Call>(&program[id].node);
        out.by_fields = out.by_fields || is_named(id, Variable::args);
        out.context = out.context || is_named(id, Variable::ctx);
        out.whole =
            out.whole || is_named(id, Variable::args) || is_named(id, Variable::ctx) || (call && takes_all(call->name));
        ast::each_child(program[id], [&](ast::ExprId child) { expr(child); });
        ast::each_block(program[id], [&](const ast::Block& inner) { block(inner); });
    }
    void block(const ast::Block& body) const {
        for (ast::StmtId id : body.statements) {
            ast::each_expr(program[id], [&](ast::ExprId child) { expr(child); });
            ast::each_block(program[id], [&](const ast::Block& inner) { block(inner); });
        }
    }
    void maybe(const std::optional<ast::ExprId>& id) const {
        if (id) expr(*id);
    }
    void action(const ast::Action& node) const {
        maybe(node.predicate);
        block(node.body);
    }
    void span(const ast::SpanAction& node) const {
        maybe(node.predicate);
        maybe(node.threshold);
        block(node.body);
        if (node.timeout) block(node.timeout->body);
        for (const auto* ends : {&node.opens, &node.closes})
            for (const ast::Endpoint& e : *ends)
                for (ast::ExprId id : e.key) expr(id);
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
        std::vector<std::string_view> names;
        for (const MapKind& k : map_kinds) names.push_back(k.name);
        diags.error(m.kind_span, fmt::format("there is no kind of map '{}'", m.kind)).hint =
            fmt::format("there are {}", fmt::join(names, ", "));
    } else if (m.entries == 0 || m.entries > most_entries) {
        diags.error(m.kind_span, fmt::format("a map has from 1 to {} keys", most_entries)).hint =
            fmt::format("for example let {} = {}(10000)", name, m.kind);
    }
    const auto same = [&](const MapInfo& known) { return known.name == name; };
    if (std::any_of(typed.maps.begin(), typed.maps.end(), same))
        diags.error(m.name_span, fmt::format("{} is declared twice", name)).hint = "remove one of the two";
    if (!is_named(program, m.name)) {
        diags.warning(m.name_span, fmt::format("{} is declared and never used", name));
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

// Adds a body for each place that an item's probes stand for.
class ItemResolver {
  public:
    using Found = std::map<uint32_t, uint32_t>;  // by group of alternatives: the position of one that is enough

    ItemResolver(Resolver& resolver, Kernel& kernel, const ast::Program& program, Typed& typed, uint32_t item,
                 Found& found, Diags& diags)
        : found_(found),
          resolver_(resolver),
          kernel_(kernel),
          program_(program),
          typed_(typed),
          item_(item),
          missing_(program.settings.missing_probes),
          diags_(diags) {}
    void operator()(const ast::Parameter&) {}
    void operator()(const ast::FunctionItem&) {}
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
        for (uint32_t i = 0; i < node.opens.size(); i++)
            add(node.opens[i].probe, node.closes.empty() ? Role::call : Role::open, span, i);
        for (uint32_t i = 0; i < node.closes.size(); i++) add(node.closes[i].probe, Role::close, span, i);
    }

  private:
    // Else it is not the place that is missing.
    // Only names that are looked up can be missing; a period or a count that is wrong is a mistake.
    static bool can_be_missing(const ast::ProbeSpec& spec) {
        constexpr std::array looked_up{Place::event,         Place::raw_event, Place::kernel_function,
                                       Place::system_call,   Place::marker,    Place::binary_function,
                                       Place::kernel_objects};
        const ProbeRow* row = find_probe(spec.parts.front().text);
        return row != nullptr && std::ranges::find(looked_up, row->place) != looked_up.end();
    }

    void add(const ast::ProbeSpec& spec, Role role, uint32_t span, uint32_t endpoint) {
        if (is_superfluous(spec.alternative)) return;
        std::vector<ResolvedPlace> found = places(spec, role);
        if (found.empty()) return;
        for (const auto& choice : spec.alternative.choices) {
            if (choice.sufficient) found_.try_emplace(choice.group, choice.position);
        }
        for (ResolvedPlace& place : found) {
            if (program_.settings.special_probes) call_special(place);
            typed_.bodies.push_back({item_, role, span, endpoint, std::move(place), {}, {}, {}, {}, {}});
        }
    }

    // Has one been found that stands before it and is enough?
    bool is_superfluous(const ast::Alternative& alternative) const {
        return std::any_of(alternative.choices.begin(), alternative.choices.end(), [&](const auto& choice) {
            const auto found = found_.find(choice.group);
            return found != found_.end() && found->second < choice.position;
        });
    }

    // Where the program can do without, what is missing is told as a warning or not at all.
    std::vector<ResolvedPlace> places(const ast::ProbeSpec& spec, Role role) {
        Asked asked = asked_;
        asked.role = role;
        if (spec.alternative.optional) {
            Diags ignored;
            return resolver_.telling(ignored).places(spec, asked);
        }
        if (missing_ == MissingProbes::error || role != Role::action || !can_be_missing(spec)) {
            const size_t told = diags_.all().size();
            std::vector<ResolvedPlace> out = resolver_.places(spec, asked);
            if (out.empty() && has_others_ && role == Role::action && can_be_missing(spec))
                diags_.explain(told, {{}, "with config = { missing_probes = warn } lt skips probes that do not exist"});
            return out;
        }
        Diags found;
        std::vector<ResolvedPlace> out = resolver_.telling(found).places(spec, asked);
        if (!found.has_errors()) {
            diags_.take(std::move(found));
        } else if (missing_ != MissingProbes::ignore) {
            diags_.warning(spec.span, found.all().front().message + "; this probe is left out");
        }
        return out;
    }

    Found& found_;
    Resolver& resolver_;
    Kernel& kernel_;
    const ast::Program& program_;
    Typed& typed_;
    uint32_t item_;
    Asked asked_;
    bool has_others_ = false;  // does its block have more than one probe?
    MissingProbes missing_;
    Diags& diags_;
};

bool is_loop(const ast::Stmt& stmt) {
    return std::holds_alternative<ast::While>(stmt.node) || std::holds_alternative<ast::ForRange>(stmt.node) ||
           std::holds_alternative<ast::ForMap>(stmt.node);
}

void loops_possible(const ast::Program& program, Kernel& kernel, Typed& typed, Diags& diags) {
    const auto first = std::find_if(program.stmts.begin(), program.stmts.end(), is_loop);
    if (first == program.stmts.end()) return;
    assume(typed.assumed, {Assumed::feature, "", "", {}, static_cast<uint64_t>(Feature::bpf_loop)});
    if (const Answer a = kernel.can(Feature::bpf_loop); !a.yes)
        diags.error(first->span, "this kernel has no loops for BPF programs: " + a.why).hint =
            "write unroll(N) { ... } for a number of turns that is known";
}

// Ways whose programs cannot do what a function asks.
struct Unfit {
    Function function;
    Way way;
    std::string_view why;
};
constexpr std::array unfit{
    Unfit{Function::reg, Way::fentry, "the program asks for registers"},
    Unfit{Function::override_, Way::fentry, "the program decides what the function returns"},
    Unfit{Function::override_, Way::breakpoint, "the program decides what the function returns"},
};

bool calls(const ast::Program& program, Function function) {
    return std::any_of(program.exprs.begin(), program.exprs.end(), [&](const ast::Expr& e) {
        const auto* call = std::get_if<ast::Call>(&e.node);
        return call && call->name == function_row(function).name;
    });
}

// The events by which --follow knows a family, whatever the kernel's version lays out where in them.
void find_family_events(Kernel& kernel, Traced& traced, Diags& diags) {
    if (traced.by != TracedBy::family) return;
    if (kernel.renumbers_processes()) {
        diags.error({}, "--follow needs the kernel's own numbers of processes, and lt runs in a namespace of them")
            .hint = "run it outside of the container, or with --pid=host";
        return;
    }
    struct Row {
        FamilyEvent& event;
        std::string_view name, field;
    };
    for (const Row& row :
         {Row{traced.fork, "sched_process_fork", "child_pid"}, Row{traced.free, "sched_process_free", "pid"}}) {
        const Result<Tracepoint> found = kernel.tracepoint("sched", row.name);
        const auto* fields = found ? &found->fields : nullptr;
        const auto field =
            fields ? std::ranges::find(*fields, row.field, &Field::name) : std::vector<Field>::const_iterator{};
        if (!fields || field == fields->end()) {
            diags.error({}, fmt::format("--follow needs the tracepoint sched:{} with {}", row.name, row.field)).hint =
                found ? "this kernel has it without" : found.error().what;
            return;
        }
        row.event = {found->category, found->event, found->id, field->offset};
    }
}

// self:set:NAME
void parameters_there(const Typed& typed, Diags& diags) {
    std::vector<std::string_view> names;
    for (const ParamInfo& param : typed.params) names.push_back(param.name);
    for (const Body& body : typed.bodies) {
        const std::string& name = body.place.set_param;
        if (name.empty() || std::ranges::find(names, name) != names.end()) continue;
        const auto near = closest(name, names);
        diags.error(body.place.span, fmt::format("the program has no parameter {}", name)).hint =
            near.empty() ? fmt::format("write: param {} = \"\"", name) : fmt::format("did you mean {}?", either(near));
    }
}

}  // namespace

Typed resolve(const ast::Program& program, Kernel& kernel, const ResolveOptions& asked, Diags& diags) {
    ResolveOptions options = asked;
    for (const Unfit& row : unfit)
        if (calls(program, row.function)) options.ruled_out.push_back({"", row.way, std::string(row.why)});
    Typed typed;
    loops_possible(program, kernel, typed, diags);
    read_params(program, options, typed, diags);
    typed.accounts = options.accounts;
    typed.timestamps = options.timestamps;
    typed.sampled = options.sampled;
    typed.unsafe = options.unsafe;
    typed.traced = options.traced;
    typed.renumbered = kernel.renumbers_processes();
    find_family_events(kernel, typed.traced, diags);
    typed.max_keys = options.max_keys;
    Resolver resolver(kernel, options, program.settings.max_probes, diags);
    ItemResolver::Found found;
    for (uint32_t i = 0; i < program.items.size(); i++)
        std::visit(ItemResolver(resolver, kernel, program, typed, i, found, diags), program.items[i].node);
    keep_order_of_calls(typed);
    parameters_there(typed, diags);
    const auto is_probe = [](const ast::Item& item) { return std::holds_alternative<ast::Action>(item.node); };
    if (typed.bodies.empty() && std::ranges::any_of(program.items, is_probe) && !diags.has_errors())
        diags.error({}, "none of the program's probes is there").hint = "missing_probes = error tells what is missing";
    if (program.items.empty() && !diags.has_errors()) {
        diags.error({}, "the program is empty").hint = "try: lt -e 'k:vfs_read < @ns = hist(...) >'";
    }
    return typed;
}

}  // namespace lt
