// Written out here because the build's kernel header may be older than the running kernel.
#include "runtime/bpf/missed.h"

#include <bpf/bpf.h>

namespace lt {
namespace {

constexpr uint32_t link_of_perf_event = 7;
constexpr uint32_t link_of_kprobe_multi = 8;
constexpr uint32_t event_of_kprobe = 3;
constexpr uint32_t event_of_kretprobe = 4;

// The start of bpf_link_info, for the two kinds of link that count missed runs.
struct LinkInfo {
    uint32_t type, id, program, padding;
    union {
        struct {
            uint64_t addresses;
            uint32_t count, flags;
            uint64_t missed;
        } kprobe_multi;
        struct {
            uint32_t type, padding;
            uint64_t function;
            uint32_t length, offset;
            uint64_t address, missed;
        } perf_event;
    };
    uint8_t rest[64];
};

}  // namespace

uint64_t missed_by_link(int link) {
    LinkInfo info{};
    uint32_t size = sizeof info;
    if (bpf_obj_get_info_by_fd(link, &info, &size) < 0) return 0;
    if (info.type == link_of_kprobe_multi) return info.kprobe_multi.missed;
    const bool counts = info.perf_event.type == event_of_kprobe || info.perf_event.type == event_of_kretprobe;
    return info.type == link_of_perf_event && counts ? info.perf_event.missed : 0;
}

}  // namespace lt
