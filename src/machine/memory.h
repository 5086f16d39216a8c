// The memory that a BPF program may access directly: named regions far apart, and each access checked against one of
// them. A region may record which of its bytes have been written; reading the others is refused, as the verifier does.
#pragma once

#include <map>
#include <span>
#include <string>

#include "base/result.h"
#include "machine/object.h"

namespace lt::machine {

enum class Access { read_only, read_write };
enum class Contents { initialised, uninitialised };
enum class Alignment { natural, any };
enum class Use { helper, direct, atomic };  // who accesses memory: a helper may misalign, an atomic operation never

// Stands for whatever was in memory before, so that a leak shows in a test.
inline constexpr uint8_t poison = 0xa5;

struct Region {
    std::string what;  // "stack frame"
    Bytes bytes;
    Access access = Access::read_write;
    Alignment alignment = Alignment::any;
    Bytes written{};               // a flag per byte; empty: all of them are
    std::span<uint8_t> outside{};  // not empty: the bytes are here, in memory that others write too
    std::span<uint8_t> content() { return outside.empty() ? std::span(bytes) : outside; }
    std::span<const uint8_t> content() const { return outside.empty() ? std::span(bytes) : outside; }
};

Region uninitialised_region(std::string what, size_t size);

class Memory {
  public:
    Address add(Region region);
    Address add_at(Address base, Region region);  // where no other region is
    void release(Address base);
    void retire(Address base) { retired_.push_back(base); }  // freed only after a grace period
    void release_retired();

    Bytes& bytes(Address base) { return regions_.at(base).bytes; }
    const Bytes& bytes(Address base) const { return regions_.at(base).bytes; }
    bool covers(Address at) const { return nearest(at) != nullptr; }  // in a region, or next to one?

    Result<std::span<const uint8_t>> read(Address at, uint64_t size, Use use = Use::helper) const;
    Result<std::span<uint8_t>> write(Address at, uint64_t size, Use use = Use::helper);

  private:
    using Entry = std::pair<const Address, Region>;
    const Entry* nearest(Address at) const;
    Result<const Entry*> locate(std::string_view verb, Address at, uint64_t size, Use use) const;

    std::map<Address, Region> regions_;
    std::vector<Address> retired_;
    Address next_ = 0xffffc90000000000;
};

}  // namespace lt::machine
