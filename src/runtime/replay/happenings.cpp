#include "runtime/replay/happenings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <set>
#include <utility>

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

using CallStack = std::vector<Happening*>;  // the openings of open calls, the innermost is the last
using CallStacks = std::map<std::pair<uint32_t, uint32_t>, CallStack>;  // by thread and span

// Takes the call that a close ends off its stack, and those inside it, which were left. Null: its opening is not there.
Happening* take_off(CallStack& stack, const Record& close) {
    const uint64_t opened = close.time - close.b;
    const auto after = std::ranges::upper_bound(stack, opened, {}, &Happening::time);
    if (after == stack.begin()) return nullptr;
    const auto call = std::prev(after);
    Happening* const opening = *call;
    if (opening->time != opened) return nullptr;
    stack.erase(call, stack.end());
    return opening;
}

// Of the calls without a close, the last ones may still be open. Those before them count as left, since they would fill
// the room for the span's openings.
std::set<const Happening*> left_calls(std::span<Happening> all) {
    constexpr size_t most_open = 16;  // half of LT_DEPTH in stdlib/bpf/span.bpf.c: others are inside them
    CallStacks open;
    for (Happening& each : all) {
        if (each.event) continue;
        CallStack& stack = open[{each.record->tid, span_of(*each.record)}];
        if (each.record->kind == RecordKind::open) stack.push_back(&each);
        if (each.record->kind == RecordKind::close) take_off(stack, *each.record);
    }
    std::set<const Happening*> left;
    for (const auto& [_, stack] : open)
        for (size_t i = 0; i + most_open < stack.size(); i++) left.insert(stack[i]);
    return left;
}

}  // namespace

void place_calls(std::span<Happening> all) {
    const std::set<const Happening*> left = left_calls(all);
    CallStacks open;
    for (Happening& each : all) {
        if (each.event) continue;
        const Record& record = *each.record;
        if (record.kind == RecordKind::exit) {
            open.erase(open.lower_bound({record.tid, 0}), open.upper_bound({record.tid, UINT32_MAX}));
            continue;
        }
        CallStack& stack = open[{record.tid, span_of(record)}];
        if (record.kind == RecordKind::close) {
            const Happening* opening = take_off(stack, record);
            each.depth = opening ? opening->depth : 0;
            continue;
        }
        if (!stack.empty() && left.contains(stack.back())) stack.pop_back();
        each.depth = stack.empty() ? 1 : stack.back()->depth + 1;
        stack.push_back(&each);
    }
}

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
    place_calls(out);
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
