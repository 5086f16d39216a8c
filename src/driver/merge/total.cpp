#include "driver/merge/total.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/text.h"
#include "driver/merge/add_value.h"
#include "driver/merge/host_table.h"
#include "driver/merge/key_text.h"
#include "driver/report/report.h"

namespace lt {
namespace {

constexpr std::string_view by_host_suffix = " by host";

Error differs(const std::string& place, const std::string& first, std::string_view what) {
    return {fmt::format("{}: {}", place, what),
            fmt::format("runs are added up if they are of one script with the same arguments, as in {}", first), 0};
}

// Entries with their keys as the printers take them: all texts of a part of a key have one size.
Entries printable(std::vector<MapEntry> entries) {
    std::vector<size_t> sizes;
    for (const MapEntry& entry : entries) {
        sizes.resize(entry.key.size());
        for (size_t i = 0; i < sizes.size(); i++)
            if (const auto* text = std::get_if<std::string>(&entry.key[i].data))
                sizes[i] = std::max(sizes[i], text->size() + 1);
    }
    for (MapEntry& entry : entries)
        for (size_t i = 0; i < sizes.size(); i++)
            if (sizes[i] != 0) entry.key[i].type.size = static_cast<uint32_t>(sizes[i]);
    return Entries(std::move(entries));
}

std::string named_entry(const std::string& map, std::string_view key, bool scalar) {
    return scalar ? map : fmt::format("{}[{}]", map, key);
}

// Is the sum printed in a form that a table of hosts does not have?
bool is_picture(const Type& type, bool has_keys) {
    const Aggregation a = type.aggregation;
    return a == Aggregation::hist || a == Aggregation::lhist || a == Aggregation::why ||
           (a == Aggregation::dist && !has_keys);
}

}  // namespace

std::string host_of(const RunFile& file, bool by_file) {
    if (!by_file && file.run.hosts.size() == 1) return file.run.hosts[0];
    return file.title;
}

Status Total::check(const RunFile& file) const {
    const std::string place = file.place(file.run_line);
    if (file.run.checksum != run_.checksum)
        return differs(place, first_,
                       file.run.script == run_.script
                           ? fmt::format("it is a run of another {}: the texts differ", file.run.script)
                           : fmt::format("it is a run of {}, not of {}", file.run.script, run_.script));
    if (file.run.arguments != run_.arguments)
        return differs(place, first_,
                       fmt::format("the script's arguments are `{}`, not `{}`", join(file.run.arguments, " "),
                                   join(run_.arguments, " ")));
    for (const ResultFact& shape : file.run.maps) {
        const auto same = std::ranges::find(maps_, shape.name, [](const Map& map) { return map.shape.name; });
        if (same == maps_.end() || (same->shape.value == shape.value && same->shape.key == shape.key)) continue;
        return differs(place, first_, fmt::format("the map {} has another type", shape.name));
    }
    return Done{};
}

Status Total::add(const RunFile& file) {
    if (first_.empty()) {
        first_ = file.path;
        run_ = file.run;
        run_.hosts.clear();
    } else {
        if (Status same = check(file); !same) return same;
        const bool both = run_.seconds && file.run.seconds;
        run_.seconds = both ? std::optional(*run_.seconds + *file.run.seconds) : std::nullopt;
    }
    run_.hosts.insert(run_.hosts.end(), file.run.hosts.begin(), file.run.hosts.end());
    const std::string host = host_of(file, by_file_);
    host_ = host_numbers_.try_emplace(host, hosts_.size()).first->second;
    if (host_ == hosts_.size()) hosts_.push_back(host);
    files_++;
    add_start(file.run);
    for (const ResultFact& shape : file.run.maps)
        if (Status added = add_map(file, shape); !added) return added;
    add_unseen(file.unseen);
    return Done{};
}

bool Total::takes(const Type& type) const { return why_not_added(type).empty() || (single_ && is_one_number(type)); }

std::string_view Total::why_left_out(const Map& map) const {
    if (!takes(map.shape.value)) return why_not_added(map.shape.value);
    if (map.others) return "it holds other values than numbers, or has keys that look the same";
    if (map.divided) return "its values were divided when they were printed; print them undivided";
    return map.partial ? "only the largest entries were printed; print the whole map" : "";
}

Status Total::add_map(const RunFile& file, const ResultFact& shape) {
    auto map = std::ranges::find(maps_, shape.name, [](const Map& m) { return m.shape.name; });
    if (map == maps_.end()) map = maps_.insert(maps_.end(), Map{shape, {}, {}, {}});
    if (!takes(shape.value)) return Done{};
    const auto found = file.maps.find(shape.name);
    const bool has_line = found != file.maps.end();
    // without entries at the end, a line is from before the map was cleared, or says that events were left out
    if (shape.entries == 0 && (!has_line || !found->second.content.empty())) return Done{};
    if (!has_line)
        return Error{fmt::format("{}: the line of the map {} is missing", file.place(file.run_line), shape.name), "",
                     0};
    const MapLine& line = found->second;
    if (line.sampled) {
        if (!map->sampled) map->sampled.emplace();
        map->sampled->left_out += line.sampled->left_out;
        map->sampled->detached = map->sampled->detached || line.sampled->detached;
    }
    if (shape.entries == 0) return Done{};
    map->divided = map->divided || shape.divisor != 1;
    if (shape.key.empty()) return add_entry(file, line, *map, "", line.content);
    if (!line.content.is_object())
        return Error{fmt::format("{}: {} has no keys", file.place(line.line), shape.name), "", 0};
    if (line.content.size() > shape.entries)
        return Error{fmt::format("{}: {} has more keys than the run says", file.place(line.line), shape.name), "", 0};
    map->partial = map->partial || line.content.size() < shape.entries;
    map->others = map->others || (shape.alike != 0 && !map->partial);
    if (shape.alike != 0) return Done{};  // the numbers in its keys mean nothing in another run
    for (const auto& [key, value] : line.content.items())
        if (Status added = add_entry(file, line, *map, key, value); !added) return added;
    return Done{};
}

// The files of a host mostly come one after another.
Value& Total::value_of_host(HostValues& values, const Type& type) const {
    const auto found =
        std::find_if(values.rbegin(), values.rend(), [&](const HostValue& v) { return v.host == host_; });
    if (found != values.rend()) return found->value;
    values.push_back({host_, nothing_collected(type)});
    return values.back().value;
}

Status Total::add_entry(const RunFile& file, const MapLine& line, Map& map, std::string_view key, const Json& value) {
    const auto wrong = [&](std::string_view what) {
        const std::string name = named_entry(map.shape.name, key, map.shape.key.empty());
        return Error{fmt::format("{}: {}: {}", file.place(line.line), name, what), "", 0};
    };
    const auto [place, is_new] = map.places.try_emplace(std::string(key), map.entries.size());
    if (is_new) {
        auto parts = map.shape.key.empty() ? std::vector<Value>{} : key_of_text(key, map.shape.key);
        if (!parts) return wrong("the key is damaged");
        map.entries.push_back({*std::move(parts), is_one_number(map.shape.value) ? Value{map.shape.value, int64_t{0}}
                                                                                 : nothing_collected(map.shape.value)});
        map.each.emplace_back();
    }
    const auto wrong_number = add_value(map.entries[place->second].value, value);
    map.others = map.others || (is_one_number(map.shape.value) && (wrong_number || !is_new));
    if (wrong_number && !map.others) return wrong(*wrong_number);
    if (!by_host_) return Done{};
    const auto fault = add_value(value_of_host(map.each[place->second], map.shape.value), value);
    return fault ? Status(wrong(*fault)) : Status(Done{});
}

// The sum has a start if all runs have the same; the latest one counts.
void Total::add_start(const RunFact& run) {
    if (run.started)
        for (const std::string& host : run.hosts) started_[run.started->at].push_back(host);
    const bool same = run.started && run_.started && run.started->at == run_.started->at;
    if (same)
        run_.started->late = std::max(run_.started->late, run.started->late);
    else
        run_.started.reset();
}

void Total::print_starts(std::FILE* messages) const {
    if (started_.size() < 2) return;
    std::vector<std::string> parts;
    for (const auto& [time, hosts] : started_)
        parts.push_back(fmt::format("{} at {} ({}{})", hosts.size(), time_of_day(time), hosts.front(),
                                    hosts.size() > 1 ? " ..." : ""));
    fmt::print(messages, "lt: the runs did not start together: {}\n", join(parts, ", "));
}

void Total::add_unseen(const Unseen& more) {
    for (const auto& [what, count] : more.lost) unseen_.lost[what] += count, losing_[what]++;
    for (const auto& [what, count] : more.missed) unseen_.missed[what] += count;
    for (const auto& [span, account] : more.accounts) {
        AccountFact& sum = unseen_.accounts.try_emplace(span, AccountFact{span}).first->second;
        sum.opened += account.opened;
        sum.closed += account.closed;
        sum.open += account.open;
        sum.unexplained += account.unexplained;
        for (const auto& [kind, count] : account.lost) {
            auto same = std::ranges::find(sum.lost, kind, [](const auto& each) { return each.first; });
            if (same == sum.lost.end()) same = sum.lost.insert(same, {kind, 0});
            same->second += count;
        }
    }
}

void Total::print_map(const Map& map, Printer& printer, std::FILE* messages, const HostView& view,
                      const std::vector<size_t>& columns) const {
    const std::string_view why = why_left_out(map);
    if (!why.empty()) {
        printer.fact({"not_merged", {{"map", map.shape.name}, {"reason", std::string(why)}}, ""});
        fmt::print(messages, "lt: {} is not merged: {}\n", map.shape.name, why);
        return;
    }
    if (map.entries.empty() && !map.sampled) return;
    const bool has_hosts = by_host_ && view.maps;
    MapContent content{map.shape.name, printable(map.entries), 0, true, map.shape.value, map.sampled};
    if (!has_hosts || !view.text || view.table.rows || map.sampled ||
        is_picture(map.shape.value, !map.shape.key.empty()))
        printer.map(content);
    if (!has_hosts) return;
    if (view.text) return printer.fact({"", {}, host_table(host_map(map), columns, view.table)});
    std::vector<MapEntry> entries;
    for (size_t row = 0; row < map.entries.size(); row++)
        for (const HostValue& each : map.each[row]) {
            entries.push_back({map.entries[row].key, each.value});
            entries.back().key.push_back({*key_part_type("text"), hosts_[each.host]});
        }
    content.name += by_host_suffix;
    content.entries = printable(std::move(entries));
    printer.map(content);
}

std::vector<MapContent> Total::contents(std::FILE* messages) const {
    std::vector<MapContent> out;
    for (const Map& map : maps_) {
        const std::string_view why = why_left_out(map);
        if (!why.empty())
            fmt::print(messages, "lt: {} is not compared: {}\n", map.shape.name, why);
        else
            out.push_back({map.shape.name, printable(map.entries), 0, true, map.shape.value, map.sampled});
    }
    return out;
}

// Outliers first, then the others in their order.
std::vector<size_t> Total::shown_hosts(const std::vector<Outlier>& outliers, size_t most) const {
    std::vector<size_t> hosts(hosts_.size());
    std::iota(hosts.begin(), hosts.end(), size_t{0});
    const auto in_order = [&](size_t a, size_t b) { return host_before(hosts_[a], hosts_[b]); };
    std::ranges::sort(hosts, in_order);
    if (hosts.size() <= most) return hosts;
    std::vector<size_t> rank(hosts_.size(), outliers.size());
    for (size_t i = outliers.size(); i-- > 0;) rank[outliers[i].host] = i;
    std::ranges::stable_sort(hosts, {}, [&](size_t host) { return rank[host]; });
    hosts.resize(most);
    std::ranges::sort(hosts, in_order);
    return hosts;
}

void Total::print_outliers(const std::vector<Outlier>& outliers, Printer& printer) const {
    constexpr size_t most_lines = 20;
    std::string title = fmt::format("outliers, at least {} x the median of the other hosts:\n", outlier_times);
    for (size_t i = 0; i < outliers.size(); i++) {
        const Outlier& o = outliers[i];
        const std::string line = outlier_text(o, hosts_[o.host]);
        Fact fact{"outlier",
                  {{"host", hosts_[o.host]},
                   {"entry", o.entry},
                   {"figure", std::string(o.figure.empty() ? "value" : o.figure)},
                   {"value", o.value},
                   {"others", o.others}},
                  i < most_lines ? fmt::format("{}  {}\n", std::exchange(title, ""), line) : ""};
        if (o.cause) fact.members.emplace_back("cause", std::string(o.cause->title));
        if (o.cause) fact.members.emplace_back("by", std::string(o.cause->map));
        fact.members.emplace_back("text", line);
        if (i == most_lines) fact.text = fmt::format("  ({} more)\n", outliers.size() - i);
        printer.fact(fact);
    }
}

void Total::print_unseen(Printer& printer, std::FILE* messages, std::string_view of) const {
    for (const auto& [what, count] : unseen_.lost) {
        const auto& [kind, subject] = what;
        LossFact fact = printed_loss(kind, subject, count);
        fact.text.insert(0, of);
        if (files_ > 1) fact.text += fmt::format(" (in {} of {} files)", losing_.at(what), files_);
        printer.lost(fact);
        fmt::print(messages, "lt: {}\n", fact.text);
    }
    for (const auto& [what, count] : unseen_.missed) {
        const std::string text =
            fmt::format("{}{}: {} missed ({})", of, what.first, plural(count, "event"), what.second);
        printer.missed({what.first, what.second, count, text});
        fmt::print(messages, "lt: {}\n", text);
    }
    for (const auto& [span, account] : unseen_.accounts) {
        printer.account(account);
        fmt::print(messages, "lt: {}span {}\n", of, account_text(account));
    }
}

// How much of the hosts is not seen in the tables.
void Total::print_left_out(std::FILE* messages, size_t columns) const {
    if (columns < hosts_.size())
        fmt::print(messages, "lt: {} of {} hosts have a column, outliers first; `--hosts {}` shows all\n", columns,
                   hosts_.size(), hosts_.size());
    if (files_ > hosts_.size())
        fmt::print(messages, "lt: {} are of {}, which are added up; `--by-file` keeps files apart\n",
                   plural(files_, "file"), plural(hosts_.size(), "host"));
}

void Total::print(Printer& printer, std::FILE* messages, const HostView& hosts) const {
    std::vector<HostMap> compared;
    for (const Map& map : maps_)
        if (by_host_ && why_left_out(map).empty()) compared.push_back(host_map(map));
    const std::vector<Outlier> outliers = find_outliers(compared);
    const std::vector<size_t> columns = shown_hosts(outliers, hosts.most);
    for (const Map& map : maps_) print_map(map, printer, messages, hosts, columns);
    print_outliers(outliers, printer);
    if (by_host_) print_left_out(messages, hosts.maps && hosts.text ? columns.size() : hosts_.size());
    print_starts(messages);
    print_unseen(printer, messages);
    RunFact run = run_;
    run.maps.clear();
    for (const Map& map : maps_) {
        if (!why_left_out(map).empty()) continue;
        run.maps.push_back(map.shape);
        run.maps.back().entries = map.entries.size();
        run.maps.back().divisor = 1;
        run.maps.back().alike = 0;
    }
    printer.run(run);
}

}  // namespace lt
