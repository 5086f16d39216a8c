// Records of the ring buffer: the meaning of their kinds, and the layout of strings in them. Short strings take their
// full size among the fields. A long one takes only as much as its content, so that records do not fill the buffer with
// zeros: its field is a u64, its offset in the record, and it ends with a zero. The long strings follow the fields, in
// order.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/rows.h"
#include "runtime/border/plan.h"

namespace lt {

struct EventKindRow {
    EventKind kind;
    std::string_view name;  // for dumps
    bool is_result;         // prints something for the reader
    bool only_prints;       // has no effect on the run except output
};
inline constexpr std::array event_kinds{
    EventKindRow{EventKind::text, "text", true, true},
    EventKindRow{EventKind::map, "map", true, false},
    EventKindRow{EventKind::spans, "open spans", true, false},
    EventKindRow{EventKind::value, "value", true, true},
    EventKindRow{EventKind::stack, "new stack", false, false},
    EventKindRow{EventKind::clear, "clear", false, false},
    EventKindRow{EventKind::zero, "zero", false, false},
    EventKindRow{EventKind::exit, "exit", false, false},
    EventKindRow{EventKind::join, "join", true, true},
    EventKindRow{EventKind::cat, "cat", true, true},
    EventKindRow{EventKind::system, "system", true, false},
    EventKindRow{EventKind::error, "error", false, true},
    EventKindRow{EventKind::warning, "warning", false, true},
    EventKindRow{EventKind::histogram, "histogram", true, true},
    EventKindRow{EventKind::raised, "raised", false, false},
    EventKindRow{EventKind::time, "time", true, true},
    EventKindRow{EventKind::option, "option", false, false},
    EventKindRow{EventKind::snapshot, "snapshot", false, false},
};
static_assert(in_enum_order(event_kinds, &EventKindRow::kind, static_cast<size_t>(EventKind::snapshot) + 1));
constexpr const EventKindRow& kind_row(EventKind kind) { return event_kinds[static_cast<size_t>(kind)]; }

constexpr uint32_t longest_in_place = 400;
inline bool lies_apart(const Type& type) { return type.kind == Kind::string && type.size > longest_in_place; }

}  // namespace lt
