#include "driver/recording/recorded_script.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "base/rows.h"
#include "base/text.h"
#include "runtime/replay/recorded_events.h"
#include "runtime/replay/recorded_kernel.h"
#include "stdlib/functions/builtins.h"
#include "stdlib/probes.h"

namespace lt {
namespace {

constexpr std::array live_options{Option::command,      Option::process,    Option::follow,    Option::cgroup,
                                  Option::container,    Option::live,       Option::record,    Option::history,
                                  Option::max_overhead, Option::keep,       Option::kernel,    Option::save,
                                  Option::keep_pause,   Option::keep_limit, Option::aot,       Option::emit_elf,
                                  Option::attach_with,  Option::no_feature, Option::traceable, Option::probe_filter};

constexpr std::array refused_variables{
    Variable::uid,      Variable::gid,      Variable::curtask,  Variable::retval,     Variable::arg,
    Variable::kstack,   Variable::ustack,   Variable::func,     Variable::cgroup,     Variable::jiffies,
    Variable::numaid,   Variable::username, Variable::ctx,      Variable::ppid,       Variable::pcomm,
    Variable::usermode, Variable::cpid,     Variable::has_cpid, Variable::leader_tid, Variable::leader_comm,
};

constexpr std::array refused_functions{
    Function::kstack,        Function::ustack,      Function::kptr,          Function::uptr,
    Function::ksym,          Function::usym,        Function::kaddr,         Function::uaddr,
    Function::reg,           Function::cgroup_path, Function::cgroupid,      Function::process_comm,
    Function::percpu_kaddr,  Function::path,        Function::socket_cookie, Function::override_,
    Function::counter,       Function::kfunc_exist, Function::kfunc_allowed, Function::signal,
    Function::signal_thread, Function::delay,       Function::setsockopt,    Function::write_user,
    Function::pid_in,        Function::tid_in,      Function::kframe,        Function::uframe,
    Function::ksym_offset,   Function::usym_part,   Function::container_of,  Function::syscall_args,
    Function::join,          Function::cat,         Function::find,
};

// Of spans of calls only the times and threads are recorded.
constexpr std::array refused_in_calls{Variable::args, Variable::probe, Variable::probetype};

std::string text_of_probe(const ast::ProbeSpec& spec) {
    std::string out;
    for (const auto& part : spec.parts) out += (&part == &spec.parts.front() ? "" : ":") + part.text;
    return out;
}

// As resolving makes it: see SpanInfo::text.
std::string text_of_span(const ast::SpanAction& node) {
    const auto listed = [](const std::vector<ast::Endpoint>& endpoints) {
        std::string out;
        for (const ast::Endpoint& e : endpoints) out += (out.empty() ? "" : ", ") + text_of_probe(e.probe);
        return out;
    };
    return listed(node.opens) + (node.closes.empty() ? "" : " -> " + listed(node.closes));
}

std::string field_list(const RecordedEvent& event) {
    std::vector<std::string_view> names;
    for (const RecordedField& field : event.fields) names.push_back(field.name);
    return join(names, ", ");
}

class Checker {
  public:
    Checker(ast::Program& program, const Recording& recording, Diags& diags)
        : program_(program), recording_(recording), diags_(diags) {}

    void operator()(ast::Action& action) {
        events_.clear();
        is_call_ = false;
        for (const ast::ProbeSpec& spec : action.probes) probe(spec);
        maybe(action.predicate);
        block(action.body);
    }
    void operator()(ast::SpanAction& node) {
        events_.clear();
        is_call_ = node.closes.empty();
        is_call_ ? call(node) : pair(node);
        is_block_of_pair_ = !is_call_;
        maybe(node.predicate);
        maybe(node.threshold);
        block(node.body);
        is_block_of_pair_ = false;
        if (node.timeout)
            lacks(node.timeout->span, "the timeout of a span, which would ask a thread that is still in it");
    }
    template <class Other>
    void operator()(Other&) {}

    bool replays_calls() const { return replays_calls_; }

  private:
    Diag& lacks(Span span, std::string_view what) {
        return diags_.error(span, fmt::format("the recording does not hold {}", what));
    }

