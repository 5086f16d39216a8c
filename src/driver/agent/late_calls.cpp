#include "driver/agent/late_calls.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <functional>
#include <variant>

#include "base/visible.h"
#include "driver/agent/late_program.h"
#include "runtime/os/timestamps.h"
#include "runtime/print/causes_text.h"
#include "runtime/print/show.h"

namespace lt::agent {
namespace {

constexpr size_t most_threads = 1024;  // whose last call is remembered

// Random bytes as hexadecimal digits. The kernel gives up to 256 at once; only a signal during its boot is in the way.
template <size_t bytes>
std::string random_id() {
    std::array<uint8_t, bytes> id{};
    while (getrandom(id.data(), id.size(), 0) != static_cast<ssize_t>(id.size())) {
    }
    std::string out;
    for (const uint8_t byte : id) out += fmt::format("{:02x}", byte);
    return out;
}

const Value* member(const Value& record, std::string_view name) {
    const auto* group = std::get_if<Group>(&record.data);
    if (!group || !record.type.shape) return nullptr;
    const std::vector<std::string>& names = record.type.shape->names;
    const auto found = std::ranges::find(names, name);
    const auto at = static_cast<size_t>(found - names.begin());
    return found != names.end() && at < group->parts.size() ? &group->parts[at] : nullptr;
}

int64_t number_in(const Value& record, std::string_view name) {
    const Value* value = member(record, name);
    const auto* number = value ? std::get_if<int64_t>(&value->data) : nullptr;
    return number ? *number : 0;
}

std::string text_in(const Value& record, std::string_view name) {
    const Value* value = member(record, name);
    return value ? show(*value, ValueStyle(false)) : std::string();
}

bool begins_with(const Value& record, std::string_view mark) {
    return record.type.kind == Kind::tuple && record.type.shape && !record.type.shape->names.empty() &&
           record.type.shape->names.front() == mark;
}

// ---- causes

// What is known of the longest single wait, for the cause that it belongs to.
struct LongestWait {
    size_t cause = 0;
    OtlpAttributes attributes;
};

// A thread of the record, whose number stands at `at` and its name after it.
void add_thread(OtlpAttributes& to, const Group& wait, size_t at, const std::string& role) {
    const int64_t tid = number_of(wait.parts[at]);
    const auto* comm = std::get_if<std::string>(&wait.parts[at + 1].data);
    if (tid != 0) to.push_back({fmt::format("lt.{}.thread.id", role), tid});
    if (comm && !comm->empty()) to.push_back({fmt::format("lt.{}.thread.name", role), *comm});
}

LongestWait longest_wait(const Group& why) {
    LongestWait out;
    const auto* wait = why.parts.empty() ? nullptr : std::get_if<Group>(&why.parts.back().data);
    if (!wait || wait->parts.size() != 7 || number_of(wait->parts[0]) == 0) return out;
    out.cause = static_cast<size_t>(number_of(wait->parts[1]));
    out.attributes.push_back({"lt.longest_wait_ns", number_of(wait->parts[0])});
    add_thread(out.attributes, *wait, 3, "waker");
    add_thread(out.attributes, *wait, 5, "holder");
    const auto* stack = std::get_if<Stack>(&wait->parts[2].data);
    if (stack && stack->id != stack_none)
        out.attributes.push_back({"code.stacktrace", stack_rows(*stack, StackForm::names)});
    return out;
}

// The causes of a call as its children.
void add_children(LateTrace& trace, const Group& why) {
    const OtlpSpan call = trace.front();
    const Causes causes = causes_of(why);
    const LongestWait longest = longest_wait(why);
    std::vector<const CauseRow*> rows;
    for (const CauseRow& row : cause_rows())
        if (causes.times[static_cast<size_t>(row.id)] > 0) rows.push_back(&row);
    const auto time = [&](const CauseRow* row) { return causes.times[static_cast<size_t>(row->id)]; };
    std::ranges::stable_sort(rows, std::greater<>(), time);
    int64_t begin = call.begin;
    for (const CauseRow* row : rows) {
        OtlpSpan child{call.trace_id, random_id<8>(), call.span_id, std::string(row->title), begin, begin + time(row)};
        child.attributes = {{"lt.cause", std::string(row->name)}};
        if (!longest.attributes.empty() && longest.cause == static_cast<size_t>(row->id))
            child.attributes.insert(child.attributes.end(), longest.attributes.begin(), longest.attributes.end());
        begin = child.end;
        trace.push_back(std::move(child));
    }
}

}  // namespace

// ---- records

void LateCalls::value(const Value& value) {
    if (begins_with(value, late_call_mark))
        take_call(value);
    else if (begins_with(value, late_value_mark))
        take_value(value);
    else
        Relay::value(value);
}

void LateCalls::take_call(const Value& record) {
    count_++;
    OtlpSpan call{random_id<16>(), random_id<8>(), "", text_in(record, late_call_mark)};
    call.end = unix_time(static_cast<uint64_t>(number_in(record, "nsecs")));
    call.begin = call.end - number_in(record, "latency");
    const int64_t pid = number_in(record, "pid"), tid = number_in(record, "tid");
    const std::string comm = utf8_text(text_in(record, "comm"));
    call.attributes = {{"lt.script", script_}, {"process.pid", pid}, {"thread.id", tid}, {"thread.name", comm}};
    if (last_.size() >= most_threads) last_.clear();
    Exemplar& exemplar = last_[tid] = {0, call.end, {}, {}, {{"pid", fmt::format("{}", pid)}, {"comm", comm}}};
    if (!traced_) return;
    exemplar.trace_id = call.trace_id;
    exemplar.span_id = call.span_id;
    LateTrace& trace = traces_.emplace_back();
    trace.push_back(std::move(call));
    const Value* why = member(record, "why");
    if (const auto* causes = why ? std::get_if<Group>(&why->data) : nullptr) add_children(trace, *causes);
}

void LateCalls::take_value(const Value& record) {
    const auto call = last_.find(number_in(record, "tid"));
    const std::string map = text_in(record, late_value_mark);
    const auto metric = std::ranges::find_if(metrics_, [&](const MapMetric& each) { return each.map_name == map; });
    if (call == last_.end() || metric == metrics_.end()) return;
    const Value* key = member(record, "key");
    const Labels labels = key ? labels_of(*metric, {*key}) : Labels{};
    const std::pair place(metric->map, labels);
    if (exemplars_.size() >= most_ && !exemplars_.contains(place)) return;
    Exemplar& exemplar = exemplars_[place] = call->second;
    exemplar.value = number_in(record, "value");
}

void LateCalls::add_exemplars(const MapMetric& metric, std::vector<MetricSeries>& series) const {
    for (MetricSeries& each : series) {
        auto* point = std::get_if<HistogramPoint>(&each.point);
        const auto found = exemplars_.find({metric.map, each.labels});
        if (point && found != exemplars_.end()) point->exemplar = found->second;
    }
}

}  // namespace lt::agent
