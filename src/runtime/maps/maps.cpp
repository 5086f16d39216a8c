#include "runtime/maps/maps.h"

#include <linux/bpf.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "runtime/maps/map_reader.h"

namespace lt {
namespace {

// A span collects in the probes that close it; the probes that open it can be sampled.
bool collects(const Plan& plan, const PlannedProbe& probe, uint32_t map) {
    return std::ranges::any_of(plan.probes, [&](const PlannedProbe& other) {
        const bool same = &other == &probe || (probe.of_span && other.of_span == probe.of_span);
        return same && std::ranges::find(other.collects_into, map) != other.collects_into.end();
    });
}

}  // namespace

std::vector<Maps::Sampling> Maps::sampling_of(const Plan& plan) {
    std::vector<Sampling> all(plan.maps.size());
    for (uint32_t map = 0; map < all.size(); map++)
        for (size_t probe = 0; probe < plan.probes.size(); probe++)
            if (collects(plan, plan.probes[probe], map)) all[map].probes.push_back(probe);
    return all;
}

uint64_t Maps::left_out(size_t probe) const {
    if (!plan_.probes[probe].gate) return 0;
    const std::vector<uint64_t> counters = raw_->left_out();
    const uint32_t own = plan_.probes[probe].gate->left_out;
    return own < counters.size() ? counters[own] : 0;
}

uint64_t Maps::openings_left_out(uint32_t span) const {
    uint64_t sum = 0;
    for (size_t probe = 0; probe < plan_.probes.size(); probe++)
        if (plan_.probes[probe].of_span == span) sum += left_out(probe);
    return sum;
}

void Maps::detached(size_t probe) {
    for (Sampling& each : sampling_)
        each.detached = each.detached || std::ranges::find(each.probes, probe) != each.probes.end();
}

std::optional<Sampled> Maps::sampled(size_t index) const {
    const Sampling& own = sampling_[index];
    uint64_t left = 0;
    for (const size_t probe : own.probes) left += left_out(probe);
    if (left <= own.before && !own.detached) return {};
    return Sampled{left - own.before, own.detached};
}

void Maps::begin_anew(size_t index) {
    Sampling& own = sampling_[index];
    own.before = 0;
    for (const size_t probe : own.probes) own.before += left_out(probe);
}

Maps::Maps(const Plan& plan, std::unique_ptr<RawMaps> raw)
    : plan_(plan),
      sampling_(sampling_of(plan)),
      raw_(std::move(raw)),
      cleared_when_printed_(plan.maps.size()),
      past_(plan.maps.size()),
      clears_(plan.maps.size()),
      kernel_(plan.maps.size()),
      generations_(plan.maps.size()),
      parts_(plan.maps.size()),
      overflowed_(plan.maps.size()) {
    for (size_t i = 0; i < plan.maps.size(); i++) {
        if (!plan.maps[i].generation) continue;
        if (plan.maps[i].cleared_by_difference)
            kernel_[i].emplace(plan.maps[i], i, *raw_);
        else
            generations_[i].emplace(plan.maps[i], i, *raw_);
    }
    for (const PlannedEvent& event : plan.events) {
        const bool clears = event.kind == EventKind::clear || event.kind == EventKind::zero;
        if (clears && event.printed) cleared_when_printed_[event.map] = true;
    }
    const auto on_host = [](const Rung& rung) { return rung.way == Way::host; };
    const bool any = std::ranges::any_of(
        plan.probes, [&](const PlannedProbe& probe) { return std::ranges::any_of(probe.rungs, on_host); });
    for (size_t i = 0; any && i < plan.maps.size(); i++) {
        if (is_per_cpu(plan.maps[i].shape) && !generations_[i]) parts_[i].emplace(plan.maps[i]);
    }
}

// The current entries, regardless of earlier clears.
Result<std::vector<RawEntry>> Maps::all(size_t index) {
    auto found = kernel_[index] ? kernel_[index]->entries() : raw_->entries(index);
    if (found && parts_[index]) parts_[index]->join(*found, raw_->value_size(index));
    return found;
}

Result<std::vector<RawEntry>> Maps::entries(size_t index, bool reported) {
    const PlannedMap& map = plan_.maps[index];
    auto found = generations_[index] ? generations_[index]->since(reported) : all(index);
    if (!found) return found.error_in("cannot read " + map.name);
    if (map.cleared_by_difference) {
        const bool clear_follows = reported && cleared_when_printed_[index];
        return past_[index].since(map, *std::move(found), clear_follows);
    }
    return found;
}

Result<std::optional<Bytes>> Maps::entry(size_t index, const Bytes& key) {
    const PlannedMap& map = plan_.maps[index];
    auto found = generations_[index] ? generations_[index]->rest(key)
                 : kernel_[index]    ? kernel_[index]->lookup(key)
                                     : raw_->lookup(index, key);
    if (!found) return found.error_in("cannot read " + map.name);
    if (parts_[index]) *found = parts_[index]->join(key, *std::move(found), raw_->value_size(index));
    if (map.cleared_by_difference) *found = past_[index].rest(map, key, *std::move(found));
    return found;
}

std::set<size_t> Maps::cleared_after_reading() const {
    std::set<size_t> out;
    for (size_t i = 0; i < cleared_when_printed_.size(); i++)
        if (cleared_when_printed_[i]) out.insert(i);
    return out;
}

bool Maps::set_reported(size_t index, bool reported) {
    const bool before = past_[index].set_asked(reported);
    return generations_[index] ? generations_[index]->set_asked(reported) : before;
}

// The kernel's value is the whole value, and it is not needed again.
bool Maps::is_plain(size_t index) const {
    const bool differs =
        plan_.maps[index].cleared_by_difference && (cleared_when_printed_[index] || !past_[index].empty());
    return !differs && !kernel_[index] && !generations_[index] && !parts_[index];
}

Result<MapContent> Maps::content(size_t index) {
    const PlannedMap& map = plan_.maps[index];
    if (!is_plain(index)) {
        auto found = entries(index);
        return found ? decode_map(map, *found) : found.error();
    }
    MapReader reader(map);
    Status taken = Done{};
    const Status read = raw_->each(index, [&](KeyBytes key, std::span<const uint8_t> value) {
        if (taken) taken = reader.add(key, value);
    });
    if (!read) return read.error_in("cannot read " + map.name);
    return taken ? std::move(reader).content() : taken.error();
}

Result<MapContent> Maps::read(size_t index) {
    auto content = this->content(index);
    if (content) content->sampled = sampled(index);
    overflowed_[index] = overflowed_[index] || (content && content->has_overflowed);
    return content;
}

Result<MapContent> Maps::find(size_t index, KeyBytes key) {
    const PlannedMap& map = plan_.maps[index];
    if (is_array(map.shape) && !map.generation) return read(index);
    RawEntry one{is_array(map.shape) ? Bytes() : Bytes(key.begin(), key.end()), {}};
    auto found = entry(index, one.key);
    if (!found) return found.error();
    if (!*found) return MapContent{map.name, {}};
    one.value = **std::move(found);
    auto content = decode_map(map, {&one, 1});
    if (content) content->sampled = sampled(index);
    overflowed_[index] = overflowed_[index] || (content && content->has_overflowed);
    return content;
}

// Nothing if the clear is about what was printed.
Result<std::optional<std::vector<RawEntry>>> Maps::all_unless(size_t index, bool printed) {
    if (printed && past_[index].asked()) return std::optional<std::vector<RawEntry>>();
    auto found = all(index);
    if (!found) return found.error();
    return std::optional(*std::move(found));
}

Status Maps::clear(size_t index, bool printed) {
    const PlannedMap& map = plan_.maps[index];
    clears_[index]++;
    begin_anew(index);
    if (map.cleared_by_difference) {
        auto now = all_unless(index, printed);
        if (!now) return now.error_in("cannot clear " + map.name);
        const std::vector<Bytes> idle = past_[index].clear(*now, map.max_entries);
        const Status cleared = idle.empty() || is_array(map.shape) ? Status(Done{}) : take_out(index, idle);
        return cleared ? cleared : cleared.error_in("cannot clear " + map.name);
    }
    if (generations_[index]) {
        const Status cleared = generations_[index]->clear(printed);
        return cleared ? cleared : cleared.error_in("cannot clear " + map.name);
    }
    if (parts_[index]) parts_[index]->clear();
    if (!is_array(map.shape)) {
        auto cleared = raw_->clear(index);
        return cleared ? cleared : cleared.error_in("cannot clear " + map.name);
    }
    const int code = raw_->update(index, {}, Bytes(raw_->value_size(index)), BPF_EXIST);
    return code < 0 ? Status(system_error("cannot clear " + map.name, -code)) : Status(Done{});
}

// With generations all keys leave the map. Without (the script does not clear it, but a command does) those that are
// idle: what a program adds to one in the moment in which it is deleted, some 10 ns, is lost.
Status Maps::take_out(size_t index, const std::vector<Bytes>& idle) {
    std::vector<RawEntry> taken;
    if (kernel_[index]) {
        auto all = kernel_[index]->take_out();
        if (!all) return all.error();
        taken = *std::move(all);
        if (parts_[index]) parts_[index]->join(taken, raw_->value_size(index));
        if (parts_[index]) parts_[index]->clear();
    } else {
        if (Status ended = raw_->wait_for_programs(); !ended) return ended;
        for (const Bytes& key : idle) {
            if (auto value = remove(index, key)) taken.push_back({key, *std::move(value)});
        }
    }
    past_[index].taken_out(plan_.maps[index], taken);
    return Done{};
}

// Returns the old value; nothing if there was none.
std::optional<Bytes> Maps::remove(size_t index, const Bytes& key) {
    std::optional<Bytes> value = raw_->take(index, key);
    if (!parts_[index]) return value;
    value = parts_[index]->join(key, std::move(value), raw_->value_size(index));
    parts_[index]->erase(key);
    return value;
}

int Maps::erase(size_t index, KeyBytes key) {
    const Bytes bytes(key.begin(), key.end());
    const bool had = parts_[index] && !parts_[index]->part(bytes, false, 0).empty();
    if (had) parts_[index]->erase(bytes);
    const int code = raw_->erase(index, key);
    return had && code == -ENOENT ? 0 : code;
}

Status Maps::zero(size_t index, bool printed) {
    const PlannedMap& map = plan_.maps[index];
    clears_[index]++;
    begin_anew(index);
    if (map.cleared_by_difference) {
        auto now = all_unless(index, printed);
        if (!now) return now.error_in("cannot zero " + map.name);
        past_[index].zero(*now);
        return Done{};
    }
    if (generations_[index]) {
        const Status zeroed = generations_[index]->zero(printed);
        return zeroed ? zeroed : zeroed.error_in("cannot zero " + map.name);
    }
    if (parts_[index]) parts_[index]->zero();
    auto found = raw_->entries(index);
    if (!found) return found.error_in("cannot zero " + map.name);
    const bool scalar = is_array(map.shape);
    const size_t each = padded_size(map.value_size);
    for (const RawEntry& entry : *found) {
        Bytes zeros(entry.value.size());
        for (size_t end = each; scalar && end <= zeros.size(); end += each)
            std::copy_n(&entry.value[end - scalar_mark], scalar_mark, &zeros[end - scalar_mark]);
        const int code = raw_->update(index, entry.key, zeros, BPF_EXIST);
        // A key that a program has deleted in the meantime does not need a value.
        if (code < 0 && code != -ENOENT) return system_error("cannot zero " + map.name, -code);
    }
    return Done{};
}

}  // namespace lt
