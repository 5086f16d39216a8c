#include "runtime/maps/kernel_generations.h"

#include <linux/bpf.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace lt {

Bytes KernelGenerations::in_generation(const Bytes& key, uint64_t generation) const {
    const size_t size = is_array(map_.shape) ? sizeof(uint32_t) : sizeof generation;
    Bytes out = key;
    out.resize(key.size() + size);
    std::memcpy(&out[key.size()], &generation, size);
    return out;
}

Result<std::vector<RawEntry>> KernelGenerations::entries_of(uint64_t generation) {
    std::vector<RawEntry> out;
    const Status done = raw_.each(index_, [&](KeyBytes raw_key, std::span<const uint8_t> value) {
        Bytes key(raw_key.begin(), raw_key.end() - (is_array(map_.shape) ? sizeof(uint32_t) : sizeof generation));
        const Bytes wanted = in_generation(key, generation);
        if (std::ranges::equal(raw_key, wanted)) out.push_back({std::move(key), Bytes(value.begin(), value.end())});
    });
    if (!done) return done.error();
    return out;
}

Result<std::vector<RawEntry>> KernelGenerations::entries() { return entries_of(generation_); }

Result<std::optional<Bytes>> KernelGenerations::lookup(const Bytes& key) {
    return raw_.lookup(index_, in_generation(key, generation_));
}

// The next generation is empty: it was taken out last time, when no program was using it any more.
Result<std::vector<RawEntry>> KernelGenerations::take_out() {
    const uint64_t old = std::exchange(generation_, 1 - generation_);
    if (Status set = raw_.set_generation(*map_.generation, generation_); !set) return set.error();
    auto all = entries_of(old);
    if (!all) return all;
    for (const RawEntry& entry : *all) {
        const Bytes key = in_generation(entry.key, old);
        const int code = is_array(map_.shape) ? raw_.update(index_, key, Bytes(entry.value.size()), BPF_EXIST)
                                              : raw_.erase(index_, key);
        if (code < 0 && code != -ENOENT) return system_error("taking out a value", -code);
    }
    return all;
}

}  // namespace lt
