// Steps to runs of programs.
#include "machine/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "machine/contexts.h"
#include "machine/ports.h"
#include "runtime/names/stacks.h"
#include "runtime/values/decode.h"

namespace lt::machine {
namespace {

constexpr std::string_view ring_name = "lt_events";
constexpr Address program_frame = 0xffffffffc0a00010;  // on top of the stack of what a trampoline runs
constexpr Address trampoline_frame = 0xffffffffc0a01020;
constexpr uint64_t start_time = 1'000'000'000;  // no kernel that runs programs is at 0

// The rung that a kernel without surprises takes.
const Rung* taken_rung(const PlannedProbe& probe) {
    const auto open =
        std::find_if(probe.rungs.begin(), probe.rungs.end(), [](const Rung& r) { return r.refused.empty(); });
    return open == probe.rungs.end() ? nullptr : &*open;
}

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

Simulation::Simulation(const Plan& plan, Kernel& kernel, Printer& printer, Machine machine)
    : plan_(plan),
      kernel_(kernel),
      printer_(printer),
      machine_(std::move(machine)),
      maps_(plan, machine_maps(plan, machine_)),
      dispatcher_(plan,
                  {[this](size_t map) { return maps_.read(map); },
                   [this](size_t map, std::span<const uint8_t> key) { return maps_.find(map, key); },
                   [this](size_t map, bool printed) { return maps_.clear(map, printed); },
                   [this](size_t map, bool printed) { return maps_.zero(map, printed); },
                   [](size_t) -> Result<OpenSpans> { return Error{"what is open cannot be asked here", "", 0}; },
                   [this](const Stack& stack) { return frames(stack); }, [](uint64_t, uint32_t) { return Frame{}; }},
                  printer) {
    machine_.environment().now = start_time;
    const auto& maps = machine_.object().maps;
    has_ring_ = std::any_of(maps.begin(), maps.end(), [](const MapDefinition& m) { return m.name == ring_name; });
}

// ---- the run

Status Simulation::run(const std::vector<Step>& scenario) {
    if (auto begun = begin(); !begun) return begun;
    for (const Step& step : scenario) {
        if (ended_) break;
        if (auto taken = take(step); !taken) return taken.error_in(fmt::format("line {}", step.line));
    }
    return finish();
}

Status Simulation::begin() {
    if (auto set = set_session_values(); !set) return set;
    if (auto ran = run_programs(When::begin); !ran) return ran;
    if (auto drained = drain(); !drained) return drained;
    ended_ = ended_ || !anything_to_wait_for();
    return Done{};
}

// As a session does.
Status Simulation::set_session_values() {
    if (plan_.session_values.empty()) return Done{};
    Bytes bytes = plan_.param_bytes;
    for (const PlannedSessionValue& value : plan_.session_values) {
        uint64_t number = 0;
        if (value.what == SessionValue::start) number = machine_.environment().now;
        if (value.what == SessionValue::tai_offset) number = 37'000'000'000;
        if (value.what == SessionValue::day_offset) number = 1'700'000'000'000'000'000;
        if (value.what == SessionValue::cpus) number = machine_.cpus();
        if (value.what == SessionValue::command) number = 4242;
        if (value.what == SessionValue::has_command) number = 1;
        std::memcpy(&bytes[value.offset], &number, sizeof number);
    }
    return machine_.set_variable("lt_params", bytes);
}

Status Simulation::finish() {
    if (plan_.can_stop()) {
        const Bytes stopped{1, 0, 0, 0, 0, 0, 0, 0};
        if (auto set = machine_.set_variable("lt_stop", stopped); !set) return set;
    }
    if (dispatcher_.is_over() && has_ring_) {
        // What was handed over after the exit is not printed any more.
        if (auto left = machine_.drain(ring_name); !left) return left.error();
    }
    for (const When when : {When::end, When::error}) {
        if (dispatcher_.failed() != (when == When::error)) continue;
        dispatcher_.forget_exit();
        if (auto ran = run_programs(when); !ran) return ran;
        if (auto drained = drain(); !drained) return drained;
    }
    return dispatcher_.print_maps();
}

bool Simulation::anything_to_wait_for() const {
    return std::any_of(plan_.probes.begin(), plan_.probes.end(),
                       [](const PlannedProbe& p) { return p.when == When::period || p.when == When::attached; });
}

Status Simulation::run_programs(When when) {
    for (const PlannedProbe& probe : plan_.probes) {
        const Rung* rung = probe.when == when ? taken_rung(probe) : nullptr;
        if (!rung) continue;
        if (auto ran = run_program(*rung); !ran) return ran.error_in(probe.text);
    }
    return Done{};
}

Status Simulation::run_program(const Rung& rung) {
    for (const Attachment& attachment : rung.attachments) {
        if (rung.way != Way::host) {
            if (auto ran = machine_.run(attachment.program); !ran) return ran.error();
            continue;
        }
        if (!host_) {
            port_ = machine_port(plan_, machine_, maps_, dispatcher_);
            auto host = Host::open(plan_, *port_);
            if (!host) return host.error();
            host_ = *std::move(host);
        }
        if (auto drained = drain(); !drained) return drained;
        if (auto ran = host_->run(attachment.program); !ran) return ran.error();
        ended_ = ended_ || dispatcher_.exit_called();
    }
    return Done{};
}

Status Simulation::drain() {
    if (!has_ring_) return Done{};
    auto records = machine_.drain(ring_name);
    if (!records) return records.error();
    for (const Bytes& record : *records) {
        if (dispatcher_.is_over()) break;
        if (auto handled = dispatcher_.handle(record); !handled) return handled;
    }
    ended_ = ended_ || dispatcher_.exit_called();
    printer_.flush();
    return Done{};
}

// ---- steps

Status Simulation::take(const Step& step) {
    if (auto applied = std::visit([this](const auto& what) { return apply(what); }, step.what); !applied)
        return applied;
    return drain();
}

Status Simulation::apply(const Change& change) {
    Environment& e = machine_.environment();
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
    Environment& e = machine_.environment();
    (text.user ? e.user : e.kernel).put(text.address, text.text);
    return Done{};
}

Status Simulation::apply(const Sample& sample) {
    const auto has_gate = [](const PlannedProbe& probe) { return probe.gate.has_value(); };
    if (std::none_of(plan_.probes.begin(), plan_.probes.end(), has_gate)) return Done{};
    auto bytes = machine_.variable("lt_params");
    if (!bytes) return bytes.error();
    const uint64_t share = sample.one_of == 0 ? gate_shut : gate_share(sample.one_of);
    for (const PlannedProbe& probe : plan_.probes)
        if (probe.gate) std::memcpy(&(*bytes)[probe.gate->share], &share, sizeof share);
    return machine_.set_variable("lt_params", *bytes);
}

Status Simulation::apply(const RingSize& ring) { return machine_.set_capacity(ring_name, ring.bytes); }

Status Simulation::apply(const ThreadExit&) {
    for (const PlannedProbe& probe : plan_.probes) {
        const Rung* rung = taken_rung(probe);
        if (!rung || rung->way != Way::raw_tracepoint) continue;
        for (const Attachment& attachment : rung->attachments)
            if (auto ran = machine_.run(attachment.program, Bytes(8)); !ran) return ran.error();
    }
    return Done{};
}

Status Simulation::apply(const CallStack& stack) {
    Environment& e = machine_.environment();
    (stack.user ? e.user_stack : e.kernel_stack) = stack.frames;
    return Done{};
}

// Calls inside each other, for the place of the stack.
Status Simulation::apply(const Hit& hit) {
    Environment& environment = machine_.environment();
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
    auto context = make_context(kernel_, way, attachment, hit, machine_.environment());
    if (!context) return context.error();
    std::vector<Address>& stack = machine_.environment().kernel_stack;
    const std::vector<Address> traced = stack;
    if (way == Way::fentry && !stack.empty()) stack.insert(stack.begin(), {program_frame, trampoline_frame});
    auto ran = machine_.run(attachment.program, *context);
    stack = traced;
    if (!ran) return ran.error();
    return Done{};
}

Status Simulation::apply(const Interval&) { return run_programs(When::period); }

Status Simulation::apply(const Interrupt&) {
    ended_ = true;
    return Done{};
}

// Nothing has a name here.
std::vector<Frame> Simulation::frames(const Stack& stack) {
    Bytes key(2 * sizeof stack.id);
    std::memcpy(key.data(), &stack.id, sizeof stack.id);
    std::memcpy(&key[sizeof stack.id], &stack.process, sizeof stack.process);
    const auto value = machine_.lookup(stacks_symbol, key);
    if (!value || !value->has_value()) return {};
    std::vector<uint64_t> words((*value)->size() / sizeof(uint64_t));
    std::memcpy(words.data(), (*value)->data(), (*value)->size());
    std::vector<Frame> frames;
    for (uint64_t address : stack_addresses(words)) frames.push_back({address});
    return frames;
}

Result<Session::Account> Simulation::account(uint32_t span) {
    const auto word = [](const Bytes& bytes, size_t offset) {
        uint64_t value = 0;
        if (offset + sizeof value <= bytes.size()) std::memcpy(&value, &bytes[offset], sizeof value);
        return value;
    };
    Session::Account account{};
    auto books = machine_.entries(plan_.books);
    if (!books) return books.error();
    const size_t page = 2 * sizeof(uint64_t) * plan_.spans.size();
    for (const auto& [key, value] : *books) {
        for (size_t cpu = 0; cpu + page <= value.size(); cpu += page) {
            account.opened += word(value, cpu + 2 * sizeof(uint64_t) * span);
            account.closed += word(value, cpu + 2 * sizeof(uint64_t) * span + sizeof(uint64_t));
        }
    }
    const PlannedSpan& planned = plan_.spans[span];
    auto open = machine_.entries(planned.symbol);
    if (!open) return open.error();
    account.left_out = maps_.openings_left_out(span);
    for (const auto& [key, value] : *open)
        account.open += planned.state == SpanState::key ? word(value, sizeof(uint64_t)) != 0 : word(value, 0);
    return account;
}

std::vector<Loss> Simulation::losses() const {
    std::vector<Loss> losses;
    const auto counters = machine_.variable("lt_lost");
    for (size_t i = 0; i < plan_.losses.size() && counters; i++) {
        uint64_t count = 0;
        std::memcpy(&count, &(*counters)[i * sizeof count], sizeof count);
        if (count > 0) losses.push_back({plan_.losses[i].kind, plan_.losses[i].subject, count});
    }
    return losses;
}

}  // namespace lt::machine
