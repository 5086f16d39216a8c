#include "driver/merge/host_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>

#include "base/text.h"
#include "runtime/border/duration.h"
#include "runtime/print/show.h"
#include "runtime/print/table_text.h"
#include "stdlib/causes.h"

namespace lt {
namespace {

constexpr std::string_view dist_figures = "count p50 p99", stats_figures = "count avg total";
constexpr size_t most_causes = 5;

int64_t each_of(int64_t total, uint64_t count) { return count == 0 ? 0 : total / static_cast<int64_t>(count); }

const CauseRow* cause_titled(std::string_view title) {
    const auto row = std::ranges::find(cause_rows(), title, &CauseRow::title);
    return row == cause_rows().end() ? nullptr : &*row;
}

// The causes with the most time.
std::vector<std::string_view> great_causes(std::span<const MapEntry> all) {
    std::array<int64_t, cause_count + 1> times{};
    for (const MapEntry& entry : all)
        if (const auto* causes = std::get_if<Causes>(&entry.value.data))
            for (size_t i = 0; i < times.size(); i++) times[i] += causes->times[i];
    std::vector<const CauseRow*> rows;
    for (const CauseRow& row : cause_rows())
        if (times[static_cast<size_t>(row.id)] > 0) rows.push_back(&row);
    const auto time = [&](const CauseRow* row) { return times[static_cast<size_t>(row->id)]; };
    std::ranges::stable_sort(rows, std::ranges::greater{}, time);
    if (rows.size() > most_causes) rows.resize(most_causes);
    std::vector<std::string_view> titles;
    for (const CauseRow* row : rows) titles.push_back(row->title);
    return titles;
}

struct FigureOf {
    std::string_view figure;
    using Number = std::optional<int64_t>;
    Number operator()(int64_t number) const { return number; }
    Number operator()(const Extreme& extreme) const { return extreme.seen ? Number(extreme.value) : Number(); }
    Number operator()(const Histogram& histogram) const {
        const uint64_t none = 0;
        return static_cast<int64_t>(std::accumulate(histogram.buckets.begin(), histogram.buckets.end(), none));
    }
    Number operator()(const Causes& causes) const {
        if (figure == "count") return static_cast<int64_t>(causes.count);
        if (causes.count == 0) return {};
        if (figure == "avg") return each_of(causes.total(), causes.count);
        const CauseRow* row = cause_titled(figure);
        return row ? Number(each_of(causes.times[static_cast<size_t>(row->id)], causes.count)) : Number();
    }
    Number operator()(const auto&) const { return {}; }
};

}  // namespace

std::vector<std::string_view> host_figures(const HostMap& map, const TableView& view) {
    const Aggregation a = map.type.aggregation;
    if (a == Aggregation::hist || a == Aggregation::lhist) return {"count"};
    if (a == Aggregation::why) {
        std::vector<std::string_view> figures{"count", "avg"};
        const std::vector<std::string_view> causes = great_causes(map.all);
        figures.insert(figures.end(), causes.begin(), causes.end());
        return figures;
    }
    const bool is_dist = a == Aggregation::dist;
    if (!is_dist && a != Aggregation::stats) return {""};
    std::vector<std::string_view> figures;
    const std::string_view usual = is_dist ? dist_figures : stats_figures;
    for (const std::string_view name : split(view.columns.empty() ? usual : std::string_view(view.columns), ' '))
        if (std::ranges::any_of(map.all, [&](const MapEntry& e) { return table_figure(name, e.value).has_value(); }))
            figures.push_back(name);
    if (figures.empty()) figures.emplace_back("count");
    return figures;
}

std::optional<int64_t> host_figure(std::string_view figure, const Value& value) {
    const Aggregation a = value.type.aggregation;
    if (a == Aggregation::dist || a == Aggregation::stats) return table_figure(figure, value);
    return std::visit(FigureOf{figure}, value.data);
}

std::string host_figure_text(std::string_view figure, std::optional<int64_t> number, const Type& type) {
    if (!number) return std::string(nothing_text);
    const Aggregation a = type.aggregation;
    if (a == Aggregation::dist || a == Aggregation::stats) return table_figure_text(figure, number, type);
    if (figure == "count") return grouped(*number);
    if (a == Aggregation::why) return show_duration(*number);
    if (type.view != View::plain) return show({integer_type(8, type.is_signed, type.view), *number}, false);
    return *number < 0 && !type.is_signed ? fmt::format("{}", static_cast<uint64_t>(*number)) : grouped(*number);
}

std::optional<uint64_t> collected_count(const Value& value) {
    if (const auto* d = std::get_if<Distribution>(&value.data)) return d->count;
    if (const auto* average = std::get_if<Average>(&value.data)) return average->count;
    if (const auto* causes = std::get_if<Causes>(&value.data)) return causes->count;
    return {};
}

int64_t median_of(std::vector<int64_t> numbers) {
    const auto middle = numbers.begin() + static_cast<ptrdiff_t>((numbers.size() - 1) / 2);
    std::ranges::nth_element(numbers, middle);
    return *middle;
}

bool host_before(std::string_view a, std::string_view b) {
    const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
    // Moves past the number, which has no leading zeros then.
    const auto take = [&](std::string_view& text) {
        while (text.size() > 1 && text[0] == '0' && digit(text[1])) text.remove_prefix(1);
        const std::string_view number =
            text.substr(0, static_cast<size_t>(std::ranges::find_if_not(text, digit) - text.begin()));
        text.remove_prefix(number.size());
        return number;
    };
    for (std::string_view x = a, y = b; !x.empty() && !y.empty();) {
        if (digit(x[0]) && digit(y[0])) {
            const std::string_view m = take(x), n = take(y);
            if (m.size() != n.size()) return m.size() < n.size();
            if (m != n) return m < n;
        } else if (x[0] != y[0]) {
            return x[0] < y[0];
        } else {
            x.remove_prefix(1), y.remove_prefix(1);
        }
        if (x.empty() != y.empty()) return x.empty();
    }
    return a < b;
}

std::string entry_text(std::string_view map, const std::vector<Value>& key) {
    std::vector<std::string> parts;
    for (const Value& part : key) {
        const auto* stack = std::get_if<Stack>(&part.data);
        parts.push_back(stack ? stack_rows(*stack, part.type.stack_form).front() : key_cell(part, false));
    }
    return parts.empty() ? std::string(map) : fmt::format("{}[{}]", map, join(parts, ", "));
}

}  // namespace lt
