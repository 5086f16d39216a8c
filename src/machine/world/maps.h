// Maps as the kernel keeps them, with the errors it returns. A Table is every map with keys (hash, array, per-CPU or
// not, task storage, stack traces); a RingBuffer is a queue of records. Both keep their bytes in a Memory.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "machine/memory.h"
#include "machine/object.h"

namespace lt::machine {

enum class Shape { hash, array, task_storage, stack_trace, ring };

struct MapKind {
    uint32_t type;  // BPF_MAP_TYPE_*
    std::string_view name;
    Shape shape;
    bool per_cpu;
    bool evicts;
};

const MapKind* find_map_kind(uint32_t type);

using Key = std::span<const uint8_t>;
using Value = std::span<const uint8_t>;
using Entries = std::vector<std::pair<Bytes, Bytes>>;

class Table {
  public:
    Table(MapDefinition definition, const MapKind& kind, unsigned cpus);

    const MapDefinition& definition() const { return definition_; }
    const MapKind& kind() const { return kind_; }
    unsigned cpus() const { return cpus_; }

    // As a program sees it: one value, that of the given CPU. 0 or a negative errno; address 0 for none.
    Address find(Memory& memory, Key key, unsigned cpu);
    int update(Memory& memory, Key key, Value value, uint64_t flags, unsigned cpu);
    int erase(Memory& memory, Key key);
    std::vector<Bytes> keys() const;

    // As a system call sees it: of a per-CPU map the values of all CPUs, each padded to a multiple of 8 bytes.
    std::optional<Bytes> all_values(Memory& memory, Key key);
    int update_all(Memory& memory, Key key, Value values, uint64_t flags);
    Entries entries(Memory& memory);
    size_t syscall_size() const;

  private:
    struct Element {
        std::vector<Address> values;  // one per CPU, or just one
        uint64_t used = 0;
    };
    Element* existing(Memory& memory, Key key);
    Element* insert(Memory& memory, Key key);
    int element_for_update(Memory& memory, Key key, uint64_t flags, Element*& element);
    bool make_room(Memory& memory);
    Address new_value(Memory& memory) const;
    bool in_array(Key key) const;
    size_t stride() const;

    MapDefinition definition_;
    MapKind kind_;
    unsigned cpus_;
    std::map<Bytes, Element> elements_;
    uint64_t uses_ = 0;
};

class RingBuffer {
  public:
    explicit RingBuffer(MapDefinition definition);

    const MapDefinition& definition() const { return definition_; }
    size_t capacity() const { return capacity_; }
    void set_capacity(size_t bytes) { capacity_ = bytes; }

    Address reserve(Memory& memory, uint64_t size);  // 0: no room
    bool submit(Memory& memory, Address record) { return finish(memory, record, State::submitted); }
    bool discard(Memory& memory, Address record) { return finish(memory, record, State::discarded); }
    int output(Value bytes);

    size_t reserved() const;  // records a program holds
    size_t discard_reserved(Memory& memory);
    uint64_t available() const { return produced_ - consumed_; }
    uint64_t produced() const { return produced_; }
    uint64_t consumed() const { return consumed_; }
    uint64_t lost() const { return lost_; }  // reservations refused so far
    std::vector<Bytes> drain();              // in the order reserved, up to the first still held

  private:
    enum class State { reserved, submitted, discarded };
    struct Record {
        State state = State::reserved;
        Address address = 0;
        uint64_t length = 0;  // with header and padding
        Bytes bytes;
    };
    bool make_room(uint64_t length);
    bool finish(Memory& memory, Address record, State state);

    MapDefinition definition_;
    size_t capacity_;
    uint64_t produced_ = 0;
    uint64_t consumed_ = 0;
    uint64_t lost_ = 0;
    std::deque<Record> records_;
};

using Map = std::variant<Table, RingBuffer>;

Result<Map> make_map(const MapDefinition& definition, unsigned cpus);
const MapDefinition& definition_of(const Map& map);

}  // namespace lt::machine
