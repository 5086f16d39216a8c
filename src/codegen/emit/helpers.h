// The numbers of the BPF helpers that the emitter itself calls (include/uapi/linux/bpf.h).
#pragma once

#include <cstdint>

namespace lt::emitter {

constexpr int64_t helper_map_lookup_elem = 1;
constexpr int64_t helper_probe_read_user = 112;
constexpr int64_t helper_probe_read_kernel = 113;
constexpr int64_t helper_ringbuf_reserve = 131;
constexpr int64_t helper_ringbuf_submit = 132;
constexpr int64_t helper_get_func_arg = 183;
constexpr int64_t helper_get_func_ret = 184;
constexpr int64_t helper_map_lookup_percpu_elem = 195;

}  // namespace lt::emitter
