#include "driver/merge/outliers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "driver/merge/host_causes.h"

namespace lt {
namespace {

// A figure that is compared, if the value has so many values at least. Of a map's rows, only the first that makes a
// host an outlier is reported.
struct ComparedFigure {
    Aggregation of;
    std::string_view figure;
    uint64_t at_least;
};
constexpr std::array compared_figures{
    ComparedFigure{Aggregation::dist, "p99", 100}, ComparedFigure{Aggregation::dist, "p50", 10},
    ComparedFigure{Aggregation::stats, "avg", 10}, ComparedFigure{Aggregation::why, "avg", 10},
    ComparedFigure{Aggregation::max, "", 0},       ComparedFigure{Aggregation::count, "", 10},
    ComparedFigure{Aggregation::sum, "", 0},
};

bool is_total(Aggregation a) { return a == Aggregation::count || a == Aggregation::sum; }

struct HostNumber {
    size_t host;
    int64_t number;
};

// The figure of each host that has enough values; a host without the key has counted nothing.
std::vector<HostNumber> numbers_of(const HostMap& map, size_t row, const ComparedFigure& by) {
    std::vector<HostNumber> out;
    if (is_total(by.of) && 2 * map.each[row].size() <= map.hosts.size()) return out;  // the median is 0
    std::vector<bool> has(map.hosts.size());
    for (const HostValue& each : map.each[row]) {
        has[each.host] = true;
        if (collected_count(each.value).value_or(by.at_least) < by.at_least) continue;
        const auto number = host_figure(by.figure, each.value);
        if (!number) continue;
        const bool is_huge = *number < 0 && by.of == Aggregation::count;
        out.push_back({each.host, is_huge ? INT64_MAX : std::max<int64_t>(*number, 0)});
    }
    if (is_total(by.of))
        for (size_t host = 0; host < has.size(); host++)
            if (!has[host]) out.push_back({host, 0});
    return out;
}

// The median of all but one of sorted numbers, in place: the number at the position, or its neighbour.
int64_t median_without(const std::vector<int64_t>& sorted, int64_t left_out) {
    const auto at = static_cast<size_t>(std::ranges::lower_bound(sorted, left_out) - sorted.begin());
    const size_t middle = (sorted.size() - 2) / 2;
    return sorted[middle < at ? middle : middle + 1];
}

bool is_far(const std::vector<HostNumber>& numbers, const HostNumber& one, int64_t median) {
    if (median <= 0 || one.number / outlier_times < median) return false;
    std::vector<int64_t> distances;
    for (const HostNumber& other : numbers)
        if (other.host != one.host) distances.push_back(std::abs(other.number - median));
    return static_cast<double>(one.number - median) > outlier_spread * static_cast<double>(median_of(distances));
}

void add_outliers(const HostMap& map, size_t row, const ComparedFigure& by, std::vector<Outlier>& out) {
    const std::vector<HostNumber> numbers = numbers_of(map, row, by);
    if (numbers.size() < 2) return;
    std::vector<int64_t> sorted;
    for (const HostNumber& each : numbers) sorted.push_back(each.number);
    std::ranges::sort(sorted);
    const std::string entry = entry_text(map.name, map.all[row].key);
    for (const HostNumber& each : numbers) {
        const int64_t others = median_without(sorted, each.number);
        if (by.of == Aggregation::count && each.number < static_cast<int64_t>(by.at_least)) continue;
        if (!is_far(numbers, each, others)) continue;
        const auto same = [&](const Outlier& o) {
            return o.host == each.host && o.map == map.name && o.entry == entry;
        };
        if (std::ranges::any_of(out, same)) continue;
        out.push_back({each.host, map.name, entry, by.figure, each.number, others,
                       host_figure_text(by.figure, each.number, map.type),
                       host_figure_text(by.figure, others, map.type)});
    }
}

// A map that gives the cause of another outlier of the host says nothing new.
void drop_evidence(std::vector<Outlier>& all) {
    const std::vector<Outlier> before = all;
    std::erase_if(all, [&](const Outlier& one) {
        return std::ranges::any_of(before, [&](const Outlier& other) {
            return other.host == one.host && other.map != one.map && other.cause && other.cause->map == one.map;
        });
    });
}

}  // namespace

std::vector<Outlier> find_outliers(const std::vector<HostMap>& maps) {
    const HostCauses causes(maps);
    std::vector<Outlier> all;
    for (const HostMap& map : maps)
        for (size_t row = 0; row < map.all.size(); row++) {
            std::vector<Outlier> found;
            for (const ComparedFigure& by : compared_figures)
                if (by.of == map.type.aggregation) add_outliers(map, row, by, found);
            for (Outlier& each : found) {
                each.cause = causes.of(each.host, map.all[row].key);
                all.push_back(std::move(each));
            }
        }
    drop_evidence(all);
    std::ranges::stable_sort(all, std::ranges::greater{}, &Outlier::times);
    return all;
}

std::string outlier_text(const Outlier& outlier, std::string_view host) {
    std::string out = fmt::format("{}: {}: {}{}{}, {:.{}f} x the others ({}); ", host, outlier.entry, outlier.figure,
                                  outlier.figure.empty() ? "" : " ", outlier.value_text, outlier.times(),
                                  outlier.times() < 9.95 ? 1 : 0, outlier.others_text);
    if (!outlier.cause) return out + "cause not recorded";
    return out + fmt::format("cause by {}: {}, {}", outlier.cause->map, outlier.cause->title, outlier.cause->text);
}

}  // namespace lt
