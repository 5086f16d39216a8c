#include "runtime/replay/interpreted_run.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "runtime/border/run_words.h"
#include "runtime/names/stacks.h"
#include "runtime/values/decode.h"

namespace lt {
namespace {

constexpr std::string_view ring_name = "lt_events";

}  // namespace

const Rung* taken_rung(const PlannedProbe& probe) {
    const auto open = std::ranges::find_if(probe.rungs, [](const Rung& r) { return r.refused.empty(); });
    return open == probe.rungs.end() ? nullptr : &*open;
}

InterpretedRun::InterpretedRun(const Plan& plan, Printer& printer, machine::Machine machine,
                               std::function<bool()> interrupted)
    : plan_(plan),
      printer_(printer),
      machine_(std::move(machine)),
      interrupted_(std::move(interrupted)),
      maps_(plan, machine::machine_maps(plan, machine_)),
      dispatcher_(plan,
                  {[this](size_t map) { return maps_.read(map); },
                   [this](size_t map, std::span<const uint8_t> key) { return maps_.find(map, key); },
                   [this](size_t map, bool printed) { return maps_.clear(map, printed); },
                   [this](size_t map, bool printed) { return maps_.zero(map, printed); },
                   [](size_t) -> Result<OpenSpans> { return Error{"what is open cannot be asked here", "", 0}; },
                   [this](const Stack& stack) { return frames(stack); },
                   [this](const Stack& stack) { return frames(stack); }, [](uint64_t, uint32_t) { return Frame{}; }},
                  printer) {
    const auto& maps = machine_.object().maps;
    has_ring_ = std::ranges::any_of(maps, [](const machine::MapDefinition& m) { return m.name == ring_name; });
}

Status InterpretedRun::begin(const std::function<uint64_t(SessionValue)>& value) {
    if (auto set = set_session_values(value); !set) return set;
    if (auto ran = run_programs(When::begin); !ran) return ran;
    if (auto drained = drain(); !drained) return drained;
    ended_ = ended_ || !anything_to_wait_for();
    return Done{};
}

// As a session does. A parameter of a saved plan may have been set since it was compiled.
Status InterpretedRun::set_session_values(const std::function<uint64_t(SessionValue)>& value) {
    if (plan_.session_values.empty()) return Done{};
    std::vector<uint8_t> bytes = plan_.param_bytes;
    for (const PlannedSessionValue& planned : plan_.session_values) {
        const uint64_t number = value(planned.what);
        std::memcpy(&bytes[planned.offset], &number, sizeof number);
    }
    return set_params(bytes);
}

Status InterpretedRun::finish() {
    if (plan_.can_stop()) {
        std::vector<uint8_t> stopped(sizeof(RunWords));
        stopped[offsetof(RunWords, stop)] = 1;
        if (auto set = machine_.set_variable("lt_run", stopped); !set) return set;
    }
    if (dispatcher_.is_over() && has_ring_) {
        // Records after the exit are not printed any more.
        if (auto left = machine_.drain(ring_name); !left) return left.error();
    }
    const Status ran = run_last();
    const Status printed = dispatcher_.print_maps();
    return ran ? printed : ran;
}

Status InterpretedRun::run_last() {
    for (const When when : {When::end, When::error}) {
        if (dispatcher_.failed() != (when == When::error)) continue;
        dispatcher_.forget_exit();
        const Status ran = run_programs(when), drained = drain();
        if (!ran || !drained) return ran ? drained : ran;
    }
    return Done{};
}

bool InterpretedRun::anything_to_wait_for() const {
    return std::ranges::any_of(
        plan_.probes, [](const PlannedProbe& p) { return p.when == When::period || p.when == When::attached; });
}

Status InterpretedRun::run_programs(When when) {
    for (const PlannedProbe& probe : plan_.probes) {
        const Rung* rung = probe.when == when ? taken_rung(probe) : nullptr;
        if (!rung) continue;
        if (auto ran = run_program(*rung); !ran) return ran.error_in(probe.text);
    }
    return Done{};
}

Status InterpretedRun::run_program(const Rung& rung) {
    for (const Attachment& attachment : rung.attachments) {
        if (rung.way != Way::host) {
            if (auto ran = machine_.run(attachment.program); !ran) return ran.error();
            continue;
        }
        if (!host_) {
            port_ = machine::machine_port(plan_, machine_, maps_, dispatcher_, interrupted_);
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

Status InterpretedRun::drain() {
    if (!has_ring_) return Done{};
    auto records = machine_.drain(ring_name);
    if (!records) return records.error();
    if (records->empty()) return Done{};
    for (const machine::Bytes& record : *records) {
        if (dispatcher_.is_over()) break;
        if (auto handled = dispatcher_.handle(record); !handled) return handled;
    }
    ended_ = ended_ || dispatcher_.exit_called();
    printer_.flush();
    return Done{};
}

// Nothing has a name here.
std::vector<Frame> InterpretedRun::frames(const Stack& stack) {
    std::vector<uint8_t> key(2 * sizeof stack.id);
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

Result<Session::Account> InterpretedRun::account(uint32_t span) {
    const auto word = [](const machine::Bytes& bytes, size_t offset) {
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

std::vector<Loss> InterpretedRun::losses() const {
    std::vector<Loss> losses;
    const auto counters = machine_.variable("lt_lost");
    for (size_t i = 0; i < plan_.losses.size() && counters; i++) {
        uint64_t count = 0;
        std::memcpy(&count, &(*counters)[i * sizeof count], sizeof count);
        const PlannedLoss& loss = plan_.losses[i];
        if (loss.kind == LossKind::map_full) count += maps_.not_kept(loss.subject);
        if (count > 0) losses.push_back({loss.kind, loss.subject, count});
    }
    return losses;
}

}  // namespace lt
