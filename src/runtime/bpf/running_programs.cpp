// When a map is put into a map of maps, the kernel waits until no running program can use the previous one. We use this
// with a map of our own. (membarrier(2) does not wait on a machine with one CPU.)
#include "runtime/bpf/running_programs.h"

#include <cerrno>

#include "runtime/bpf/map.h"

namespace lt {

Status RunningPrograms::wait() {
    constexpr uint32_t key = 0;
    if (!outer_) {
        inner_ = bpf::create({BPF_MAP_TYPE_ARRAY, "lt_inner", sizeof key, sizeof key, 1});
        if (!inner_) return system_error("cannot create a map", errno);
        outer_ = bpf::create({.type = BPF_MAP_TYPE_ARRAY_OF_MAPS,
                              .name = "lt_outer",
                              .key_size = sizeof key,
                              .value_size = sizeof key,
                              .entries = 1,
                              .inner = inner_.get()});
        if (!outer_) return system_error("cannot create a map of maps", errno);
    }
    const int inner = inner_.get();
    const int code = bpf::update(outer_.get(), &key, &inner);
    return code < 0 ? Status(system_error("cannot wait for running programs", -code)) : Status(Done{});
}

}  // namespace lt
