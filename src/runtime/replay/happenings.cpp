#include "runtime/replay/happenings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "arch/arch.h"
#include "runtime/replay/interpreted_run.h"
#include "runtime/replay/recorded_kernel.h"

namespace lt {
namespace {

constexpr std::string_view end_of_thread = "sched_process_exit";

const Starters::Programs& found(const auto& programs, const auto& key) {
    static const Starters::Programs none;
    const auto at = programs.find(key);
    return at == programs.end() ? none : at->second;
}

}  // namespace

Result<Starters> Starters::of(const Plan& plan) {
    Starters out;
    for (const PlannedProbe& probe : plan.probes) {
        if (probe.when != When::attached) continue;
        if (auto added = out.add(probe); !added) return added.error();
    }
    return out;
}

Status Starters::add(const PlannedProbe& probe) {
    const Rung* rung = taken_rung(probe);
    if (rung && rung->way == Way::walk) return Done{};  // the maps say what is open
    for (const Attachment& a : rung ? rung->attachments : std::vector<Attachment>{}) {
        const Program program{a.program, probe.text};
        const auto* tracepoint = std::get_if<TracepointSite>(&a.site);
        const auto* raw = std::get_if<RawTracepointSite>(&a.site);
        const auto* function = std::get_if<KernelSite>(&a.site);
        const RecordedEvent* event = tracepoint ? recorded_event(tracepoint->category, tracepoint->event) : nullptr;
        const auto span = function ? span_of_function(function->function) : std::nullopt;
        if (event) {
            events_[event].push_back(program);
        } else if (span) {
            (a.at_return ? closes_ : openings_)[*span].push_back(program);
        } else if (raw && raw->event == end_of_thread) {
            exits_.push_back(program);
        } else {
            return Error{fmt::format("`{}` cannot be read from a recording", probe.text), "", 0};
        }
    }
    return Done{};
}

const Starters::Programs& Starters::at(const RecordedEvent& event) const { return found(events_, &event); }
const Starters::Programs& Starters::at_opening(uint32_t span) const { return found(openings_, span); }
const Starters::Programs& Starters::at_close(uint32_t span) const { return found(closes_, span); }

std::vector<Happening> happenings(const Recording& recording, const Starters& starters) {
    std::map<RecordKind, std::vector<const RecordedEvent*>> wanted;
    for (const RecordedEvent& event : recorded_events())
        if (!starters.at(event).empty()) wanted[event.kind].push_back(&event);
    std::vector<Happening> out;
    for (const Record& record : recording.records) {
        const auto rows = wanted.find(record.kind);
        for (const RecordedEvent* event : rows == wanted.end() ? std::vector<const RecordedEvent*>{} : rows->second)
            out.push_back({event->time(record), &record, event});
        const bool opens = record.kind == RecordKind::open && !starters.at_opening(span_of(record)).empty();
        const bool closes = record.kind == RecordKind::close && !starters.at_close(span_of(record)).empty();
        const bool ends = record.kind == RecordKind::exit && !starters.at_exit().empty();
        if (opens || closes || ends) out.push_back({record.time, &record, nullptr});
    }
    std::erase_if(out, [&](const Happening& h) { return h.time < recording.begin || h.time > recording.end; });
    std::ranges::stable_sort(out, {}, &Happening::time);
    return out;
}

// Calls inside each other lie below each other on the stack. At a return the return address has been taken off.
std::vector<uint8_t> context_of_call(uint64_t depth, bool at_return) {
    constexpr uint64_t stack_top = 0xffffc90000a00000, frame_size = 256, return_address = 8;
    std::vector<uint8_t> registers(std::ranges::max(arch::native.registers, {}, &arch::Register::offset).offset + 8);
    const uint64_t stack = stack_top - frame_size * depth + (at_return ? return_address : 0);
    std::memcpy(&registers[arch::native.stack_pointer.offset], &stack, sizeof stack);
    return registers;
}

}  // namespace lt
