#include "runtime/session/live_port.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>

#include "runtime/bpf/map.h"
#include "runtime/os/timestamps.h"

namespace lt {
namespace {

uint64_t pair_of(uint64_t high, uint64_t low) { return high << 32 | (low & UINT32_MAX); }

}  // namespace

LivePort::LivePort(const Plan& plan, const LoadedObject& object, Maps& maps, Collector& collector,
                   const Impatience* signals, bool hangup_ends)
    : plan_(plan), object_(object), maps_(maps), collector_(collector), signals_(signals), hangup_ends_(hangup_ends) {
    std::array<char, 16> name{};  // TASK_COMM_LEN
    ::prctl(PR_GET_NAME, name.data());
    comm_ = name.data();
}

Result<uint64_t> LivePort::change(size_t map, KeyBytes key, uint64_t n, uint64_t how) {
    constexpr size_t how_or_before = 8, key_at = 16;
    const int handed = object_.map(std::string(handed_symbol));
    uint32_t key_size = 0, size = 0;
    if (bpf::sizes(handed, key_size, size) < 0 || size < key_at + key.size())
        return Error{"the plan has no program that adds to " + plan_.maps[map].name, "", 0};
    Bytes record(size);
    std::memcpy(record.data(), &n, sizeof n);
    std::memcpy(&record[how_or_before], &how, sizeof how);
    std::ranges::copy(key, record.begin() + key_at);
    const uint32_t only = 0;
    if (const int code = bpf::update(handed, &only, record.data()); code < 0)
        return system_error("cannot add to " + plan_.maps[map].name, -code);
    if (auto ran = object_.run(plan_.maps[map].adder); !ran) return ran.error();
    if (const int code = bpf::lookup(handed, &only, record.data()); code < 0)
        return system_error("cannot add to " + plan_.maps[map].name, -code);
    uint64_t value = 0;
    std::memcpy(&value, &record[how_or_before], sizeof value);
    return value;
}

std::span<uint8_t> LivePort::section(std::string_view name) {
    const auto existing = sections_.find(name);
    if (existing != sections_.end()) return existing->second.bytes();
    const int map = object_.map(std::string(name));
    uint32_t key_size = 0, size = 0;
    if (bpf::sizes(map, key_size, size) < 0) return {};
    return sections_.emplace(name, SharedMemory(map, size)).first->second.bytes();
}

// The caller's loop does not run while a block runs.
bool LivePort::interrupted() {
    if (signals_) return signals_->waits();
    sigset_t pending;
    if (::sigpending(&pending) < 0) return false;
    return sigismember(&pending, SIGINT) == 1 || sigismember(&pending, SIGTERM) == 1 ||
           (hangup_ends_ && sigismember(&pending, SIGHUP) == 1);
}

uint64_t LivePort::ktime_get_ns() { return clock_now(CLOCK_MONOTONIC); }
uint64_t LivePort::ktime_get_boot_ns() { return clock_now(CLOCK_BOOTTIME); }
uint64_t LivePort::ktime_get_tai_ns() { return clock_now(CLOCK_TAI); }

uint64_t LivePort::get_current_pid_tgid() {
    return pair_of(static_cast<uint64_t>(::getpid()), static_cast<uint64_t>(::syscall(SYS_gettid)));
}
uint64_t LivePort::get_current_uid_gid() { return pair_of(::getgid(), ::getuid()); }
uint64_t LivePort::get_smp_processor_id() {
    const int cpu = ::sched_getcpu();
    return cpu < 0 ? 0 : static_cast<uint64_t>(cpu);
}

}  // namespace lt
