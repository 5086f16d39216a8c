#include "runtime/print/json_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "json/json.h"
#include "runtime/print/figures.h"
#include "runtime/print/printer.h"
#include "runtime/print/show.h"
#include "runtime/values/buckets.h"
#include "runtime/values/distribution.h"
#include "stdlib/real.h"

namespace lt {
namespace {

template <class... Arguments>
void add(std::string& out, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    out += fmt::format(format, std::forward<Arguments>(arguments)...);
}

// bpftrace writes numbers that a double cannot hold as strings, so that no reader changes them.
template <class Integer>
void append_whole(std::string& out, Integer number, bool plain) {
    const auto as_double = static_cast<double>(number);
    const bool fits = as_double < std::ldexp(1.0, 63) && static_cast<Integer>(as_double) == number;
    const std::string_view quote = plain && !fits ? "\"" : "";
    add(out, "{}{}{}", quote, number, quote);
}

void append_integer(std::string& out, int64_t number, const Type& type, bool plain) {
    switch (type.view) {
        case View::boolean:
            out += number != 0 ? "true" : "false";
            return;
        case View::enumeration: {
            if (!type.shape) return add(out, "{}", number);
            const auto named = [&](const Enumerator& e) { return e.value == number; };
            const auto at = std::ranges::find_if(type.shape->enumerators, named);
            if (!plain && at != type.shape->enumerators.end()) return append_json(out, std::string_view(at->name));
            return add(out, "{}", number);
        }
        case View::plain:
        case View::duration:
        case View::hex:
            return type.is_signed ? append_whole(out, number, plain)
                                  : append_whole(out, static_cast<uint64_t>(number), plain);
    }
}

struct Bucket {
    BucketRange range;
    uint64_t count;
};

void append_list(std::string& out, const std::vector<Bucket>& buckets) {
    out += '[';
    for (const Bucket& bucket : buckets) {
        if (out.back() != '[') out += ',';
        out += '{';
        if (bucket.range.least) add(out, "\"min\": {}, ", least_text(bucket.range));
        if (bucket.range.greatest) add(out, "\"max\": {}, ", *bucket.range.greatest);
        add(out, "\"count\": {}}}", bucket.count);
    }
    out += ']';
}

// From the first bucket that is not empty to the last.
template <class RangeOf>
void append_filled(std::string& out, const std::vector<uint64_t>& counts, const RangeOf& range_of) {
    const auto filled = [](uint64_t count) { return count != 0; };
    const auto first = std::ranges::find_if(counts, filled) - counts.begin();
    const auto end = std::find_if(counts.rbegin(), counts.rend(), filled).base() - counts.begin();
    std::vector<Bucket> buckets;
    for (auto i = static_cast<size_t>(first); i < static_cast<size_t>(end); i++)
        buckets.push_back({range_of(i), counts[i]});
    append_list(out, buckets);
}

struct JsonFigure {
    std::string_view name;
    uint64_t share;  // as in PlannedPercentile
};
constexpr std::array json_figures{JsonFigure{"p50", 50'000'000}, JsonFigure{"p90", 90'000'000},
                                  JsonFigure{"p99", 99'000'000}, JsonFigure{"p99.9", 99'900'000}};

std::string number_or_null(std::optional<int64_t> number) { return number ? fmt::format("{}", *number) : "null"; }

// The counts of buckets number 0, 1, 2 ... of values above zero (`step` 1) or below it (-1), without empty ones at both
// ends. See stdlib/bpf/dist.h for the numbers.
void append_side(std::string& out, std::string_view name, const Distribution& d, int step) {
    const auto count = [&](int number) { return d.buckets[static_cast<size_t>(int{dist_zero} + step * (1 + number))]; };
    int first = 0, end = LT_DIST_LAST + 1;
    while (end > 0 && count(end - 1) == 0) end--;
    while (first < end && count(first) == 0) first++;
    add(out, ", \"{}\": {{\"offset\": {}, \"counts\": [", name, first < end ? first : 0);
    for (int i = first; i < end; i++) add(out, "{}{}", i == first ? "" : ",", count(i));
    out += "]}";
}

// Exact and compact, to be merged: what lt(1) calls an exponential histogram.
void append_exponential(std::string& out, const Distribution& d) {
    add(out, "{{\"version\": {}, \"schema\": {}, \"zero\": {}", exponential_version, dist_schema, d.buckets[dist_zero]);
    append_side(out, "positive", d, 1);
    append_side(out, "negative", d, -1);
    out += '}';
}

// All buckets that are not empty, at full resolution.
void append_distribution(std::string& out, const Distribution& d) {
    const bool any = d.count != 0 && d.least <= d.greatest;
    const auto known = [&](int64_t number) { return number_or_null(any ? std::optional(number) : std::nullopt); };
    add(out, "{{\"count\": {}, \"min\": {}, \"average\": {}, ", d.count, known(d.least), known(d.average()));
    for (const JsonFigure& f : json_figures) add(out, "\"{}\": {}, ", f.name, number_or_null(percentile(d, f.share)));
    add(out, "\"max\": {}, \"total\": {}, \"buckets\": ", known(d.greatest), d.sum);
    std::vector<Bucket> buckets;
    for (uint32_t i = 0; i < dist_buckets; i++) {
        if (d.buckets[i] == 0) continue;
        const DistBucket range = dist_bucket(i);
        buckets.push_back({{range.low, range.high}, d.buckets[i]});
    }
    append_list(out, buckets);
    out += ", \"exponential\": ";
    append_exponential(out, d);
    out += '}';
}

void append_samples(std::string& out, const Samples& s, const Type& type) {
    add(out, "{{\"count\": {}, \"average\": {}, \"total\": {}", s.count, s.average(), s.sum);
    if (s.has_extremes) add(out, ", \"min\": {}, \"max\": {}", s.least, s.greatest);
    const auto append = [&](std::string_view name, const std::vector<uint64_t>& counts, SampleHistogram which) {
        if (counts.empty()) return;
        add(out, ", \"{}\": ", name);
        append_filled(out, counts, [&](size_t i) { return bucket_range(type, which, i); });
    };
    append("log", s.log, SampleHistogram::log);
    append("linear", s.linear, SampleHistogram::linear);
    out += '}';
}

// A structure or a record.
bool is_named(const Type& type) {
    return type.kind == Kind::structure || (type.kind == Kind::tuple && !type.shape->names.empty());
}

std::vector<std::string_view> member_names(const Type& type) {
    std::vector<std::string_view> names;
    if (type.kind == Kind::tuple) names.assign(type.shape->names.begin(), type.shape->names.end());
    if (type.kind == Kind::structure)
        for (const Member& m : type.shape->members)
            if (!is_hidden(m.type)) names.push_back(m.name);
    return names;
}

// As bpftrace: a list of signed bytes.
void append_bytes(std::string& out, std::string_view bytes) {
    add(out, "[");
    for (const char c : bytes)
        add(out, "{}{}", out.ends_with('[') ? "" : ",", static_cast<int>(static_cast<int8_t>(c)));
    add(out, "]");
}

// Structures and records become objects, arrays and tuples become arrays.
void append_group(std::string& out, const Group& group, const Type& type, bool plain) {
    const bool named = is_named(type);
    const std::vector<std::string_view> names = member_names(type);
    out += named ? '{' : '[';
    for (size_t i = 0; i < group.parts.size(); i++) {
        if (i > 0) out += named ? ", " : ",";
        if (i < names.size()) append_json(out, names[i]), out += ": ";
        append_json(out, group.parts[i], plain);
    }
    out += named ? '}' : ']';
}

// A buffer as it is printed elsewhere: its bytes are not characters.
std::string shown_text(const std::string& text, const Type& type) {
    if (type.kind != Kind::buffer) return text;
    std::string out;
    append_bytes_shown(out, text);
    return out;
}

struct JsonAppender {
    std::string& out;
    const Type& type;
    bool plain;

