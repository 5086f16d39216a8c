// The kernel counts the symbols of a kprobe's name before it looks for the code. This kprobe is where no code is, so
// that it is always refused, but for another reason if the name is that of several.
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <fstream>

#include "base/release.h"
#include "runtime/kernel/kallsyms.h"
#include "runtime/os/descriptor.h"

namespace lt {
namespace {

constexpr Release counts_symbols_since{6, 7};
constexpr uint64_t past_all_code = UINT32_MAX;  // the kernel keeps 32 bits of the offset
constexpr int most_trials = 16;                 // for more names it is faster to read all symbols

bool counts_symbols() {
    static const bool counts = [] {
        utsname kernel{};
        return ::uname(&kernel) == 0 && parse_release(kernel.release) >= counts_symbols_since;
    }();
    return counts;
}

}  // namespace

bool names_one_symbol(const std::string& name) {
    static std::atomic<int> trials = 0;
    std::ifstream type("/sys/bus/event_source/devices/kprobe/type");
    perf_event_attr attr{};
    if (!counts_symbols() || ++trials > most_trials || !(type >> attr.type)) return false;
    attr.size = sizeof attr;
    attr.disabled = 1;
    attr.config1 = reinterpret_cast<uint64_t>(name.c_str());
    attr.config2 = past_all_code;
    constexpr int every_process = -1, first_cpu = 0, no_group = -1;
    const Descriptor event(static_cast<int>(
        ::syscall(SYS_perf_event_open, &attr, every_process, first_cpu, no_group, PERF_FLAG_FD_CLOEXEC)));
    return !event && errno == ENOENT;
}

}  // namespace lt
