// A late call and the threads that it waited for, as a picture of characters.
#pragma once

#include <string>

#include "recording/explain.h"

namespace lt {

struct PictureSize {
    size_t columns = 80, rows = 24;
    bool colored = false;
};

// Fits the size; threads that have no room are counted.
std::string waterfall(const Recording& recording, const Explainer& explainer, const Explanation& explanation,
                      const PictureSize& size);

}  // namespace lt
