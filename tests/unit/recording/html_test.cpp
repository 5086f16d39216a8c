#include "recording/view/html.h"

#include <gtest/gtest.h>

#include "staged.h"

namespace lt {
namespace {

size_t marks_of(const Recording& recording) {
    const Explainer explainer(recording);
    const std::string page = html_page(recording, explainer, explainer.explain(recording.trigger));
    constexpr std::string_view mark = "<line class=\"grid\"";
    size_t count = 0;
    for (size_t at = page.find(mark); at != std::string::npos; at = page.find(mark, at + 1)) count++;
    return count;
}

// Marks from the call's beginning on would lie on each other at the left edge.
TEST(Html, HasFewMarksWhereTheCallBeganBeforeTheRecording) {
    Recording recording = staged_recording();
    recording.trigger.latency = recording.trigger.time - 1;
    const size_t marks = marks_of(recording);
    EXPECT_GE(marks, 3U);
    EXPECT_LE(marks, 25U);
}

TEST(Html, EndsWhereTimesAreDamaged) {
    Recording recording = staged_recording();
    recording.begin = 1;
    recording.end = UINT64_MAX;
    recording.trigger = {UINT64_MAX, recording.trigger.tid, {}, UINT64_MAX - 1};
    EXPECT_LE(marks_of(recording), 25U);
    recording.end = 2;
    recording.trigger.latency = 1;
    EXPECT_LE(marks_of(recording), 25U);
}

}  // namespace
}  // namespace lt
