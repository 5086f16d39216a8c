#include "driver/merge/host_causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "runtime/border/duration.h"

namespace lt {
namespace {

constexpr double least_growth = 0.1;  // of the time of a call, or of all causes

std::vector<std::string> key_words(const std::vector<Value>& key, std::optional<size_t> without = {}) {
    std::vector<std::string> words;
    for (size_t i = 0; i < key.size(); i++)
        if (i != without) words.push_back(show(key[i], false));
    return words;
}

// By the name that `why.cause` has as a value.
std::optional<size_t> cause_number(const Value& value) {
    const auto* text = std::get_if<std::string>(&value.data);
    if (!text) return {};
    for (const CauseRow& row : cause_rows())
        if (row.name == *text || row.title == *text) return static_cast<size_t>(row.id);
    return {};
}

// The part of the keys that is a cause in all of them.
std::optional<size_t> cause_part(std::span<const MapEntry> entries) {
    for (size_t part = 0; !entries.empty() && part < entries.front().key.size(); part++)
        if (std::ranges::all_of(entries, [&](const MapEntry& e) { return cause_number(e.key[part]).has_value(); }))
            return part;
    return {};
}

const CauseRow& cause_row(size_t number) {
    return *std::ranges::find(cause_rows(), static_cast<Cause>(number), &CauseRow::id);
}

}  // namespace

std::optional<HostCauses::Table> HostCauses::table_of(const HostMap& map) {
    const Aggregation a = map.type.aggregation;
    const bool of_calls = a == Aggregation::why;
    const std::optional<size_t> part = of_calls ? std::nullopt : cause_part(map.all);
    if (!of_calls && (!part || (a != Aggregation::count && a != Aggregation::sum))) return {};
    Table table{map.name, of_calls, {}, {}};
    for (size_t row = 0; row < map.all.size(); row++) {
        ByHost& under_key = table.by_key[key_words(map.all[row].key, part)];
        for (const HostValue& each : map.each[row])
            for (Parts* into : {&under_key[each.host], &table.all[each.host]}) {
                if (const auto* causes = std::get_if<Causes>(&each.value.data)) {
                    for (size_t i = 0; i < into->parts.size(); i++)
                        into->parts[i] += static_cast<double>(causes->times[i]);
                    into->whole += static_cast<double>(causes->count);
                } else if (const auto* number = std::get_if<int64_t>(&each.value.data)) {
                    into->parts[*cause_number(map.all[row].key[*part])] += static_cast<double>(*number);
                    into->whole += static_cast<double>(*number);
                }
            }
    }
    return table;
}

HostCauses::HostCauses(std::span<const HostMap> maps) {
    for (const HostMap& map : maps)
        if (auto table = table_of(map)) tables_.push_back(*std::move(table));
    // how long a call waited says more than how often
    std::ranges::stable_sort(tables_, std::ranges::greater{}, &Table::of_calls);
}

std::optional<HostCause> HostCauses::grown(const Table& table, const ByHost& hosts, size_t host) {
    const auto found = hosts.find(host);
    if (found == hosts.end() || found->second.whole <= 0) return {};
    constexpr double fine = 1e6;  // shares as integers
    const auto each = [&](const Parts& of, size_t cause) {
        return static_cast<int64_t>(of.parts[cause] / of.whole * (table.of_calls ? 1 : fine));
    };
    int64_t most = 0, own = 0, others = 0;  // most: the greatest difference
    size_t greatest = 0;
    for (size_t cause = 0; cause < found->second.parts.size(); cause++) {
        std::vector<int64_t> numbers;
        for (const auto& [other, parts] : hosts)
            if (other != host && parts.whole > 0) numbers.push_back(each(parts, cause));
        if (numbers.empty()) return {};
        const int64_t median = median_of(numbers), number = each(found->second, cause);
        if (number - median <= most) continue;
        most = number - median, own = number, others = median, greatest = cause;
    }
    if (most == 0) return {};
    const double whole = std::accumulate(found->second.parts.begin(), found->second.parts.end(), 0.0);
    if (static_cast<double>(most) < least_growth * whole / found->second.whole * (table.of_calls ? 1 : fine)) return {};
    const std::string text = table.of_calls
                                 ? fmt::format("{} of each call (others {})", show_duration(own), show_duration(others))
                                 : fmt::format("{:.0f} % (others {:.0f} %)", static_cast<double>(own) / fine * 100,
                                               static_cast<double>(others) / fine * 100);
    return HostCause{cause_row(greatest).title, table.map, text};
}

std::optional<HostCause> HostCauses::of(size_t host, const std::vector<Value>& key) const {
    const std::vector<std::string> words = key_words(key);
    for (const Table& table : tables_)
        if (const auto same = table.by_key.find(words); same != table.by_key.end())
            if (auto cause = grown(table, same->second, host)) return cause;
    for (const Table& table : tables_)
        if (auto cause = grown(table, table.all, host)) return cause;
    return {};
}

}  // namespace lt
