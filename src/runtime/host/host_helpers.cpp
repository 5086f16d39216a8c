// The helpers that Way::host programs can call, one row each: the kernel's by their numbers, lt's by its own.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "machine/format_helpers.h"
#include "runtime/border/layouts/samples.h"
#include "runtime/host/host.h"

namespace lt {
namespace {

using machine::Arguments;
using machine::Execution;
using machine::Helper;
using machine::Returns;

Host& host(Execution& x) { return static_cast<Host&>(x.around()); }
HostPort& port(Execution& x) { return host(x).port(); }

constexpr uint64_t failure(int code) { return static_cast<uint64_t>(-int64_t{code}); }
constexpr uint64_t from_int(int code) { return static_cast<uint64_t>(int64_t{code}); }
Error bad_call(std::string what) { return {std::move(what), "", 0}; }

// ---- maps

struct KeyOf {
    size_t map = 0;
    Bytes key;  // empty for an array
};

Result<KeyOf> key_of(Execution& x, uint64_t handle, uint64_t address) {
    auto map = host(x).map_at(handle);
    if (!map) return map.error();
    const PlannedMap& planned = host(x).planned(*map);
    auto bytes = x.memory().read(address, planned.key_size);
    if (!bytes) return bytes.error_in("key");
    KeyOf out{*map, {}};
    if (!is_array(planned.shape)) out.key.assign(bytes->begin(), bytes->end());
    return out;
}

Result<uint64_t> map_lookup_elem(Execution& x, const Arguments& a) {
    auto key = key_of(x, a[0], a[1]);
    if (!key) return key.error();
    return host(x).writable(key->map, key->key);
}

// Taking and releasing a lock always succeeds: what a block that lt runs compares and sets lies in lt's own part of a
// per-CPU map, and additions to memory that it shares with programs are exact without a lock.
Result<uint64_t> map_update_elem(Execution& x, const Arguments& a) {
    if (host(x).is_lock(a[0])) return uint64_t{0};
    auto key = key_of(x, a[0], a[1]);
    if (!key) return key.error();
    auto value = x.memory().read(a[2], host(x).planned(key->map).value_size);
    if (!value) return value.error_in("value");
    return from_int(host(x).update(key->map, key->key, Bytes(value->begin(), value->end()), a[3]));
}

Result<uint64_t> map_delete_elem(Execution& x, const Arguments& a) {
    if (host(x).is_lock(a[0])) return uint64_t{0};
    auto key = key_of(x, a[0], a[1]);
    if (!key) return key.error();
    return from_int(host(x).erase(key->map, key->key));
}

// ---- what lt's helpers do

Result<uint64_t> host_room(Execution& x, const Arguments& a) {
    constexpr uint64_t most = 1 << 24;
    if (a[0] > most) return bad_call("more memory than a block may have");
    return host(x).room(Bytes(a[0]), true);
}

Result<uint64_t> host_read(Execution& x, const Arguments& a) {
    auto key = key_of(x, a[0], a[1]);
    if (!key) return key.error();
    return host(x).read(key->map, key->key);
}

Result<uint64_t> host_walk(Execution& x, const Arguments& a) {
    auto map = host(x).map_at(a[0]);
    if (!map) return map.error();
    Chosen chosen{WalkOrder::unpacked(a[1]), a[2], {}, a[4]};
    if (a[4] != 0) {
        auto key = x.memory().read(a[3], host(x).planned(*map).key_size);
        if (!key) return key.error_in("key");
        chosen.key.assign(key->begin(), key->end());
    }
    return host(x).walk(*map, chosen);
}

Result<uint64_t> host_count(Execution& x, const Arguments& a) { return host(x).walk_count(a[0]); }
Result<uint64_t> host_entry(Execution& x, const Arguments& a) { return host(x).walk_entry(a[0], a[1]); }
Result<uint64_t> host_drop(Execution& x, const Arguments& a) {
    host(x).drop_walk(a[0]);
    return uint64_t{0};
}

Result<uint64_t> host_add(Execution& x, const Arguments& a) {
    auto key = key_of(x, a[0], a[1]);
    if (!key) return key.error();
    return host(x).change(key->map, key->key, a[2], static_cast<uint64_t>(SharedChange::add));
}

Result<uint64_t> host_bits(Execution& x, const Arguments& a) {
    auto key = key_of(x, a[0], a[1]);
    if (!key) return key.error();
    return host(x).change(key->map, key->key, a[2], a[3]);
}

// ---- records: the ring buffer is always empty

constexpr uint64_t ring_size = uint64_t{1} << 30;

Result<uint64_t> ringbuf_reserve(Execution& x, const Arguments& a) { return host(x).reserve(a[1]); }

Result<uint64_t> ringbuf_submit(Execution& x, const Arguments& a) {
    auto done = host(x).submit(a[0]);
    if (!done) return done.error();
    return uint64_t{0};
}

Result<uint64_t> ringbuf_output(Execution& x, const Arguments& a) {
    auto bytes = x.memory().read(a[1], a[2]);
    if (!bytes) return bytes.error();
    auto done = host(x).record(*bytes);
    if (!done) return done.error();
    return uint64_t{0};
}

Result<uint64_t> ringbuf_query(Execution&, const Arguments& a) { return a[1] == BPF_RB_RING_SIZE ? ring_size : 0; }

Result<uint64_t> loop(Execution& x, const Arguments& a) {
    const machine::Function* body = x.image().function_at(a[1]);
    if (!body) return bad_call("argument 2 is not a function");
    const uint64_t count = static_cast<uint32_t>(a[0]);
    for (uint64_t i = 0; i < count; i++) {
        auto stop = x.call(*body, {i, a[2]}, 2);
        if (!stop) return stop;
        if (*stop != 0) return i + 1;
    }
    return count;
}

// ---- memory: the program's own, or the kernel's

bool of_kernel(uint64_t address) { return address >> 63 != 0; }

Result<uint64_t> probe_read(Execution& x, const Arguments& a) {
    auto to = x.memory().write(a[0], static_cast<uint32_t>(a[1]));
    if (!to) return to.error_in("destination");
    auto from = x.memory().read(a[2], to->size());
    if (from) {
        std::ranges::copy(*from, to->begin());
        return uint64_t{0};
    }
    if (of_kernel(a[2]) && port(x).read_kernel(a[2], *to)) return uint64_t{0};
    std::ranges::fill(*to, uint8_t{0});
    return failure(EFAULT);
}

Result<uint64_t> probe_read_str(Execution& x, const Arguments& a) {
    auto to = x.memory().write(a[0], static_cast<uint32_t>(a[1]));
    if (!to) return to.error_in("destination");
    std::array<uint8_t, 1> byte{};
    for (size_t i = 0; i < to->size(); i++) {
        auto from = x.memory().read(a[2] + i, 1);
        if (!from && of_kernel(a[2]) && port(x).read_kernel(a[2] + i, byte)) from = std::span<const uint8_t>(byte);
        if (!from) {
            std::ranges::fill(*to, uint8_t{0});
            return failure(EFAULT);
        }
        (*to)[i] = from->front();
        if ((*to)[i] == 0) return i + 1;
    }
    if (!to->empty()) to->back() = 0;
    return to->size();
}

// A block that lt runs does not belong to a process, so there is no user memory to read.
Result<uint64_t> probe_read_user(Execution& x, const Arguments& a) {
    auto to = x.memory().write(a[0], static_cast<uint32_t>(a[1]));
    if (!to) return to.error_in("destination");
    std::ranges::fill(*to, uint8_t{0});
    return failure(EFAULT);
}

Result<uint64_t> string_compare(Execution& x, const Arguments& a) {
    for (uint64_t i = 0; i < static_cast<uint32_t>(a[1]); i++) {
        auto left = x.memory().read(a[0] + i, 1), right = x.memory().read(a[2] + i, 1);
        if (!left || !right) return !left ? left.error() : right.error();
        const uint8_t l = left->front(), r = right->front();
        if (l != r) return from_int(l < r ? -1 : 1);
        if (l == 0) break;
    }
    return uint64_t{0};
}

Result<uint64_t> get_current_comm(Execution& x, const Arguments& a) {
    auto to = x.memory().write(a[0], static_cast<uint32_t>(a[1]));
    if (!to) return to.error();
    if (to->empty()) return bad_call("a buffer of size 0");
    const std::string_view comm = port(x).comm();
    std::ranges::fill(*to, uint8_t{0});
    std::copy_n(comm.begin(), std::min(comm.size(), to->size() - 1), to->begin());
    return uint64_t{0};
}

template <auto get>
Result<uint64_t> answer(Execution& x, const Arguments&) {
    return (port(x).*get)();
}

constexpr std::array table = {
    Helper{BPF_FUNC_map_lookup_elem, "map_lookup_elem", 2, Returns::value, map_lookup_elem},
    Helper{BPF_FUNC_map_update_elem, "map_update_elem", 4, Returns::value, map_update_elem},
    Helper{BPF_FUNC_map_delete_elem, "map_delete_elem", 2, Returns::value, map_delete_elem},
    Helper{BPF_FUNC_loop, "loop", 4, Returns::value, loop},
    Helper{BPF_FUNC_ringbuf_reserve, "ringbuf_reserve", 3, Returns::value, ringbuf_reserve},
    Helper{BPF_FUNC_ringbuf_submit, "ringbuf_submit", 2, Returns::nothing, ringbuf_submit},
    Helper{BPF_FUNC_ringbuf_output, "ringbuf_output", 4, Returns::value, ringbuf_output},
    Helper{BPF_FUNC_ringbuf_query, "ringbuf_query", 2, Returns::value, ringbuf_query},
    Helper{BPF_FUNC_probe_read, "probe_read", 3, Returns::value, probe_read},
    Helper{BPF_FUNC_probe_read_user, "probe_read_user", 3, Returns::value, probe_read_user},
    Helper{BPF_FUNC_probe_read_user_str, "probe_read_user_str", 3, Returns::value, probe_read_user},
    Helper{BPF_FUNC_probe_read_kernel, "probe_read_kernel", 3, Returns::value, probe_read},
    Helper{BPF_FUNC_probe_read_str, "probe_read_str", 3, Returns::value, probe_read_str},
    Helper{BPF_FUNC_probe_read_kernel_str, "probe_read_kernel_str", 3, Returns::value, probe_read_str},
    Helper{BPF_FUNC_strncmp, "strncmp", 3, Returns::value, string_compare},
    Helper{BPF_FUNC_get_current_comm, "get_current_comm", 2, Returns::value, get_current_comm},
    Helper{BPF_FUNC_ktime_get_ns, "ktime_get_ns", 0, Returns::value, answer<&HostPort::ktime_get_ns>},
    Helper{BPF_FUNC_ktime_get_boot_ns, "ktime_get_boot_ns", 0, Returns::value, answer<&HostPort::ktime_get_boot_ns>},
    Helper{BPF_FUNC_ktime_get_tai_ns, "ktime_get_tai_ns", 0, Returns::value, answer<&HostPort::ktime_get_tai_ns>},
    Helper{BPF_FUNC_get_current_pid_tgid, "get_current_pid_tgid", 0, Returns::value,
           answer<&HostPort::get_current_pid_tgid>},
    Helper{BPF_FUNC_get_current_uid_gid, "get_current_uid_gid", 0, Returns::value,
           answer<&HostPort::get_current_uid_gid>},
    Helper{BPF_FUNC_get_prandom_u32, "get_prandom_u32", 0, Returns::value, answer<&HostPort::get_prandom_u32>},
    Helper{BPF_FUNC_get_smp_processor_id, "get_smp_processor_id", 0, Returns::value,
           answer<&HostPort::get_smp_processor_id>},
};
static_assert(std::ranges::all_of(table, [](const Helper& h) { return on_host(h.id); }) &&
              table.size() + 1 == host_kernel_helpers.size());  // plus the formatting helpers

Result<uint64_t> host_variance(Execution&, const Arguments& a) {
    return sample_variance(a[0], static_cast<int64_t>(a[1]), a[2], a[3]);
}

// "0xffffffff81000000 0x..."
Result<uint64_t> host_frames(Execution& x, const Arguments& a) {
    auto stack = x.memory().read(a[0], 16);
    if (!stack) return stack.error_in("stack");
    std::array<uint64_t, 2> key{};
    std::memcpy(key.data(), stack->data(), 16);
    auto to = x.memory().write(a[1], static_cast<uint32_t>(a[2]));
    if (!to) return to.error_in("destination");
    std::string text;
    for (uint64_t address : port(x).stack(key[0], key[1])) {
        const std::string more = fmt::format("{}{:#x}", text.empty() ? "" : " ", address);
        if (text.size() + more.size() >= to->size()) break;
        text += more;
    }
    std::ranges::fill(*to, uint8_t{0});
    std::ranges::copy(text, to->begin());
    return text.size();
}

constexpr std::array<machine::HelperFunction, 10> own = {host_room, host_read,     host_walk, host_count,  host_entry,
                                                         host_drop, host_variance, host_add,  host_frames, host_bits};

// Must agree with the table in runtime/border/host_calls.h.
std::array<Helper, host_calls.size()> own_helpers() {
    static_assert(own.size() == host_calls.size());
    std::array<Helper, host_calls.size()> out{};
    for (const HostCallRow& row : host_calls) {
        const auto i = static_cast<size_t>(row.call);
        out[i] = {host_helper(row.call), row.name, row.arguments, Returns::value, own[i]};
    }
    return out;
}

}  // namespace

const Helper* Host::helper(int32_t id) const {
    static const std::array<Helper, host_calls.size()> mine = own_helpers();
    const auto is = [&](const Helper& h) { return h.id == id; };
    if (const auto found = std::ranges::find_if(table, is); found != table.end()) return &*found;
    for (const Helper& h : machine::format_helpers()) {
        if (is(h)) return &h;
    }
    const auto found = std::ranges::find_if(mine, is);
    return found == mine.end() ? nullptr : &*found;
}

}  // namespace lt
