#include "session_values.h"

#include <bpf/libbpf.h>

#include <cstring>
#include <ctime>

namespace lt {
namespace {

uint64_t clock_now(clockid_t clock) {
    timespec now{};
    ::clock_gettime(clock, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

uint64_t value_of(SessionValue what) {
    switch (what) {
        case SessionValue::start:
            return clock_now(CLOCK_MONOTONIC);
        case SessionValue::tai_offset:
            return clock_now(CLOCK_TAI) - clock_now(CLOCK_MONOTONIC);
        case SessionValue::cpus: {
            const int cpus = libbpf_num_possible_cpus();
            return cpus > 0 ? static_cast<uint64_t>(cpus) : 0;
        }
        case SessionValue::day_offset:
            return clock_now(CLOCK_REALTIME) - clock_now(CLOCK_MONOTONIC);
    }
    return 0;
}

}  // namespace

std::vector<uint8_t> with_session_values(const Plan& plan) {
    std::vector<uint8_t> bytes = plan.param_bytes;
    for (const PlannedSessionValue& value : plan.session_values) {
        const uint64_t number = value_of(value.what);
        std::memcpy(&bytes[value.offset], &number, sizeof number);
    }
    return bytes;
}

}  // namespace lt
