// A recording in which three threads wait for each other, as events would make it: `app` waits for a mutex of its
// process, whose holder `writer` waits for a lock of the kernel, whose holder `backup` waits for a disk.
#pragma once

#include "recording/recording.h"

namespace lt {

constexpr uint64_t us = 1000, ms = 1'000'000;
constexpr uint32_t app = 10, writer = 11, backup = 20;

inline void add(Recording& r, RecordKind kind, uint64_t time, uint32_t tid, uint64_t a = 0, uint64_t b = 0,
                uint16_t cpu = 0) {
    r.records.push_back({time, a, b, tid, cpu, kind});
}

// From `from` to `to` on a CPU; the kernel's state of the one that leaves.
inline void add_switch(Recording& r, uint64_t time, uint16_t cpu, uint32_t from, uint32_t to, uint64_t state,
                       uint64_t stack = 0) {
    add(r, RecordKind::switched, time, from, to | state << switch_state_at, stack, cpu);
}

inline Recording staged_recording() {
    constexpr uint64_t sleeps = 2, disk_stack = 77, block = 4;
    constexpr uint64_t device = 254 << 20 | 3;
    Recording r;
    r.version = "0.1";
    r.script = "sc:write > 10ms < snapshot(); >\n";
    r.kernel = "6.18.0", r.machine = "x86_64";
    r.cpus = 2;
    r.begin = 1 * ms, r.end = 40 * ms;
    r.spans = {"sc:write"};
    r.devices[device] = "vda3";
    r.threads = {{app, 10, 10, "app"}, {writer, 10, 11, "writer"}, {backup, 20, 20, "backup"}};
    r.stacks[disk_stack] = {0x1000, 0x2000};
    r.symbols = {{0x1000, "folio_wait_bit_common"}, {0x2000, "filemap_get_pages.isra.0"}};
    // backup has the kernel's lock, and reads
    add_switch(r, 2 * ms, 0, 0, backup, 0);
    add(r, RecordKind::block_issue, 3 * ms, backup, 800, 8 | device << block_device_at);
    add_switch(r, 3 * ms + 100 * us, 0, backup, 0, sleeps);
    // writer has the mutex, and waits for the kernel's lock
    add_switch(r, 4 * ms, 1, 0, writer, 0, 0);
    add(r, RecordKind::lock_begin, 4 * ms + 500 * us, writer, 0xffff8000,
        lock_write | uint64_t{backup} << lock_owner_at, 1);
    add_switch(r, 5 * ms, 1, writer, app, sleeps);
    // app is late
    add(r, RecordKind::open, 5 * ms + 500 * us, app, 0, 0, 1);
    add_switch(r, 6 * ms, 1, app, 0, 1);
    add(r, RecordKind::futex, 6 * ms, app, 0x7000, uint64_t{writer} | uint64_t{app} << futex_own_at, 1);
    // the disk is done
    add(r, RecordKind::block_done, 25 * ms, 0, 800, 8 | device << block_device_at);
    add(r, RecordKind::waking, 25 * ms, backup, uint64_t{2} << waking_context_at | block << waking_vector_at);
    add_switch(r, 25 * ms + 200 * us, 0, 0, backup, 0, disk_stack);
    add(r, RecordKind::waking, 26 * ms, writer, backup);
    add_switch(r, 26 * ms + 100 * us, 1, 0, writer, 0);
    add(r, RecordKind::lock_end, 26 * ms + 100 * us, writer, 0xffff8000, 0, 1);
    add(r, RecordKind::waking, 27 * ms, app, writer, 0, 1);
    add_switch(r, 27 * ms + 300 * us, 1, writer, app, 0);
    add(r, RecordKind::close, 28 * ms, app, uint64_t{app} << 32, 28 * ms - (5 * ms + 500 * us), 1);
    add(r, RecordKind::trigger, 28 * ms, app, 0, 28 * ms - (5 * ms + 500 * us), 1);
    r.unix_offset = int64_t{1764098451} * 1000 * ms - 40 * ms;
    r.trigger = {28 * ms, app, 0, 28 * ms - (5 * ms + 500 * us)};
    complete(r);
    return r;
}

}  // namespace lt
