#include "driver/view/view.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "driver/report/compare.h"
#include "runtime/print/printer.h"
#include "runtime/print/table_text.h"

namespace lt {
namespace {

// How many values were collected; none if the map does not count them.
std::optional<double> count_of(const Value& value) {
    const auto of = [&]<class T>(const T& data) -> std::optional<double> {
        if constexpr (std::is_same_v<T, Distribution> || std::is_same_v<T, Average>) {
            return static_cast<double>(data.count);
        } else if constexpr (std::is_same_v<T, Histogram>) {
            double count = 0;
            for (const uint64_t bucket : data.buckets) count += static_cast<double>(bucket);
            return count;
        } else if constexpr (std::is_same_v<T, int64_t>) {
            const bool counts = value.type.aggregation == Aggregation::count;
            return counts ? std::optional(static_cast<double>(data)) : std::nullopt;
        } else {
            return {};
        }
    };
    return std::visit(of, value.data);
}

std::optional<double> total_of(const MapContent& content) {
    std::optional<double> total;
    for (size_t i = 0; i < content.entries.size(); i++)
        if (const auto count = count_of(content.entries.plain(i).value)) total = total.value_or(0) + *count;
    return total;
}

// Ends with one newline.
std::string map_text(const MapContent& content, const PrintStyle& style) {
    TextSink sink;
    text_printer(sink, style)->map(content);
    while (sink.text.ends_with("\n\n")) sink.text.pop_back();
    return std::move(sink.text);
}

size_t lines_in(std::string_view text) { return static_cast<size_t>(std::ranges::count(text, '\n')); }

std::string last_lines(const std::string& text, size_t count) {
    size_t skip = lines_in(text) > count ? lines_in(text) - count : 0;
    size_t begin = 0;
    while (skip-- > 0) begin = text.find('\n', begin) + 1;
    return text.substr(begin);
}

std::string first_lines(const std::string& text, size_t count) {
    size_t end = 0;
    for (size_t line = 0; line < count && end < text.size(); line++) end = text.find('\n', end) + 1;
    return text.substr(0, end);
}

// How many rows have room below the titles and above "(n more)".
size_t rows_within(const MapContent& content, size_t lines, const PrintStyle& style) {
    const Table table = table_of(content, style.view, style.plain);
    size_t rows = 0, used = 2;
    while (rows < table.rows.size() && used + 1 + table.rows[rows].stacks.size() <= lines)
        used += 1 + table.rows[rows++].stacks.size();
    return std::max<size_t>(rows, 1);
}

// The titles and the greatest rows are at the top, and the last line says how many others there are.
std::string table_within(MapContent content, size_t lines, const PrintStyle& style) {
    const size_t all = content.entries.size(), wanted = style.view.most == 0 ? all : std::min(style.view.most, all);
    const bool fits = wanted + (wanted < all ? 2 : 1) <= lines;
    content.most = fits ? wanted : std::max<size_t>(lines, 3) - 2;
    std::string text = map_text(content, style);
    if (lines_in(text) > lines && content.most != 1) {  // stacks below the rows
        content.most = rows_within(content, lines, style);
        text = map_text(content, style);
    }
    return first_lines(text, lines);
}

std::string left_out_text(const Sampled& sampled) {
    if (sampled.left_out == 0) return " (its probe was detached)";
    return fmt::format(" (sampled, {} left out{})", sampled.left_out, sampled.detached ? ", then detached" : "");
}

}  // namespace

std::string text_within(MapContent content, Screen::Size room, const PrintStyle& style) {
    content.sampled.reset();  // the heading says it
    if (!style.plain && is_table(content, style.view)) return table_within(std::move(content), room.height, style);
    content.most = room.height;
    return last_lines(map_text(content, style), room.height);
}

bool MapView::wants(const Trace& trace, const std::string& map) const {
    return std::ranges::any_of(wanted_, [&](const auto& each) {
        return each.first == trace.number() && (each.second.empty() || each.second == map);
    });
}

// "-- 2 @ns (sampled, 480 left out): 1200 values, 56.0/s (+12%)"
std::string MapView::heading(int trace, const MapContent& content) {
    const auto total = total_of(content);
    std::string out = fmt::format("-- {} {}", trace, content.name);
    if (content.sampled) out += left_out_text(*content.sampled);
    if (content.entries.empty()) out += " is empty";
    if (!total) return out + "\n";
    Last& last = last_[{trace, content.name}];
    const Clock::time_point now = Clock::now();
    const double seconds = std::chrono::duration<double>(now - last.at).count();
    out += fmt::format(": {:.0f} value{}", *total, *total == 1 ? "" : "s");
    double rate = -1;
    if (last.at != Clock::time_point{} && seconds > 0 && *total >= last.total) {
        rate = (*total - last.total) / seconds;
        out += fmt::format(", {:.1f}/s", rate);
        if (last.rate > 0) out += fmt::format(" ({})", change_in_percent(last.rate, rate));
    }
    last = {*total, rate, now};
    return out + "\n";
}

std::string MapView::draw(Traces& traces, Screen::Size room) {
    std::vector<std::pair<Trace*, MapContent>> maps;
    for (Trace* trace : traces.traces())
        for (size_t i = 0; i < trace->plan().maps.size(); i++) {
            if (!wants(*trace, trace->plan().maps[i].name)) continue;
            Result<MapContent> content = trace->session().map(i);
            if (content) maps.emplace_back(trace, *std::move(content));
        }
    std::string out;
    for (auto& [trace, content] : maps) {
        const size_t lines = std::max<size_t>(room.height / maps.size(), 3) - 1;
        out += heading(trace->number(), content);
        std::string over_time;
        if (heat_) {
            HeatMap& heat = heat_maps_[{trace->number(), content.name}];
            heat.add(content);
            over_time = heat.draw(room.width, lines / 2);
        }
        out += text_within(content, {room.width, lines - lines_in(over_time)}, trace->style()) + over_time;
    }
    return out;
}

}  // namespace lt
