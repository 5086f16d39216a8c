// The longest wait since an opening, against all waits.
#include "stdlib/bpf/waits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace lt {
namespace {

struct Wait {
    uint64_t begin, time;
};

// Spans open and close inside each other while the thread waits, for times of a distribution. Counts the answers.
struct Walk {
    std::mt19937_64 random;
    int distribution;
    lt_why_waits kept{};
    std::vector<Wait> all;
    std::vector<uint64_t> open;
    uint64_t now = 1;
    int right = 0, unknown = 0, wrong = 0;

    Walk(uint64_t seed, int kind) : random(seed), distribution(kind) {}

    uint64_t time(uint64_t step) {  // at random, shorter and shorter, both
        if (distribution == 0) return 1 + random() % 100;
        if (distribution == 1) return 1000 - step;
        return 1 + random() % (1000 - step);
    }

    void close() {
        const uint64_t opened = open.back();
        open.pop_back();
        uint64_t longest = 0;
        for (const Wait& wait : all)
            if (wait.begin >= opened) longest = std::max(longest, wait.time);
        const lt_why_wait* told = lt_why_first(&kept, opened);
        if (told && told->time != longest)
            wrong++;
        else if (!told && longest != 0)
            unknown++;
        else
            right++;
    }

    void run() {
        for (uint64_t step = 0; step < 400; step++) {
            now += 1 + random() % 5;
            const uint64_t what = random() % 10;
            if (what < 2 && open.size() < 5) {
                open.push_back(now);
                kept.opened = now;
            } else if (what < 4 && !open.empty()) {
                close();
            } else {
                all.push_back({now, time(step)});
                lt_why_push(&kept, now, all.back().time, 1);
                now += all.back().time;
            }
        }
    }
};

TEST(Waits, TheLongestSinceAnOpening) {
    for (int kind = 0; kind < 3; kind++) {
        int right = 0, unknown = 0;
        for (uint64_t seed = 0; seed < 200; seed++) {
            Walk walk(seed, kind);
            walk.run();
            EXPECT_EQ(walk.wrong, 0) << "seed " << seed << ", distribution " << kind;
            right += walk.right;
            unknown += walk.unknown;
        }
        EXPECT_GT(right, kind == 0 ? 4 * unknown : 0) << "distribution " << kind;
    }
}

// One span with many waits that get shorter and shorter still knows its longest, the first.
TEST(Waits, ManyInOneSpan) {
    lt_why_waits kept{};
    kept.opened = 1;
    for (uint64_t i = 0; i < 1000; i++) lt_why_push(&kept, 10 + 10000 * i, 5000 - i, 1);
    const lt_why_wait* told = lt_why_first(&kept, 1);
    ASSERT_TRUE(told);
    EXPECT_EQ(told->time, 5000U);
}

}  // namespace
}  // namespace lt
