// A thread's time as a picture shows it: bars with a meaning, the same in the terminal, in HTML and in trace events.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "recording/explain.h"

namespace lt {

// A picture: the shown part of time, and the threads that have to do with the late call, the late one first.
struct Picture {
    uint64_t begin = 0, end = 0;
    std::vector<uint32_t> threads;
};
Picture picture_of(const Recording& recording, const Explanation& explanation);

// How a bar looks. Each group of causes has its own letter and color.
struct Look {
    char letter;
    std::string_view name;         // also the class in HTML
    std::string_view light, dark;  // colors
    int terminal;                  // SGR color
};
const Look& look_of(const Explainer& explainer, const Segment& segment);
std::span<const Look> looks();

// "user lock, woken by b (12)": for tooltips and trace events.
std::string segment_text(const Recording& recording, const Explainer& explainer, const Segment& segment);

}  // namespace lt
