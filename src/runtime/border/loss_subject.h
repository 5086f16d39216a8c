// The meaning of the index beside a kind of loss.
#pragma once

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

}  // namespace lt
