// With -k losses are counted for each line and column of the script: their subject, which is none otherwise.
#pragma once

#include <cstdint>

namespace lt {

// 0: no location.
struct LossPlace {
    uint32_t line = 0;
    uint32_t column = 0;
};
constexpr uint32_t most_loss_columns = 1U << 12;
constexpr uint32_t loss_subject(LossPlace place) { return place.line * most_loss_columns + place.column; }
constexpr LossPlace loss_place(uint32_t subject) { return {subject / most_loss_columns, subject % most_loss_columns}; }

}  // namespace lt
