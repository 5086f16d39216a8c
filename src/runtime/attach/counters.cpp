#include "runtime/attach/counters.h"

#include "runtime/attach/perf.h"
#include "runtime/bpf/map.h"
#include "runtime/os/cpus.h"

namespace lt {

Result<std::vector<Descriptor>> open_counters(const Plan& plan, const LoadedObject& object) {
    std::vector<Descriptor> opened;
    if (plan.counters.empty()) return opened;
    const auto cpus = online_cpus();
    if (!cpus) return cpus.error();
    for (const PlannedCounter& counter : plan.counters) {
        const int map = object.map(counter.symbol);
        for (const int cpu : *cpus) {
            auto event = open_counter(counter.event, cpu, counter.name);
            if (!event) return event.error();
            const int descriptor = event->get();
            if (const int code = bpf::update(map, &cpu, &descriptor); code < 0)
                return system_error("cannot pass the counter to the program", -code);
            if (Status enabled = enable_event(descriptor); !enabled) return enabled.error();
            opened.push_back(*std::move(event));
        }
    }
    return opened;
}

}  // namespace lt
