#include "runtime/replay/recorded_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace lt {
namespace {

using Form = RecordedField::Form;

constexpr uint32_t comm_size = 16;
constexpr uint32_t first_field = 8;  // the fields that all tracepoints have come before

constexpr RecordedField thread_field(std::string_view name) { return {name}; }
constexpr RecordedField comm_field(std::string_view name) { return {name, Form::text, comm_size, false}; }
constexpr RecordedField word_field(std::string_view name) { return {name, Form::number, 4, false}; }
constexpr RecordedField long_field(std::string_view name, bool is_signed) { return {name, Form::number, 8, is_signed}; }

constexpr std::array switch_fields{comm_field("prev_comm"), thread_field("prev_pid"), long_field("prev_state", true),
                                   comm_field("next_comm"), thread_field("next_pid")};
constexpr std::array waking_fields{comm_field("comm"), thread_field("pid"), thread_field("prio"),
                                   thread_field("target_cpu")};
constexpr std::array fork_fields{comm_field("parent_comm"), thread_field("parent_pid"), comm_field("child_comm"),
                                 thread_field("child_pid")};
constexpr std::array exit_fields{comm_field("comm"), thread_field("pid")};
constexpr std::array contention_fields{RecordedField{"lock_addr", Form::address, 8, false}, word_field("flags")};
constexpr std::array contended_fields{RecordedField{"lock_addr", Form::address, 8, false}, thread_field("ret")};
constexpr std::array request_fields{word_field("dev"), long_field("sector", false), word_field("nr_sector")};
constexpr std::array issue_fields{word_field("dev"), long_field("sector", false), word_field("nr_sector"),
                                  comm_field("comm")};
constexpr std::array vector_fields{word_field("vec")};
constexpr std::array interrupt_fields{thread_field("irq")};

constexpr uint64_t low(uint64_t word) { return word & 0xffffffff; }
constexpr uint64_t high(uint64_t word) { return word >> 32; }

std::string comm_at(const ThreadHistory& threads, uint64_t tid, const Record& record) {
    return threads.comm(static_cast<uint32_t>(tid), record.time, record.cpu);
}

FieldValues switch_values(const Record& r, const ThreadHistory& threads) {
    const bool preempted = (r.a >> switch_flags_at & switch_preempted) != 0;
    constexpr uint64_t reported_preempted = 0x100;  // TASK_REPORT_MAX
    const uint64_t bit = r.a >> switch_reported_at & 15;
    const uint64_t state = preempted ? reported_preempted : bit == 0 ? 0 : uint64_t{1} << (bit - 1);
    return {comm_at(threads, r.tid, r), r.tid, state, comm_at(threads, low(r.a), r), low(r.a)};
}

FieldValues waking_values(const Record& r, const ThreadHistory& threads) {
    return {comm_at(threads, r.tid, r), r.tid, low(r.b), high(r.b)};
}

FieldValues fork_values(const Record& r, const ThreadHistory& threads) {
    return {comm_at(threads, r.b, r), r.b, comm_at(threads, r.tid, r), r.tid};
}

FieldValues exit_values(const Record& r, const ThreadHistory& threads) { return {comm_at(threads, r.tid, r), r.tid}; }

FieldValues contention_values(const Record& r, const ThreadHistory&) {
    constexpr uint64_t flags_of_kernel = 0xffff;
    return {r.a, r.b & flags_of_kernel};
}

FieldValues contended_values(const Record& r, const ThreadHistory&) { return {r.a, low(r.b)}; }

FieldValues request_values(const Record& r, const ThreadHistory&) {
    constexpr uint64_t sectors = 0xffffff;
    return {r.b >> block_device_at, r.a, r.b & sectors};
}

FieldValues issue_values(const Record& r, const ThreadHistory& threads) {
    FieldValues out = request_values(r, threads);
    out.emplace_back(comm_at(threads, r.tid, r));
    return out;
}

FieldValues vector_values(const Record& r, const ThreadHistory&) { return {r.a}; }

uint64_t as_recorded(const Record& r) { return r.time; }
uint64_t at_beginning(const Record& r) { return r.b < r.time ? r.time - r.b : 0; }

uint32_t subject_itself(const Record& r) { return r.tid; }
uint32_t waker_of(const Record& r) { return static_cast<uint32_t>(r.a); }
uint32_t parent_of(const Record& r) { return static_cast<uint32_t>(r.b); }

constexpr std::array events{
    RecordedEvent{"sched", "sched_switch", RecordKind::switched, switch_fields, switch_values, as_recorded,
                  subject_itself},
    RecordedEvent{"sched", "sched_waking", RecordKind::waking, waking_fields, waking_values, as_recorded, waker_of},
    RecordedEvent{"sched", "sched_process_fork", RecordKind::fork, fork_fields, fork_values, as_recorded, parent_of},
    RecordedEvent{"sched", "sched_process_exit", RecordKind::exit, exit_fields, exit_values, as_recorded,
                  subject_itself},
    RecordedEvent{"lock", "contention_begin", RecordKind::lock_begin, contention_fields, contention_values, as_recorded,
                  subject_itself, "locks for which threads spin"},
    RecordedEvent{"lock", "contention_end", RecordKind::lock_end, contended_fields, contended_values, as_recorded,
                  subject_itself},
    RecordedEvent{"block", "block_rq_issue", RecordKind::block_issue, issue_fields, issue_values, as_recorded,
                  subject_itself},
    RecordedEvent{"block", "block_rq_complete", RecordKind::block_done, request_fields, request_values, as_recorded,
                  subject_itself},
    RecordedEvent{"irq", "softirq_entry", RecordKind::softirq, vector_fields, vector_values, at_beginning,
                  subject_itself},
    RecordedEvent{"irq", "softirq_exit", RecordKind::softirq, vector_fields, vector_values, as_recorded,
                  subject_itself},
    RecordedEvent{"irq", "irq_handler_entry", RecordKind::irq, interrupt_fields, vector_values, at_beginning,
                  subject_itself},
    RecordedEvent{"irq", "irq_handler_exit", RecordKind::irq, interrupt_fields, vector_values, as_recorded,
                  subject_itself},
};

struct UnusableEvent {
    std::string_view category, event, why;  // no event: each of the category
};
constexpr std::array unusable{
    UnusableEvent{"exceptions", "page_fault_user", "one record stands for many page faults"},
    UnusableEvent{"task", "task_rename", "it only has the names of threads"},
    UnusableEvent{"timer", "hrtimer_expire_entry", "it only says which wake-ups were in timers"},
    UnusableEvent{"timer", "hrtimer_expire_exit", "it only says which wake-ups were in timers"},
    UnusableEvent{"irq_vectors", "", "it only says which wake-ups were in interrupts"},
    UnusableEvent{"net", "netif_rx", "it only says which wake-ups followed from packets over loopback"},
};

Type type_of(const RecordedField& field) {
    if (field.form == Form::text) return string_type(field.size);
    return integer_type(field.size, field.is_signed, field.form == Form::address ? View::hex : View::plain);
}

uint32_t offset_of(const RecordedEvent& event, size_t index) {
    uint32_t offset = first_field;
    for (const RecordedField& field : event.fields.first(index)) offset += field.form == Form::text ? comm_size : 8;
    return offset;
}

}  // namespace

