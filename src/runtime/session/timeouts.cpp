#include "runtime/session/timeouts.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "runtime/bpf/map.h"
#include "runtime/names/stacks.h"
#include "runtime/os/timestamps.h"

namespace lt {

Status Timeouts::look() {
    const Result<std::vector<OpenRecord>> all = open_spans(plan_, object_);
    if (!all) return all.error();
    const uint64_t now = monotonic_now();
    std::set<Told> still;
    for (size_t i = 0; i < plan_.timeouts.size(); i++) {
        const PlannedTimeout& timeout = plan_.timeouts[i];
        const Result<int64_t> after = patience(timeout);
        if (!after) return after.error();
        for (const OpenRecord& open : *all) {
            if (open.span != timeout.span || object_.is_abandoned(open.span) || open.time == 0 || now <= open.time ||
                now - open.time <= static_cast<uint64_t>(*after))
                continue;
            Told told{i, open.who, open.time, open.key};
            if (!told_.contains(told)) {
                if (Status done = tell(timeout, open); !done) return done;
            }
            still.insert(std::move(told));
        }
    }
    told_ = std::move(still);
    return Done{};
}

// Reads the parameter each time, because it may have been set in the meantime.
Result<int64_t> Timeouts::patience(const PlannedTimeout& timeout) const {
    if (!timeout.param) return timeout.after_ns;
    const Result<Bytes> values = object_.params();
    if (!values) return values.error();
    int64_t value = 0;
    const size_t offset = plan_.params[*timeout.param].offset;
    if (offset + sizeof value <= values->size()) std::memcpy(&value, values->data() + offset, sizeof value);
    return std::max<int64_t>(value, 0);
}

// Stores it where the stdlib keeps stacks taken by programs. If the stack is empty or does not fit, the span has none.
void Timeouts::keep_stack(const std::vector<uint64_t>& addresses, StuckSpan& stuck) const {
    const int map = object_.map(std::string(stacks_symbol));
    if (map < 0 || addresses.empty()) return;
    stuck.stack[0] = stack_id(addresses);
    std::array<uint64_t, 1 + stack_frames> value{};
    std::copy_n(addresses.begin(), std::min<size_t>(addresses.size(), stack_frames), value.begin() + 1);
    const int code = bpf::update(map, stuck.stack, value.data(), BPF_NOEXIST);
    if (code < 0 && code != -EEXIST) stuck.stack[0] = stack_lost;
}

Status Timeouts::tell(const PlannedTimeout& timeout, const OpenRecord& open) {
    StuckSpan stuck;
    stuck.who = open.who;
    name_of_thread(open.who).copy(stuck.comm, sizeof stuck.comm - 1);
    keep_stack(open.kernel_stack, stuck);
    size_t room = 0;
    for (const PlannedSpan& span : plan_.spans) room = std::max<size_t>(room, span.opening_size);
    Bytes record(stuck_header + room);
    std::memcpy(record.data(), &stuck, sizeof stuck);
    std::ranges::copy(open.opening, record.begin() + stuck_header);
    const uint32_t only = 0;
    const int code = bpf::update(object_.map("lt_stuck"), &only, record.data());
    if (code < 0) return system_error("cannot pass a stuck span to its program", -code);
    return object_.run(timeout.program);
}

}  // namespace lt
