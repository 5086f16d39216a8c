#include "runtime/page/heat.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "base/markup.h"
#include "base/text.h"
#include "runtime/border/duration.h"
#include "runtime/print/table_text.h"
#include "runtime/values/buckets.h"

namespace lt {
namespace {

constexpr double room = 70, width = 1000, top = 6, bottom = 22;  // pixels; `room` is that of the marks beside it
constexpr uint32_t shades = 5;
constexpr uint32_t joined = 4;  // buckets of a distribution in a row, so that there are four rows for a doubling

// Value 1, the first positive bucket, is a row of its own, and so is zero; negative values are one row.
uint32_t row_begin(uint32_t bucket) {
    if (bucket < dist_zero) return 0;
    if (bucket <= dist_zero + 1) return bucket;
    const uint32_t first = dist_zero + 2;
    return first + (bucket - first) / joined * joined;
}

std::pair<int64_t, int64_t> row_range(uint32_t bucket) {
    if (bucket < dist_zero) return {std::numeric_limits<int64_t>::min(), -1};
    const uint32_t begin = row_begin(bucket);
    const uint32_t end = begin <= dist_zero + 1 ? begin + 1 : std::min(begin + joined, dist_buckets);
    int64_t low = 0, high = -1;
    for (uint32_t i = begin; i < end; i++) {
        const DistBucket each = dist_bucket(i);
        if (each.empty()) continue;
        if (low > high) low = each.low;
        high = each.high;
    }
    return {low, high};
}

double position(int64_t value) { return std::log2(static_cast<double>(value)); }

std::string value_text(int64_t value, View view) {
    return view == View::duration ? show_duration(value) : grouped(value);
}

uint32_t shade(uint64_t count, uint64_t most) {
    const double share = std::log1p(static_cast<double>(count)) / std::log1p(static_cast<double>(most));
    return std::clamp<uint32_t>(static_cast<uint32_t>(std::ceil(share * shades)), 1, shades);
}

}  // namespace

bool Heat::draws(const Type& value) {
    return value.aggregation == Aggregation::dist || (value.aggregation == Aggregation::hist && !value.shape);
}

void Heat::look(const MapContent& content, Clock::time_point now) {
    view_ = content.value.view;
    Counts held;
    for (size_t i = 0; i < content.entries.size(); i++) {
        const Value value = content.entries.plain(i).value;
        if (const auto* d = std::get_if<Distribution>(&value.data)) {
            for (uint32_t b = 0; b < d->buckets.size(); b++)
                if (d->buckets[b] != 0) held[row_range(b)] += d->buckets[b];
        } else if (const auto* h = std::get_if<Histogram>(&value.data)) {
            for (size_t b = 0; b < h->buckets.size(); b++) {
                const BucketRange range = bucket_range(value.type, b);
                constexpr int64_t least = std::numeric_limits<int64_t>::min(),
                                  most = std::numeric_limits<int64_t>::max();
                if (h->buckets[b] != 0)
                    held[{range.least.value_or(least), range.greatest.value_or(most)}] += h->buckets[b];
            }
        }
    }
    const auto has_shrunk = [&held](const Counts::value_type& before) {
        const auto same = held.find(before.first);
        return same == held.end() || same->second < before.second;
    };
    if (std::ranges::any_of(last_, has_shrunk)) last_.clear();  // the map was cleared, so all values are new
    Column column{now, {}};
    for (const auto& [range, count] : held) {
        const auto before = last_.find(range);
        const uint64_t old = before == last_.end() ? 0 : before->second;
        if (count != old) column.counts[range] = count - old;
    }
    last_ = std::move(held);
    add(std::move(column));
}

// All columns but the last have as many looks, so that their shades can be compared.
void Heat::add(Column column) {
    if (in_last_ == per_column_ && columns_.size() == most_columns) halve();
    if (columns_.empty() || in_last_ == per_column_) {
        columns_.push_back(std::move(column));
        in_last_ = 1;
        return;
    }
    columns_.back().end = column.end;
    for (const auto& [range, count] : column.counts) columns_.back().counts[range] += count;
    in_last_++;
}

void Heat::halve() {
    std::vector<Column> half;
    for (size_t i = 0; i + 1 < columns_.size(); i += 2) {
        half.push_back(std::move(columns_[i]));
        half.back().end = columns_[i + 1].end;
        for (const auto& [range, count] : columns_[i + 1].counts) half.back().counts[range] += count;
    }
    columns_ = std::move(half);
    per_column_ *= 2;
    in_last_ = per_column_;
}

// Values grow upwards, by their logarithm; zero and negative values are rows below 1.
class HeatDrawing {
  public:
    explicit HeatDrawing(const Heat& heat) : heat_(heat) {
        for (const Heat::Column& column : heat.columns_)
            for (const auto& [range, count] : column.counts) {
                most_ = std::max(most_, count);
                if (range.second <= 0) below_ = std::max(below_, range.second < 0 ? 2 : 1);
                if (range.second <= 0) continue;
                least_ = std::min(least_, std::max<int64_t>(range.first, 1));
                greatest_ = std::max(greatest_, range.second);
                low_ = std::min(low_, position(std::max<int64_t>(range.first, 1)));
                high_ = std::max(high_, top_of(range));
            }
        if (low_ > high_) low_ = high_ = 0;
        scale_ = std::clamp(300 / std::max(high_ - low_, 1.0), 12.0, 48.0);
        height_ = (high_ - low_) * scale_ + below_ * band;
    }
    bool is_empty() const { return most_ == 0; }

