// A plan as text, for --dump=plan and the golden tests: one paragraph per list, everything except the object's bytes.
// The same plan always gives the same text.
#include <fmt/format.h>

#include <array>

#include "base/text.h"
#include "runtime/border/duration.h"
#include "runtime/border/loss_subject.h"
#include "runtime/border/plan.h"
#include "runtime/border/records.h"

namespace lt {
namespace {

constexpr auto shape_names = std::to_array<std::string_view>({"hash", "per-CPU hash", "array", "per-CPU array"});
static_assert(shape_names.size() == static_cast<size_t>(MapShape::per_cpu_array) + 1);

std::string when_text(const PlannedProbe& probe) {
    switch (probe.when) {
        case When::begin:
            return "at begin";
        case When::end:
            return "at end";
        case When::error:
            return "at an error";
        case When::period:
            return fmt::format("every {}{}", show_duration(static_cast<int64_t>(probe.period_ns)),
                               probe.times == 0 ? "" : fmt::format(", {}", plural(probe.times, "time")));
        case When::signal:
            return fmt::format("at signal {}", probe.signal);
        case When::set:
            return fmt::format("when {} is set", probe.set_param);
        case When::once:
            return "once";
        case When::attached:
            return "attached";
    }
    return {};
}

std::string perf_text(const PerfEvent& e) {
    return fmt::format("type {} config {:#x} {:#x} {:#x} access {}, {} {}", e.type, e.config, e.config1, e.config2,
                       e.access, e.by_frequency ? "times a second:" : "every", e.every);
}

// The words for each kind of site.
struct SiteText {
    Way way;
    bool at_return;

    std::string side() const {
        return way_row(way).session ? "entry and return" : at_return ? "the return" : "the entry";
    }
    std::string operator()(std::monostate) const { return "run"; }
    std::string operator()(const TracepointSite& to) const {
        return fmt::format("at {}:{}, id {}", to.category, to.event, to.id);
    }
    std::string operator()(const RawTracepointSite& to) const { return "at " + to.event; }
    std::string operator()(const KernelSite& to) const { return fmt::format("at {} of {}", side(), to.function); }
    std::string operator()(const ProgramSite& to) const {
        const std::string semaphore = to.semaphore != 0 ? fmt::format(", semaphore {:#x}", to.semaphore) : "";
        return fmt::format("at {} of {}, {} + {:#x}{}", side(), to.symbol, to.path, to.offset, semaphore);
    }
    std::string operator()(const IteratorSite& to) const { return "over " + to.kind; }
    std::string operator()(const PerfEvent& to) const { return perf_text(to); }
    std::string operator()(const SocketSite& to) const { return "at sockets that are " + to.event; }
    std::string operator()(const CallSite& to) const {
        return fmt::format("at {}:{}, in {} by number {}", to.own.category, to.own.event, to.table, to.number);
    }
};

// A damaged plan can have wrong indices, and a dump matters most then.
template <class List, class Text>
std::string named(const List& list, uint32_t index, Text text) {
    return index < list.size() ? text(list[index]) : fmt::format("none {}", index);
}

std::string map_name(const Plan& plan, uint32_t index) {
    return named(plan.maps, index, [](const PlannedMap& map) { return map.name; });
}

std::string subject_text(const Plan& plan, LossSubject subject, uint32_t index) {
    switch (subject) {
        case LossSubject::none:
            return "";
        case LossSubject::map:
            return ": map " + map_name(plan, index);
        case LossSubject::span:
            return ": span " + named(plan.spans, index, [](const PlannedSpan& span) { return span.text; });
    }
    return {};
}

// Only the key is in the record, if the map has one.
std::string percentile_text(const Plan& plan, const EventField& field) {
    if (!field.percentile) return "";
    const double percent = static_cast<double>(field.percentile->share) * 100 / static_cast<double>(whole_share);
    return fmt::format(": key of percentile {} of {}", percent, map_name(plan, field.percentile->map));
}

std::string types_text(const std::vector<Type>& types) {
    std::string out;
    for (const Type& type : types) out += (out.empty() ? "" : ", ") + type_text(type);
    return out;
}

class Dumper {
  public:
    explicit Dumper(const Plan& plan) : plan_(plan) {}
    std::string run();

  private:
    void shown();
    template <class... Args>
    void line(fmt::format_string<Args...> format, Args&&... args) {
        out_ += fmt::format(format, std::forward<Args>(args)...);
        out_ += '\n';
    }
    void probe(const PlannedProbe& probe);
    void map(const PlannedMap& map);
    void event(size_t index, const PlannedEvent& event);
    void span(const PlannedSpan& span);
    void counter(const PlannedCounter& counter);
    void loss(size_t index, const PlannedLoss& loss);

