// Runs programs of Way::host: the interpreter of BPF, with the session's maps around it. A plan may come from anywhere,
// so each access to memory is checked, and what a program can make lt allocate has a limit.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "host_port.h"
#include "host_walk.h"
#include "machine/execution.h"
#include "machine/image.h"
#include "runtime/plan.h"

namespace lt {

class Host final : public machine::Surroundings {
  public:
    // Both outlive it.
    static Result<std::unique_ptr<Host>> open(const Plan& plan, HostPort& port);
    // The same with an object that has been read.
    static Result<std::unique_ptr<Host>> open(const Plan& plan, HostPort& port, machine::Object object);

    enum class Ran : uint8_t { whole, interrupted };
    Result<Ran> run(const std::string& program);

    const machine::Helper* helper(int32_t id) const override;
    Status goes_on(uint64_t instructions) override;
    size_t stack_bytes() const override { return 4096; }
    std::string symbol(machine::Address address) override { return port_.symbol(address); }

    // ---- for helpers (host_helpers.cpp): addresses are those of the interpreter, 0 for null
    using Address = machine::Address;
    HostPort& port() { return port_; }
    machine::Image& image() { return image_; }
    const PlannedMap& planned(size_t map) const { return plan_.maps[map]; }
    Result<size_t> map_at(Address handle) const;       // index in Plan::maps
    Result<Address> room(Bytes bytes, bool writable);  // until the block ends
    Result<Address> writable(size_t map, const Bytes& key);
    int update(size_t map, const Bytes& key, std::span<const uint8_t> value, uint64_t flags);
    int erase(size_t map, const Bytes& key);
    Result<Address> read(size_t map, const Bytes& key);
    Result<uint64_t> walk(size_t map, const Chosen& chosen);
    Result<uint64_t> walk_count(uint64_t walk) const;
    Result<Address> walk_entry(uint64_t walk, uint64_t i) const;
    void drop_walk(uint64_t walk);
    Result<uint64_t> add(size_t map, const Bytes& key, uint64_t n);
    Result<Address> reserve(uint64_t size);
    Status submit(Address record);
    Status record(std::span<const uint8_t> bytes);

  private:
    Host(const Plan& plan, HostPort& port) : plan_(plan), port_(port) {}
    void prepare(machine::Object object);
    void release(Address at);
    Result<Address> view(std::string what, std::span<uint8_t> bytes);
    Status write_back(size_t map);
    void finish();
    struct Seen;
    Result<const Seen*> seen(size_t map);
    Result<std::optional<Bytes>> value_of(size_t map, const Bytes& key);
    Result<std::vector<Bytes>> chosen_of(size_t map, const Chosen& chosen);

    // A value of a hash, copied: what changes of it is written back.
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

    // What the block has read of a map that is cleared by difference: all that it reads of it, and what clear() then
    // takes away, is that.
    struct Seen {
        uint64_t clears = 0;  // as of Maps::clears()
        std::vector<RawEntry> entries;
        std::map<Bytes, size_t> by_key;
    };

    const Plan& plan_;
    HostPort& port_;
    machine::Image image_;
    std::vector<size_t> map_of_;  // by index in the object's maps: index in Plan::maps
    std::set<Address> rooms_;     // of the block that runs
    std::deque<Address> read_;    // the last ones that were read
    std::vector<Slot> slots_;
    std::map<uint64_t, Walk> walks_;
    std::map<size_t, Seen> seen_;  // by map
    uint64_t next_walk_ = 1;
    std::set<Address> records_;
    uint64_t allocated_ = 0;  // bytes
};

}  // namespace lt