    std::string text() {
        out_ = fmt::format(
            "<h3>Over time</h3>\n<div class=\"chart\">\n<svg class=\"heat\" viewBox=\"0 0 {0} {1:.0f}\" role=\"img\" "
            "aria-label=\"values over time\">\n<rect class=\"ground\" x=\"{2}\" y=\"{3}\" width=\"{4}\" "
            "height=\"{5:.1f}\"/>\n",
            room + width + 10, top + height_ + bottom, room, top, width, height_);
        value_marks();
        time_marks();
        Heat::Clock::time_point begin = heat_.begin_;
        for (const Heat::Column& column : heat_.columns_) {
            for (const auto& [range, count] : column.counts) cell(range, count, begin, column.end);
            begin = column.end;
        }
        out_ += "</svg>\n</div>\n";
        scale();
        return std::move(out_);
    }

  private:
    static constexpr double band = 14;  // the height of the rows below 1

    // The upper end of a row: where the next one begins.
    double top_of(const Heat::Range& range) const {
        if (range.second == std::numeric_limits<int64_t>::max()) return position(std::max<int64_t>(range.first, 1)) + 1;
        return position(range.second + 1);
    }
    double y(double of) const { return top + (high_ - of) * scale_; }
    double x(Heat::Clock::time_point time) const {
        const auto part = std::chrono::duration<double>(time - heat_.begin_) / whole();
        return room + width * part;
    }
    std::chrono::duration<double> whole() const { return heat_.columns_.back().end - heat_.begin_; }

    void mark(double at, std::string_view text) {
        out_ += fmt::format(
            "<line class=\"grid\" x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/><text class=\"axis\" x=\"{3}\" "
            "y=\"{4:.1f}\" text-anchor=\"end\">{5}</text>\n",
            room, room + width, at, room - 6, at + 4, escaped(text));
    }
    // Each power of ten, and 2 and 5 of them where there is room. If there are fewer than two, also the bounds.
    void value_marks() {
        const bool fine = (high_ - low_) < 10;
        std::vector<double> marked;
        for (int64_t ten = 1; high_ > low_; ten *= 10) {
            for (const int64_t value : {ten, 2 * ten, 5 * ten}) {
                const double at = position(value);
                if (at < low_ || at > high_ || (value != ten && !fine)) continue;
                mark(y(at), value_text(value, heat_.view_));
                marked.push_back(y(at));
            }
            if (ten > std::numeric_limits<int64_t>::max() / 50) break;
        }
        if (high_ > low_ && marked.size() < 2) mark_bounds(marked);
        for (int i = 0; i < below_; i++) {
            const double at = y(low_) + band * i + band / 2;
            out_ += fmt::format("<text class=\"axis\" x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", room - 6,
                                at + 4, i == 0 ? "0" : "&lt; 0");
        }
    }
    // Where they have room beside what is marked. The last bucket has no upper bound.
    void mark_bounds(const std::vector<double>& marked) {
        constexpr double least_distance = 12;
        const auto add = [&](double at, int64_t value) {
            const auto is_near = [&](double other) { return std::abs(at - other) < least_distance; };
            if (std::ranges::none_of(marked, is_near)) mark(at, value_text(value, heat_.view_));
        };
        add(y(low_), least_);
        if (greatest_ != std::numeric_limits<int64_t>::max()) add(y(high_), greatest_ + 1);
    }
    void time_marks() {
        const auto all = static_cast<uint64_t>(
            std::chrono::duration_cast<std::chrono::nanoseconds>(heat_.columns_.back().end - heat_.begin_).count());
        const uint64_t step = mark_step(all);
        for (uint64_t at = 0; at <= all; at += step) {
            const double place = room + width * static_cast<double>(at) / static_cast<double>(all);
            out_ += fmt::format(
                "<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2:.1f}\"/><text class=\"axis\" "
                "x=\"{0:.1f}\" y=\"{3:.1f}\" text-anchor=\"middle\">{4}</text>\n",
                place, top, top + height_, top + height_ + 16,
                at == 0 ? "0s" : show_duration(static_cast<int64_t>(at)));
        }
    }

