#include "driver/view/heat_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "driver/report/exact_key.h"
#include "runtime/border/duration.h"
#include "runtime/print/printer.h"

namespace lt {
namespace {

constexpr size_t most_columns = 200;
constexpr size_t label_width = 8;
constexpr std::string_view shades = " .:-=+*#%@";
constexpr uint32_t first_bound = 2;  // negative values and zero are below

// The bucket of hist() that a value falls into.
uint32_t row_of(int64_t value, View view) {
    if (value <= 0) return value < 0 ? 0 : 1;
    uint32_t row = first_bound;
    while (row + 1 < hist_buckets && hist_bound(row + 1, view) <= static_cast<uint64_t>(value)) row++;
    return row;
}

// A distribution has finer buckets than a histogram. lhist() and hist() with bits have other buckets.
void count(const Value& value, std::map<uint32_t, uint64_t>& rows) {
    if (const auto* d = std::get_if<Distribution>(&value.data)) {
        for (uint32_t i = 0; i < d->buckets.size(); i++)
            if (d->buckets[i] != 0) rows[row_of(dist_bucket(i).middle, value.type.view)] += d->buckets[i];
    }
    const auto* h = std::get_if<Histogram>(&value.data);
    if (!h || h->buckets.size() != hist_buckets || (value.type.shape && !value.type.shape->buckets.empty())) return;
    for (uint32_t i = 0; i < hist_buckets; i++)
        if (h->buckets[i] != 0) rows[i] += h->buckets[i];
}

// Adds what came to one key. If it has lost values, it was deleted meanwhile, or the map was cleared: then all are new.
void add_new(const std::map<uint32_t, uint64_t>& now, const std::map<uint32_t, uint64_t>& before,
             std::map<uint32_t, uint64_t>& column) {
    const bool is_new = std::ranges::any_of(before, [&](const auto& old) {
        const auto same = now.find(old.first);
        return same == now.end() || same->second < old.second;
    });
    for (const auto& [row, number] : now) {
        const auto old = is_new ? before.end() : before.find(row);
        const uint64_t seen = old == before.end() ? 0 : old->second;
        if (number != seen) column[row] += number - seen;
    }
}

std::string label(uint32_t row, View view) {
    if (row == 0) return "< 0";
    if (row == 1) return "0";
    uint64_t bound = hist_bound(row, view);
    if (view == View::duration) return show_duration(static_cast<int64_t>(bound));
    constexpr std::string_view suffixes = "KMGTPE";  // as in the rows of a histogram: 128M
    size_t steps = 0;
    for (; bound >= 1024; bound /= 1024) steps++;
    return steps == 0 ? fmt::format("{}", bound) : fmt::format("{}{}", bound, suffixes[steps - 1]);
}

char shade(uint64_t count, uint64_t most) {
    if (count == 0) return shades.front();
    const double share = std::log1p(static_cast<double>(count)) / std::log1p(static_cast<double>(most));
    const auto step = static_cast<size_t>(std::lround(share * static_cast<double>(shades.size() - 1)));
    return shades[std::clamp<size_t>(step, 1, shades.size() - 1)];
}

}  // namespace

void HeatMap::add(const MapContent& content) {
    std::map<std::string, Counts> now;
    Counts column;
    for (size_t i = 0; i < content.entries.size(); i++) {
        const MapEntry entry = content.entries.collected(i);
        view_ = entry.value.type.view;
        Counts counts;
        count(entry.value, counts);
        if (counts.empty()) continue;
        std::string key = exact_key(entry.key);
        const auto before = last_.find(key);
        add_new(counts, before == last_.end() ? Counts() : before->second, column);
        now.emplace(std::move(key), std::move(counts));
    }
    if (!begun_ && now.empty()) return;
    last_ = std::move(now);
    begun_ = true;
    columns_.push_back(std::move(column));
    if (columns_.size() > most_columns) columns_.pop_front();
}

std::string HeatMap::draw(size_t width, size_t height) const {
    if (columns_.size() < 2 || width < label_width + 12 || height < 3) return "";
    const size_t shown = std::min(columns_.size(), width - label_width - 3);
    const auto first = columns_.end() - static_cast<ptrdiff_t>(shown);
    uint32_t lowest = hist_buckets, highest = 0;
    uint64_t most = 0;
    for (auto column = first; column != columns_.end(); ++column)
        for (const auto& [row, number] : *column) {
            lowest = std::min(lowest, row);
            highest = std::max(highest, row);
            most = std::max(most, number);
        }
    if (most == 0) return "";
    // Slow values matter most: if there is no room for all rows, the lowest ones are dropped.
    const uint32_t with_all = lowest;
    if (highest - lowest + 1 > height - 1) lowest = highest + 2 - static_cast<uint32_t>(height);
    const std::string dropped = lowest == with_all ? "" : fmt::format("({} more)", lowest - with_all);
    std::string out;
    for (uint32_t row = highest + 1; row-- > lowest;) {
        std::string cells;
        for (auto column = first; column != columns_.end(); ++column) {
            const auto cell = column->find(row);
            cells += shade(cell == column->end() ? 0 : cell->second, most);
        }
        cells.erase(cells.find_last_not_of(' ') + 1);
        out += fmt::format("{:>{}} |{}\n", label(row, view_), label_width, cells);
    }
    return out + fmt::format("{:>{}}  {} samples, the latest at the right; {} is {}\n", dropped, label_width, shown,
                             shades.back(), most);
}

}  // namespace lt
