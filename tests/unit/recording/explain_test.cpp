#include "recording/explain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "recording/view/trace_events.h"
#include "staged.h"

namespace lt {
namespace {

uint64_t sum(const std::vector<CausePart>& parts) {
    return std::accumulate(parts.begin(), parts.end(), uint64_t{0},
                           [](uint64_t total, const CausePart& part) { return total + part.time; });
}

void expect_complete(const std::vector<CausePart>& parts) {
    for (const CausePart& part : parts) {
        if (part.inner.empty()) continue;
        EXPECT_EQ(sum(part.inner), part.time);
        expect_complete(part.inner);
    }
}

TEST(Explain, FollowsThreeHops) {
    const Recording recording = staged_recording();
    const Explanation explanation = Explainer(recording).explain(recording.triggers().front());
    EXPECT_EQ(sum(explanation.parts), explanation.call.latency);
    expect_complete(explanation.parts);
    EXPECT_EQ(explanation_text(recording, explanation),
              R"(sc:write, app (10): 22.5ms
        21ms   93 %  user lock
       1.2ms    5 %  running
       300us    1 %  run queue: woken
longest wait: 21ms, user lock, held by writer (11)
chain of waiting:
        21ms   93 %  app (10): user lock, held by writer (11)
        20ms   89 %    writer (11): kernel lock (to write), held by backup (20)
        19ms   84 %      backup (20): block I/O vda3, read, 1 request, ended by softirq BLOCK
       800us    4 %      backup (20): running
       900us    4 %    writer (11): running
       1.2ms    5 %  app (10): running
       300us    1 %  app (10): run queue: woken
)");
}

TEST(Explain, NamesTheThreadsThatTakePart) {
    const Recording recording = staged_recording();
    const Explanation explanation = Explainer(recording).explain(recording.trigger);
    EXPECT_EQ(threads_of(explanation), (std::vector<uint32_t>{app, writer, backup}));
}

// Nothing is known about a thread from before the recording.
TEST(Explain, WhatWasNotSeenIsUnexplained) {
    Recording recording = staged_recording();
    Trigger call = recording.trigger;
    call.latency = call.time;  // it began before the recording
    const Explanation explanation = Explainer(recording).explain(call);
    EXPECT_EQ(sum(explanation.parts), call.latency);
    EXPECT_EQ(explanation.parts.back().cause, Cause::unexplained);
    EXPECT_EQ(explanation.parts.back().time, 1 * ms);  // app had waited for a CPU since the recording began

    call.tid = 4711;
    const Explanation unknown = Explainer(recording).explain(call);
    ASSERT_EQ(unknown.parts.size(), 1u);
    EXPECT_EQ(unknown.parts[0].cause, Cause::unexplained);
}

TEST(Explain, ASwitchThatIsMissingDoesNotBecomeRunningTime) {
    Recording recording = staged_recording();
    // app is switched out twice, without having come back
    add_switch(recording, 20 * ms, 1, app, 0, 1);
    complete(recording);
    const Explanation explanation = Explainer(recording).explain(recording.trigger);
    EXPECT_EQ(sum(explanation.parts), explanation.call.latency);
    EXPECT_EQ(explanation.parts.back().cause, Cause::unexplained);
    EXPECT_EQ(explanation.parts.back().time, 14 * ms);
}

TEST(Explain, InterruptsTakeTimeFromTheThreadThatRuns) {
    Recording recording = staged_recording();
    add(recording, RecordKind::irq, 27 * ms + 600 * us, app, 9, 50 * us, 1);
    add(recording, RecordKind::softirq, 27 * ms + 700 * us, app, 3, 200 * us, 1);
    add(recording, RecordKind::softirq, 27 * ms + 700 * us, 0, 3, 200 * us, 0);  // of another CPU
    complete(recording);
    const Explanation explanation = Explainer(recording).explain(recording.trigger);
    uint64_t irq = 0, softirq = 0, running = 0;
    for (const CausePart& part : explanation.parts) {
        if (part.cause == Cause::irq) irq += part.time;
        if (part.cause == Cause::softirq) softirq += part.time;
        if (part.cause == Cause::running) running += part.time;
    }
    EXPECT_EQ(irq, 50 * us);
    EXPECT_EQ(softirq, 150 * us);  // the hard interrupt was inside it
    EXPECT_EQ(running, 1 * ms);
}

TEST(Explain, InterruptsInsideASoftirqCountOnce) {
    Recording recording = staged_recording();
    const uint64_t from = 27 * ms + 300 * us;  // app runs
    add(recording, RecordKind::irq, from + 40 * us, app, 9, 20 * us, 1);
    add(recording, RecordKind::irq, from + 60 * us, app, 9, 10 * us, 1);
    add(recording, RecordKind::softirq, from + 100 * us, app, 3, 90 * us, 1);  // around both
    add(recording, RecordKind::irq, from + 200 * us, app, 9, 30 * us, 1);      // between the softirqs
    add(recording, RecordKind::softirq, from + 300 * us, app, 3, 50 * us, 1);
    add(recording, RecordKind::irq, from + 400 * us, app, 9, 5 * us, 1);  // after them
    complete(recording);
    std::map<Cause, uint64_t> times;
    for (const CausePart& part : Explainer(recording).parts_of(app, {from, from + 500 * us}))
        times[part.cause] += part.time;
    EXPECT_EQ(times[Cause::irq], 65 * us);
    EXPECT_EQ(times[Cause::softirq], 110 * us);
    EXPECT_EQ(times[Cause::running], 325 * us);
}

// Its idle thread wakes no thread by itself.
TEST(Explain, AWakeUpOnAnIdleCpuIsThatOfAnInterrupt) {
    Recording recording = staged_recording();
    for (Record& record : recording.records)
        if (record.kind == RecordKind::waking && record.tid == backup) record.a = 0;
    const std::string text = explanation_text(recording, Explainer(recording).explain(recording.trigger));
    EXPECT_NE(text.find("block I/O vda3, read, 1 request, ended by an interrupt\n"), std::string::npos) << text;
}

TEST(Explain, AFlushIsNoRead) {
    constexpr uint64_t flushes = 2;
    Recording recording = staged_recording();
    for (Record& record : recording.records)
        if (record.kind == RecordKind::block_issue) record.b |= flushes << block_does_at;
    const std::string text = explanation_text(recording, Explainer(recording).explain(recording.trigger));
    EXPECT_NE(text.find("block I/O vda3, flush, 1 request, ended"), std::string::npos) << text;
}

TEST(Explain, ADevicesNameCannotControlTheTerminal) {
    Recording recording = staged_recording();
    for (auto& [number, name] : recording.devices) name = "vda\x1b[2J";
    const std::string text = explanation_text(recording, Explainer(recording).explain(recording.trigger));
    EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
    EXPECT_NE(text.find("block I/O vda"), std::string::npos) << text;
}

// A request that lasts through several waits is one request; one between the waits is none of theirs.
TEST(Explain, CountsARequestOnceForAllWaits) {
    constexpr uint64_t sleeps = 2, stack = 77, device = 254 << 20 | 3;
    Recording recording;
    recording.cpus = 1, recording.end = 40 * ms;
    recording.devices[device] = "vda3";
    recording.stacks[stack] = {0x1000};
    recording.symbols = {{0x1000, "folio_wait_bit_common"}};
    const auto request = [&](uint64_t sector, uint64_t begin, uint64_t end) {
        add(recording, RecordKind::block_issue, begin, app, sector, 8 | device << block_device_at);
        add(recording, RecordKind::block_done, end, 0, sector, 8 | device << block_device_at);
    };
    add_switch(recording, 1 * ms, 0, 0, app, 0);
    for (const auto& [begin, end] : {Window{5 * ms, 10 * ms}, Window{12 * ms, 18 * ms}, Window{20 * ms, 30 * ms}}) {
        add_switch(recording, begin, 0, app, 0, sleeps);
        add(recording, RecordKind::waking, end, app, uint64_t{2} << waking_context_at);
        add_switch(recording, end, 0, 0, app, 0, stack);
    }
    request(800, 2 * ms, 31 * ms);
    request(900, 13 * ms, 14 * ms);
    request(1000, 10 * ms, 12 * ms);
    complete(recording);
    const std::vector<CausePart> parts = Explainer(recording).parts_of(app, {1 * ms, 40 * ms});
    const auto disk = std::ranges::find(parts, Cause::disk, &CausePart::cause);
    ASSERT_NE(disk, parts.end());
    EXPECT_EQ(disk->count, 3U);
    EXPECT_EQ(disk->detail, "vda3, read, 2 requests");
    EXPECT_EQ(disk->longest_detail, "vda3, read, 1 request") << "from 20 to 30 ms";
}

TEST(Explain, ASpanThatEndsInAnotherThreadIsNoThreadsTime) {
    Recording recording = staged_recording();
    for (Record& record : recording.records)
        if (record.kind == RecordKind::close) record.a = uint64_t{backup} << close_opener_at;
    complete(recording);
    EXPECT_EQ(recording.trigger.opener, backup);
    const Explainer explainer(recording);
    const Explanation explanation = explainer.explain(recording.triggers().front());
    EXPECT_TRUE(explanation.parts.empty());
    EXPECT_EQ(threads_of(explanation), (std::vector<uint32_t>{backup, app}));
    EXPECT_EQ(explanation_text(recording, explanation),
              "sc:write, from backup (20) to app (10): 22.5ms\n"
              "it began in another thread than it ended in, so no single thread's time explains it\n");
    EXPECT_NE(trace_events(recording, explainer)
                  .find(R"({"ph":"b","cat":"span","id":1,"name":"sc:write","pid":20,"tid":20,"ts":5500.000})"),
              std::string::npos);
}

// The interrupt in which a span ends may come while its CPU is idle.
TEST(Explain, ASpanThatEndsOnAnIdleCpu) {
    Recording recording = staged_recording();
    for (Record& record : recording.records)
        if (record.kind == RecordKind::close || record.kind == RecordKind::trigger) record.tid = 0;
    const Explanation explanation = Explainer(recording).explain(recording.triggers().front());
    const std::string text = explanation_text(recording, explanation);
    EXPECT_TRUE(text.starts_with("sc:write, from app (10) to an idle CPU: 22.5ms\n")) << text;
}

}  // namespace
}  // namespace lt
