// Steps to runs of programs.
#include "machine/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "machine/contexts.h"

namespace lt::machine {
namespace {

constexpr std::string_view ring_name = "lt_events";
constexpr Address program_frame = 0xffffffffc0a00010;  // on top of the stack of what a trampoline runs
constexpr Address trampoline_frame = 0xffffffffc0a01020;
constexpr uint64_t start_time = 1'000'000'000;  // no kernel that runs programs is at 0
constexpr uint64_t day_offset = 1'700'000'000'000'000'000, tai_offset = day_offset + 37'000'000'000;

bool ends_in_path(std::string_view path, std::string_view end) {
    return path == end || (path.ends_with(end) && path[path.size() - end.size() - 1] == '/');
}

// Is it where the hit is?
struct IsAt {
    const Hit& hit;

    bool operator()(const RawTracepointSite& to) const {
        return probe_row(hit.kind).place == Place::raw_event && to.event == hit.place;
    }
    bool operator()(const KernelSite& to) const {
        return probe_row(hit.kind).place == Place::kernel_function && to.function == hit.place;
    }
    bool operator()(const TracepointSite& to) const {
        return hit.kind == ProbeKind::tracepoint && to.category + ":" + to.event == hit.place;
    }
    bool operator()(const CallSite& to) const { return (*this)(to.own); }
    bool operator()(const ProgramSite& to) const {
        const size_t colon = hit.place.rfind(':');
        return hit.kind == ProbeKind::uprobe && colon != std::string::npos &&
               to.symbol == hit.place.substr(colon + 1) &&
               ends_in_path(to.path, std::string_view(hit.place).substr(0, colon));
    }
    template <class Other>
    bool operator()(const Other&) const {
        return false;
    }
};

bool is_at(Way way, const Attachment& attachment, const Hit& hit) {
    if (way != Way::tracepoint && way != Way::system_call && !way_row(way).session &&
        attachment.at_return != hit.at_return())
        return false;
    return std::visit(IsAt{hit}, attachment.site);
}

}  // namespace

// A block that does not end fails its test.
Simulation::Simulation(const Plan& plan, Kernel& kernel, Printer& printer, Machine machine)
    : plan_(plan), kernel_(kernel), run_(plan, printer, std::move(machine), [] { return true; }) {
    run_.environment().now = start_time;
    run_.environment().tai_offset = tai_offset;
}

Status Simulation::run(const std::vector<Step>& scenario) {
    const auto session_value = [this](SessionValue what) -> uint64_t {
        if (what == SessionValue::start) return run_.environment().now;
        if (what == SessionValue::tai_offset) return tai_offset;
        if (what == SessionValue::day_offset) return day_offset;
        if (what == SessionValue::cpus) return run_.machine().cpus();
        if (what == SessionValue::command) return 4242;
        return what == SessionValue::has_command ? 1 : 0;
    };
    if (auto begun = run_.begin(session_value); !begun) return begun;
    for (const Step& step : scenario) {
        if (run_.ended()) break;
        if (auto taken = take(step); !taken) return taken.error_in(fmt::format("line {}", step.line));
    }
    return run_.finish();
}

// ---- steps

Status Simulation::take(const Step& step) {
    if (auto applied = std::visit([this](const auto& what) { return apply(what); }, step.what); !applied)
        return applied;
    return run_.drain();
}

Status Simulation::apply(const Change& change) {
    Environment& e = run_.environment();
    if (change.time) e.now = change.later ? e.now + *change.time : *change.time;
    e.cpu = change.cpu.value_or(e.cpu);
    e.task.tgid = change.pid.value_or(e.task.tgid);
    e.task.pid = change.tid.value_or(change.pid.value_or(e.task.pid));
    e.task.uid = change.uid.value_or(e.task.uid);
    e.task.gid = change.gid.value_or(e.task.gid);
    e.task.comm = change.comm.value_or(e.task.comm);
    return Done{};
}

Status Simulation::apply(const Text& text) {
    Environment& e = run_.environment();
    (text.user ? e.user : e.kernel).put(text.address, text.text);
    return Done{};
}

Status Simulation::apply(const Sample& sample) {
    const auto has_gate = [](const PlannedProbe& probe) { return probe.gate.has_value(); };
    if (std::none_of(plan_.probes.begin(), plan_.probes.end(), has_gate)) return Done{};
    auto bytes = run_.machine().variable("lt_params");
    if (!bytes) return bytes.error();
    const uint64_t share = sample.one_of == 0 ? gate_shut : gate_share(sample.one_of);
    for (const PlannedProbe& probe : plan_.probes)
        if (probe.gate) std::memcpy(&(*bytes)[probe.gate->share], &share, sizeof share);
    return run_.machine().set_variable("lt_params", *bytes);
}

Status Simulation::apply(const RingSize& ring) { return run_.machine().set_capacity(ring_name, ring.bytes); }

Status Simulation::apply(const ThreadExit&) {
    for (const PlannedProbe& probe : plan_.probes) {
        const Rung* rung = taken_rung(probe);
        if (!rung || rung->way != Way::raw_tracepoint) continue;
        for (const Attachment& attachment : rung->attachments)
            if (auto ran = run_.machine().run(attachment.program, Bytes(8)); !ran) return ran.error();
    }
    return Done{};
}

Status Simulation::apply(const CallStack& stack) {
    Environment& e = run_.environment();
    (stack.user ? e.user_stack : e.kernel_stack) = stack.frames;
    return Done{};
}

// Calls inside each other, for the place of the stack.
Status Simulation::apply(const Hit& hit) {
    Environment& environment = run_.environment();
    uint64_t& depth = depths_[environment.task.pid];
    const Place place = probe_row(hit.kind).place;
    const bool call = place != Place::event && place != Place::raw_event;
    if (call && !hit.at_return()) depth++;
    environment.call_depth = depth;
    auto done = hit.unseen ? Status(Done{}) : run_all(hit);
    environment.context_at = 0;
    if (call && hit.at_return() && depth > 0) depth--;
    return done;
}

Status Simulation::run_all(const Hit& hit) {
    bool any = false;
    for (const PlannedProbe& probe : plan_.probes) {
        const Rung* rung = probe.when == When::attached ? taken_rung(probe) : nullptr;
        if (!rung) continue;
        for (const Attachment& attachment : rung->attachments) {
            if (!is_at(rung->way, attachment, hit)) continue;
            any = true;
            if (auto ran = run_hit(rung->way, attachment, hit); !ran) return ran.error_in(probe.text);
        }
    }
    if (any) return Done{};
    return Error{fmt::format("nothing is attached to {}{}", hit.place, hit.at_return() ? "'s return" : ""), "", 0};
}

Status Simulation::run_hit(Way way, const Attachment& attachment, const Hit& hit) {
    auto context = make_context(kernel_, way, attachment, hit, run_.environment());
    if (!context) return context.error();
    std::vector<Address>& stack = run_.environment().kernel_stack;
    const std::vector<Address> traced = stack;
    if (way == Way::fentry && !stack.empty()) stack.insert(stack.begin(), {program_frame, trampoline_frame});
    auto ran = run_.machine().run(attachment.program, *context);
    stack = traced;
    if (!ran) return ran.error();
    return Done{};
}

Status Simulation::apply(const Interval&) { return run_.run_programs(When::period); }

Status Simulation::apply(const Interrupt&) {
    run_.end();
    return Done{};
}

}  // namespace lt::machine
