#include "runtime/host/host.h"

#include <fmt/format.h>
#include <linux/bpf.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "runtime/border/host_calls.h"

namespace lt {
namespace {

constexpr uint64_t most_allocated = uint64_t{1} << 28;
constexpr uint64_t most_record = 1 << 20;
constexpr size_t most_read = 4096;    // number of values that stay readable
constexpr uint64_t breath = 1 << 16;  // instructions between two checks for an interrupt
constexpr size_t no_plan_map = SIZE_MAX, map_of_locks = SIZE_MAX - 1;
constexpr std::string_view interrupted_text = "interrupted";

Error bad_block(std::string what) { return {std::move(what), "", 0}; }

}  // namespace

Result<std::unique_ptr<Host>> Host::open(const Plan& plan, HostPort& port) {
    auto object = machine::Object::read(plan.object);
    if (!object) return object.error();
    return open(plan, port, *std::move(object));
}

Result<std::unique_ptr<Host>> Host::open(const Plan& plan, HostPort& port, machine::Object object) {
    std::unique_ptr<Host> host(new Host(plan, port));
    host->prepare(std::move(object));
    return host;
}

void Host::prepare(machine::Object object) {
    image_.object = std::move(object);
    for (const machine::MapDefinition& definition : image_.object.maps) {
        const auto found =
            std::ranges::find_if(plan_.maps, [&](const PlannedMap& m) { return m.symbol == definition.name; });
        const size_t other = definition.name == locks_symbol ? map_of_locks : no_plan_map;
        map_of_.push_back(found == plan_.maps.end() ? other : static_cast<size_t>(found - plan_.maps.begin()));
    }
    for (const machine::DataSection& data : image_.object.data) {
        machine::Region region{"section " + data.name, data.bytes};
        if (data.read_only) region.access = machine::Access::read_only;
        const std::span<uint8_t> live = data.read_only ? std::span<uint8_t>() : port_.section(data.name);
        if (live.size() >= data.bytes.size()) region.outside = live.first(data.bytes.size());
        image_.data.push_back(image_.memory.add(std::move(region)));
    }
    image_.link();
}

Result<Host::Ran> Host::run(const std::string& program) {
    const machine::Function* function = image_.object.function(program);
    if (!function) return bad_block("the object has no program " + program);
    auto context = room(Bytes(sizeof(uint64_t)), false);
    if (!context) return context.error();
    std::vector<uint64_t> clears;
    std::vector<bool> reported;  // to others: a clear() in the block is about what the block reads
    for (size_t map = 0; map < plan_.maps.size(); map++) {
        clears.push_back(port_.maps().clears(map));
        reported.push_back(port_.maps().set_reported(map, false));
    }
    const auto ran_before = cleared_.find(program);
    together_ = ran_before == cleared_.end() ? port_.maps().cleared_after_reading() : ran_before->second;
    machine::Execution execution(image_, *this, program);
    auto result = execution.run(*function, *context);
    std::set<size_t>& cleared = cleared_[program];
    for (size_t map = 0; map < plan_.maps.size(); map++) {
        const bool has_read = port_.maps().set_reported(map, false);
        if (clears[map] != port_.maps().clears(map))
            cleared.insert(map);
        else if (!has_read)
            port_.maps().set_reported(map, reported[map]);
    }
    Status written = Done{};
    for (size_t map = 0; map < plan_.maps.size() && written; map++) written = write_back(map);
    finish();
    if (!result && result.error().code == EINTR) return Ran::interrupted;
    if (!result) return result.error();
    if (!written) return written.error();
    return Ran::whole;
}

void Host::finish() {
    for (Address at : std::exchange(rooms_, {})) image_.memory.release(at);
    image_.memory.release_retired();
    read_.clear();
    slots_.clear();
    walks_.clear();
    seen_.clear();
    records_.clear();
    allocated_ = 0;
    for (size_t map = 0; map < plan_.maps.size(); map++) {
        if (HostParts* parts = port_.maps().parts(map)) parts->settle();
    }
}

Status Host::goes_on(uint64_t instructions) {
    if (instructions % breath != 0 || !port_.interrupted()) return Done{};
    return Error{std::string(interrupted_text), "", EINTR};
}

// ---- memory

Result<Host::Address> Host::room(Bytes bytes, bool writable) {
    allocated_ += bytes.size();
    if (allocated_ > most_allocated)
        return bad_block(fmt::format("the block needs more than {} MB of memory", most_allocated >> 20));
    machine::Region region{"memory of the block", std::move(bytes)};
    if (!writable) region.access = machine::Access::read_only;
    const Address at = image_.memory.add(std::move(region));
    rooms_.insert(at);
    return at;
}

void Host::release(Address at) {
    if (rooms_.erase(at) == 0) return;
    allocated_ -= std::min<uint64_t>(allocated_, image_.memory.bytes(at).size());
    image_.memory.release(at);
}

Result<Host::Address> Host::view(std::string what, std::span<uint8_t> bytes) {
    machine::Region region{std::move(what), {}};
    region.outside = bytes;
    region.alignment = machine::Alignment::natural;
    const Address at = image_.memory.add(std::move(region));
    rooms_.insert(at);
    return at;
}

// ---- maps

Result<size_t> Host::map_at(Address handle) const {
    const auto index = image_.map_index(handle);
    if (!index) return bad_block("the map argument is not a map");
    if (*index >= map_of_.size() || map_of_[*index] >= map_of_locks) return bad_block("this map is not supported here");
    return map_of_[*index];
}

bool Host::is_lock(Address handle) const {
    const auto index = image_.map_index(handle);
    return index && *index < map_of_.size() && map_of_[*index] == map_of_locks;
}

// An array that programs in the kernel write is in shared memory, so additions to it are as atomic as theirs. A per-CPU
// map has a part for lt. A value of a hash is copied, and written back if it changes.
Result<Host::Address> Host::writable(size_t map, const Bytes& key) {
    const PlannedMap& m = plan_.maps[map];
    seen_.erase(map);
    const std::string what = "value of map " + m.name;
    switch (m.shape) {
        case MapShape::array: {
            const std::span<uint8_t> memory = port_.maps().raw().memory(map);
            if (memory.size() < m.value_size) return bad_block("the kernel does not share " + m.name);
            return view(what, memory);
        }
        case MapShape::per_cpu_array:
        case MapShape::per_cpu_hash: {
            HostParts* parts = port_.maps().parts(map);
            const bool scalar = m.shape == MapShape::per_cpu_array;
            const std::span<uint8_t> part =
                parts ? parts->part(scalar ? Bytes() : key, scalar, 1) : std::span<uint8_t>();
            return part.empty() ? Result<Address>(Address{0}) : view(what, part);
        }
        case MapShape::hash:
            break;
    }
    if (auto written = write_back(map); !written) return written.error();
    auto value = port_.maps().raw().lookup(map, key);
    if (!value) return value.error();
    if (!*value) return Address{0};
    const auto same = [&](const Slot& s) { return s.map == map && s.key == key; };
    std::erase_if(slots_, same);
    auto at = room(**value, true);
    if (at) slots_.push_back({map, key, **std::move(value), *at});
    return at;
}

Status Host::write_back(size_t map) {
    for (Slot& slot : slots_) {
        if (slot.map != map) continue;
        const Bytes& now = image_.memory.bytes(slot.at);
        if (now == slot.before) continue;
        // A key that was deleted in the meantime does not need a value.
        const int code = port_.maps().raw().update(map, slot.key, now, BPF_EXIST);
        if (code < 0 && code != -ENOENT) return system_error("cannot write " + plan_.maps[map].name, -code);
        slot.before = now;
    }
    return Done{};
}

int Host::update(size_t map, const Bytes& key, std::span<const uint8_t> value, uint64_t flags) {
    const PlannedMap& m = plan_.maps[map];
    seen_.erase(map);
    if (is_per_cpu(m.shape)) {
        HostParts* parts = port_.maps().parts(map);
        if (!parts) return -EINVAL;
        const bool exists = !parts->part(key, false, 0).empty();
        if (exists && flags == BPF_NOEXIST) return -EEXIST;
        const std::span<uint8_t> part = parts->part(key, true, m.max_entries);
        if (part.empty()) return -E2BIG;
        std::copy_n(value.begin(), std::min(value.size(), part.size()), part.begin());
        return 0;
    }
    if (auto written = write_back(map); !written) return -written.error().code;
    std::erase_if(slots_, [&](const Slot& s) { return s.map == map && s.key == key; });
    return port_.maps().raw().update(map, key, value, flags);
}

int Host::erase(size_t map, const Bytes& key) {
    seen_.erase(map);
    std::erase_if(slots_, [&](const Slot& s) { return s.map == map && s.key == key; });
    return port_.maps().erase(map, key);
}

Result<Host::Address> Host::read(size_t map, const Bytes& key) {
    const PlannedMap& m = plan_.maps[map];
    if (m.shape == MapShape::array) return writable(map, key);
    if (auto written = write_back(map); !written) return written.error();
    auto value = value_of(map, is_array(m.shape) ? Bytes() : key);
    if (!value) return value.error();
    if (!*value) return Address{0};
    auto at = room(fold_bytes(m, **value), false);
    if (!at) return at;
    read_.push_back(*at);
    if (read_.size() > most_read) {
        release(read_.front());
        read_.pop_front();
    }
    return at;
}

Result<std::optional<Bytes>> Host::value_of(size_t map, const Bytes& key) {
    if (!clears_what_was_read(map)) return port_.maps().entry(map, key);
    auto read = seen(map);
    if (!read) return read.error();
    const auto found = (*read)->by_key.find(key);
    if (found == (*read)->by_key.end()) return std::optional<Bytes>();
    return std::optional((*read)->entries[found->second].value);
}

// Does a clear() keep what programs in the kernel have added since the map was read?
bool Host::clears_what_was_read(size_t map) const {
    return plan_.maps[map].cleared_by_difference || plan_.maps[map].generation.has_value();
}

// Read once: updates while the block runs are neither counted twice nor lost between a read and a clear().
Result<const Host::Seen*> Host::seen(size_t map) {
    const auto found = seen_.find(map);
    if (found != seen_.end() && found->second.clears == port_.maps().clears(map)) return &found->second;
    if (!together_.contains(map)) return look(map);
    // All at nearly one moment: what a program adds to one while the block goes through another would be cleared
    // unseen.
    for (const size_t other : std::exchange(together_, {})) {
        if (other == map || !clears_what_was_read(other)) continue;
        if (auto read = look(other); !read) return read;
    }
    return look(map);
}

Result<const Host::Seen*> Host::look(size_t map) {
    auto entries = port_.maps().entries(map);
    if (!entries) return entries.error();
    Seen read{port_.maps().clears(map), *std::move(entries), {}};
    for (size_t i = 0; i < read.entries.size(); i++)
        read.by_key.emplace(is_array(plan_.maps[map].shape) ? Bytes() : read.entries[i].key, i);
    return &(seen_[map] = std::move(read));
}

Result<uint64_t> Host::change(size_t map, const Bytes& key, uint64_t n, uint64_t how) {
    seen_.erase(map);
    if (auto written = write_back(map); !written) return written.error();
    std::erase_if(slots_, [&](const Slot& s) { return s.map == map && s.key == key; });
    return port_.change(map, key, n, how);
}

// ---- walks

Result<std::vector<Bytes>> Host::chosen_of(size_t map, const Chosen& chosen) {
    if (clears_what_was_read(map) && !chosen.order.counts_only) {
        auto read = seen(map);
        if (!read) return read.error();
        return walk_entries(plan_.maps[map], (*read)->entries, chosen);
    }
    auto entries = port_.maps().entries(map, !chosen.order.counts_only);
    if (!entries) return entries.error();
    return walk_entries(plan_.maps[map], *entries, chosen);
}

Result<uint64_t> Host::walk(size_t map, const Chosen& chosen) {
    if (auto written = write_back(map); !written) return written.error();
    auto chosen_entries = chosen_of(map, chosen);
    if (!chosen_entries) return chosen_entries.error();
    Walk walk;
    walk.count = chosen_entries->size();
    Bytes all;
    for (const Bytes& entry : *chosen_entries) {
        walk.stride = entry.size();
        all.insert(all.end(), entry.begin(), entry.end());
    }
    auto at = room(std::move(all), false);
    if (!at) return at.error();
    walk.at = *at;
    walks_.emplace(next_walk_, walk);
    return next_walk_++;
}

Result<uint64_t> Host::walk_count(uint64_t walk) const {
    const auto found = walks_.find(walk);
    if (found == walks_.end()) return bad_block("no such walk");
    return found->second.count;
}

Result<Host::Address> Host::walk_entry(uint64_t walk, uint64_t i) const {
    const auto found = walks_.find(walk);
    if (found == walks_.end() || i >= found->second.count) return bad_block("no such entry of a walk");
    return found->second.at + i * found->second.stride;
}

void Host::drop_walk(uint64_t walk) {
    const auto found = walks_.find(walk);
    if (found == walks_.end()) return;
    release(found->second.at);
    walks_.erase(found);
}

// ---- records

Result<Host::Address> Host::reserve(uint64_t size) {
    if (size > most_record) return Address{0};
    auto at = room(Bytes(size), true);
    if (at) records_.insert(*at);
    return at;
}

Status Host::submit(Address record) {
    if (records_.erase(record) == 0) return bad_block("argument 1 is not a reserved record");
    const Bytes bytes = image_.memory.bytes(record);
    release(record);
    return this->record(bytes);
}

// The record may refer to values that the block has changed, so these are written back first.
Status Host::record(std::span<const uint8_t> bytes) {
    for (size_t map = 0; map < plan_.maps.size(); map++) {
        if (auto written = write_back(map); !written) return written;
    }
    return port_.record(bytes);
}

}  // namespace lt