    void cell(const Heat::Range& range, uint64_t count, Heat::Clock::time_point begin, Heat::Clock::time_point end) {
        double from = y(low_) + (range.second < 0 ? band : 0), to = from + band;
        if (range.second > 0) from = y(top_of(range)), to = y(position(std::max<int64_t>(range.first, 1)));
        const std::chrono::duration<double> since = begin - heat_.begin_, until = end - heat_.begin_;
        out_ += fmt::format(
            "<rect class=\"h{}\" x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\"><title>{} {}, {:.1f} s "
            "to {:.1f} s</title></rect>\n",
            shade(count, most_), x(begin), from, x(end) - x(begin), to - from, plural(count, "value"),
            range_words(range), since.count(), until.count());
    }
    std::string range_words(const Heat::Range& range) const {
        if (range.second < 0) return "below 0";
        if (range.first == range.second) return "of " + value_text(range.first, heat_.view_);
        if (range.second == std::numeric_limits<int64_t>::max())
            return fmt::format("of {} and more", value_text(range.first, heat_.view_));
        return fmt::format("of {} to {}", value_text(range.first, heat_.view_), value_text(range.second, heat_.view_));
    }

    // The number of values that each shade stands for.
    void scale() {
        out_ += "<p class=\"legend\">";
        uint64_t least = 1;
        for (uint32_t i = 1; i <= shades; i++) {
            uint64_t up_to =
                i == shades ? most_
                            : static_cast<uint64_t>(std::expm1(std::log1p(static_cast<double>(most_)) * i / shades));
            up_to = std::min(up_to, most_);
            if (up_to < least) continue;
            out_ += fmt::format("<span><i class=\"h{}\"></i>{}</span>", i,
                                up_to == least ? grouped(static_cast<int64_t>(least))
                                               : fmt::format("{} to {}", grouped(static_cast<int64_t>(least)),
                                                             grouped(static_cast<int64_t>(up_to))));
            least = up_to + 1;
        }
        out_ += "values</p>\n";
    }

    const Heat& heat_;
    uint64_t most_ = 0;
    int below_ = 0;  // rows below 1: of zero, and of negative values
    int64_t least_ = std::numeric_limits<int64_t>::max(), greatest_ = 0;  // of those that are positive
    double low_ = 64, high_ = 0, scale_ = 1, height_ = 0;                 // positions of their bounds
    std::string out_;
};

std::string Heat::html() const {
    const auto filled = std::ranges::count_if(columns_, [](const Column& column) { return !column.counts.empty(); });
    if (filled < 2 || columns_.back().end <= begin_) return "";
    return HeatDrawing(*this).text();
}

std::string heat_style() {
    return ":root{--h1:#fde0b6;--h2:#fbb877;--h3:#f08a43;--h4:#cf4f2b;--h5:#8c1c22}\n"
           "@media(prefers-color-scheme:dark){:root{--h1:#4a2b1c;--h2:#83401d;--h3:#c4611f;--h4:#f0913a;"
           "--h5:#ffd98a}}\n"
           ".h1{fill:var(--h1);background:var(--h1)}.h2{fill:var(--h2);background:var(--h2)}"
           ".h3{fill:var(--h3);background:var(--h3)}.h4{fill:var(--h4);background:var(--h4)}"
           ".h5{fill:var(--h5);background:var(--h5)}\n"
           ".ground{fill:var(--panel)}.legend span{display:inline-block;margin:0 16px 0 0}\n"
           ".legend "
           "i{display:inline-block;width:12px;height:12px;margin-right:6px;border-radius:2px;vertical-align:-1px}\n";
}

}  // namespace lt
