// How the kinds of map differ is a table; the rest is the same code for all of them. An update of a plain hash replaces
// the value instead of writing over it, and what is replaced or deleted stays readable until the run ends, as under
// RCU.
#include "machine/world/maps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace lt::machine {
namespace {

constexpr std::array kinds = {
    MapKind{BPF_MAP_TYPE_HASH, "hash", Shape::hash, false, false},
    MapKind{BPF_MAP_TYPE_PERCPU_HASH, "percpu_hash", Shape::hash, true, false},
    MapKind{BPF_MAP_TYPE_LRU_HASH, "lru_hash", Shape::hash, false, true},
    MapKind{BPF_MAP_TYPE_LRU_PERCPU_HASH, "lru_percpu_hash", Shape::hash, true, true},
    MapKind{BPF_MAP_TYPE_ARRAY, "array", Shape::array, false, false},
    MapKind{BPF_MAP_TYPE_PERCPU_ARRAY, "percpu_array", Shape::array, true, false},
    MapKind{BPF_MAP_TYPE_PROG_ARRAY, "prog_array", Shape::array, false, false},
    MapKind{BPF_MAP_TYPE_TASK_STORAGE, "task_storage", Shape::task_storage, false, false},
    MapKind{BPF_MAP_TYPE_STACK_TRACE, "stack_trace", Shape::stack_trace, false, false},
    MapKind{BPF_MAP_TYPE_RINGBUF, "ringbuf", Shape::ring, false, false},
};

constexpr uint64_t round_up_8(uint64_t size) { return (size + 7) / 8 * 8; }

uint32_t index_of(Key key) {
    uint32_t index = 0;
    std::memcpy(&index, key.data(), std::min(key.size(), sizeof index));
    return index;
}

Bytes key_of(uint32_t index) {
    Bytes key(sizeof index);
    std::memcpy(key.data(), &index, sizeof index);
    return key;
}

Status check(const MapDefinition& d, const MapKind& kind) {
    auto refuse = [&](std::string_view why) {
        return Error{fmt::format("map {} ({}): {}", d.name, kind.name, why), "", 0};
    };
    if (kind.shape == Shape::ring) return d.max_entries > 0 ? Status(Done{}) : refuse("size 0");
    if (d.type == BPF_MAP_TYPE_PROG_ARRAY && d.max_entries != 1) return refuse("programs in it are not simulated");
    if (d.key_size == 0 || d.value_size == 0) return refuse("key or value of size 0");
    if (d.max_entries == 0 && kind.shape != Shape::task_storage) return refuse("max_entries 0");
    if (kind.shape != Shape::hash && d.key_size != sizeof(uint32_t)) return refuse("a key that is not of 4 bytes");
    return Done{};
}

}  // namespace

const MapKind* find_map_kind(uint32_t type) {
    const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const MapKind& k) { return k.type == type; });
    return found == kinds.end() ? nullptr : &*found;
}

Result<Map> make_map(const MapDefinition& definition, unsigned cpus) {
    const MapKind* kind = find_map_kind(definition.type);
    if (!kind) return Error{fmt::format("map {}: type {} is not simulated", definition.name, definition.type), "", 0};
    if (auto ok = check(definition, *kind); !ok) return ok.error();
    if (kind->shape == Shape::ring) return Map(RingBuffer(definition));
    return Map(Table(definition, *kind, cpus));
}

const MapDefinition& definition_of(const Map& map) {
    return std::visit([](const auto& m) -> const MapDefinition& { return m.definition(); }, map);
}

Table::Table(MapDefinition definition, const MapKind& kind, unsigned cpus)
    : definition_(std::move(definition)), kind_(kind), cpus_(cpus) {
    if (kind_.shape == Shape::task_storage) definition_.max_entries = UINT32_MAX;  // bounded by the tasks there are
}

size_t Table::stride() const { return kind_.per_cpu ? round_up_8(definition_.value_size) : definition_.value_size; }

size_t Table::syscall_size() const { return stride() * (kind_.per_cpu ? cpus_ : 1); }

bool Table::in_array(Key key) const { return kind_.shape == Shape::array && index_of(key) < definition_.max_entries; }

Address Table::new_value(Memory& memory) const {
    return memory.add({"value of map " + definition_.name, Bytes(definition_.value_size)});
}

// An array's elements exist from the start; they are made when first touched.
Table::Element* Table::existing(Memory& memory, Key key) {
    const auto found = elements_.find(Bytes(key.begin(), key.end()));
    if (found != elements_.end()) return &found->second;
    return in_array(key) ? insert(memory, key) : nullptr;
}

Table::Element* Table::insert(Memory& memory, Key key) {
    Element element;
    for (unsigned i = 0; i < (kind_.per_cpu ? cpus_ : 1); ++i) element.values.push_back(new_value(memory));
    return &elements_.insert_or_assign(Bytes(key.begin(), key.end()), std::move(element)).first->second;
}

bool Table::make_room(Memory& memory) {
    if (elements_.size() < definition_.max_entries) return true;
    if (!kind_.evicts) return false;
    const auto oldest = std::min_element(elements_.begin(), elements_.end(),
                                         [](const auto& a, const auto& b) { return a.second.used < b.second.used; });
    const Bytes key = oldest->first;
    return erase(memory, key) == 0;
}

