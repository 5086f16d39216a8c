#include "codegen/ir/why_events.h"

#include <vector>

#include "arch/arch.h"

namespace lt {

std::span<const WhyEvent> why_events() {
    static const std::vector<WhyEvent> events = [] {
        std::vector<WhyEvent> all{{"softirq_exit", WhyDoes::leaves}, {"irq_handler_exit", WhyDoes::leaves}};
        for (const arch::Interrupt& own : arch::native.interrupts) all.push_back({own.exit, WhyDoes::leaves});
        all.push_back({"softirq_entry", WhyDoes::enters, false, true});
        all.push_back({"irq_handler_entry", WhyDoes::enters});
        for (const arch::Interrupt& own : arch::native.interrupts) all.push_back({own.entry, WhyDoes::enters});
        all.push_back({"contention_end", WhyDoes::has_lock});
        all.push_back({"contention_begin", WhyDoes::waits_lock});
        for (const std::string_view end : {"mm_vmscan_direct_reclaim_end", "mm_vmscan_memcg_reclaim_end"})
            all.push_back({end, WhyDoes::reclaimed});
        for (const std::string_view begin : {"mm_vmscan_direct_reclaim_begin", "mm_vmscan_memcg_reclaim_begin"})
            all.push_back({begin, WhyDoes::reclaims});
        all.push_back({"sched_waking", WhyDoes::wakes, true});
        all.push_back({"sched_switch", WhyDoes::switches, true});
        return all;
    }();
    return events;
}

}  // namespace lt
