#include "runtime/replay/happenings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <tuple>
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

using Openings = std::map<const Happening*, Happening*>;  // by the close
using Calls = std::set<const Happening*>;

// A call whose opener is not named, or is an idle CPU's thread, ends in the thread in which it began.
uint32_t opener_of(const Record& close) { return opener_in(close) == 0 ? close.tid : opener_in(close); }

// The opening of a close is of the thread that the close names, and of the time at which the call began.
Openings openings_of(std::span<Happening> all) {
    std::map<std::tuple<uint32_t, uint32_t, uint64_t>, CallStack> open;
    Openings out;
    for (Happening& each : all) {
        if (each.event) continue;
        const Record& record = *each.record;
        if (record.kind == RecordKind::open) open[{record.tid, span_of(record), record.time}].push_back(&each);
        if (record.kind != RecordKind::close) continue;
        const auto found = open.find({opener_of(record), span_of(record), record.time - record.b});
        if (found == open.end()) continue;
        out[&each] = found->second.back();
        found->second.pop_back();
        if (found->second.empty()) open.erase(found);
    }
    return out;
}

// The opening of a close; null if it is not there.
Happening* opening_of(const Openings& openings, const Happening& close) {
    const auto found = openings.find(&close);
    return found == openings.end() ? nullptr : found->second;
}

// Where a call is in a stack; its size if it is not there.
size_t level_of(const CallStack& stack, const Happening* opening) {
    for (size_t i = opening ? stack.size() : 0; i-- > 0;)
        if (stack[i] == opening) return i;
    return stack.size();
}

// Ends a call, and those inside it, which were left.
void take_off(CallStack& stack, const Happening* opening) { stack.resize(level_of(stack, opening)); }

// Calls that do not nest with those of their thread, since goroutines move to other threads and take turns on one.
Calls calls_apart(std::span<Happening> all, const Openings& openings) {
    Calls apart, closed;
    for (const auto& [close, opening] : openings) {
        closed.insert(opening);
        if (close->record->tid != opening->record->tid) apart.insert(opening);
    }
    CallStacks open;
    for (Happening& each : all) {
        if (each.event || apart.contains(&each)) continue;
        CallStack& stack = open[{each.record->tid, span_of(*each.record)}];
        if (each.record->kind == RecordKind::open) stack.push_back(&each);
        const Happening* opening = opening_of(openings, each);
        if (!opening || apart.contains(opening)) continue;
        for (size_t inside = level_of(stack, opening) + 1; inside < stack.size(); inside++)
            if (closed.contains(stack[inside])) apart.insert(stack[inside]);
        take_off(stack, opening);
    }
    return apart;
}

// Of the calls without a close, the last ones may still be open. Those before them count as left, since they would fill
// the room for the span's openings.
Calls left_calls(std::span<Happening> all, const Openings& openings, const Calls& apart) {
    constexpr size_t most_open = 16;  // half of LT_DEPTH in stdlib/bpf/span.bpf.c: others are inside them
    CallStacks open;
    for (Happening& each : all) {
        if (each.event || apart.contains(&each)) continue;
        CallStack& stack = open[{each.record->tid, span_of(*each.record)}];
        if (each.record->kind == RecordKind::open) stack.push_back(&each);
        if (each.record->kind == RecordKind::close) take_off(stack, opening_of(openings, each));
    }
    Calls left;
    for (const auto& [_, stack] : open)
        for (size_t i = 0; i + most_open < stack.size(); i++) left.insert(stack[i]);
    return left;
}

// Numbers that no thread has.
class Owners {
  public:
    uint32_t take() {
        if (free_.empty()) return next_++;
        const uint32_t owner = free_.back();
        free_.pop_back();
        return owner;
    }
    void give(uint32_t owner) { free_.push_back(owner); }

  private:
    uint32_t next_ = 1U << 31;
    std::vector<uint32_t> free_;
};

}  // namespace

void place_calls(std::span<Happening> all) {
    const Openings openings = openings_of(all);
    const Calls apart = calls_apart(all, openings), left = left_calls(all, openings, apart);
    Owners owners;
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
            const Happening* opening = opening_of(openings, each);
            each.depth = opening ? opening->depth : 0;
            each.owner = opening ? opening->owner : 0;
            each.owner != 0 ? owners.give(each.owner) : take_off(stack, opening);
            continue;
        }
        if (apart.contains(&each)) {
            each.depth = 1;
            each.owner = owners.take();
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