Address Table::find(Memory& memory, Key key, unsigned cpu) {
    Element* element = existing(memory, key);
    if (!element || cpu >= cpus_) return 0;
    element->used = ++uses_;
    return element->values[kind_.per_cpu ? cpu : 0];
}

int Table::element_for_update(Memory& memory, Key key, uint64_t flags, Element*& element) {
    if (flags > BPF_EXIST) return -EINVAL;
    const bool array = kind_.shape == Shape::array;
    if (array && !in_array(key)) return -E2BIG;
    element = existing(memory, key);
    if (element && flags == BPF_NOEXIST) return -EEXIST;
    if (!element && flags == BPF_EXIST) return -ENOENT;
    const bool replace = element && !array && !kind_.per_cpu;
    if (replace) {
        memory.retire(element->values.front());
        element->values.front() = new_value(memory);
    }
    if (!element && !make_room(memory)) return -E2BIG;
    if (!element) element = insert(memory, key);
    element->used = ++uses_;
    return 0;
}

int Table::update(Memory& memory, Key key, Value value, uint64_t flags, unsigned cpu) {
    Element* element = nullptr;
    if (const int refused = element_for_update(memory, key, flags, element)) return refused;
    Bytes& bytes = memory.bytes(element->values[kind_.per_cpu ? cpu : 0]);
    std::copy_n(value.begin(), bytes.size(), bytes.begin());
    return 0;
}

int Table::erase(Memory& memory, Key key) {
    if (kind_.shape == Shape::array) return -EINVAL;
    const auto found = elements_.find(Bytes(key.begin(), key.end()));
    if (found == elements_.end()) return -ENOENT;
    for (Address value : found->second.values) memory.retire(value);
    elements_.erase(found);
    return 0;
}

std::vector<Bytes> Table::keys() const {
    std::vector<Bytes> all;
    if (kind_.shape == Shape::array)
        for (uint32_t i = 0; i < definition_.max_entries; ++i) all.push_back(key_of(i));
    else
        for (const auto& [key, element] : elements_) all.push_back(key);
    return all;
}

std::optional<Bytes> Table::all_values(Memory& memory, Key key) {
    const auto found = elements_.find(Bytes(key.begin(), key.end()));
    if (found == elements_.end()) return in_array(key) ? std::optional(Bytes(syscall_size())) : std::nullopt;
    Bytes all;
    for (Address address : found->second.values) {
        const Bytes& value = memory.bytes(address);
        all.insert(all.end(), value.begin(), value.end());
        all.resize(all.size() + stride() - value.size());
    }
    return all;
}

int Table::update_all(Memory& memory, Key key, Value values, uint64_t flags) {
    Element* element = nullptr;
    if (const int refused = element_for_update(memory, key, flags, element)) return refused;
    for (Address address : element->values) {
        Bytes& bytes = memory.bytes(address);
        std::copy_n(values.begin(), bytes.size(), bytes.begin());
        values = values.subspan(stride());
    }
    return 0;
}

Entries Table::entries(Memory& memory) {
    Entries all;
    for (Bytes& key : keys()) {
        Bytes value = *all_values(memory, key);
        all.emplace_back(std::move(key), std::move(value));
    }
    return all;
}

RingBuffer::RingBuffer(MapDefinition definition)
    : definition_(std::move(definition)), capacity_(definition_.max_entries) {}

// The kernel keeps one byte free, so that full and empty differ.
bool RingBuffer::make_room(uint64_t length) {
    if (length > capacity_ || available() + length > capacity_ - 1) {
        ++lost_;
        return false;
    }
    produced_ += length;
    return true;
}

Address RingBuffer::reserve(Memory& memory, uint64_t size) {
    const uint64_t length = round_up_8(size + BPF_RINGBUF_HDR_SZ);
    if (size >= UINT32_MAX / 4 || !make_room(length)) return 0;
    const Address address = memory.add({"record of ring buffer " + definition_.name, Bytes(size, poison)});
    records_.push_back({State::reserved, address, length, {}});
    return address;
}

bool RingBuffer::finish(Memory& memory, Address record, State state) {
    for (Record& r : records_) {
        if (r.state != State::reserved || r.address != record) continue;
        r.bytes = memory.bytes(record);
        r.state = state;
        memory.release(record);
        return true;
    }
    return false;
}

int RingBuffer::output(Value bytes) {
    const uint64_t length = round_up_8(bytes.size() + BPF_RINGBUF_HDR_SZ);
    if (!make_room(length)) return -EAGAIN;
    records_.push_back({State::submitted, 0, length, Bytes(bytes.begin(), bytes.end())});
    return 0;
}

size_t RingBuffer::reserved() const {
    return static_cast<size_t>(
        std::count_if(records_.begin(), records_.end(), [](const Record& r) { return r.state == State::reserved; }));
}

size_t RingBuffer::discard_reserved(Memory& memory) {
    size_t count = 0;
    for (Record& r : records_)
        if (r.state == State::reserved && discard(memory, r.address)) ++count;
    return count;
}

std::vector<Bytes> RingBuffer::drain() {
    std::vector<Bytes> all;
    while (!records_.empty() && records_.front().state != State::reserved) {
        Record& first = records_.front();
        consumed_ += first.length;
        if (first.state == State::submitted) all.push_back(std::move(first.bytes));
        records_.pop_front();
    }
    return all;
}

}  // namespace lt::machine
