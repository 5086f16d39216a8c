// The meaning of the index beside a kind of loss.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/rows.h"
#include "runtime/border/plan.h"

namespace lt {

enum class LossSubject : uint8_t { none, map, span };

struct LossKindRow {
    LossKind kind;
    LossSubject subject;
    std::string_view name;  // for dumps
};
inline constexpr std::array loss_kinds{
    LossKindRow{LossKind::ring_buffer_full, LossSubject::none, "ring buffer full"},
    LossKindRow{LossKind::map_full, LossSubject::map, "map full"},
    LossKindRow{LossKind::contended, LossSubject::map, "contended"},
    LossKindRow{LossKind::map_no_memory, LossSubject::map, "no memory for a new key"},
    LossKindRow{LossKind::span_no_entry, LossSubject::span, "return without entry"},
    LossKindRow{LossKind::span_missed, LossSubject::span, "left without a return"},
    LossKindRow{LossKind::span_died, LossSubject::span, "open when the thread ended"},
    LossKindRow{LossKind::span_reopened, LossSubject::span, "opened again"},
    LossKindRow{LossKind::span_too_deep, LossSubject::span, "nested too deep"},
    LossKindRow{LossKind::span_no_room, LossSubject::span, "no room"},
    LossKindRow{LossKind::span_unmeasured, LossSubject::span, "closed, no room"},
    LossKindRow{LossKind::span_clock, LossSubject::span, "negative difference"},
    LossKindRow{LossKind::stack_collision, LossSubject::none, "stack with the id of another"},
    LossKindRow{LossKind::stacks_full, LossSubject::none, "no room for stacks"},
    LossKindRow{LossKind::failed_read, LossSubject::none, "failed read"},
    LossKindRow{LossKind::scratch_busy, LossSubject::none, "no room in the scratch"},
    LossKindRow{LossKind::stack_busy, LossSubject::none, "stack not taken"},
    LossKindRow{LossKind::loop_cut, LossSubject::none, "loop cut short"},
    LossKindRow{LossKind::not_followed, LossSubject::none, "not followed"},
    LossKindRow{LossKind::zero_divisor, LossSubject::none, "division by zero"},
    LossKindRow{LossKind::zero_divisor_one, LossSubject::none, "division by zero gives one"},
    LossKindRow{LossKind::sum_overflow, LossSubject::map, "sum beyond 64 bits"},
    LossKindRow{LossKind::hidden_switch, LossSubject::none, "switch not reported"},
    LossKindRow{LossKind::process_records, LossSubject::none, "record of a process"},
    LossKindRow{LossKind::cpu_unwatched, LossSubject::none, "CPU not watched"},
};
static_assert(in_enum_order(loss_kinds, &LossKindRow::kind, static_cast<size_t>(LossKind::cpu_unwatched) + 1));

constexpr const LossKindRow& kind_row(LossKind kind) { return loss_kinds[static_cast<size_t>(kind)]; }
constexpr LossSubject subject_of(LossKind kind) { return kind_row(kind).subject; }

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