    // Only with the first error: it is long.
    void holds_events(Diag& diag) {
        if (std::exchange(listed_, true)) return;
        std::vector<std::string> names;
        for (const RecordedEvent& event : recorded_events())
            if (!is_missing(event)) names.push_back(name_of(event));
        diag.notes.push_back({{}, fmt::format("it holds the tracepoints {}", join(names, ", "))});
    }
    void holds_spans(Diag& diag) const {
        std::vector<std::string> spans;
        for (const std::string& span : recording_.spans) spans.push_back(fmt::format("`{}`", span));
        diag.notes.push_back(
            {{},
             spans.empty()
                 ? "it holds no spans"
                 : fmt::format("it holds {} {}", spans.size() == 1 ? "the span" : "the spans", join(spans, ", "))});
    }

    // The recorder does without tracepoints that its kernel does not have.
    bool is_missing(const RecordedEvent& event) const {
        return std::ranges::find(recording_.account.missing, event.event) != recording_.account.missing.end();
    }

    void probe(const ast::ProbeSpec& spec) {
        const ProbeRow* row = find_probe(spec.parts.front().text);
        if (!row) return;  // resolving says so
        if (row->place == Place::nothing || row->place == Place::period) return;
        if (row->place == Place::event && spec.parts.size() == 3) return tracepoint(spec);
        Diag& diag = lacks(spec.span, fmt::format("`{}`", text_of_probe(spec)));
        holds_events(diag);
        holds_spans(diag);
    }

    void tracepoint(const ast::ProbeSpec& spec) {
        const std::string &category = spec.parts[1].text, &name = spec.parts[2].text;
        const Span span = cover(spec.parts[1].span, spec.parts[2].span);
        const RecordedEvent* event = recorded_event(category, name);
        if (event && !is_missing(*event)) {
            events_.push_back(event);
            if (!event->lacks.empty() && told_.insert(event).second)
                diags_.warning(span,
                               fmt::format("of `{}` the recording does not hold {}", name_of(*event), event->lacks));
            return;
        }
        if (category.find_first_of("*?[") != std::string::npos || name.find_first_of("*?[") != std::string::npos) {
            Diag& diag = diags_.error(span, "a recording is not searched for patterns");
            holds_events(diag);
            return;
        }
        Diag& diag = lacks(span, fmt::format("`{}:{}`", category, name));
        if (event) diag.notes.push_back({{}, "the kernel on which it was made does not have this tracepoint"});
        if (const std::string_view why = unusable_event(category, name); !why.empty())
            diag.notes.push_back({{}, std::string(why)});
        holds_events(diag);
    }

    void pair(const ast::SpanAction& node) {
        const size_t before = diags_.all().size();
        for (const auto* ends : {&node.opens, &node.closes})
            for (const ast::Endpoint& e : *ends) {
                const size_t from = events_.size();
                probe(e.probe);
                const std::vector<const RecordedEvent*> all = events_;
                events_.erase(events_.begin(), events_.begin() + static_cast<ptrdiff_t>(from));
                for (const ast::ExprId key : e.key) maybe(key);
                maybe(e.predicate);
                events_ = all;
            }
        const auto& spans = recording_.spans;
        if (diags_.all().size() > before && std::ranges::find(spans, text_of_span(node)) != spans.end())
            diags_.explain(before, {{}, "of a span between two events it does not hold the keys"});
    }

    // The n-th span with a text is the n-th one of the recording.
    void call(ast::SpanAction& node) {
        const std::string text = text_of_span(node);
        std::vector<uint32_t> same;
        for (uint32_t i = 0; i < recording_.spans.size(); i++)
            if (recording_.spans[i] == text) same.push_back(i);
        const ast::ProbeSpec& first = node.opens.front().probe;
        const Span span = cover(first.span, node.opens.back().probe.span);
        if (same.empty()) {
            Diag& diag = lacks(span, fmt::format("the span `{}`", text));
            holds_spans(diag);
            return;
        }
        for (const ast::Endpoint& e : node.opens)
            if (e.predicate) lacks(e.predicate_span, "which of the calls opened the span");
        const size_t used = used_[text]++;
        ast::ProbeSpec stand_in = first;
        stand_in.parts = {{span, std::string(probe_row(ProbeKind::kprobe).name)},
                          {span, function_of_span(same[std::min(used, same.size() - 1)])}};
        stand_in.span = span;
        node.opens.resize(1);
        node.opens.front().probe = stand_in;
        replays_calls_ = true;
    }

