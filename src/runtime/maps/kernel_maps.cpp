// Walks maps with the kernel's batch operations if it has them. A map can change during the walk: an entry may be
// missed or appear twice, as for any reader.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <utility>

#include "runtime/bpf/map.h"
#include "runtime/bpf/running_programs.h"
#include "runtime/load/object.h"
#include "runtime/maps/raw_maps.h"
#include "runtime/os/shared_memory.h"

namespace lt {
namespace {

constexpr uint32_t scalar = 0;  // the key in the array

bool batch_unknown(int code) { return code == -EINVAL || code == -EOPNOTSUPP || code == -524; }

class KernelMaps final : public RawMaps {
  public:
    struct Map {
        const PlannedMap* plan;
        int fd;
        size_t key_size;
        size_t value_size;
    };
    KernelMaps(std::vector<Map> maps, int left_out, int generations)
        : maps_(std::move(maps)), left_out_(left_out), generations_(generations) {
        words_.resize(static_cast<size_t>(
            std::ranges::count_if(maps_, [](const Map& map) { return map.plan->generation.has_value(); })));
    }

    size_t value_size(size_t map) const override { return maps_[map].value_size; }
    Status each(size_t map, const Take& take) override;
    Result<std::optional<Bytes>> lookup(size_t map, KeyBytes key) override;
    int update(size_t map, KeyBytes key, std::span<const uint8_t> value, uint64_t flags) override;
    int erase(size_t map, KeyBytes key) override;
    std::optional<Bytes> take(size_t map, KeyBytes key) override;
    Status clear(size_t map) override;
    std::span<uint8_t> memory(size_t map) override;
    std::vector<uint64_t> left_out() const override { return sums_per_cpu(left_out_); }
    Status wait_for_programs() override { return running_.wait(); }
    Status set_generation(uint32_t which, uint64_t generation) override;

  private:
    static const void* key_of(KeyBytes key) { return key.empty() ? static_cast<const void*>(&scalar) : key.data(); }
    // A block that lt runs may come from a file, and the kernel reads as many bytes as its map has.
    static bool is_whole(const Map& map, KeyBytes key) {
        return (key.empty() ? sizeof scalar : key.size()) >= map.key_size;
    }
    static Status walk(const Map& map, const Take& take);
    static int each_batch(const Map& map, bpf::Batch what, const Take& take) {
        return bpf::each(what, map.fd, map.key_size, map.value_size, take);
    }
    static Status each_key(const Map& map, const Take& take);