std::span<const RecordedEvent> recorded_events() { return events; }

const RecordedEvent* recorded_event(std::string_view category, std::string_view event) {
    const auto found = std::ranges::find_if(
        events, [&](const RecordedEvent& row) { return row.category == category && row.event == event; });
    return found == events.end() ? nullptr : &*found;
}

std::string name_of(const RecordedEvent& event) { return fmt::format("{}:{}", event.category, event.event); }

std::string_view unusable_event(std::string_view category, std::string_view event) {
    for (const UnusableEvent& row : unusable)
        if (row.category == category && (row.event.empty() || row.event == event)) return row.why;
    return {};
}

Tracepoint tracepoint_of(const RecordedEvent& event) {
    Tracepoint out{std::string(event.category), std::string(event.event), 0, {}};
    for (size_t i = 0; i < event.fields.size(); i++) {
        const RecordedField& field = event.fields[i];
        const Type type = type_of(field);
        out.fields.push_back({std::string(field.name), type, type_name(type), offset_of(event, i), false});
    }
    return out;
}

std::vector<uint8_t> context_of(const RecordedEvent& event, const FieldValues& values) {
    std::vector<uint8_t> bytes(offset_of(event, event.fields.size()));
    for (size_t i = 0; i < event.fields.size(); i++) {
        uint8_t* to = &bytes[offset_of(event, i)];
        if (const auto* text = std::get_if<std::string>(&values[i]))
            std::memcpy(to, text->data(), std::min<size_t>(text->size(), comm_size - 1));
        else
            std::memcpy(to, &std::get<uint64_t>(values[i]), event.fields[i].size);
    }
    return bytes;
}

}  // namespace lt