    void maybe(const std::optional<ast::ExprId>& id) {
        if (id) ast::walk(program_, *id, [&](ast::ExprId e) { return expr(e); });
    }
    void block(const ast::Block& body) {
        ast::walk(program_, body, [&](ast::ExprId e) { return expr(e); });
    }

    // Also whether to look below the expression.
    bool expr(ast::ExprId id) {
        const Span span = program_[id].span;
        if (const auto* member = program_.get<ast::Member>(id)) return !field(*member);
        if (const auto* name = program_.get<ast::Name>(id)) variable(span, name->name);
        if (const auto* call = program_.get<ast::Call>(id)) return function(*call);
        if (const auto* unary = program_.get<ast::Unary>(id); unary && unary->op == ast::UnaryOp::dereference)
            lacks(span, "memory");
        return true;
    }

    void variable(Span span, std::string_view name) {
        const VariableRow* row = find_variable(name);
        if (!row) return;
        // Of a span between two events it is not recorded in which thread it was.
        const bool refused = contains(refused_variables, row->id) ||
                             (is_call_ ? contains(refused_in_calls, row->id) : row->id == Variable::why);
        if (refused) lacks(span, fmt::format("`{}`", name));
    }

    bool function(const ast::Call& call) {
        const FunctionRow* row = find_function(call.name);
        if (row && std::ranges::find(refused_functions, row->id) != refused_functions.end())
            return lacks(call.name_span, fmt::format("what `{}()` asks for", call.name)), false;
        if (row && row->id == Function::tseries)
            return diags_.error(call.name_span, "`tseries()` cannot be used over a recording"), false;
        const bool asks_clock = row && row->id == Function::nsecs && !call.arguments.empty();
        const auto* clock = asks_clock ? program_.get<ast::Name>(call.arguments.front()) : nullptr;
        if (clock && clock->name != "monotonic")
            return lacks(call.name_span, fmt::format("the clock `{}`, only the monotonic one", clock->name)), false;
        return true;
    }

    // args.NAME: is it one of the fields of the events here? False: it is something else.
    bool field(const ast::Member& member) {
        const auto* base = program_.get<ast::Name>(member.base);
        if (!base || base->name != variable_row(Variable::args).name) return false;
        if (is_call_) {
            lacks(member.field_span, "the arguments of calls");
            return true;
        }
        const auto has = [&](const RecordedEvent* event) {
            return std::ranges::find(event->fields, member.field, &RecordedField::name) != event->fields.end();
        };
        // In the block of a span it is a field of one of its events.
        if (is_block_of_pair_ && std::ranges::any_of(events_, has)) return true;
        for (const RecordedEvent* event : events_) {
            if (has(event)) continue;
            lacks(member.field_span, fmt::format("the field `{}` of `{}`", member.field, name_of(*event)))
                .notes.push_back({{}, fmt::format("of its fields it holds {}", field_list(*event))});
        }
        return true;
    }

    ast::Program& program_;
    const Recording& recording_;
    Diags& diags_;
    std::vector<const RecordedEvent*> events_;  // of the item
    bool is_call_ = false;                      // the item is a span of calls
    bool is_block_of_pair_ = false;
    bool replays_calls_ = false;
    bool listed_ = false;                 // the tracepoints are in a note
    std::map<std::string, size_t> used_;  // spans of this text
    std::set<const RecordedEvent*> told_;
};

}  // namespace

Status suits_recording(const Command& command) {
    for (const Option option : live_options) {
        if (!command.has(option)) continue;
        const auto row = std::ranges::find(option_rows(), option, &OptionRow::id);
        const std::string_view names = row->names;
        return Error{fmt::format("{} is not for runs over a recording", names.substr(names.rfind(',') + 1)),
                     "a recording has its own processes, and its own time", 0};
    }
    return Done{};
}

Status can_replay(const Recording& recording, std::string_view path) {
    constexpr uint32_t first_format = 2;
    if (recording.format >= first_format) return Done{};
    return Error{fmt::format("{}: an older lt made this recording, whose records lack what scripts read", path),
                 "`lt why FILE` and `lt view FILE` read it", 0};
}

void read_from_recording(ast::Program& program, const Recording& recording, std::string_view script, Diags& diags) {
    Checker checker(program, recording, diags);
    for (ast::Item& item : program.items) std::visit(checker, item.node);
    if (checker.replays_calls() && recording.script != script)
        diags.note({}, "spans of calls are those that the recording's own script opened, by its predicates");
}

}  // namespace lt