    std::vector<Map> maps_;
    int left_out_;     // -1: the plan does not sample
    int generations_;  // -1: no map has generations
    std::vector<uint64_t> words_;
    RunningPrograms running_;
    std::map<size_t, SharedMemory> shared_;
};

Status KernelMaps::each(size_t index, const Take& take) {
    const Map& map = maps_[index];
    if (!is_array(map.plan->shape)) return walk(map, take);
    for (uint32_t at = 0; at < (map.plan->generation ? 2 : 1); at++) {
        Bytes value(map.value_size), key(map.plan->generation ? sizeof at : 0);
        if (int code = bpf::lookup(map.fd, &at, value.data()); code < 0) return system_error("lookup", -code);
        if (map.plan->generation) std::memcpy(key.data(), &at, sizeof at);
        take(key, value);
    }
    return Done{};
}

Result<std::optional<Bytes>> KernelMaps::lookup(size_t index, KeyBytes key) {
    const Map& map = maps_[index];
    if (!is_whole(map, key)) return system_error("lookup", EINVAL);
    Bytes value(map.value_size);
    const int code = bpf::lookup(map.fd, key_of(key), value.data());
    if (code == -ENOENT) return std::optional<Bytes>{};
    if (code < 0) return system_error("lookup", -code);
    return std::optional(std::move(value));
}

int KernelMaps::update(size_t index, KeyBytes key, std::span<const uint8_t> value, uint64_t flags) {
    const Map& map = maps_[index];
    if (!is_whole(map, key) || value.size() < map.value_size) return -EINVAL;
    return bpf::update(map.fd, key_of(key), value.data(), flags);
}

int KernelMaps::erase(size_t index, KeyBytes key) {
    const Map& map = maps_[index];
    return is_whole(map, key) ? bpf::erase(map.fd, key_of(key)) : -EINVAL;
}

std::optional<Bytes> KernelMaps::take(size_t index, KeyBytes key) {
    const Map& map = maps_[index];
    Bytes value(map.value_size);
    if (!is_whole(map, key) || bpf::take(map.fd, key_of(key), value.data()) < 0) return {};
    return value;
}

Status KernelMaps::clear(size_t index) {
    const Map& map = maps_[index];
    int code = each_batch(map, bpf::Batch::take, [](KeyBytes, KeyBytes) {});
    if (code == 0) return Done{};
    if (!batch_unknown(code)) return system_error("cannot take a batch of map entries", -code);
    std::vector<Bytes> left;
    auto done = each_key(map, [&](KeyBytes key, KeyBytes) { left.emplace_back(key.begin(), key.end()); });
    if (!done) return done;
    for (const Bytes& key : left) bpf::erase(map.fd, key.data());
    return Done{};
}

Status KernelMaps::set_generation(uint32_t which, uint64_t generation) {
    if (generations_ < 0) return Done{};  // no program collects
    words_[which] = generation;
    if (const int code = bpf::update(generations_, &scalar, words_.data()); code < 0)
        return system_error("cannot set a generation", -code);
    return wait_for_programs();
}

std::span<uint8_t> KernelMaps::memory(size_t index) {
    const auto existing = shared_.find(index);
    if (existing != shared_.end()) return existing->second.bytes();
    const Map& map = maps_[index];
    if (map.plan->shape != MapShape::array) return {};
    return shared_.emplace(index, SharedMemory(map.fd, map.value_size)).first->second.bytes();
}

Status KernelMaps::walk(const Map& map, const Take& take) {
    int code = each_batch(map, bpf::Batch::lookup, take);
    if (code == 0) return Done{};
    if (batch_unknown(code)) return each_key(map, take);
    return system_error("cannot look up a batch of map entries", -code);
}

Status KernelMaps::each_key(const Map& map, const Take& take) {
    Bytes key(map.key_size), next(map.key_size), value(map.value_size);
    for (const uint8_t* after = nullptr;; after = key.data()) {
        int code = bpf::next_key(map.fd, after, next.data());
        if (code == -ENOENT) return Done{};
        if (code < 0) return system_error("cannot find the next key", -code);
        key = next;
        if (bpf::lookup(map.fd, key.data(), value.data()) == 0) take(key, value);
    }
}

}  // namespace

Result<std::vector<RawEntry>> RawMaps::entries(size_t map) {
    std::vector<RawEntry> all;
    const Status done = each(map, [&](KeyBytes key, std::span<const uint8_t> value) {
        all.push_back({Bytes(key.begin(), key.end()), Bytes(value.begin(), value.end())});
    });
    if (!done) return done.error();
    return all;
}

Result<std::unique_ptr<RawMaps>> kernel_maps(const Plan& plan, const LoadedObject& object) {
    const int cpus = bpf::possible_cpus();
    if (cpus < 0) return system_error("cannot find the number of CPUs", -cpus);
    std::vector<KernelMaps::Map> maps;
    for (const PlannedMap& map : plan.maps) {
        const int fd = object.map(map.symbol);
        if (fd < 0) return Error{"the object has no map " + map.symbol, ""};
        const bool per_cpu = is_per_cpu(map.shape);
        const size_t value = per_cpu ? padded_size(map.value_size) * static_cast<size_t>(cpus) : map.value_size;
        const size_t key = map.key_size + (map.generation ? generation_size : 0);
        maps.push_back({&map, fd, is_array(map.shape) ? sizeof scalar : key, value});
    }
    return std::unique_ptr<RawMaps>(std::make_unique<KernelMaps>(
        std::move(maps), object.map(std::string(left_out_symbol)), object.map(std::string(generations_symbol))));
}

}  // namespace lt
