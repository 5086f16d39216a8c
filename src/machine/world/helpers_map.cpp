// Helpers on maps, ring buffers and task storage, and the two that call back.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "machine/world/helpers.h"

namespace lt::machine {
namespace {

constexpr std::array keyed = {Shape::hash, Shape::array};
constexpr std::array storage = {Shape::task_storage};
constexpr uint64_t most_iterations = 1 << 23;

Error bad_argument(std::string what) { return {std::move(what), "", 0}; }

Result<Table*> keyed_argument(Execution& x, Address handle) { return table_argument(x, handle, keyed); }

Result<uint64_t> map_lookup_elem(Execution& x, const Arguments& a) {
    auto map = keyed_argument(x, a[0]);
    if (!map) return map.error();
    auto key = x.memory().read(a[1], (*map)->definition().key_size);
    if (!key) return key.error_in("key");
    return (*map)->find(x.memory(), *key, world_of(x).environment.cpu);
}

Result<uint64_t> map_lookup_percpu_elem(Execution& x, const Arguments& a) {
    auto map = keyed_argument(x, a[0]);
    if (!map) return map.error();
    if (!(*map)->kind().per_cpu) return bad_argument("the map is not per-CPU");
    auto key = x.memory().read(a[1], (*map)->definition().key_size);
    if (!key) return key.error_in("key");
    return (*map)->find(x.memory(), *key, static_cast<uint32_t>(a[2]));
}

Result<uint64_t> map_update_elem(Execution& x, const Arguments& a) {
    auto map = keyed_argument(x, a[0]);
    if (!map) return map.error();
    auto key = x.memory().read(a[1], (*map)->definition().key_size);
    if (!key) return key.error_in("key");
    auto value = x.memory().read(a[2], (*map)->definition().value_size);
    if (!value) return value.error_in("value");
    return from_int((*map)->update(x.memory(), *key, *value, a[3], world_of(x).environment.cpu));
}

Result<uint64_t> map_delete_elem(Execution& x, const Arguments& a) {
    auto map = keyed_argument(x, a[0]);
    if (!map) return map.error();
    auto key = x.memory().read(a[1], (*map)->definition().key_size);
    if (!key) return key.error_in("key");
    return from_int((*map)->erase(x.memory(), *key));
}

Result<const Function*> callback_argument(Execution& x, Address handle) {
    const Function* function = world_of(x).function_at(handle);
    if (!function) return bad_argument("argument 2 is not a function");
    return function;
}

Result<uint64_t> callback(Execution& x, const Function& function, const Arguments& a, unsigned count) {
    auto result = x.call(function, a, count);
    if (result && *result > 1) return bad_argument(fmt::format("the callback returned {}, not 0 or 1", *result));
    return result;
}

Result<uint64_t> loop(Execution& x, const Arguments& a) {
    auto function = callback_argument(x, a[1]);
    if (!function) return function.error();
    const uint64_t count = static_cast<uint32_t>(a[0]);
    if (a[3] != 0) return failure(EINVAL);
    if (count > most_iterations) return failure(E2BIG);
    for (uint64_t i = 0; i < count; ++i) {
        auto stop = callback(x, **function, {i, a[2]}, 2);
        if (!stop) return stop;
        if (*stop) return i + 1;
    }
    return count;
}

Result<uint64_t> for_each_map_elem(Execution& x, const Arguments& a) {
    auto map = keyed_argument(x, a[0]);
    if (!map) return map.error();
    auto function = callback_argument(x, a[1]);
    if (!function) return function.error();
    if (a[3] != 0) return failure(EINVAL);
    uint64_t visited = 0;
    for (const Bytes& key : (*map)->keys()) {
        const Address value = (*map)->find(x.memory(), key, world_of(x).environment.cpu);
        if (value == 0) continue;  // deleted by the callback
        const Address at = x.memory().add({"key of map " + (*map)->definition().name, key, Access::read_only});
        x.memory().retire(at);
        auto stop = callback(x, **function, {a[0], at, value, a[2]}, 4);
        if (!stop) return stop;
        ++visited;
        if (*stop) break;
    }
    return visited;
}

Result<RingBuffer*> ring_argument(Execution& x, Address handle) {
    Map* map = world_of(x).map_at(handle);
    RingBuffer* ring = map ? std::get_if<RingBuffer>(map) : nullptr;
    if (!ring) return bad_argument("argument 1 is not a ring buffer");
    return ring;
}

constexpr uint64_t wakeup_flags = BPF_RB_NO_WAKEUP | BPF_RB_FORCE_WAKEUP;

Result<uint64_t> ringbuf_output(Execution& x, const Arguments& a) {
    auto ring = ring_argument(x, a[0]);
    if (!ring) return ring.error();
    auto bytes = x.memory().read(a[1], a[2]);
    if (!bytes) return bytes.error();
    if (a[3] & ~wakeup_flags) return failure(EINVAL);
    return from_int((*ring)->output(*bytes));
}

Result<uint64_t> ringbuf_reserve(Execution& x, const Arguments& a) {
    auto ring = ring_argument(x, a[0]);
    if (!ring) return ring.error();
    return a[2] != 0 ? 0 : (*ring)->reserve(x.memory(), a[1]);
}

template <bool (RingBuffer::*finish)(Memory&, Address)>
Result<uint64_t> ringbuf_finish(Execution& x, const Arguments& a) {
    for (Map& map : world_of(x).maps) {
        RingBuffer* ring = std::get_if<RingBuffer>(&map);
        if (ring && (ring->*finish)(x.memory(), a[0])) return uint64_t{0};
    }
    return bad_argument("argument 1 is not a reserved record");
}

struct RingQuestion {
    uint64_t flag;
    uint64_t (*answer)(const RingBuffer&);
};

constexpr std::array ring_questions = {
    RingQuestion{BPF_RB_AVAIL_DATA, [](const RingBuffer& r) { return r.available(); }},
    RingQuestion{BPF_RB_RING_SIZE, [](const RingBuffer& r) { return uint64_t{r.capacity()}; }},
    RingQuestion{BPF_RB_CONS_POS, [](const RingBuffer& r) { return r.consumed(); }},
    RingQuestion{BPF_RB_PROD_POS, [](const RingBuffer& r) { return r.produced(); }},
};

Result<uint64_t> ringbuf_query(Execution& x, const Arguments& a) {
    auto ring = ring_argument(x, a[0]);
    if (!ring) return ring.error();
    for (const RingQuestion& q : ring_questions)
        if (q.flag == a[1]) return q.answer(**ring);
    return uint64_t{0};
}

// The only task there is a pointer to is the current one.
Bytes task_key(const Environment& e, const std::string& map) {
    const bool is_other = e.owner && std::ranges::find(e.owner_maps, map) != e.owner_maps.end();
    const uint32_t owner = is_other ? *e.owner : e.task.pid;
    Bytes key(sizeof owner);
    std::memcpy(key.data(), &owner, key.size());
    return key;
}

Result<uint64_t> task_storage_get(Execution& x, const Arguments& a) {
    auto map = table_argument(x, a[0], storage);
    if (!map) return map.error();
    const Environment& environment = world_of(x).environment;
    const bool create = a[3] == BPF_LOCAL_STORAGE_GET_F_CREATE;
    if (a[1] != environment.task.address || (a[3] != 0 && !create)) return uint64_t{0};
    const Bytes key = task_key(environment, (*map)->definition().name);
    if (const Address value = (*map)->find(x.memory(), key, 0); value || !create) return value;
    Bytes initial((*map)->definition().value_size);
    if (a[2]) {
        auto given = x.memory().read(a[2], initial.size());
        if (!given) return given.error_in("value");
        initial.assign(given->begin(), given->end());
    }
    (*map)->update(x.memory(), key, initial, BPF_ANY, 0);
    return (*map)->find(x.memory(), key, 0);
}

Result<uint64_t> task_storage_delete(Execution& x, const Arguments& a) {
    auto map = table_argument(x, a[0], storage);
    if (!map) return map.error();
    const Environment& environment = world_of(x).environment;
    if (a[1] != environment.task.address) return failure(EINVAL);
    return from_int((*map)->erase(x.memory(), task_key(environment, (*map)->definition().name)));
}

constexpr std::array map_rows = {
    Helper{BPF_FUNC_map_lookup_elem, "map_lookup_elem", 2, Returns::value, map_lookup_elem},
    Helper{BPF_FUNC_map_update_elem, "map_update_elem", 4, Returns::value, map_update_elem},
    Helper{BPF_FUNC_map_delete_elem, "map_delete_elem", 2, Returns::value, map_delete_elem},
    Helper{BPF_FUNC_map_lookup_percpu_elem, "map_lookup_percpu_elem", 3, Returns::value, map_lookup_percpu_elem},
    Helper{BPF_FUNC_for_each_map_elem, "for_each_map_elem", 4, Returns::value, for_each_map_elem},
    Helper{BPF_FUNC_loop, "loop", 4, Returns::value, loop},
    Helper{BPF_FUNC_ringbuf_output, "ringbuf_output", 4, Returns::value, ringbuf_output},
    Helper{BPF_FUNC_ringbuf_reserve, "ringbuf_reserve", 3, Returns::value, ringbuf_reserve},
    Helper{BPF_FUNC_ringbuf_submit, "ringbuf_submit", 2, Returns::nothing, ringbuf_finish<&RingBuffer::submit>},
    Helper{BPF_FUNC_ringbuf_discard, "ringbuf_discard", 2, Returns::nothing, ringbuf_finish<&RingBuffer::discard>},
    Helper{BPF_FUNC_ringbuf_query, "ringbuf_query", 2, Returns::value, ringbuf_query},
    Helper{BPF_FUNC_task_storage_get, "task_storage_get", 4, Returns::value, task_storage_get},
    Helper{BPF_FUNC_task_storage_delete, "task_storage_delete", 2, Returns::value, task_storage_delete},
};

}  // namespace

std::span<const Helper> map_helpers() { return map_rows; }

}  // namespace lt::machine
