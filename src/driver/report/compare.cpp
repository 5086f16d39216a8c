#include "driver/report/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "base/text.h"
#include "base/visible.h"
#include "driver/report/exact_key.h"
#include "runtime/border/duration.h"
#include "runtime/print/entry_order.h"
#include "runtime/values/buckets.h"
#include "runtime/values/distribution.h"
#include "runtime/values/period.h"

namespace lt {
namespace {

using Seconds = std::chrono::duration<double>;

// A value that is only known by its bucket.
struct Known {
    size_t bucket;
    BucketRange range;
};

struct Figure {
    double value;
    std::optional<int64_t> whole = {};  // exactly, if it is an integer
    bool is_large = false;              // then `whole` is an unsigned one, of 2^63 or more
};

// One measure of one key: a number before the mark and one after it; none if nothing was collected.
struct Measure {
    std::string name;
    std::optional<Figure> before, after;
    View view = View::plain;
    bool rate = false;      // per second
    bool bucketed = false;  // then before and after are these:
    std::optional<Known> before_in = {}, after_in = {};
};

// The data of a period.
struct Part {
    const Value* value = nullptr;       // null: nothing
    std::optional<double> seconds = 0;  // none: not known
};

uint64_t count_of(const Histogram& h) {
    uint64_t count = 0;
    for (const uint64_t bucket : h.buckets) count += bucket;
    return count;
}

struct Share {
    std::string_view name;
    uint64_t share;
};
constexpr std::array shares{Share{"p50", 50'000'000}, Share{"p90", 90'000'000}, Share{"p99", 99'000'000},
                            Share{"p99.9", 99'900'000}};

using Measures = std::vector<Measure>;

// The measures of one side. Both sides of a value have the same measures in the same order.
struct OneSide {
    const Type& type;
    std::optional<double> seconds;
    Measures& out;

