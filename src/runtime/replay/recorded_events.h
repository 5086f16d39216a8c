// The tracepoints whose events are in recordings, with the fields that the records have: one row each. A replay's
// kernel (recorded_kernel.h) has these and no others.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "runtime/border/kernel.h"
#include "runtime/replay/thread_history.h"

namespace lt {

using FieldValue = std::variant<uint64_t, std::string>;
using FieldValues = std::vector<FieldValue>;

struct RecordedField {
    enum class Form : uint8_t { number, address, text };
    std::string_view name;
    Form form = Form::number;
    uint32_t size = 4;
    bool is_signed = true;
};

struct RecordedEvent {
    std::string_view category, event;
    RecordKind kind;  // of its records
    std::span<const RecordedField> fields;
    FieldValues (*values)(const Record& record, const ThreadHistory& threads);  // in the order of the fields
    uint64_t (*time)(const Record& record);
    uint32_t (*current)(const Record& record);  // the thread
    std::string_view lacks = {};  // which events of the tracepoint are not recorded; empty: none are missing
};

std::span<const RecordedEvent> recorded_events();
const RecordedEvent* recorded_event(std::string_view category, std::string_view event);  // null: not recorded
std::string name_of(const RecordedEvent& event);                                         // "sched:sched_switch"

// Why a tracepoint that the recorder watches is not in the table; empty: it does not watch it.
std::string_view unusable_event(std::string_view category, std::string_view event);

// As the compiler sees it.
Tracepoint tracepoint_of(const RecordedEvent& event);
// The bytes that a program at the tracepoint gets.
std::vector<uint8_t> context_of(const RecordedEvent& event, const FieldValues& values);

}  // namespace lt
