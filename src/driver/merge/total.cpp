#include "driver/merge/total.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "driver/merge/add_value.h"
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

}  // namespace

std::string host_of(const RunFile& file) { return file.run.hosts.size() == 1 ? file.run.hosts[0] : file.path; }

Status Total::check(const RunFile& file) const {
    const std::string place = file.place(file.run_line);
    if (file.run.checksum != run_.checksum)
        return differs(place, first_,
                       file.run.script == run_.script
                           ? fmt::format("it is a run of another {}: the texts differ", file.run.script)
                           : fmt::format("it is a run of {}, not of {}", file.run.script, run_.script));
    if (file.run.arguments != run_.arguments)
        return differs(place, first_,
                       fmt::format("the script's arguments are `{}`, not `{}`", fmt::join(file.run.arguments, " "),
                                   fmt::join(run_.arguments, " ")));
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
    } else if (Status same = check(file); !same) {
        return same;
    }
    run_.hosts.insert(run_.hosts.end(), file.run.hosts.begin(), file.run.hosts.end());
    for (const ResultFact& shape : file.run.maps)
        if (Status added = add_map(file, shape); !added) return added;
    add_unseen(file.unseen);
    return Done{};
}

Status Total::add_map(const RunFile& file, const ResultFact& shape) {
    auto map = std::ranges::find(maps_, shape.name, [](const Map& m) { return m.shape.name; });
    if (map == maps_.end()) map = maps_.insert(maps_.end(), Map{shape, {}, {}});
    if (shape.entries == 0 || !why_not_added(shape.value).empty()) return Done{};
    const auto found = file.maps.find(shape.name);
    if (found == file.maps.end())
        return Error{fmt::format("{}: the line of the map {} is missing", file.place(file.run_line), shape.name), "",
                     0};
    const MapLine& line = found->second;
    if (line.sampled) {
        if (!map->sampled) map->sampled.emplace();
        map->sampled->left_out += line.sampled->left_out;
        map->sampled->detached = map->sampled->detached || line.sampled->detached;
    }
    if (shape.key.empty()) return add_entry(file, line, *map, "", line.content);
    if (!line.content.is_object())
        return Error{fmt::format("{}: {} has no keys", file.place(line.line), shape.name), "", 0};
    if (line.content.size() > shape.entries)
        return Error{fmt::format("{}: {} has more keys than the run says", file.place(line.line), shape.name), "", 0};
    map->partial = map->partial || line.content.size() < shape.entries;
    for (const auto& [key, value] : line.content.items())
        if (Status added = add_entry(file, line, *map, key, value); !added) return added;
    return Done{};
}

Status Total::add_entry(const RunFile& file, const MapLine& line, Map& map, std::string_view key, const Json& value) {
    const auto wrong = [&](std::string_view what) {
        const std::string name = named_entry(map.shape.name, key, map.shape.key.empty());
        return Error{fmt::format("{}: {}: {}", file.place(line.line), name, what), "", 0};
    };
    const auto add_to = [&](Sums& sums, const std::string* host) -> Status {
        const auto [place, is_new] =
            sums.places.try_emplace(host ? fmt::format("{}\n{}", *host, key) : std::string(key), sums.entries.size());
        if (is_new) {
            auto parts = map.shape.key.empty() ? std::vector<Value>{} : key_of_text(key, map.shape.key);
            if (!parts) return wrong("the key is damaged");
            if (host) parts->push_back({*key_part_type("text"), *host});
            sums.entries.push_back({*std::move(parts), nothing_collected(map.shape.value)});
        }
        const auto fault = add_value(sums.entries[place->second].value, value);
        return fault ? Status(wrong(*fault)) : Status(Done{});
    };
    if (Status added = add_to(map.all, nullptr); !added || !by_host_) return added;
    const std::string host = host_of(file);
    return add_to(map.each, &host);
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

void Total::print_map(const Map& map, Printer& printer, std::FILE* messages) const {
    std::string_view why = why_not_added(map.shape.value);
    if (why.empty() && map.partial) why = "only the largest entries were printed; print the whole map";
    if (!why.empty()) {
        printer.fact({"not_merged", {{"map", map.shape.name}, {"reason", std::string(why)}}, ""});
        fmt::print(messages, "lt: {} is not merged: {}\n", map.shape.name, why);
        return;
    }
    if (map.all.entries.empty()) return;
    MapContent content{map.shape.name, printable(map.all.entries), 0, true, map.shape.value, map.sampled};
    printer.map(content);
    if (!by_host_) return;
    content.name += by_host_suffix;
    content.entries = printable(map.each.entries);
    printer.map(content);
}

void Total::print_unseen(Printer& printer, std::FILE* messages) const {
    for (const auto& [what, count] : unseen_.lost) {
        const auto& [kind, subject] = what;
        const LossKind number = kind == "ring_buffer_full" ? LossKind::ring_buffer_full : LossKind::map_full;
        const std::string text = fmt::format("{}{}: {} lost, by {} of {}", subject.empty() ? "" : subject + ": ", kind,
                                             count, losing_.at(what), plural(run_.hosts.size(), "host"));
        printer.lost({number, kind, subject, count, text});
        fmt::print(messages, "lt: {}\n", text);
    }
    for (const auto& [what, count] : unseen_.missed) {
        const std::string text = fmt::format("{}: {} missed ({})", what.first, plural(count, "event"), what.second);
        printer.missed({what.first, what.second, count, text});
        fmt::print(messages, "lt: {}\n", text);
    }
    for (const auto& [span, account] : unseen_.accounts) {
        printer.account(account);
        fmt::print(messages, "lt: span {}\n", account_text(account));
    }
}

void Total::print(Printer& printer, std::FILE* messages) const {
    for (const Map& map : maps_) print_map(map, printer, messages);
    print_unseen(printer, messages);
    RunFact run = run_;
    run.maps.clear();
    for (const Map& map : maps_) {
        if (!why_not_added(map.shape.value).empty() || map.partial) continue;
        run.maps.push_back(map.shape);
        run.maps.back().entries = map.all.entries.size();
    }
    printer.run(run);
}

}  // namespace lt
