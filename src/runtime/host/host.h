// Runs programs of Way::host in the BPF interpreter, with the session's maps. A plan can come from anywhere, so each
// memory access is checked, and the memory that a program can make lt allocate is limited.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "machine/execution.h"
#include "machine/image.h"
#include "runtime/border/plan.h"
#include "runtime/host/host_port.h"
#include "runtime/host/host_walk.h"

namespace lt {

class Host final : public machine::Surroundings {
  public:
    // Both must outlive it.
    static Result<std::unique_ptr<Host>> open(const Plan& plan, HostPort& port);
    // The same with an object that was already read.
    static Result<std::unique_ptr<Host>> open(const Plan& plan, HostPort& port, machine::Object object);

    enum class Ran : uint8_t { whole, interrupted };
    Result<Ran> run(const std::string& program);

    const machine::Helper* helper(int32_t id) const override;
    Status goes_on(uint64_t instructions) override;
    size_t stack_bytes() const override { return 4096; }
    std::string symbol(machine::Address address) override { return port_.symbol(address); }
    std::string symbol_offset(machine::Address address) override { return port_.symbol_offset(address); }

    // ---- for helpers (host_helpers.cpp): addresses are those of the interpreter, 0 for null
    using Address = machine::Address;
    HostPort& port() { return port_; }
    machine::Image& image() { return image_; }
    const PlannedMap& planned(size_t map) const { return plan_.maps[map]; }
    Result<size_t> map_at(Address handle) const;       // index in Plan::maps
    bool is_lock(Address handle) const;                // is it the map of locks?
    Result<Address> room(Bytes bytes, bool writable);  // until the block ends
    Result<Address> writable(size_t map, const Bytes& key);
    int update(size_t map, const Bytes& key, std::span<const uint8_t> value, uint64_t flags);
    int erase(size_t map, const Bytes& key);
    Result<Address> read(size_t map, const Bytes& key);
    Result<uint64_t> walk(size_t map, const Chosen& chosen);
    Result<uint64_t> walk_count(uint64_t walk) const;
    Result<Address> walk_entry(uint64_t walk, uint64_t i) const;
    void drop_walk(uint64_t walk);
    Result<uint64_t> change(size_t map, const Bytes& key, uint64_t n, uint64_t how);
    Result<Address> reserve(uint64_t size);
    Status submit(Address record);
    Status record(std::span<const uint8_t> bytes);

  private:
    Host(const Plan& plan, HostPort& port) : plan_(plan), port_(port) {}
    void prepare(machine::Object object);
    void release(Address at);
    Result<Address> view(std::string what, std::span<uint8_t> bytes);
    Status write_back(size_t map);
    bool clears_what_was_read(size_t map) const;
    void finish();
    struct Seen;
    Result<const Seen*> seen(size_t map);
    Result<const Seen*> look(size_t map);
    Result<std::optional<Bytes>> value_of(size_t map, const Bytes& key);
    Result<std::vector<Bytes>> chosen_of(size_t map, const Chosen& chosen);

    // A copied value of a hash: changes are written back.
    struct Slot {
        size_t map = 0;
        Bytes key;
        Bytes before;
        Address at = 0;
    };
    struct Walk {
        Address at = 0;
        uint64_t stride = 0;
        uint64_t count = 0;
    };

    // The block's view of a map that is cleared by difference, or has generations: later reads by the block return
    // this, and clear() removes exactly this.
    struct Seen {
        uint64_t clears = 0;  // see Maps::clears()
        std::vector<RawEntry> entries;
        std::map<Bytes, size_t> by_key;
    };

    const Plan& plan_;
    HostPort& port_;
    machine::Image image_;
    std::vector<size_t> map_of_;  // by index in the object's maps: index in Plan::maps
    std::set<Address> rooms_;     // of the running block
    std::deque<Address> read_;    // the most recent reads
    std::vector<Slot> slots_;
    std::map<uint64_t, Walk> walks_;
    std::map<size_t, Seen> seen_;                      // by map
    std::map<std::string, std::set<size_t>> cleared_;  // by program that has run: maps that it has cleared
    std::set<size_t> together_;  // maps that the running block clears, until it reads the first of them
    uint64_t next_walk_ = 1;
    std::set<Address> records_;
    uint64_t allocated_ = 0;  // bytes
};

}  // namespace lt
