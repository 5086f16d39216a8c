// Records in the ring buffer.
#pragma once

#include "codegen/lower/context.h"

namespace lt {

constexpr uint32_t record_header = 8;  // u32 index, u32 zero
constexpr int64_t force_wakeup = 2;    // BPF_RB_FORCE_WAKEUP

// The part of a record for one value of print() or printf(): an integer, bytes to copy, or nothing.
struct RecordPart {
    ir::Value value = ir::no_value;
    uint32_t room = 8;
    bool bytes = false;
};

// A record of values that are already computed; the fields of the event have their types.
void emit_parts(Lowering& l, PlannedEvent event, std::vector<RecordPart> parts, bool wake = false);
// A record of the values of expressions.
void emit_values(Lowering& l, PlannedEvent event, const std::vector<ast::ExprId>& values, bool wake = false);
// A record with a map key; the printing side reads the map.
void print_entry(Lowering& l, uint32_t map, ir::Value key);

}  // namespace lt
