#include "runtime/maps/host_parts.h"

#include <algorithm>
#include <set>
#include <utility>

namespace lt {

std::span<uint8_t> HostParts::part(const Bytes& key, bool make, size_t most) {
    const auto existing = parts_.find(key);
    if (existing != parts_.end()) return existing->second;
    if (!make || parts_.size() >= most) return {};
    return parts_.emplace(key, Bytes(size_)).first->second;
}

void HostParts::join(std::vector<RawEntry>& entries, size_t kernel_size) const {
    std::set<Bytes> seen;
    for (RawEntry& entry : entries) {
        const auto part = parts_.find(entry.key);
        const bool has = part != parts_.end();
        if (has) seen.insert(entry.key);
        entry.value.resize(kernel_size + size_);
        if (has) std::ranges::copy(part->second, entry.value.begin() + static_cast<ptrdiff_t>(kernel_size));
    }
    for (const auto& [key, part] : parts_) {
        if (!seen.contains(key)) entries.push_back({key, *join(key, {}, kernel_size)});
    }
}

std::optional<Bytes> HostParts::join(const Bytes& key, std::optional<Bytes> value, size_t kernel_size) const {
    const auto part = parts_.find(key);
    if (!value && part == parts_.end()) return std::nullopt;
    Bytes out = value ? *std::move(value) : Bytes(kernel_size);
    out.resize(kernel_size + size_);
    if (part != parts_.end()) std::ranges::copy(part->second, out.begin() + static_cast<ptrdiff_t>(kernel_size));
    return out;
}

void HostParts::erase(const Bytes& key) {
    const auto part = parts_.find(key);
    if (part == parts_.end()) return;
    retired_.push_back(std::move(part->second));
    parts_.erase(part);
}

void HostParts::clear() {
    while (!parts_.empty()) erase(Bytes(parts_.begin()->first));
}

// Scalars keep their mark.
void HostParts::zero() {
    for (auto& [key, part] : parts_) std::fill_n(part.begin(), part.size() - (scalar_ ? scalar_mark : 0), uint8_t{0});
}

}  // namespace lt
