// Helpers that ask where and when the program runs: all answers come from the Environment.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "machine/world/helpers.h"

namespace lt::machine {
namespace {

Environment& environment(Execution& x) { return world_of(x).environment; }

// A helper that only reads one thing.
template <auto get>
Result<uint64_t> answer(Execution& x, const Arguments&) {
    return uint64_t{get(environment(x))};
}

uint64_t pair_of(uint32_t high, uint32_t low) { return uint64_t{high} << 32 | low; }

uint64_t monotonic(Environment& e) {
    const uint64_t now = e.now;
    e.now += e.time_step;
    return now;
}
uint64_t boot_time(Environment& e) { return monotonic(e) + e.boot_offset; }
uint64_t tai_time(Environment& e) { return monotonic(e) + e.tai_offset; }
uint64_t jiffies(Environment& e) { return 4'294'667'296 + e.now / 4'000'000; }  // 250 Hz, as Linux begins to count
uint64_t numa_node(const Environment& e) { return e.cpu % 2; }
uint64_t nothing_else(const Environment&) { return 0; }
uint64_t no_program(const Environment&) { return failure(ENOENT); }  // its array is empty
uint64_t cpu(const Environment& e) { return e.cpu_number.value_or(e.cpu); }
uint64_t pid_tgid(const Environment& e) { return pair_of(e.task.tgid, e.task.pid); }
uint64_t uid_gid(const Environment& e) { return pair_of(e.task.gid, e.task.uid); }
uint64_t task(const Environment& e) { return e.task.address; }
uint64_t cgroup(const Environment& e) { return e.cgroup; }
uint64_t function_ip(const Environment& e) { return e.function_ip; }
uint64_t attach_cookie(const Environment& e) { return e.attach_cookie; }
uint64_t argument_count(const Environment& e) { return e.function_arguments; }

// xorshift32: the same numbers in each run.
uint64_t next_random(Environment& e) {
    uint32_t& r = e.random;
    r ^= r << 13;
    r ^= r >> 17;
    r ^= r << 5;
    return r;
}

// The n-th u64 of a traced function's context; what there is none of is `missing`.
Result<uint64_t> copy_from_context(Execution& x, Address context, uint64_t n, Address destination, int missing) {
    auto out = x.memory().write(destination, sizeof(uint64_t));
    if (!out) return out.error();
    auto value = x.memory().read(context + n * sizeof(uint64_t), sizeof(uint64_t));
    if (!value) return failure(missing);
    std::copy(value->begin(), value->end(), out->begin());
    return uint64_t{0};
}

Result<uint64_t> get_func_arg(Execution& x, const Arguments& a) {
    const uint64_t count = environment(x).function_arguments;
    if (static_cast<uint32_t>(a[1]) < count)
        return copy_from_context(x, a[0], static_cast<uint32_t>(a[1]), a[2], EINVAL);
    auto out = x.memory().write(a[2], sizeof(uint64_t));
    return out ? Result<uint64_t>(failure(EINVAL)) : out.error();
}

Result<uint64_t> get_func_ret(Execution& x, const Arguments& a) {
    return copy_from_context(x, a[0], environment(x).function_arguments, a[1], EOPNOTSUPP);
}

// The frames that flags select: of user or kernel, without the innermost few.
std::span<const Address> selected_frames(const Environment& e, uint64_t flags) {
    std::span<const Address> frames = flags & BPF_F_USER_STACK ? e.user_stack : e.kernel_stack;
    const size_t skip = std::min<size_t>(flags & BPF_F_SKIP_FIELD_MASK, frames.size());
    return frames.subspan(skip);
}

Result<uint64_t> get_stack(Execution& x, const Arguments& a) {
    const uint64_t size = static_cast<uint32_t>(a[2]);
    auto out = x.memory().write(a[1], size);
    if (!out) return out.error();
    const uint64_t known = BPF_F_SKIP_FIELD_MASK | BPF_F_USER_STACK;
    if ((a[3] & ~known) || size % sizeof(Address) != 0) return failure(EINVAL);
    const auto frames = selected_frames(environment(x), a[3]);
    if (frames.empty()) return failure(EFAULT);
    const size_t count = std::min<size_t>(frames.size(), size / sizeof(Address));
    std::memcpy(out->data(), frames.data(), count * sizeof(Address));
    std::fill(out->begin() + static_cast<ptrdiff_t>(count * sizeof(Address)), out->end(), uint8_t{0});
    return count * sizeof(Address);
}

// FNV-1a, which gives a test the same id each time.
uint32_t stack_hash(std::span<const uint8_t> bytes) {
    uint32_t hash = 2166136261;
    for (uint8_t b : bytes) hash = (hash ^ b) * 16777619;
    return hash;
}

Result<uint64_t> get_stackid(Execution& x, const Arguments& a) {
    constexpr std::array stacks = {Shape::stack_trace};
    auto map = table_argument(x, a[1], stacks);
    if (!map) return map.error();
    const auto frames = selected_frames(environment(x), a[2]);
    if (frames.empty()) return failure(EFAULT);
    Bytes value((*map)->definition().value_size);
    std::memcpy(value.data(), frames.data(), std::min(value.size(), frames.size_bytes()));
    const uint32_t id = stack_hash(value) % (*map)->definition().max_entries;
    Bytes key(sizeof id);
    std::memcpy(key.data(), &id, sizeof id);
    const auto stored = (*map)->all_values(x.memory(), key);
    if (stored == value) return id;
    if (stored && !(a[2] & BPF_F_REUSE_STACKID)) return failure(EEXIST);
    const int refused = (*map)->update(x.memory(), key, value, BPF_ANY, 0);
    return refused ? from_int(refused) : id;
}

constexpr std::array probe_rows = {
    Helper{BPF_FUNC_ktime_get_ns, "ktime_get_ns", 0, Returns::value, answer<monotonic>},
    Helper{BPF_FUNC_ktime_get_boot_ns, "ktime_get_boot_ns", 0, Returns::value, answer<boot_time>},
    Helper{BPF_FUNC_ktime_get_coarse_ns, "ktime_get_coarse_ns", 0, Returns::value, answer<monotonic>},
    Helper{BPF_FUNC_get_prandom_u32, "get_prandom_u32", 0, Returns::value, answer<next_random>},
    Helper{BPF_FUNC_get_smp_processor_id, "get_smp_processor_id", 0, Returns::value, answer<cpu>},
    Helper{BPF_FUNC_get_current_pid_tgid, "get_current_pid_tgid", 0, Returns::value, answer<pid_tgid>},
    Helper{BPF_FUNC_get_current_uid_gid, "get_current_uid_gid", 0, Returns::value, answer<uid_gid>},
    Helper{BPF_FUNC_get_current_task, "get_current_task", 0, Returns::value, answer<task>},
    Helper{BPF_FUNC_get_current_task_btf, "get_current_task_btf", 0, Returns::value, answer<task>},
    Helper{BPF_FUNC_get_current_cgroup_id, "get_current_cgroup_id", 0, Returns::value, answer<cgroup>},
    Helper{BPF_FUNC_ktime_get_tai_ns, "ktime_get_tai_ns", 0, Returns::value, answer<tai_time>},
    Helper{BPF_FUNC_jiffies64, "jiffies64", 0, Returns::value, answer<jiffies>},
    Helper{BPF_FUNC_get_numa_node_id, "get_numa_node_id", 0, Returns::value, answer<numa_node>},
    Helper{BPF_FUNC_send_signal, "send_signal", 1, Returns::value, answer<nothing_else>},
    Helper{BPF_FUNC_send_signal_thread, "send_signal_thread", 1, Returns::value, answer<nothing_else>},
    Helper{BPF_FUNC_trace_printk, "trace_printk", 5, Returns::value, answer<nothing_else>},
    Helper{BPF_FUNC_get_func_ip, "get_func_ip", 1, Returns::value, answer<function_ip>},
    Helper{BPF_FUNC_get_attach_cookie, "get_attach_cookie", 1, Returns::value, answer<attach_cookie>},
    Helper{BPF_FUNC_tail_call, "tail_call", 3, Returns::value, answer<no_program>},
    Helper{BPF_FUNC_get_func_arg, "get_func_arg", 3, Returns::value, get_func_arg},
    Helper{BPF_FUNC_get_func_ret, "get_func_ret", 2, Returns::value, get_func_ret},
    Helper{BPF_FUNC_get_func_arg_cnt, "get_func_arg_cnt", 1, Returns::value, answer<argument_count>},
    Helper{BPF_FUNC_get_stackid, "get_stackid", 3, Returns::value, get_stackid},
    Helper{BPF_FUNC_get_stack, "get_stack", 4, Returns::value, get_stack},
};

}  // namespace

std::span<const Helper> probe_helpers() { return probe_rows; }

}  // namespace lt::machine
