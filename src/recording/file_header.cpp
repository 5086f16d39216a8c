#include "recording/file_header.h"

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "json/json.h"

namespace lt {
namespace {

using nlohmann::json;

constexpr uint32_t most_cpus = 1 << 16;

// Members that are missing or have another type leave a value as it is: another version of lt may not write them.
void take(const json& from, const char* name, std::string& to) {
    if (const auto found = from.find(name); found != from.end() && found->is_string()) to = found->get<std::string>();
}

template <class Number>
void take(const json& from, const char* name, Number& to) {
    const auto found = from.find(name);
    if (found != from.end() && found->is_number_integer()) to = found->template get<Number>();
}

void take(const json& from, const char* name, std::vector<std::string>& to) {
    const auto found = from.find(name);
    if (found == from.end() || !found->is_array()) return;
    for (const json& each : *found)
        if (each.is_string()) to.push_back(each.get<std::string>());
}

void take_trigger(const json& from, Trigger& to) {
    const auto found = from.find("trigger");
    if (found == from.end() || !found->is_object()) return;
    take(*found, "time", to.time);
    take(*found, "tid", to.tid);
    take(*found, "latency", to.latency);
    if (found->contains("span")) take(*found, "span", to.span.emplace());
}

void take_account(const json& from, RecordingAccount& to) {
    const auto found = from.find("account");
    if (found == from.end() || !found->is_object()) return;
    take(*found, "torn", to.torn);
    take(*found, "missed", to.missed);
    take(*found, "overwritten", to.overwritten);
    take(*found, "lost_stacks", to.lost_stacks);
    take(*found, "suppressed", to.suppressed);
    take(*found, "missing", to.missing);
}

void take_devices(const json& from, std::map<uint32_t, std::string>& to) {
    const auto found = from.find("devices");
    if (found == from.end() || !found->is_object()) return;
    for (const auto& [number, name] : found->items())
        if (const auto device = parse_number<uint32_t>(number); device && name.is_string())
            to[*device] = name.get<std::string>();
}

}  // namespace

std::string header_text(const Recording& r) {
    json trigger = {{"time", r.trigger.time}, {"tid", r.trigger.tid}, {"latency", r.trigger.latency}};
    if (r.trigger.span) trigger["span"] = *r.trigger.span;
    json devices = json::object();
    for (const auto& [number, name] : r.devices) devices[std::to_string(number)] = name;
    const json all = {{"lt", r.version},
                      {"script", r.script},
                      {"arguments", r.arguments},
                      {"kernel", r.kernel},
                      {"machine", r.machine},
                      {"unix_offset", r.unix_offset},
                      {"cpus", r.cpus},
                      {"begin", r.begin},
                      {"end", r.end},
                      {"spans", r.spans},
                      {"devices", devices},
                      {"trigger", trigger},
                      {"account",
                       {{"torn", r.account.torn},
                        {"missed", r.account.missed},
                        {"overwritten", r.account.overwritten},
                        {"lost_stacks", r.account.lost_stacks},
                        {"suppressed", r.account.suppressed},
                        {"missing", r.account.missing}}}};
    return json_text(all);
}

bool read_header(std::string_view text, Recording& to) {
    const json all = parse_json(text);
    if (!all.is_object()) return false;
    take(all, "lt", to.version);
    take(all, "script", to.script);
    take(all, "arguments", to.arguments);
    take(all, "kernel", to.kernel);
    take(all, "machine", to.machine);
    take(all, "unix_offset", to.unix_offset);
    take(all, "cpus", to.cpus);
    take(all, "begin", to.begin);
    take(all, "end", to.end);
    take(all, "spans", to.spans);
    take_devices(all, to.devices);
    take_trigger(all, to.trigger);
    take_account(all, to.account);
    constexpr uint64_t latest = uint64_t{1} << 62;
    return to.cpus > 0 && to.cpus <= most_cpus && to.begin <= to.end && to.end < latest && to.trigger.time <= to.end;
}

}  // namespace lt