    void operator()(const Group& group) const { append_group(out, group, type, plain); }
    void operator()(int64_t number) const { append_integer(out, number, type, plain); }
    void operator()(const std::string& text) const {
        if (plain && type.kind == Kind::buffer) return append_bytes(out, text);
        if (!is_real(type)) return append_json(out, std::string_view(shown_text(text, type)));
        out += text.ends_with("nan") || text.ends_with("inf") ? "null" : text;
    }
    void operator()(const Average& average) const {
        const auto text = [&](int64_t number) {
            return type.is_signed ? fmt::format("{}", number) : fmt::format("{}", static_cast<uint64_t>(number));
        };
        const std::string value = text(average.value(type.is_signed));
        if (type.aggregation != Aggregation::stats) return (void)(out += value);
        add(out, "{{\"count\": {}, \"average\": {}, \"total\": {}}}", average.count, value, text(average.sum));
    }
    void operator()(const Extreme& extreme) const {
        if (!extreme.seen && !plain) return (void)(out += "null");
        append_integer(out, extreme.value, type, plain);
    }
    void operator()(const Histogram& histogram) const {
        append_filled(out, histogram.buckets, [&](size_t i) { return bucket_range(type, i); });
    }
    void operator()(const Distribution& distribution) const { append_distribution(out, distribution); }
    void operator()(const Samples& samples) const { append_samples(out, samples, type); }
    void operator()(const Series& series) const {
        out += '[';
        for (const Series::Point& p : series.points) {
            if (plain && !p.value) continue;  // as bpftrace
            add(out, "{}{{\"interval_start\":\"{}\",\"value\":", out.ends_with('[') ? "" : ",", interval_time(p.begin));
            p.value ? append_integer(out, *p.value, type, plain) : add(out, "null");
            out += '}';
        }
        out += ']';
    }
    void operator()(const Causes& causes) const {
        add(out, "{{\"count\": {}, \"total\": {}", causes.count, causes.total());
        for (const CauseRow& row : cause_rows())
            add(out, ", \"{}\": {}", row.name, causes.times[static_cast<size_t>(row.id)]);
        out += '}';
    }
    void operator()(Missing) const { out += "null"; }
    void operator()(const Stack& stack) const {
        if (is_bpftraces(type)) return append_json(out, std::string_view(bpftrace_stack(stack, type.stack_form)));
        append_json(out, stack_rows(stack, type.stack_form));
    }
};

std::string group_text(const Group& group, const Type& type);

// bpftrace removes the blanks from keys.
std::string without_indent(std::string_view stack) {
    std::string out;
    for (const char c : stack)
        if (c != ' ' || (!out.empty() && out.back() != '\n')) out += c;
    return out;
}

// A part of a key as text.
std::string part_text(const Value& part, bool plain) {
    if (const auto* text = std::get_if<std::string>(&part.data)) return shown_text(*text, part.type);
    if (const auto* stack = std::get_if<Stack>(&part.data)) {
        if (is_bpftraces(part.type)) return without_indent(bpftrace_stack(*stack, part.type.stack_form));
        std::string out;
        for (const std::string& row : stack_rows(*stack, part.type.stack_form)) out += (out.empty() ? "" : "\n") + row;
        return out;
    }
    const bool is_shown = plain || part.type.view == View::enumeration;
    if (part.type.kind == Kind::integer && is_shown) return show(part, true);
    if (const auto* group = std::get_if<Group>(&part.data); group && plain) return group_text(*group, part.type);
    std::string out;
    append_json(out, part, plain);
    return out;
}

// As in text, without the blanks: (1,2), [1,2], {.a=1,.b=2}
std::string group_text(const Group& group, const Type& type) {
    const std::vector<std::string_view> names = member_names(type);
    std::string out;
    for (size_t i = 0; i < group.parts.size(); i++) {
        if (i > 0) out += ',';
        if (i < names.size()) add(out, ".{}=", names[i]);
        out += part_text(group.parts[i], true);
    }
    return is_named(type) ? "{" + out + "}" : type.kind == Kind::array ? "[" + out + "]" : "(" + out + ")";
}

}  // namespace

void append_json(std::string& out, const Value& value, bool plain) {
    std::visit(JsonAppender{out, value.type, plain}, value.data);
}

void append_buckets(std::string& out, const Value& samples, SampleHistogram which) {
    const auto* data = std::get_if<Samples>(&samples.data);
    const std::vector<uint64_t> none;
    const std::vector<uint64_t>& counts = !data ? none : which == SampleHistogram::log ? data->log : data->linear;
    append_filled(out, counts, [&](size_t i) { return bucket_range(samples.type, which, i); });
}

void append_json(std::string& out, std::string_view text) { out += quoted_json(text); }

void append_json(std::string& out, const std::vector<std::string>& texts) {
    out += '[';
    for (const std::string& text : texts) {
        if (&text != &texts.front()) out += ',';
        append_json(out, std::string_view(text));
    }
    out += ']';
}

std::string json_key(const std::vector<Value>& all, bool plain) {
    const std::vector<Value>& parts = key_parts(all);
    if (parts.size() == 1) return part_text(parts[0], plain);
    std::string out;
    for (const Value& part : parts) {
        if (&part != &parts.front()) out += ',';
        for (char c : part_text(part, plain)) {
            if (!plain && (c == ',' || c == '\\')) out += '\\';
            out += c;
        }
    }
    return out;
}

}  // namespace lt
