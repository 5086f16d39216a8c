// Regions have a guard on both sides, wide enough that a miss by a few bytes is reported as an offset into the region
// meant.
#include "machine/memory.h"

#include <fmt/format.h>

#include <algorithm>

namespace lt::machine {
namespace {

constexpr Address guard = 4096;

constexpr Address page_up(Address size) { return (size + guard - 1) / guard * guard; }

Error bad_access(std::string what) { return {std::move(what), "", 0}; }

std::string place(const std::pair<const Address, Region>* near, Address at) {
    if (near) return fmt::format("offset {} of {}", static_cast<int64_t>(at - near->first), near->second.what);
    if (at < guard) return fmt::format("null pointer plus {}", at);
    return fmt::format("{:#x}, which is not memory of the program", at);
}

bool must_align(Use use, const Region& region) {
    return use == Use::atomic || (use == Use::direct && region.alignment == Alignment::natural);
}

}  // namespace

Region uninitialised_region(std::string what, size_t size) {
    return {std::move(what), Bytes(size, poison), Access::read_write, Alignment::natural, Bytes(size, 0)};
}

Address Memory::add(Region region) {
    const Address base = next_ + guard;
    next_ += page_up(region.content().size()) + 2 * guard;
    regions_.emplace(base, std::move(region));
    return base;
}

Address Memory::add_at(Address base, Region region) {
    regions_.emplace(base, std::move(region));
    return base;
}

void Memory::release(Address base) { regions_.erase(base); }

void Memory::release_retired() {
    for (Address base : retired_) release(base);
    retired_.clear();
}

const Memory::Entry* Memory::nearest(Address at) const {
    const auto after = regions_.upper_bound(at);
    if (after != regions_.begin()) {
        const auto before = std::prev(after);
        if (at - before->first < before->second.content().size() + guard) return &*before;
    }
    if (after != regions_.end() && after->first - at <= guard) return &*after;
    return nullptr;
}

Result<const Memory::Entry*> Memory::locate(std::string_view verb, Address at, uint64_t size, Use use) const {
    const Entry* entry = nearest(at);
    auto refused = [&](std::string_view why) {
        return bad_access(fmt::format("{} of {} bytes at {}{}", verb, size, place(entry, at), why));
    };
    if (!entry) return refused("");
    const uint64_t length = entry->second.content().size();
    const uint64_t offset = at - entry->first;
    if (at < entry->first || offset > length || size > length - offset)
        return refused(fmt::format(", which has {} bytes", length));
    if (must_align(use, entry->second) && offset % size != 0) return refused(", misaligned");
    return entry;
}

Result<std::span<const uint8_t>> Memory::read(Address at, uint64_t size, Use use) const {
    auto entry = locate("read", at, size, use);
    if (!entry) return entry.error();
    const auto& [base, region] = **entry;
    const size_t offset = at - base;
    if (!region.written.empty()) {
        const auto first = region.written.begin() + static_cast<ptrdiff_t>(offset);
        const auto last = first + static_cast<ptrdiff_t>(size);
        if (const auto unset = std::find(first, last, 0); unset != last)
            return bad_access(fmt::format("read of {} bytes at {}: byte {} is uninitialised", size, place(*entry, at),
                                          unset - first));
    }
    return region.content().subspan(offset, size);
}

Result<std::span<uint8_t>> Memory::write(Address at, uint64_t size, Use use) {
    auto entry = locate("write", at, size, use);
    if (!entry) return entry.error();
    Region& region = regions_.at((*entry)->first);
    if (region.access == Access::read_only)
        return bad_access(fmt::format("write of {} bytes at {}, which is read-only", size, place(*entry, at)));
    const size_t offset = at - (*entry)->first;
    if (!region.written.empty()) std::fill_n(region.written.begin() + static_cast<ptrdiff_t>(offset), size, uint8_t{1});
    return region.content().subspan(offset, size);
}

}  // namespace lt::machine