    const Plan& plan_;
    std::string out_;
};

// Settings that change what is printed.
void Dumper::shown() {
    line("integers: {}", plan_.conventions.plain_integers ? "plain" : "with units");
    if (!plan_.cut_mark.empty())
        line("strings that fill {} bytes: {} after them", plan_.cut_at, quoted(plan_.cut_mark));
    if (const Plan usual; plan_.max_cat_bytes != usual.max_cat_bytes) line("cat: {} bytes", plan_.max_cat_bytes);
    if (plan_.mangled) line("functions of programs: by their symbols");
    if (plan_.shows_lines) line("stacks of programs: with lines of source");
    if (!plan_.print_maps) line("maps at the end: none");
}

std::string Dumper::run() {
    shown();
    for (const PlannedProbe& p : plan_.probes) probe(p);
    for (const PlannedMap& m : plan_.maps) map(m);
    for (size_t i = 0; i < plan_.events.size(); i++) event(i, plan_.events[i]);
    for (size_t i = 0; i < plan_.errors.size(); i++) {
        const PlannedError& error = plan_.errors[i];
        line("error {}: {}{} near {}", i, error.text, error.has_address ? " at an address" : "", error.near);
    }
    for (const PlannedSpan& s : plan_.spans) span(s);
    for (const PlannedCounter& c : plan_.counters) counter(c);
    for (size_t i = 0; i < plan_.losses.size(); i++) loss(i, plan_.losses[i]);
    return std::move(out_);
}

void Dumper::probe(const PlannedProbe& probe) {
    line("probe {} at {}..{}: {}", quoted(probe.text), probe.span.begin, probe.span.end, when_text(probe));
    bool taken = false;
    for (const Rung& rung : probe.rungs) {
        const bool open = rung.refused.empty();
        line("    {} {}", way_name(rung.way), !open ? "refused: " + rung.refused : taken ? "in reserve" : "taken");
        taken = taken || open;
        for (const Attachment& to : rung.attachments)
            line("        {}: {}", to.program, std::visit(SiteText{rung.way, to.at_return}, to.site));
    }
}

void Dumper::map(const PlannedMap& map) {
    const std::string key = map.key.empty() ? "" : fmt::format("[{}]", types_text(map.key));
    line("map {}{}: {}", map.name, key, type_text(map.value));
    line("    {}: {}, key {} bytes, value {} bytes, max_entries {}", map.symbol,
         shape_names[static_cast<size_t>(map.shape)], map.key_size, map.value_size, map.max_entries);
}

void Dumper::event(size_t index, const PlannedEvent& event) {
    std::string subject;
    switch (event.kind) {
        case EventKind::spans:
            subject = " " + named(plan_.spans, event.map, [](const PlannedSpan& span) { return span.name; });
            break;
        case EventKind::text:
        case EventKind::join:
        case EventKind::cat:
        case EventKind::system:
        case EventKind::error:
        case EventKind::warning:
        case EventKind::raised:
        case EventKind::time:
            subject = event.format.empty() ? "" : " " + quoted(event.format);
            break;
        case EventKind::map:
            subject = " " + map_name(plan_, event.map) + (has_key(event) ? " of one key" : "");
            if (event.top != 0) subject += fmt::format(" top {} divided by {}", event.top, event.divisor);
            break;
        case EventKind::clear:
        case EventKind::zero:
            subject = " " + map_name(plan_, event.map);
            break;
        case EventKind::histogram:
            subject = event.top == 0 ? " log" : " linear";
            break;
        case EventKind::value:
        case EventKind::stack:
        case EventKind::exit:
        case EventKind::option:
        case EventKind::snapshot:
            break;
    }
    line("event {}: {}{}, {} bytes{}", index, kind_row(event.kind).name, subject, event.size,
         event.timed ? ", with the time last" : "");
    for (const EventField& field : event.fields)
        line("    {} at {}{}", type_text(field.type), field.offset, percentile_text(plan_, field));
}

void Dumper::span(const PlannedSpan& span) {
    line("span {}{}", span.name.empty() ? "" : span.name + " = ", quoted(span.text));
    if (span.state == SpanState::key)
        return line("    {}[{}]: an opening of {} bytes", span.symbol, types_text(span.key), span.opening_size);
    if (span.state == SpanState::frame)
        return line("    {} in a hash: an opening of {} bytes per call", span.symbol, span.opening_size);
    line("    {} in {}: {} openings of {} bytes per thread", span.symbol,
         span.state == SpanState::task ? "task storage" : "a hash", span.depth, span.opening_size);
}

void Dumper::counter(const PlannedCounter& counter) {
    line("counter {} in {}: type {} config {:#x} {:#x} {:#x}", quoted(counter.name), counter.symbol, counter.event.type,
         counter.event.config, counter.event.config1, counter.event.config2);
}

void Dumper::loss(size_t index, const PlannedLoss& loss) {
    line("loss {}: {}{}", index, kind_row(loss.kind).name,
         subject_text(plan_, kind_row(loss.kind).subject, loss.subject));
}

}  // namespace

std::string dump(const Plan& plan) { return Dumper(plan).run(); }

}  // namespace lt
