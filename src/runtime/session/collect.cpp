#include "runtime/session/collect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <numeric>
#include <utility>

#include "base/visible.h"
#include "runtime/border/internal_map.h"
#include "runtime/border/records.h"
#include "runtime/os/effects.h"
#include "runtime/os/timestamps.h"
#include "runtime/print/show.h"
#include "runtime/session/open_spans.h"
#include "runtime/values/decode.h"
#include "runtime/values/distribution.h"

namespace lt {

namespace {

// Lets the loop see signals and timers even if programs write faster than lt prints. The clock is read once in so many
// records.
constexpr std::chrono::milliseconds longest_drain(50);
constexpr uint32_t records_by_clock = 64;

// print(@x, top, divisor) divides numbers and the counts of buckets.
struct Divider {
    int64_t by;
    bool is_signed;
    void divide(int64_t& n) const {
        n = is_signed ? n / by : static_cast<int64_t>(static_cast<uint64_t>(n) / static_cast<uint64_t>(by));
    }
    void operator()(int64_t& n) const { divide(n); }
    void operator()(Average& a) const { divide(a.sum); }
    void operator()(Extreme& e) const { divide(e.value); }
    void operator()(Histogram& h) const {
        for (uint64_t& bucket : h.buckets) bucket /= static_cast<uint64_t>(by);
    }
    void operator()(Series& s) const {
        for (Series::Point& p : s.points)
            if (p.value) divide(*p.value);
    }
    void operator()(const auto&) const {}
};

// Follows the plan's integer format.
std::string formatted(const Plan& plan, const std::string& format, const std::vector<Value>& values) {
    return format_text(format, values, {plan.conventions.plain_integers, plan.keeps_newlines}, plan.conventions);
}

// The first value is the number of strings that follow.
std::string joined_text(const std::string& between, const std::vector<Value>& values) {
    std::string out;
    const auto* count = values.empty() ? nullptr : std::get_if<int64_t>(&values[0].data);
    for (size_t i = 1; count && i < values.size() && i <= static_cast<size_t>(*count); i++) {
        if (i > 1) out += between;
        out += show(values[i], true);
    }
    return out + "\n";
}

// As codegen/lower/spans/keep.cpp writes it.
Trigger trigger_of(const std::vector<Value>& values) {
    const auto number = [&](size_t i) { return static_cast<uint64_t>(i < values.size() ? number_of(values[i]) : 0); };
    Trigger out{number(3), static_cast<uint32_t>(number(0)), std::nullopt, number(2)};
    if (number(1) != outside_spans) out.span = static_cast<uint32_t>(number(1));
    return out;
}

// Its values are for people: it is not a command or a file path.
bool is_shown(EventKind kind) { return kind != EventKind::cat && kind != EventKind::system; }

// "division by 0 near operator '/' at x.stp:1:20"
std::string error_text(const Plan& plan, const PlannedEvent& planned, const std::vector<Value>& values) {
    if (!planned.format.empty()) return formatted(plan, planned.format, values);
    const auto index = values.empty() ? 0 : static_cast<size_t>(number_of(values[0]));
    if (index >= plan.errors.size()) return "an error";
    const PlannedError& error = plan.errors[index];
    const std::string where =
        error.has_address ? fmt::format(" at {:#x}", static_cast<uint64_t>(number_of(values[1]))) : "";
    return fmt::format("{}{} near {}", error.text, where, error.near);
}

PlannedPosition error_place(const Plan& plan, const PlannedEvent& planned, const std::vector<Value>& values) {
    const auto index = values.empty() ? 0 : static_cast<size_t>(number_of(values[0]));
    return planned.format.empty() && index < plan.errors.size() ? plan.errors[index].where : planned.where;
}

}  // namespace

Result<Event> Dispatcher::read(std::span<const uint8_t> record) {
    auto event = decode_event(plan_, record);
    if (!event) return event;
    const auto filled = fill_percentiles(plan_.events[event->index], record, event->values);
    if (!filled) return filled.error();
    return event;
}

Status Dispatcher::handle(std::span<const uint8_t> record) {
    auto event = read(record);
    if (!event) return event.error();
    return handle(record, *std::move(event));
}

Status Dispatcher::handle(std::span<const uint8_t> record, Event event) {
    const PlannedEvent& planned = plan_.events[event.index];
    tell_time(planned, event.values);
    name_frames(event.values, planned.kind != EventKind::stack);
    if (is_shown(planned.kind)) mark_cut(event.values);
    const bool of_key = planned.kind == EventKind::map && has_key(planned);
    if (auto taken = of_key ? print_entry(planned, record) : take(planned, event); !taken) return taken;
    if (kind_row(planned.kind).is_result && ++results_ == most_results_) exit_called_ = true;
    return Done{};
}

Status Dispatcher::take(const PlannedEvent& planned, const Event& event) {
    switch (planned.kind) {
        case EventKind::text:
            printer_.text(formatted(plan_, planned.format, event.values));
            return Done{};
        case EventKind::time:
            printer_.text(MadeBy::time,
                          format_text(planned.format, event.values, {plan_.conventions.plain_integers, true}));
            return Done{};
        case EventKind::map:
            return print_map(planned.map, planned.top, planned.divisor);
        case EventKind::spans: {
            auto open = open_spans(planned.map);
            if (!open) return open.error();
            printer_.open_spans(*open);
            return Done{};
        }
        case EventKind::histogram:
            for (const Value& value : event.values)
                printer_.histogram(value, planned.top == 0 ? SampleHistogram::log : SampleHistogram::linear);
            return Done{};
        case EventKind::value:
            for (const Value& value : event.values) printer_.value(value);
            return Done{};
        case EventKind::stack:  // resolved while the process exists, and cached
            return Done{};
        case EventKind::clear:
            return maps_.clear(planned.map, planned.printed);
        case EventKind::zero:
            return maps_.zero(planned.map, planned.printed);
        case EventKind::exit:
            (exit_waits_ ? exit_waited_ : exit_called_) = true;
            if (!event.values.empty()) exit_status_ = static_cast<int>(number_of(event.values[0]) & 0xff);
            return Done{};
        case EventKind::join:
            printer_.text(MadeBy::join, joined_text(planned.format, event.values));
            return Done{};
        case EventKind::cat:
        case EventKind::system:
            act(planned.kind, formatted(plan_, planned.format, event.values));
            return Done{};
        case EventKind::error:
        case EventKind::warning:
            complain({planned.kind == EventKind::error ? Complaint::Kind::error : Complaint::Kind::warning,
                      formatted(plan_, planned.format, event.values), planned.where});
            return Done{};
        case EventKind::raised:
            complain({Complaint::Kind::raised, error_text(plan_, planned, event.values),
                      error_place(plan_, planned, event.values)});
            if (++errors_ > plan_.max_errors) exit_called_ = failed_ = true;
            return Done{};
        case EventKind::option:
            set_option(event.values);
            return Done{};
        case EventKind::snapshot:
            if (snapshot_) snapshot_(trigger_of(event.values));
            return Done{};
    }
    return Done{};
}

// The time is for the printer and is not one of the printed values.
void Dispatcher::tell_time(const PlannedEvent& planned, std::vector<Value>& values) {
    if (!planned.timed) return;
    const int64_t time = std::get<int64_t>(values.back().data);
    printer_.at(unix_offset_ ? time + *unix_offset_ : unix_time(static_cast<uint64_t>(time)));
    values.pop_back();
}

// Prints messages for people immediately.
void Dispatcher::complain(const Complaint& complaint) {
    if (complaint.kind == Complaint::Kind::warning && !warnings_) return;
    printer_.complaint(complaint);
    printer_.flush();
    // The message is always a line of its own.
    const PlannedPosition& at = complaint.where;
    const std::string place = plan_.conventions.positions && complaint.kind != Complaint::Kind::raised
                                  ? fmt::format("{}:{}:{}: ", at.file, at.line, at.column)
                                  : "";
    fmt::print(messages_, "{}{}: {}{}", place, complaint.kind == Complaint::Kind::warning ? "WARNING" : "ERROR",
               complaint.text, complaint.text.ends_with('\n') ? "" : "\n");
}

// Reports failures and continues.
void Dispatcher::act(EventKind kind, const std::string& text) {
    const bool is_command = kind == EventKind::system;
    if (is_command && latest_ && std::chrono::steady_clock::now() > *latest_) return void(commands_left_++);
    commands_ += is_command ? 1 : 0;
    const auto print = [&](std::string_view s) { printer_.text(is_command ? MadeBy::system : MadeBy::cat, s); };
    const Result<std::string> rest = is_command ? command_output(text, print) : file_text(text, plan_.max_cat_bytes);
    if (rest) return print(*rest);
    printer_.flush();
    fmt::print(messages_, "lt: {}\n", visible(rest.error().what));
}

void Dispatcher::hurry_is_over() {
    latest_.reset();
    if (const uint64_t left = std::exchange(commands_left_, 0); left > 0) {
        printer_.flush();
        fmt::print(messages_, "lt: system() commands that were not run because the run had ended: {}\n", left);
    }
}

void Dispatcher::set_option(const std::vector<Value>& values) {
    const auto number = [&](size_t i) { return static_cast<int>(number_of(values[i])); };
    const Status set = set_socket_option({number(0), number(1), number(2), number(3), number(4)});
    if (set) return;
    printer_.flush();
    fmt::print(messages_, "lt: {}\n", set.error().what);
}

Status Dispatcher::fill_percentiles(const PlannedEvent& planned, std::span<const uint8_t> record,
                                    std::vector<Value>& values) {
    for (size_t i = 0; i < values.size(); i++) {
        const EventField& field = planned.fields[i];
        if (!field.percentile) continue;
        auto key = percentile_key(plan_, field, record);
        if (!key) return key.error();
        auto found = maps_.find(field.percentile->map, *key);
        if (!found) return found.error();
        if (found->entries.empty()) continue;
        const MapEntry entry = found->entries[0];
        const auto* distribution = std::get_if<Distribution>(&entry.value.data);
        if (!distribution) return Error{fmt::format("{} does not have a distribution", found->name), "", 0};
        if (auto number = percentile(*distribution, field.percentile->share)) values[i].data = *number;
    }
    return Done{};
}

Result<MapContent> Dispatcher::map(size_t index) {
    auto content = maps_.read(index);
    if (!content) return content;
    make_readable(plan_.maps[index], *content);
    return content;
}

// Strings order the entries, so they are resolved first; everything else when an entry is shown.
void Dispatcher::make_readable(const PlannedMap& map, MapContent& content) {
    content.entries.finish([this](MapEntry& entry) {
        name_frames(entry.key);
        name_frames({&entry.value, 1});
        mark_cut(entry.key);
        mark_cut({&entry.value, 1});
    });
    if (std::ranges::any_of(map.key, is_named) || is_named(map.value)) content.entries.settle();
}

namespace {

void find_frames(std::span<Value> values, const std::function<std::vector<Frame>(const Stack&)>& frames) {
    for (Value& value : values) {
        if (auto* stack = std::get_if<Stack>(&value.data)) stack->frames = frames(*stack);
        if (auto* group = std::get_if<Group>(&value.data)) find_frames(group->parts, frames);
    }
}

}  // namespace

void Dispatcher::name_frames(std::span<Value> values, bool taken_now) {
    find_frames(values, taken_now ? maps_.latest_frames : maps_.frames);
    name_values(values, maps_.symbol, unix_offset_);
}

// A string that fills its buffer may have been cut; str() does not know.
void Dispatcher::mark_cut(std::span<Value> values) const {
    if (plan_.cut_mark.empty()) return;
    for (Value& value : values) {
        if (auto* group = std::get_if<Group>(&value.data)) mark_cut(group->parts);
        auto* text = std::get_if<std::string>(&value.data);
        const bool has_room = value.type.kind == Kind::string && value.type.size >= plan_.cut_at;
        if (text != nullptr && has_room && text->size() + 1 == plan_.cut_at) *text += plan_.cut_mark;
    }
}

Result<OpenSpans> Dispatcher::open_spans(size_t index) {
    auto open = maps_.open(index);
    if (!open) return open;
    for (OpenSpanLine& line : open->spans) name_frames(line.key);
    return open;
}

Status Dispatcher::print_map(size_t index, size_t most, int64_t divisor) {
    auto content = map(index);
    if (!content) return content.error();
    content->most = most;
    if (printed_) printed_->insert(index), at_end_[index] = {content->entries.size(), divisor};
    if (divisor != 1) {
        content->entries.change(
            [divisor](MapEntry& entry) { std::visit(Divider{divisor, entry.value.type.is_signed}, entry.value.data); });
    }
    printer_.map(*content);
    return Done{};
}

Status Dispatcher::print_entry(const PlannedEvent& planned, std::span<const uint8_t> record) {
    const PlannedMap& map = plan_.maps[planned.map];
    const uint32_t offset = planned.fields[0].offset;
    if (offset > record.size() || map.key_size > record.size() - offset) return Error{"an event is too short", "", 0};
    auto content = maps_.find(planned.map, record.subspan(offset, map.key_size));
    if (!content) return content.error();
    make_readable(map, *content);
    printer_.map(*content);
    return Done{};
}

Status Dispatcher::print_maps() {
    if (!plan_.print_maps) return Done{};
    printer_.at({});
    const Conventions& conventions = plan_.conventions;
    if (conventions.parts_maps) printer_.maps_follow();
    std::vector<size_t> order(plan_.maps.size());
    std::iota(order.begin(), order.end(), size_t{0});
    const auto by_name = [&](size_t a, size_t b) { return plan_.maps[a].name < plan_.maps[b].name; };
    if (conventions.orders_maps) std::sort(order.begin(), order.end(), by_name);
    Status done = Done{};
    for (size_t index : order) {
        if (is_internal(plan_.maps[index]) || (printed_ && printed_->contains(index))) continue;
        auto content = map(index);
        if (!content && done) done = content.error();
        if (!content) continue;
        content->at_end = true;
        at_end_[index] = {content->entries.size()};
        if (conventions.empty_maps || !content->entries.empty() || content->sampled) printer_.map(*content);
    }
    return done;
}

std::vector<ResultFact> Dispatcher::results() const {
    std::vector<ResultFact> results;
    for (const auto& [index, end] : at_end_) {
        const PlannedMap& map = plan_.maps[index];
        results.push_back({map.name, map.key, map.value, end.entries, end.divisor});
    }
    return results;
}

Collector::Collector(const Plan& plan, const LoadedObject& object, Maps& maps, Printer& printer,
                     const SymbolStyle& style)
    : plan_(plan),
      dispatcher_(plan,
                  {[&maps](size_t index) { return maps.read(index); },
                   [&maps](size_t index, std::span<const uint8_t> key) { return maps.find(index, key); },
                   [&maps](size_t index, bool printed) { return maps.clear(index, printed); },
                   [&maps](size_t index, bool printed) { return maps.zero(index, printed); },
                   [&plan, &object, &maps, this](size_t index) {
                       const auto span = static_cast<uint32_t>(index);
                       auto open = describe_open(plan, object, stacks_, span);
                       if (open) open->left_out = maps.openings_left_out(span);
                       return open;
                   },
                   [this](const Stack& stack) { return stacks_.frames(stack); },
                   [this](const Stack& stack) { return stacks_.latest_frames(stack); },
                   [this](uint64_t address, uint32_t process) { return stacks_.symbol(address, process); }},
                  printer),
      stacks_(object.map(std::string(stacks_symbol)), style),
      printer_(printer) {}

Result<std::unique_ptr<Collector>> Collector::open(const Plan& plan, const LoadedObject& object, Maps& maps,
                                                   Printer& printer, const SymbolStyle& style) {
    std::unique_ptr<Collector> collector(new Collector(plan, object, maps, printer, style));
    const auto is_of_program = [](const EventField& field) { return field.type.naming == Naming::user_symbol; };
    const auto tells_code = [&](const PlannedEvent& event) {
        return event.kind == EventKind::stack || std::ranges::any_of(event.fields, is_of_program);
    };
    if (std::ranges::any_of(plan.events, tells_code)) collector->stacks_.symbolizer().record_processes();
    collector->ring_fd_ = object.map("lt_events");
    if (collector->ring_fd_ < 0) return collector;
    auto ring = bpf::RingBuffer::open(collector->ring_fd_, &Collector::take_next, collector.get());
    if (!ring) return ring.error();
    collector->ring_ = *std::move(ring);
    return collector;
}

Collector::Drained Collector::drain() {
    if (!ring_ || is_over() || failure_) return Drained::nothing;
    taken_ = 0;
    enough_ = false;
    drain_until_ = std::chrono::steady_clock::now() + longest_drain;
    ring_.consume();
    if (taken_ == 0) return Drained::nothing;
    printer_.flush();
    return enough_ ? Drained::some : Drained::all;
}

void Collector::drain_all(std::chrono::milliseconds commands) {
    dispatcher_.hurry(std::chrono::steady_clock::now() + commands);
    while (drain() != Drained::nothing) {
    }
    dispatcher_.hurry_is_over();
}

Status Collector::take(std::span<const uint8_t> record) {
    if (is_over() || held_enough() || failure_) return Done{};
    if (!held_ || empties_at_once(record)) return dispatcher_.handle(record);
    keep(record);
    return Done{};
}

// Data that a block writes into a map after emptying it stays, unless a pending record still shows the old map.
bool Collector::empties_at_once(std::span<const uint8_t> record) const {
    const auto planned = [this](const Result<Event>& event) { return event ? &plan_.events[event->index] : nullptr; };
    const PlannedEvent* clearing = planned(decode_event(plan_, record));
    if (!clearing || (clearing->kind != EventKind::clear && clearing->kind != EventKind::zero)) return false;
    return std::ranges::none_of(*held_, [&](const Held& held) {
        const PlannedEvent* event = planned(held.event);
        return event && event->kind == EventKind::map && event->map == clearing->map;
    });
}

void Collector::restart() {
    if (ring_ && exit_called()) {
        discard_ = true;
        ring_.consume();
        discard_ = false;
    }
    dispatcher_.forget_exit();
    exit_held_ = false;
}

bool Collector::holds_exit() {
    if (ring_) ring_.consume();
    return exit_held_;
}

void Collector::release() {
    auto all = std::exchange(held_, std::nullopt).value_or(std::vector<Held>{});
    bool emptied = false;  // by a held record: percentiles after it are of what it leaves
    for (auto& [record, event] : all) {
        const EventKind kind = event ? plan_.events[event->index].kind : EventKind::text;
        const bool is_known = event && !emptied;
        const Status handled = is_known ? dispatcher_.handle(record, *std::move(event)) : dispatcher_.handle(record);
        emptied = emptied || kind == EventKind::clear || kind == EventKind::zero;
        if (!handled) failure_ = handled.error();
        if (is_over() || failure_) break;
    }
    exit_held_ = false;  // handled
    printer_.flush();
}

void Collector::keep(std::span<const uint8_t> record) {
    auto event = dispatcher_.read(record);
    const EventKind kind = event ? plan_.events[event->index].kind : EventKind::text;
    const bool fails = kind == EventKind::raised && ++errors_held_ > plan_.max_errors;
    exit_held_ = exit_held_ || kind == EventKind::exit || fails;
    held_->push_back({{record.begin(), record.end()}, std::move(event)});
}

// False: stop reading.
bool Collector::handle(std::span<const uint8_t> record) {
    auto handled = dispatcher_.handle(record);
    if (!handled) failure_ = handled.error();
    return !is_over() && !failure_;
}

// A negative result ends consume() after this record.
int Collector::take_next(void* self, void* record, size_t size) {
    auto& collector = *static_cast<Collector*>(self);
    if (collector.discard_) return 0;
    const std::span bytes(static_cast<const uint8_t*>(record), size);
    if (collector.held_) {
        collector.keep(bytes);
        return collector.held_enough() ? -ECANCELED : 0;
    }
    collector.taken_++;
    const uint64_t commands = collector.dispatcher_.commands();
    const bool goes_on = collector.handle(bytes);
    collector.enough_ =
        collector.dispatcher_.commands() != commands ||  // it took long
        (collector.taken_ % records_by_clock == 0 && std::chrono::steady_clock::now() >= collector.drain_until_);
    return goes_on && !collector.enough_ ? 0 : -ECANCELED;
}

}  // namespace lt
