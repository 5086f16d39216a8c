// Whoever puts a map into a map of maps is promised that no program uses what was there before when the call returns:
// the kernel waits for all that run, and so do we, with a map that nobody uses. (membarrier(2) does not wait on a
// machine with one CPU.)
#include "running_programs.h"

#include <bpf/bpf.h>

#include <cerrno>

namespace lt {

Status RunningPrograms::wait() {
    constexpr uint32_t key = 0;
    if (!outer_) {
        inner_ = Descriptor(bpf_map_create(BPF_MAP_TYPE_ARRAY, "lt_inner", sizeof key, sizeof key, 1, nullptr));
        if (!inner_) return system_error("cannot make a map", errno);
        bpf_map_create_opts options{};
        options.sz = sizeof options;
        options.inner_map_fd = static_cast<uint32_t>(inner_.get());
        outer_ =
            Descriptor(bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "lt_outer", sizeof key, sizeof key, 1, &options));
        if (!outer_) return system_error("cannot make a map of maps", errno);
    }
    const int inner = inner_.get();
    const int code = bpf_map_update_elem(outer_.get(), &key, &inner, BPF_ANY);
    return code < 0 ? Status(system_error("cannot wait for programs that run", -code)) : Status(Done{});
}

}  // namespace lt
