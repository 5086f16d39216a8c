#include "recording/explain.h"

#include <gtest/gtest.h>

#include <numeric>

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

// Nothing is known about a thread before its first event, unless it was running all the time.
TEST(Explain, WhatWasNotSeenIsUnexplained) {
    Recording recording = staged_recording();
    Trigger call = recording.trigger;
    call.latency = call.time;  // it began before the recording
    const Explanation explanation = Explainer(recording).explain(call);
    EXPECT_EQ(sum(explanation.parts), call.latency);
    EXPECT_EQ(explanation.parts.back().cause, Cause::unexplained);
    EXPECT_EQ(explanation.parts.back().time, 1 * ms);  // app had been blocked since the recording began

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

}  // namespace
}  // namespace lt
