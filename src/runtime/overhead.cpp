#include "overhead.h"

#include <bpf/bpf.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <string>

#include "budget.h"

namespace lt {
namespace {

const LoadedObject::Facts* find(const std::vector<LoadedObject::Facts>& all, const std::string& name) {
    const auto found = std::ranges::find(all, name, &LoadedObject::Facts::name);
    return found == all.end() ? nullptr : &*found;
}

unsigned cpus_online() { return static_cast<unsigned>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN))); }

}  // namespace

Status Overhead::begin() {
    const int asking = bpf_enable_stats(BPF_STATS_RUN_TIME);
    if (asking < 0) return system_error("the kernel does not measure what programs cost", -asking);
    asking_ = Descriptor(asking);
    begun_ = last_ = read();
    return Done{};
}

Overhead::Reading Overhead::read() const { return {object_.facts(), Clock::now()}; }

TracingCost Overhead::since_last(const std::vector<size_t>& taken) {
    Reading now = read();
    TracingCost cost = between(last_, now, taken);
    last_ = std::move(now);
    return cost;
}

TracingCost Overhead::whole(const std::vector<size_t>& taken) const { return between(begun_, read(), taken); }

TracingCost Overhead::between(const Reading& first, const Reading& second, const std::vector<size_t>& taken) const {
    TracingCost cost;
    cost.probes.resize(plan_.probes.size());
    const auto elapsed = std::chrono::duration_cast<std::chrono::nanoseconds>(second.at - first.at).count();
    cost.capacity_ns = static_cast<double>(elapsed) * cpus_online();
    for (size_t i = 0; i < plan_.probes.size() && i < taken.size(); i++) {
        if (plan_.probes[i].rungs.empty()) continue;
        const Rung& rung = plan_.probes[i].rungs[taken[i]];
        std::set<std::string> seen;  // one program serves many places
        for (const Attachment& to : rung.attachments) {
            const auto* then = find(first.programs, to.program);
            const auto* now = find(second.programs, to.program);
            if (!then || !now || !seen.insert(to.program).second) continue;
            const uint64_t runs = now->runs - then->runs;
            cost.probes[i].runs += runs;
            cost.probes[i].run_ns += now->run_ns - then->run_ns;
            cost.probes[i].dispatch_ns += runs * dispatch_ns(rung.way, to.at_return);
        }
    }
    return cost;
}

}  // namespace lt
