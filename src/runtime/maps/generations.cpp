#include "runtime/maps/generations.h"

#include <linux/bpf.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace lt {
namespace {

constexpr size_t word = sizeof(uint64_t);

}  // namespace

Bytes Generations::in_generation(const Bytes& key, uint64_t generation) const {
    const size_t size = is_array(map_.shape) ? sizeof(uint32_t) : word;
    Bytes out = key;
    out.resize(key.size() + size);
    std::memcpy(&out[key.size()], &generation, size);
    return out;
}

Bytes Generations::own_key(const Bytes& raw_key) const {
    return is_array(map_.shape) ? Bytes() : Bytes(raw_key.begin(), raw_key.end() - word);
}

bool Generations::is_of(const Bytes& raw_key, uint64_t generation) const {
    return raw_key == in_generation(own_key(raw_key), generation);
}

void Generations::add(Values& to, const Bytes& key, const Bytes& value) const {
    const auto [existing, is_new] = to.emplace(key, value);
    if (!is_new) words_.join(existing->second, value);
}

// The next generation is empty: it was taken out last time, when no program was using it any more.
Status Generations::take_out() {
    const uint64_t old = std::exchange(generation_, 1 - generation_);
    if (Status set = raw_.set_generation(*map_.generation, generation_); !set) return set;
    auto all = raw_.entries(index_);
    if (!all) return all.error();
    for (const RawEntry& entry : *all) {
        if (!is_of(entry.key, old)) continue;
        add(taken_, own_key(entry.key), entry.value);
        const int code = is_array(map_.shape) ? raw_.update(index_, entry.key, Bytes(entry.value.size()), BPF_EXIST)
                                              : raw_.erase(index_, entry.key);
        if (code < 0 && code != -ENOENT) return system_error("taking out a value", -code);
    }
    return Done{};
}

Result<std::vector<RawEntry>> Generations::since(bool reported) {
    if (reported) {
        if (Status taken = take_out(); !taken) return taken.error();
        asked_ = true;
    }
    Values all = taken_;
    if (!reported) {
        auto now = raw_.entries(index_);
        if (!now) return now.error();
        for (const RawEntry& entry : *now) add(all, own_key(entry.key), entry.value);
    }
    std::vector<RawEntry> out;
    for (auto& [key, value] : all) out.push_back({key, std::move(value)});
    return out;
}

Result<std::optional<Bytes>> Generations::rest(const Bytes& key) {
    Values one;
    if (const auto taken = taken_.find(key); taken != taken_.end()) one.insert(*taken);
    for (const uint64_t generation : {uint64_t{0}, uint64_t{1}}) {
        auto value = raw_.lookup(index_, in_generation(key, generation));
        if (!value) return value.error();
        if (*value) add(one, key, **value);
    }
    return one.empty() ? std::nullopt : std::optional(std::move(one.begin()->second));
}

// Takes out what clear() and zero() are about.
Status Generations::settle() {
    if (std::exchange(asked_, false)) return Done{};
    return take_out();
}

Status Generations::clear() {
    if (Status settled = settle(); !settled) return settled;
    taken_.clear();
    return Done{};
}

// Scalars keep their mark.
Status Generations::zero() {
    if (Status settled = settle(); !settled) return settled;
    const size_t each = padded_size(map_.value_size);
    for (auto& [key, value] : taken_) {
        Bytes zeros(value.size());
        for (size_t end = each; map_.key.empty() && end <= zeros.size(); end += each)
            std::copy_n(&value[end - scalar_mark], scalar_mark, &zeros[end - scalar_mark]);
        value = std::move(zeros);
    }
    return Done{};
}

}  // namespace lt
