#include "runtime/session/session_values.h"

#include <algorithm>
#include <cstring>

#include "runtime/bpf/map.h"
#include "runtime/os/pid_namespace.h"
#include "runtime/os/timestamps.h"

namespace lt {

namespace {

uint64_t value_of(SessionValue what, int command) {
    switch (what) {
        case SessionValue::start:
            return clock_now(CLOCK_MONOTONIC);
        case SessionValue::tai_offset:
            return clock_now(CLOCK_TAI) - clock_now(CLOCK_MONOTONIC);
        case SessionValue::cpus: {
            const int cpus = bpf::possible_cpus();
            return cpus > 0 ? static_cast<uint64_t>(cpus) : 0;
        }
        case SessionValue::command:
            return static_cast<uint64_t>(command);
        case SessionValue::has_command:
            return command != 0 ? 1 : 0;
        case SessionValue::pid_device:
            return pid_namespace().first;
        case SessionValue::pid_inode:
            return pid_namespace().second;
        case SessionValue::day_offset:
            return clock_now(CLOCK_REALTIME) - clock_now(CLOCK_MONOTONIC);
    }
    return 0;
}

bool asks_for(const Plan& plan, SessionValue what) {
    return std::ranges::any_of(plan.session_values, [&](const PlannedSessionValue& v) { return v.what == what; });
}

}  // namespace

Result<std::vector<uint8_t>> with_session_values(const Plan& plan, int command) {
    if (command == 0 && asks_for(plan, SessionValue::command) && !asks_for(plan, SessionValue::has_command))
        return Error{"`cpid` needs a command", "give `-c COMMAND`, or check `has_cpid` first", 0};
    std::vector<uint8_t> bytes = plan.param_bytes;
    for (const PlannedSessionValue& value : plan.session_values) {
        const uint64_t number = value_of(value.what, command);
        std::memcpy(&bytes[value.offset], &number, sizeof number);
    }
    return bytes;
}

}  // namespace lt
