// Walks over maps. A map may change while it is read: an entry may then be missed or be there twice, as with any
// reader.
#include "maps.h"

#include <algorithm>
#include <cerrno>
#include <utility>

namespace lt {

namespace {

bool is_array(MapShape shape) {
    switch (shape) {
        case MapShape::array:
        case MapShape::per_cpu_array:
            return true;
        case MapShape::hash:
        case MapShape::per_cpu_hash:
            return false;
    }
    return false;
}

bool is_per_cpu(MapShape shape) {
    switch (shape) {
        case MapShape::per_cpu_hash:
        case MapShape::per_cpu_array:
            return true;
        case MapShape::hash:
        case MapShape::array:
            return false;
    }
    return false;
}

size_t padded(size_t size) { return (size + 7) / 8 * 8; }

constexpr uint32_t scalar = 0;  // its key in the array
const uint8_t* scalar_key() { return reinterpret_cast<const uint8_t*>(&scalar); }

// Enough that system calls do not count, little enough that per-CPU histograms of many CPUs still fit into memory.
constexpr uint32_t batch_entries(size_t entry_size) {
    constexpr size_t bytes = 1 << 20, fewest = 64, most = 8192;
    return static_cast<uint32_t>(std::clamp(bytes / entry_size, fewest, most));
}

bool batch_unknown(int code) { return code == -EINVAL || code == -EOPNOTSUPP || code == -524; }

}  // namespace

Result<Maps> Maps::open(const Plan& plan, const LoadedObject& object) {
    int cpus = libbpf_num_possible_cpus();
    if (cpus < 0) return system_error("cannot tell the number of CPUs", -cpus);
    std::vector<Map> maps;
    for (const PlannedMap& map : plan.maps) {
        int fd = object.map(map.symbol);
        if (fd < 0) return Error{"the object has no map " + map.symbol, ""};
        size_t value = is_per_cpu(map.shape) ? padded(map.value_size) * static_cast<size_t>(cpus) : map.value_size;
        size_t key = is_array(map.shape) ? sizeof scalar : map.key_size;
        maps.push_back({&map, fd, key, value});
    }
    return Maps(std::move(maps));
}

Result<MapContent> Maps::read(size_t index) const {
    const Map& map = maps_[index];
    auto raw = entries(map);
    if (!raw) return raw.error_in("cannot read " + map.plan->name);
    if (map.plan->cleared_by_difference) return decode_map(*map.plan, past_[index].since(*map.plan, *std::move(raw)));
    return decode_map(*map.plan, *raw);
}

Result<MapContent> Maps::find(size_t index, std::span<const uint8_t> key) const {
    const Map& map = maps_[index];
    if (is_array(map.plan->shape)) return read(index);
    RawEntry entry{Bytes(key.begin(), key.end()), Bytes(map.value_size)};
    const int code = bpf_map_lookup_elem(map.fd, entry.key.data(), entry.value.data());
    if (code == -ENOENT) return MapContent{map.plan->name, {}};
    if (code < 0) return system_error("cannot read " + map.plan->name, -code);
    return decode_map(*map.plan, {&entry, 1});
}

Result<std::vector<RawEntry>> Maps::entries(const Map& map) {
    std::vector<RawEntry> all;
    if (is_array(map.plan->shape)) {
        Bytes value(map.value_size);
        if (int code = bpf_map_lookup_elem(map.fd, &scalar, value.data()); code < 0)
            return system_error("lookup", -code);
        all.push_back({{}, std::move(value)});
        return all;
    }
    auto done = each(map, [&](const uint8_t* key, const uint8_t* value) {
        all.push_back({Bytes(key, key + map.key_size), Bytes(value, value + map.value_size)});
    });
    if (!done) return done.error();
    return all;
}

Status Maps::clear(size_t index, bool printed) const {
    const Map& map = maps_[index];
    if (map.plan->cleared_by_difference) {
        std::optional<std::vector<RawEntry>> now;
        if (!printed || !past_[index].asked()) {
            auto raw = entries(map);
            if (!raw) return raw.error_in("cannot clear " + map.plan->name);
            now = *std::move(raw);
        }
        past_[index].clear(now, [&](const Bytes& key) { return remove(map, key); });
        return Done{};
    }
    if (is_array(map.plan->shape)) return update(map, scalar_key(), Bytes(map.value_size));
    int code = each_batch(map, bpf_map_lookup_and_delete_batch, [](const uint8_t*, const uint8_t*) {});
    if (code == 0) return Done{};
    if (!batch_unknown(code)) return system_error("cannot clear " + map.plan->name, -code);
    std::vector<Bytes> left;
    auto done = each_key(map, [&](const uint8_t* key, const uint8_t*) { left.emplace_back(key, key + map.key_size); });
    if (!done) return done.error_in("cannot clear " + map.plan->name);
    for (const Bytes& key : left) bpf_map_delete_elem(map.fd, key.data());
    return Done{};
}

std::optional<Bytes> Maps::remove(const Map& map, const Bytes& key) const {
    if (is_array(map.plan->shape)) return {};
    Bytes value(map.value_size);
    if (bpf_map_lookup_and_delete_elem(map.fd, key.data(), value.data()) < 0) return {};
    return value;
}

Status Maps::zero(size_t index) const {
    const Map& map = maps_[index];
    auto all = entries(map);
    if (!all) return all.error_in("cannot zero " + map.plan->name);
    const bool scalar_value = is_array(map.plan->shape);
    const size_t each = padded(map.plan->value_size);
    for (const RawEntry& entry : *all) {
        Bytes zeros(map.value_size);
        for (size_t end = each; scalar_value && end <= zeros.size(); end += each) {
            std::copy_n(&entry.value[end - scalar_mark], scalar_mark, &zeros[end - scalar_mark]);
        }
        if (auto zeroed = update(map, scalar_value ? scalar_key() : entry.key.data(), zeros); !zeroed) return zeroed;
    }
    return Done{};
}

Status Maps::update(const Map& map, const uint8_t* key, const Bytes& value) {
    int code = bpf_map_update_elem(map.fd, key, value.data(), BPF_EXIST);
    // A key that a program has deleted meanwhile needs no value.
    if (code < 0 && code != -ENOENT) return system_error("cannot zero " + map.plan->name, -code);
    return Done{};
}

Status Maps::each(const Map& map, const Take& take) {
    int code = each_batch(map, bpf_map_lookup_batch, take);
    if (code == 0) return Done{};
    if (batch_unknown(code)) return each_key(map, take);
    return system_error("lookup of a batch", -code);
}

// 0 or a negative errno. An unknown call is refused before anything was taken.
int Maps::each_batch(const Map& map, BatchCall call, const Take& take) {
    uint32_t room = batch_entries(map.key_size + map.value_size);
    Bytes keys, values;
    Bytes position(std::max(map.key_size, sizeof(uint32_t)));
    for (bool first = true;;) {
        keys.resize(room * map.key_size);
        values.resize(room * map.value_size);
        uint32_t count = room;
        int code = call(map.fd, first ? nullptr : position.data(), position.data(), keys.data(), values.data(), &count,
                        nullptr);
        if (code == -ENOSPC) {  // one bucket of the hash has more than fits
            room *= 2;
            continue;
        }
        if (code < 0 && code != -ENOENT) return code;
        for (size_t i = 0; i < count; i++) take(&keys[i * map.key_size], &values[i * map.value_size]);
        if (code < 0) return 0;
        first = false;
    }
}

Status Maps::each_key(const Map& map, const Take& take) {
    Bytes key(map.key_size), next(map.key_size), value(map.value_size);
    for (const uint8_t* after = nullptr;; after = key.data()) {
        int code = bpf_map_get_next_key(map.fd, after, next.data());
        if (code == -ENOENT) return Done{};
        if (code < 0) return system_error("next key", -code);
        key = next;
        if (bpf_map_lookup_elem(map.fd, key.data(), value.data()) == 0) take(key.data(), value.data());
    }
}

}  // namespace lt
