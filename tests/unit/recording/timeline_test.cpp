#include "recording/timeline.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "recording/explain.h"
#include "staged.h"

namespace lt {
namespace {

constexpr uint64_t mutex_address = 0xffff800000001000;

// `app` runs, is woken, begins to wait for a mutex of `writer` at 5 ms, and is back at 45.1 ms.
Recording woken_while_running() {
    Recording r;
    r.cpus = 2, r.end = 50 * ms;
    add_switch(r, 500 * us, 0, 0, app, 0);
    add(r, RecordKind::waking, 1 * ms, app, backup, 0, 1);
    add(r, RecordKind::lock_begin, 4 * ms, app, mutex_address, lock_mutex | uint64_t{writer} << lock_owner_at);
    add_switch(r, 5 * ms, 0, app, 0, 1);
    add_switch(r, 45 * ms + 100 * us, 0, 0, app, 0);
    return r;
}

TEST(Timeline, AWakeUpWhileTheThreadRunsCanComeJustBeforeItLeaves) {
    Recording recording = woken_while_running();
    complete(recording);
    const Timeline timeline(recording);
    const std::span<const Segment> segments = timeline.of(app);
    ASSERT_EQ(segments.size(), 4U);
    EXPECT_EQ(segments[2].state, SegmentState::woken);
}

// Only a thread that waits is woken, so a second wake-up says that the first one was of an earlier time.
TEST(Timeline, ASecondWakeUpEndsTheWait) {
    Recording recording = woken_while_running();
    add(recording, RecordKind::waking, 45 * ms, app, writer, 0, 1);
    complete(recording);
    const Timeline timeline(recording);
    const std::span<const Segment> segments = timeline.of(app);
    ASSERT_EQ(segments.size(), 5U);
    EXPECT_EQ(segments[2].state, SegmentState::blocked);
    EXPECT_EQ(segments[2].begin, 5 * ms);
    EXPECT_EQ(segments[2].end, 45 * ms);
    EXPECT_EQ(segments[2].lock, mutex_address);
    EXPECT_EQ(segments[2].holder, writer);
    EXPECT_TRUE(segments[2].waker.is_thread());
    EXPECT_EQ(segments[2].waker.tid, writer);
    EXPECT_EQ(segments[3].state, SegmentState::woken);
    EXPECT_EQ(segments[4].state, SegmentState::running);
}

// It was woken because the holder had released the lock, and did not get it.
TEST(Timeline, AHolderIsThatOfOneWait) {
    Recording recording;
    recording.cpus = 1, recording.end = 50 * ms;
    add_switch(recording, 1 * ms, 0, 0, app, 0);
    add(recording, RecordKind::lock_begin, 4 * ms, app, mutex_address, lock_write | uint64_t{writer} << lock_owner_at);
    for (const uint64_t begin : {5 * ms, 15 * ms}) {
        add_switch(recording, begin, 0, app, 0, 1);
        add(recording, RecordKind::waking, begin + 5 * ms, app, writer);
        add_switch(recording, begin + 6 * ms, 0, 0, app, 0);
    }
    add(recording, RecordKind::lock_end, 22 * ms, app, mutex_address);
    complete(recording);
    const Timeline timeline(recording);
    std::vector<uint32_t> holders;
    for (const Segment& segment : timeline.of(app)) {
        if (segment.state != SegmentState::blocked) continue;
        EXPECT_EQ(segment.lock, mutex_address);
        holders.push_back(segment.holder);
    }
    EXPECT_EQ(holders, (std::vector<uint32_t>{writer, 0}));
}

// In a call of futex(), which reads its word, the thread waits for its process's mmap_lock.
TEST(Timeline, AFutexDoesNotReplaceTheHolderOfTheKernelsLock) {
    Recording recording;
    recording.cpus = 1, recording.end = 50 * ms;
    recording.threads = {{app, 10, 10, "app"}, {writer, 10, 11, "writer"}, {backup, 20, 20, "backup"}};
    add_switch(recording, 1 * ms, 0, 0, app, 0);
    add(recording, RecordKind::lock_begin, 4 * ms, app, mutex_address,
        lock_read | lock_mmap | uint64_t{backup} << lock_owner_at);
    add_switch(recording, 5 * ms, 0, app, 0, 2);
    add(recording, RecordKind::futex, 5 * ms, app, 0x7000, uint64_t{writer} | uint64_t{app} << futex_own_at);
    add(recording, RecordKind::waking, 10 * ms, app, backup);
    add_switch(recording, 11 * ms, 0, 0, app, 0);
    complete(recording);
    const Timeline timeline(recording);
    const std::span<const Segment> segments = timeline.of(app);
    const auto waits = std::ranges::find(segments, SegmentState::blocked, &Segment::state);
    ASSERT_NE(waits, segments.end());
    EXPECT_EQ(waits->lock, mutex_address);
    EXPECT_EQ(waits->holder, backup);
}

// As for `why`: who ends the wait is the holder if it was the owner, or has just released the lock.
TEST(Timeline, TheHolderOfAProgramsLockIsWhoReleasesIt) {
    const auto holder = [](uint32_t owner, uint64_t waker) {
        Recording recording;
        recording.cpus = 1, recording.end = 50 * ms;
        recording.threads = {{app, 10, 10, "app"}, {writer, 10, 11, "writer"}, {backup, 10, 20, "backup"}};
        add_switch(recording, 1 * ms, 0, 0, app, 0);
        add_switch(recording, 5 * ms, 0, app, 0, 1);
        add(recording, RecordKind::futex, 5 * ms, app, 0x7000, uint64_t{owner} | uint64_t{app} << futex_own_at);
        if (waker != 0) add(recording, RecordKind::waking, 10 * ms, app, waker);
        complete(recording);
        const Timeline timeline(recording);
        const std::span<const Segment> segments = timeline.of(app);
        const auto waits = std::ranges::find(segments, SegmentState::blocked, &Segment::state);
        return waits == segments.end() ? 0 : waits->holder;
    };
    constexpr uint64_t releases = waking_releases << waking_flags_at;
    EXPECT_EQ(holder(writer, writer), writer);
    EXPECT_EQ(holder(writer, backup | releases), backup);                      // it had the lock after `writer`
    EXPECT_EQ(holder(writer, backup), 0U);                                     // by a signal, for example
    EXPECT_EQ(holder(0, backup | releases), 0U);                               // no lock has an owner there
    EXPECT_EQ(holder(writer, writer | uint64_t{2} << waking_context_at), 0U);  // a softirq that interrupted it
    EXPECT_EQ(holder(writer, 0), writer);                                      // not over
}

// A blocked thread would have been woken before it got a CPU.
TEST(Timeline, AThreadThatFirstGetsACpuHadWaitedForIt) {
    Recording recording;
    recording.cpus = 1, recording.begin = 1 * ms, recording.end = 10 * ms;
    add_switch(recording, 4 * ms, 0, 0, app, 0);
    complete(recording);
    const Timeline timeline(recording);
    const std::span<const Segment> segments = timeline.of(app);
    ASSERT_EQ(segments.size(), 2U);
    EXPECT_EQ(segments[0].state, SegmentState::woken);
    EXPECT_EQ(segments[0].begin, 1 * ms);
}

// A thread without CPU quota leaves its CPU although it could run, or does not get one when it is woken.
TEST(Timeline, AThreadWithoutQuotaIsThrottled) {
    Recording recording;
    recording.cpus = 1, recording.end = 50 * ms;
    const uint64_t throttled = uint64_t{1} << switch_throttled_at;
    add_switch(recording, 1 * ms, 0, 0, app, 0);
    add(recording, RecordKind::switched, 5 * ms, app, writer | throttled);
    add_switch(recording, 15 * ms, 0, writer, app, 1);
    add_switch(recording, 20 * ms, 0, app, 0, 1);
    add(recording, RecordKind::waking, 22 * ms, app, backup | waking_throttled << waking_flags_at);
    add_switch(recording, 30 * ms, 0, 0, app, 0);
    complete(recording);
    uint64_t time = 0;
    for (const CausePart& part : Explainer(recording).parts_of(app, {1 * ms, 40 * ms}))
        if (part.cause == Cause::throttled) time += part.time;
    EXPECT_EQ(time, 18 * ms);
}

uint64_t time_in(const Timeline& timeline, uint32_t tid, SegmentState state) {
    uint64_t time = 0;
    for (const Segment& segment : timeline.of(tid))
        if (segment.state == state) time += segment.end - segment.begin;
    return time;
}

// `app` ends at 10 ms. At 20 ms another thread gets its number, also if the recording lacks its fork.
TEST(Timeline, AThreadDoesNotReplaceTheOneThatHadItsNumber) {
    constexpr uint64_t dead = 0x80;
    for (const bool has_fork : {true, false}) {
        Recording recording;
        recording.cpus = 1, recording.end = 50 * ms;
        add_switch(recording, 1 * ms, 0, 0, app, 0);
        add_switch(recording, 10 * ms, 0, app, 0, dead);
        if (has_fork) add(recording, RecordKind::fork, 20 * ms, app, backup, backup);
        add_switch(recording, 21 * ms, 0, 0, app, 0);
        add_switch(recording, 25 * ms, 0, app, 0, dead);
        complete(recording);
        const Timeline timeline(recording);
        EXPECT_EQ(time_in(timeline, app, SegmentState::running), 13 * ms);
        EXPECT_EQ(time_in(timeline, app, SegmentState::blocked), 0U);
        EXPECT_EQ(time_in(timeline, app, SegmentState::woken), (has_fork ? 2 : 1) * ms);
    }
}

// `writer` is a thread of the process `app`, executes a program at 20 ms, and then is `app`, whose first thread has
// ended.
TEST(Timeline, AThreadThatExecutesAProgramHasAnotherNumber) {
    constexpr uint64_t dead = 0x80;
    Recording recording;
    recording.cpus = 2, recording.end = 50 * ms;
    add_switch(recording, 1 * ms, 0, 0, app, 0);
    add_switch(recording, 2 * ms, 1, 0, writer, 0);
    add_switch(recording, 10 * ms, 0, app, 0, dead);
    add(recording, RecordKind::renamed, 20 * ms, app, 0, 0, 1);
    add(recording, RecordKind::name, 20 * ms, app, 0, 0, 1);
    add_switch(recording, 30 * ms, 1, app, 0, 1);
    complete(recording);
    const Timeline timeline(recording);
    EXPECT_EQ(timeline.of(writer).back().end, 20 * ms);
    EXPECT_EQ(time_in(timeline, app, SegmentState::running), 19 * ms);
    EXPECT_EQ(time_in(timeline, app, SegmentState::unknown), 0U);
    EXPECT_EQ(timeline.of(app).back().state, SegmentState::blocked);
}

}  // namespace
}  // namespace lt
