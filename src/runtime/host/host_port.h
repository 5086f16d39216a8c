// The environment of lt's interpreter: the session's maps, variables and printer, time and process. Tests have their
// own.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "runtime/maps/maps.h"

namespace lt {

class HostPort {
  public:
    virtual ~HostPort() = default;

    virtual Maps& maps() = 0;
    // Changes an integer through the program PlannedMap::adder, `how` as in SharedChange; returns the old value after
    // an addition.
    virtual Result<uint64_t> change(size_t map, KeyBytes key, uint64_t n, uint64_t how) = 0;
    // A section of variables as programs in the kernel see it; empty if they do not have it.
    virtual std::span<uint8_t> section(std::string_view name) = 0;
    virtual Status record(std::span<const uint8_t> bytes) = 0;  // like one of the ring buffer
    virtual bool interrupted() = 0;                             // the user wants to end the run

    // Like the kernel's helpers with these names.
    virtual uint64_t ktime_get_ns() = 0;
    virtual uint64_t ktime_get_boot_ns() = 0;
    virtual uint64_t ktime_get_tai_ns() = 0;
    virtual uint64_t get_current_pid_tgid() = 0;
    virtual uint64_t get_current_uid_gid() = 0;
    virtual uint64_t get_prandom_u32() = 0;
    virtual uint64_t get_smp_processor_id() = 0;
    virtual std::string_view comm() = 0;

    // Kernel memory; false if it cannot be read.
    virtual bool read_kernel(uint64_t, std::span<uint8_t>) { return false; }
    // The symbol at a kernel address; empty if unknown.
    virtual std::string symbol(uint64_t) { return {}; }
    // The same with offset, size and module: "vfs_read+0x1a/0x320 [module]".
    virtual std::string symbol_offset(uint64_t) { return {}; }
    // The addresses of a stack that a map or a record holds, innermost first.
    virtual std::vector<uint64_t> stack(uint64_t, uint64_t) { return {}; }
};

}  // namespace lt
