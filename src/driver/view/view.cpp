#include "driver/view/view.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ranges>

#include "base/text.h"
#include "driver/report/compare.h"
#include "runtime/print/entry_order.h"
#include "runtime/print/printer.h"
#include "runtime/print/show.h"
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

std::string printed(const MapContent& content, const PrintStyle& style) {
    TextSink sink;
    text_printer(sink, style)->map(content);
    return std::move(sink.text);
}

std::string with_one_newline(std::string text) {
    while (text.ends_with("\n\n")) text.pop_back();
    return text;
}

std::string map_text(const MapContent& content, const PrintStyle& style) {
    return with_one_newline(printed(content, style));
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

// The name and the end of an entry that has no room, and how much is missing. `others`: keys that are not shown.
std::string end_of_entry(const std::string& text, size_t lines, size_t others) {
    if (lines < 2) return fmt::format("({} more)\n", others + 1);
    const size_t heading = lines < 3 ? 0 : 1, end = lines - heading - 1;
    const std::string keys = others == 0 ? "" : fmt::format(", {} more key{}", others, others == 1 ? "" : "s");
    const size_t missing = lines_in(text) - std::min(lines_in(text), heading + end);
    return fmt::format("{}({} more line{}{})\n{}", first_lines(text, heading), missing, missing == 1 ? "" : "s", keys,
                       last_lines(text, end));
}

// The greatest entries that have room, below a line that says how many others there are.
std::string entries_within(const MapContent& content, size_t lines, const PrintStyle& style) {
    const size_t all = content.entries.size();
    std::vector<std::string> entries;  // the greatest first
    size_t used = 0;
    for (const size_t index : print_order({content.name, content.entries, lines}, style.plain) | std::views::reverse) {
        std::string entry = printed({content.name, {content.entries[index]}}, style);
        if (entries.empty()) entry = with_one_newline(std::move(entry));
        used += lines_in(entry);
        if (used + (entries.size() + 1 < all ? 1 : 0) > lines) {
            if (entries.empty()) return end_of_entry(entry, lines, all - 1);
            break;
        }
        entries.push_back(std::move(entry));
    }
    const size_t hidden = all - entries.size();
    std::ranges::reverse(entries);
    return (hidden > 0 ? fmt::format("({} more)\n", hidden) : "") + join(entries, "");
}

// How many lines a map takes at least, with its heading, if what has no room is to be counted below.
size_t least_lines(const MapContent& content, const PrintStyle& style) {
    const size_t all = content.entries.size();
    if (all == 0) return 1;
    if (!style.plain && is_table(content, style.view)) return all == 1 ? 3 : 4;
    if (is_rows(content.entries.plain(0).value)) return 4;
    return all == 1 ? 2 : 3;
}

std::string left_out_text(const Sampled& sampled) {
    if (sampled.left_out == 0) return " (its probe was detached)";
    return fmt::format(" (sampled, {} left out{})", sampled.left_out, sampled.detached ? ", then detached" : "");
}

}  // namespace

size_t maps_within(const std::vector<size_t>& least, size_t lines) {
    size_t used = 0, count = 0;
    for (; count < least.size(); count++) {
        used += least[count];
        if (used + (count + 1 < least.size() ? 1 : 0) > lines) break;
    }
    return std::min(std::max<size_t>(count, 1), least.size());
}

std::string text_within(MapContent content, Screen::Size room, const PrintStyle& style) {
    content.sampled.reset();  // the heading says it
    if (!style.plain && is_table(content, style.view)) return table_within(std::move(content), room.height, style);
    return entries_within(content, room.height, style);
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

std::vector<MapView::Shown> MapView::look(Traces& traces) {
    std::vector<Shown> maps;
    for (Trace* trace : traces.traces())
        for (size_t i = 0; i < trace->plan().maps.size(); i++) {
            if (!wants(*trace, trace->plan().maps[i].name)) continue;
            Result<MapContent> content = trace->session().map(i);
            if (!content) continue;
            if (heat_) heat_maps_[{trace->number(), content->name}].add(*content);
            const size_t least = least_lines(*content, trace->style());
            maps.push_back({trace, *std::move(content), least});
        }
    return maps;
}

std::string MapView::map_within(const Shown& map, Screen::Size room) {
    const std::string first = heading(map.trace->number(), map.content);
    const size_t lines = room.height - 1;
    std::string over_time;
    if (heat_) over_time = heat_maps_[{map.trace->number(), map.content.name}].draw(room.width, lines / 2);
    return first + text_within(map.content, {room.width, lines - lines_in(over_time)}, map.trace->style()) + over_time;
}

// A map that needs less than its share leaves the rest to those after it.
std::string MapView::draw(Traces& traces, Screen::Size room) {
    const std::vector<Shown> maps = look(traces);
    std::vector<size_t> least;
    for (const Shown& map : maps) least.push_back(map.least);
    const size_t shown = maps_within(least, room.height);
    size_t spare = room.height - (shown < maps.size() ? 1 : 0);
    for (size_t i = 0; i < shown; i++) spare -= std::min(spare, maps[i].least);
    std::string out;
    for (size_t i = 0; i < shown; i++) {
        const size_t most = maps[i].least + spare / (shown - i);
        const std::string text = map_within(maps[i], {room.width, most});
        spare += maps[i].least;
        spare -= std::min(spare, lines_in(text));
        out += text;
    }
    if (shown == maps.size()) return out;
    std::vector<std::string> names;
    for (size_t i = shown; i < maps.size(); i++) names.push_back(maps[i].content.name);
    return out + fmt::format("({} more map{}: {})\n", names.size(), names.size() == 1 ? "" : "s", join(names, ", "));
}

}  // namespace lt
