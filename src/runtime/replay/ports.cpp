#include "runtime/replay/ports.h"

#include <cstring>

namespace lt::machine {
namespace {

const Bytes scalar_key(4);

class MachineMaps final : public RawMaps {
  public:
    MachineMaps(const Plan& plan, Machine& machine) : plan_(plan), machine_(machine) {}

    size_t value_size(size_t map) const override {
        const size_t size = plan_.maps[map].value_size;
        return is_per_cpu(plan_.maps[map].shape) ? padded_size(static_cast<uint32_t>(size)) * machine_.cpus() : size;
    }

    Status each(size_t map, const Take& take) override {
        const auto all = machine_.entries(plan_.maps[map].symbol);
        if (!all) return all.error();
        for (const auto& [key, value] : *all) take(has_one(map) ? Bytes{} : key, value);
        return Done{};
    }

    Result<std::optional<Bytes>> lookup(size_t map, KeyBytes key) override {
        return machine_.lookup(plan_.maps[map].symbol, wanted(map, key));
    }

    int update(size_t map, KeyBytes key, std::span<const uint8_t> value, uint64_t flags) override {
        return code(machine_.update(plan_.maps[map].symbol, wanted(map, key), value, flags));
    }

    int erase(size_t map, KeyBytes key) override {
        return code(machine_.erase(plan_.maps[map].symbol, wanted(map, key)));
    }

    std::optional<Bytes> take(size_t map, KeyBytes key) override {
        auto value = lookup(map, key);
        return value && *value && erase(map, key) == 0 ? *value : std::optional<Bytes>();
    }

    Status clear(size_t map) override {
        auto all = entries(map);
        if (!all) return all.error();
        for (const RawEntry& entry : *all) erase(map, entry.key);
        return Done{};
    }

    std::vector<uint64_t> left_out() const override {
        std::vector<uint64_t> sums;
        const auto all = machine_.entries(std::string(left_out_symbol));
        if (!all || all->empty()) return sums;
        const Bytes& value = all->front().second;
        sums.resize(value.size() / machine_.cpus() / sizeof(uint64_t));
        for (size_t at = 0; at < value.size() / sizeof(uint64_t); at++) {
            uint64_t word = 0;
            std::memcpy(&word, &value[at * sizeof word], sizeof word);
            sums[at % sums.size()] += word;
        }
        return sums;
    }

    // Here no program runs while another one, or lt itself, does.
    Status wait_for_programs() override { return Done{}; }

    Status set_generation(uint32_t which, uint64_t generation) override {
        const std::string symbol(generations_symbol);
        auto words = machine_.lookup(symbol, scalar_key);
        if (!words || !*words) return Done{};  // no program collects
        std::memcpy(&(**words)[which * sizeof generation], &generation, sizeof generation);
        return machine_.update(symbol, scalar_key, **words, 0);
    }

    std::span<uint8_t> memory(size_t map) override { return machine_.element(plan_.maps[map].symbol); }

  private:
    std::span<const uint8_t> wanted(size_t map, KeyBytes key) const {
        return has_one(map) ? std::span<const uint8_t>(scalar_key) : key;
    }
    bool has_one(size_t map) const { return is_array(plan_.maps[map].shape) && !plan_.maps[map].generation; }
    static int code(const Status& done) { return done ? 0 : -done.error().code; }

    const Plan& plan_;
    Machine& machine_;
};

class MachinePort final : public HostPort {
  public:
    MachinePort(const Plan& plan, Machine& machine, Maps& maps, Dispatcher& dispatcher,
                std::function<bool()> interrupted)
        : plan_(plan), machine_(machine), maps_(maps), dispatcher_(dispatcher), interrupted_(std::move(interrupted)) {}

    Maps& maps() override { return maps_; }

    Result<uint64_t> change(size_t map, KeyBytes key, uint64_t n, uint64_t how) override {
        constexpr size_t how_or_before = 8, key_at = 16;
        const std::string handed(handed_symbol);
        auto record = machine_.lookup(handed, scalar_key);
        if (!record || !*record) return Error{"no map " + handed, "", 0};
        std::memcpy((*record)->data(), &n, sizeof n);
        std::memcpy(&(**record)[how_or_before], &how, sizeof how);
        std::copy(key.begin(), key.end(), (*record)->begin() + key_at);
        if (auto given = machine_.update(handed, scalar_key, **record); !given) return given.error();
        if (auto ran = machine_.run(plan_.maps[map].adder); !ran) return ran.error();
        record = machine_.lookup(handed, scalar_key);
        uint64_t value = 0;
        std::memcpy(&value, &(**record)[how_or_before], sizeof value);
        return value;
    }

    std::span<uint8_t> section(std::string_view name) override { return machine_.section(name); }
    Status record(std::span<const uint8_t> bytes) override {
        return dispatcher_.is_over() ? Status(Done{}) : dispatcher_.handle(bytes);
    }
    bool interrupted() override { return interrupted_(); }

    uint64_t ktime_get_ns() override { return environment().now; }
    uint64_t ktime_get_boot_ns() override { return environment().now + environment().boot_offset; }
    uint64_t ktime_get_tai_ns() override { return environment().now + environment().tai_offset; }
    uint64_t get_current_pid_tgid() override { return pair_of(environment().task.tgid, environment().task.pid); }
    uint64_t get_current_uid_gid() override { return pair_of(environment().task.gid, environment().task.uid); }
    uint64_t get_prandom_u32() override { return environment().random = environment().random * 1664525 + 1013904223; }
    uint64_t get_smp_processor_id() override { return environment().cpu_number.value_or(environment().cpu); }
    std::string_view comm() override { return environment().task.comm; }

  private:
    static uint64_t pair_of(uint32_t high, uint32_t low) { return uint64_t{high} << 32 | low; }
    Environment& environment() { return machine_.environment(); }

    const Plan& plan_;
    Machine& machine_;
    Maps& maps_;
    Dispatcher& dispatcher_;
    const std::function<bool()> interrupted_;
};

}  // namespace

std::unique_ptr<RawMaps> machine_maps(const Plan& plan, Machine& machine) {
    return std::make_unique<MachineMaps>(plan, machine);
}

std::unique_ptr<HostPort> machine_port(const Plan& plan, Machine& machine, Maps& maps, Dispatcher& dispatcher,
                                       std::function<bool()> interrupted) {
    return std::make_unique<MachinePort>(plan, machine, maps, dispatcher, std::move(interrupted));
}

}  // namespace lt::machine