    Figure figure(int64_t n) const {
        const bool is_large = n < 0 && !type.is_signed && type.view == View::plain;
        return {is_large ? static_cast<double>(static_cast<uint64_t>(n)) : static_cast<double>(n), n, is_large};
    }
    void add(std::string name, std::optional<int64_t> number, View view) const {
        Measure m{std::move(name), {}, {}, view};
        if (number) m.before = figure(*number);
        out.push_back(std::move(m));
    }
    void add(std::string name, std::optional<int64_t> number) const { add(std::move(name), number, type.view); }
    void rate(const std::string& name, int64_t count, View of_total = View::plain) const {
        if (!seconds) return add(name, count, of_total);
        Measure m{name + "/s", {}, {}, of_total, true};
        if (*seconds > 0) m.before = Figure{figure(count).value / *seconds};
        out.push_back(std::move(m));
    }
    void operator()(const Distribution& d) const {
        rate("count", static_cast<int64_t>(d.count));
        add("avg", d.count ? std::optional(d.average()) : std::nullopt);
        for (const Share& each : shares)
            add(std::string(each.name), d.count ? percentile(d, each.share) : std::nullopt);
    }
    template <class RangeOf>
    void percentiles(const std::vector<uint64_t>& buckets, const RangeOf& range_of) const {
        for (const Share& each : shares) {
            Measure m{std::string(each.name), {}, {}, type.view};
            m.bucketed = true;
            if (const auto found = percentile_bucket(buckets, each.share))
                m.before_in = Known{*found, range_of(*found)};
            out.push_back(std::move(m));
        }
    }
    void operator()(const Histogram& h) const {
        rate("count", static_cast<int64_t>(count_of(h)));
        percentiles(h.buckets, [&](size_t i) { return bucket_range(type, i); });
    }
    void operator()(const Samples& s) const {
        rate("count", static_cast<int64_t>(s.count));
        add("avg", s.count ? std::optional(s.average()) : std::nullopt);
        const auto which = s.linear.empty() ? SampleHistogram::log : SampleHistogram::linear;
        const std::vector<uint64_t>& buckets = s.linear.empty() ? s.log : s.linear;
        if (!buckets.empty()) percentiles(buckets, [&](size_t i) { return bucket_range(type, which, i); });
    }
    void operator()(const Average& a) const {
        rate("count", static_cast<int64_t>(a.count));
        add("avg", a.count ? std::optional(a.value(type.is_signed)) : std::nullopt);
    }
    void operator()(const Extreme& e) const { add("value", e.seen ? std::optional(e.value) : std::nullopt); }
    void operator()(int64_t n) const {
        if (adds_up(type)) return rate_of(n);
        add(type.aggregation == Aggregation::avg ? "avg" : "value", n);
    }
    void rate_of(int64_t n) const {
        const bool counts = type.aggregation == Aggregation::count;
        rate(counts ? "count" : "sum", n, counts ? View::plain : type.view);
    }
    void operator()(const auto&) const {}  // texts and stacks are not measures
};

Measures measures(const Part& before, const Part& after) {
    Measures one, other;
    if (before.value) std::visit(OneSide{before.value->type, before.seconds, one}, before.value->data);
    if (after.value) std::visit(OneSide{after.value->type, after.seconds, other}, after.value->data);
    Measures out = before.value ? one : other;
    for (size_t i = 0; i < out.size(); i++) {
        if (!before.value) out[i].before = {}, out[i].before_in = {};
        out[i].after = i < other.size() ? other[i].before : std::nullopt;
        out[i].after_in = i < other.size() ? other[i].before_in : std::nullopt;
    }
    return out;
}

int64_t nearest(double value) {
    constexpr double most = 9.2e18;
    return std::llround(std::clamp(value, -most, most));
}

std::string number_text(const std::optional<Figure>& figure, const Measure& m) {
    if (!figure) return "-";
    if (m.view == View::duration) return show_duration(figure->whole ? *figure->whole : nearest(figure->value));
    if (figure->is_large) return fmt::format("{}", static_cast<uint64_t>(*figure->whole));
    if (figure->whole) return fmt::format("{}", *figure->whole);
    return m.rate ? fmt::format("{:.1f}", figure->value) : fmt::format("{:.0f}", figure->value);
}

std::string bucket_text(const std::optional<Known>& known, View view) {
    return known ? range_text(known->range, view) : "-";
}

std::string change_text(const Measure& m) {
    if (m.bucketed) {
        if (!m.before_in || !m.after_in) return "";
        const auto moved = static_cast<int64_t>(m.after_in->bucket) - static_cast<int64_t>(m.before_in->bucket);
        return moved == 0 ? "same" : fmt::format("{:+} bucket{}", moved, moved == 1 || moved == -1 ? "" : "s");
    }
    if (!m.before || !m.after || m.before->value == 0) return "";
    return change_in_percent(m.before->value, m.after->value);
}

std::string side_text(const std::optional<Figure>& figure, const std::optional<Known>& known, const Measure& m) {
    return m.bucketed ? bucket_text(known, m.view) : number_text(figure, m);
}

// The columns of one entry, which are as wide as what is in them.
struct Widths {
    size_t first = 12;  // of the names, or of the map and its key, which stand above them
    size_t before = 16, after = 16, change = 10;
};

std::string line_of(std::string_view first, const std::array<std::string, 3>& cells, const Widths& widths) {
    return fmt::format("{} {} {} {}\n", at_left(first, widths.first), at_right(cells[0], widths.before),
                       at_right(cells[1], widths.after), at_right(cells[2], widths.change));
}

std::array<std::string, 3> cells_of(const Measure& m) {
    return {side_text(m.before, m.before_in, m), side_text(m.after, m.after_in, m), change_text(m)};
}

Fact::Member least_member(const BucketRange& range) {
    return begins_beyond_signed(range) ? Fact::Member(uint64_t{1} << 63) : Fact::Member(*range.least);
}

void print_measure(const std::string& map, const std::string& key, const Measure& m, const Widths& widths,
                   Printer& printer) {
    Fact fact{"diff", {{"map", map}, {"key", key}, {"measure", m.name}}, ""};
    const auto side = [&](std::string_view name, const std::optional<Figure>& figure) {
        if (!figure) return;
        if (figure->is_large)
            fact.members.emplace_back(name, static_cast<uint64_t>(*figure->whole));
        else if (figure->whole)
            fact.members.emplace_back(name, *figure->whole);
        else
            fact.members.emplace_back(name, figure->value);
    };
    side("before", m.before);
    side("after", m.after);
    const auto ends = [&](std::string_view least, std::string_view greatest, const std::optional<Known>& known) {
        if (known && known->range.least) fact.members.emplace_back(least, least_member(known->range));
        if (known && known->range.greatest) fact.members.emplace_back(greatest, *known->range.greatest);
    };
    ends("before_min", "before_max", m.before_in);
    ends("after_min", "after_max", m.after_in);
    fact.text = line_of("  " + m.name, cells_of(m), widths);
    printer.fact(fact);
}

std::string key_text(const MapEntry& entry) {
    std::vector<std::string> parts;
    for (const Value& part : entry.key) parts.push_back(show(part, false));
    return join(parts, ", ");
}

struct Columns {
    std::string before = "before", after = "after";
};

Widths widths_of(const Measures& all, const std::array<std::string, 3>& titles, std::string_view name) {
    Widths widths;
    const auto hold = [&](std::string_view first, const std::array<std::string, 3>& cells) {
        widths.first = std::max(widths.first, columns_in(first));
        widths.before = std::max(widths.before, columns_in(cells[0]));
        widths.after = std::max(widths.after, columns_in(cells[1]));
        widths.change = std::max(widths.change, columns_in(cells[2]));
    };
    hold(name, titles);
    for (const Measure& m : all) hold("  " + m.name, cells_of(m));
    return widths;
}

// A longer one has a line of its own, so that the numbers stay on the screen.
constexpr size_t longest_title = 34;

void compare_entry(const std::string& map, const MapEntry& entry, const Part& before, const Part& after,
                   Printer& printer, const Columns& columns = {}) {
    const std::string key = key_text(entry);
    const Measures all = measures(before, after);
    if (all.empty()) return;
    const std::string name = key.empty() ? map : fmt::format("{}[{}]", map, key);
    const bool fits = columns_in(name) <= longest_title;
    const std::array<std::string, 3> titles{columns.before, columns.after, "change"};
    const Widths widths = widths_of(all, titles, fits ? name : "");
    printer.fact({"text", {}, (fits ? "" : name + "\n") + line_of(fits ? name : "", titles, widths)});
    for (const Measure& m : all) print_measure(map, key, m, widths, printer);
}

// How long a map had been collecting at the mark, and since then; was it cleared after the mark?
struct Times {
    double before, after;
    bool cleared;
};

std::string exact_key_of(const MapContent& content, size_t entry) {
    return exact_key(content.entries.collected(entry).key);
}

std::map<std::string, MapEntry> by_key(const MapContent& content) {
    std::map<std::string, MapEntry> out;
    for (size_t i = 0; i < content.entries.size(); i++) out.emplace(exact_key_of(content, i), content.entries[i]);
    return out;
}

void compare_map(const MapContent& then, const MapContent& now, const Times& times, Printer& printer) {
    std::map<std::string, MapEntry> marked = by_key(then);
    for (const size_t i : print_order(now)) {
        const MapEntry entry = now.entries[i];
        const auto same = marked.find(exact_key_of(now, i));
        if (same == marked.end()) {
            compare_entry(now.name, entry, {}, {&entry.value, times.after}, printer);
            continue;
        }
        const Value& before = same->second.value;
        const auto difference = times.cleared ? std::nullopt : collected_since(entry.value, before);
        const Value after{entry.value.type, difference ? *difference : entry.value.data};
        compare_entry(now.name, entry, {&before, times.before}, {&after, times.after}, printer);
        marked.erase(same);
    }
    for (const auto& [key, entry] : marked) compare_entry(then.name, entry, {&entry.value, times.before}, {}, printer);
}

// Without what was left out before the mark.
std::optional<Sampled> sampled_since(const std::optional<Sampled>& mark, std::optional<Sampled> now) {
    if (mark && now) now->left_out -= std::min(now->left_out, mark->left_out);
    return now;
}

}  // namespace

std::string change_in_percent(double before, double after) {
    const double percent = std::round((after - before) / std::abs(before) * 100);
    return fmt::format("{:+.0f}%", percent == 0 ? 0 : percent);  // not "-0%"
}

void tell_sampled(const std::string& map, const std::optional<Sampled>& before, const std::optional<Sampled>& after,
                  Printer& printer) {
    const uint64_t first = before ? before->left_out : 0, second = after ? after->left_out : 0;
    const bool detached = after && after->detached;
    if (first == 0 && second == 0 && !detached) return;
    printer.fact({"sampled",
                  {{"map", map},
                   {"before", static_cast<int64_t>(first)},
                   {"after", static_cast<int64_t>(second)},
                   {"detached", detached}},
                  fmt::format("{}: sampled, {} left out before, {} after{}\n", map, plural(first, "event"), second,
                              detached ? ", and all since its probe was detached" : "")});
}

void compare(const Trace::Mark& mark, const Trace::Mark& now, Printer& printer) {
    for (size_t i = 0; i < now.maps.size(); i++) {
        const bool cleared = now.clears[i] != mark.clears[i];
        const double before = Seconds(mark.at - mark.since[i]).count();
        const double after = Seconds(now.at - (cleared ? now.since[i] : mark.at)).count();
        const MapContent &then = mark.maps[i], &content = now.maps[i];
        tell_sampled(content.name, then.sampled,
                     cleared ? content.sampled : sampled_since(then.sampled, content.sampled), printer);
        compare_map(then, content, {before, after, cleared}, printer);
    }
}

void compare(const Compared& before, const Compared& after, Printer& printer) {
    const Columns columns{before.title, after.title};
    std::map<std::string, MapEntry> later = by_key(after.content);
    for (const size_t i : print_order(before.content)) {
        const MapEntry entry = before.content.entries[i];
        const auto same = later.find(exact_key_of(before.content, i));
        const Part now{same == later.end() ? nullptr : &same->second.value, after.seconds};
        compare_entry(before.content.name, entry, {&entry.value, before.seconds}, now, printer, columns);
        if (same != later.end()) later.erase(same);
    }
    for (const auto& [key, entry] : later)
        compare_entry(after.content.name, entry, {}, {&entry.value, after.seconds}, printer, columns);
}

}  // namespace lt
