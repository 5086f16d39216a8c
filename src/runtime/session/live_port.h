// The session as the interpreter's environment: maps and variables in the kernel, the printer, this process.
#pragma once

#include <functional>
#include <map>
#include <random>
#include <string>

#include "runtime/border/plan.h"
#include "runtime/host/host_port.h"
#include "runtime/load/object.h"
#include "runtime/os/shared_memory.h"
#include "runtime/os/signals.h"
#include "runtime/session/collect.h"
#include "runtime/session/kernel_reader.h"

namespace lt {

class LivePort final : public HostPort {
  public:
    // All must outlive it. `signals` reads those that end the run; null: the caller does, and they are blocked;
    // SIGHUP is only one of them if `hangup_ends`.
    LivePort(const Plan& plan, const LoadedObject& object, Maps& maps, Collector& collector, const Impatience* signals,
             bool hangup_ends);

    Maps& maps() override { return maps_; }
    Result<uint64_t> change(size_t map, KeyBytes key, uint64_t n, uint64_t how) override;
    std::span<uint8_t> section(std::string_view name) override;
    Status record(std::span<const uint8_t> bytes) override { return collector_.take(bytes); }
    bool interrupted() override;
    uint64_t ktime_get_ns() override;
    uint64_t ktime_get_boot_ns() override;
    uint64_t ktime_get_tai_ns() override;
    uint64_t get_current_pid_tgid() override;
    uint64_t get_current_uid_gid() override;
    uint64_t get_prandom_u32() override { return random_() & UINT32_MAX; }
    uint64_t get_smp_processor_id() override;
    std::string_view comm() override { return comm_; }
    bool read_kernel(uint64_t address, std::span<uint8_t> to) override { return reader_.read(address, to); }
    std::string symbol(uint64_t address) override { return collector_.symbol(address).function; }
    std::string symbol_offset(uint64_t address) override { return collector_.symbol_offset(address); }
    std::vector<uint64_t> stack(uint64_t id, uint64_t process) override { return collector_.stack(id, process); }

  private:
    const Plan& plan_;
    const LoadedObject& object_;
    Maps& maps_;
    Collector& collector_;
    const Impatience* const signals_;
    const bool hangup_ends_;
    std::map<std::string, SharedMemory, std::less<>> sections_;
    std::mt19937 random_{std::random_device{}()};
    std::string comm_;
    KernelReader reader_;
};

}  // namespace lt
