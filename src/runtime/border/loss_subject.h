// The meaning of the index beside a kind of loss.
#pragma once

#include <cstdint>

#include "runtime/border/plan.h"

namespace lt {

enum class LossSubject : uint8_t { none, map, span };

constexpr LossSubject subject_of(LossKind kind) {
    switch (kind) {
        case LossKind::map_full:
        case LossKind::contended:
        case LossKind::map_no_memory:
        case LossKind::sum_overflow:
            return LossSubject::map;
        case LossKind::span_no_entry:
        case LossKind::span_missed:
        case LossKind::span_died:
        case LossKind::span_reopened:
        case LossKind::span_too_deep:
        case LossKind::span_no_room:
        case LossKind::span_unmeasured:
        case LossKind::span_clock:
            return LossSubject::span;
        case LossKind::ring_buffer_full:
        case LossKind::stack_collision:
        case LossKind::stacks_full:
        case LossKind::failed_read:
        case LossKind::scratch_busy:
        case LossKind::stack_busy:
        case LossKind::loop_cut:
        case LossKind::not_followed:
        case LossKind::zero_divisor:
        case LossKind::zero_divisor_one:
        case LossKind::hidden_switch:
        case LossKind::process_records:
        case LossKind::cpu_unwatched:
            return LossSubject::none;
    }
    return LossSubject::none;
}

// With -k losses are counted for each line and column of the script: their subject, which is none otherwise. 0: no
// location.
struct LossPlace {
    uint32_t line = 0;
    uint32_t column = 0;
};
constexpr uint32_t most_loss_columns = 1U << 12;
constexpr uint32_t loss_subject(LossPlace place) { return place.line * most_loss_columns + place.column; }
constexpr LossPlace loss_place(uint32_t subject) { return {subject / most_loss_columns, subject % most_loss_columns}; }

}  // namespace lt
