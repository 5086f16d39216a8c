// What tracing costs, looked at while it goes on: told, and where there is a budget, kept within it. First so many
// events of the costliest probe are left out, then it is detached.
#include <algorithm>
#include <cstring>
#include <utility>

#include "budget.h"
#include "live_session.h"
#include "missed.h"

namespace lt {
namespace {

constexpr uint64_t look_period_ns = 1'000'000'000;
// Where nobody has asked for it, measuring makes runs slower in one second of five only.
constexpr unsigned looks_apart = 5, first_look = 1;

}  // namespace

Status LiveSession::watch_overhead() {
    const bool anything = std::ranges::any_of(taken_, [](const Taken& taken) { return !taken.hooks.empty(); });
    if (!anything || !overhead_options_.tell) return Done{};
    one_of_.assign(plan_.probes.size(), 1);
    if (overhead_options_.measured || overhead_options_.enforced) {
        if (auto begun = overhead_.begin(); !begun && overhead_options_.enforced) {
            Error error = begun.error();
            error.hint = "run as root, or leave out --max-overhead";
            return error;
        }
    }
    return loop_.every(look_period_ns, [this] { look_at_overhead(); });
}

void LiveSession::look_at_overhead() {
    const unsigned turn = looks_++ % looks_apart;
    if (paused_) return overhead_paused();
    if (overhead_options_.enforced) return keep_budget(overhead_.since_last(taken()));
    if (!warned_ && turn == first_look) begin_look();
    if (!warned_ && turn == first_look + 1) end_look();
}

void LiveSession::begin_look() {
    if (overhead_.measures()) return overhead_paused();
    if (!overhead_.begin()) warned_ = true;  // it cannot be measured here
}

// Twice above the budget, so that it is not a burst.
void LiveSession::end_look() {
    if (!overhead_.measures()) return;
    const TracingCost cost = overhead_.since_last(taken());
    if (!overhead_options_.measured) overhead_.end();
    ProbeCost all;
    for (const ProbeCost& each : cost.probes) all += each;
    const bool above = cost.share(all) > overhead_options_.budget;
    warned_ = above && above_;
    above_ = above;
    if (warned_) tell_overhead(OverheadNews::What::warning, suspects_of(cost), cost);
}

// What was measured meanwhile is not of a run as it is.
void LiveSession::overhead_paused() {
    if (overhead_.measures()) overhead_.since_last(taken());
}

// All probes of a span are one suspect.
std::vector<LiveSession::Accused> LiveSession::suspects_of(const TracingCost& cost) const {
    std::vector<Accused> all;
    std::vector<size_t> of_span(plan_.spans.size(), SIZE_MAX);
    for (size_t probe = 0; probe < plan_.probes.size(); probe++) {
        const PlannedProbe& planned = plan_.probes[probe];
        size_t at = planned.of_span ? of_span[*planned.of_span] : SIZE_MAX;
        if (at == SIZE_MAX) {
            at = all.size();
            all.emplace_back();
            all.back().suspect.can_be_detached = true;
            all.back().text = planned.of_span ? plan_.spans[*planned.of_span].text : planned.text;
            if (planned.of_span) of_span[*planned.of_span] = at;
        }
        Accused& own = all[at];
        own.probes.push_back(probe);
        own.suspect.cost += cost.probes[probe];
        own.suspect.can_be_sampled = own.suspect.can_be_sampled || planned.gate;
        own.suspect.one_of = std::max(own.suspect.one_of, one_of_[probe]);
        const bool stays = planned.stays || planned.internal || planned.when != When::attached;
        if (stays || taken_[probe].detached) own.suspect.can_be_detached = own.suspect.can_be_sampled = false;
    }
    return all;
}

void LiveSession::tell_overhead(OverheadNews::What what, const std::vector<Accused>& all, const TracingCost& cost,
                                size_t which, uint64_t one_of) {
    ProbeCost sum;
    for (const Accused& each : all) sum += each.suspect.cost;
    const auto costs_less = [](const Accused& a, const Accused& b) {
        return a.suspect.cost.total_ns() < b.suspect.cost.total_ns();
    };
    if (all.empty()) return;
    const Accused& worst = which < all.size() ? all[which] : *std::ranges::max_element(all, costs_less);
    overhead_options_.tell(
        {what, worst.text, cost.share(sum), cost.share(worst.suspect.cost), overhead_options_.budget, one_of});
}

void LiveSession::keep_budget(const TracingCost& cost) {
    const std::vector<Accused> all = suspects_of(cost);
    std::vector<Suspect> suspects;
    for (const Accused& each : all) suspects.push_back(each.suspect);
    const Remedy remedy = find_remedy(suspects, cost.capacity_ns, overhead_options_.budget);
    Status done = Done{};
    switch (remedy.what) {
        case Remedy::What::none:
            return;
        case Remedy::What::sample:
            done = sample(all[remedy.suspect].probes, remedy.one_of);
            if (done) tell_overhead(OverheadNews::What::sampled, all, cost, remedy.suspect, remedy.one_of);
            break;
        case Remedy::What::detach:
            done = detach_probes(all[remedy.suspect].probes);
            if (done) {
                const bool sampled = all[remedy.suspect].suspect.can_be_sampled;
                tell_overhead(sampled ? OverheadNews::What::detached : OverheadNews::What::detached_whole, all, cost,
                              remedy.suspect);
            }
            break;
        case Remedy::What::too_late:
            if (!std::exchange(warned_, true)) tell_overhead(OverheadNews::What::too_late, all, cost, remedy.suspect);
            return;
    }
    if (done) return overhead_paused();  // the next look sees what came of it
    failure_ = done.error();
    end(Ended::failed);
}

Status LiveSession::sample(const std::vector<size_t>& probes, uint64_t one_of) {
    for (const size_t probe : probes) one_of_[probe] = one_of;
    return set_gates(probes, gate_share(one_of));
}

// As set_param(): the other parameters keep their values.
Status LiveSession::set_gates(const std::vector<size_t>& probes, uint64_t share) {
    const auto has_gate = [&](size_t probe) { return plan_.probes[probe].gate.has_value(); };
    if (std::ranges::none_of(probes, has_gate)) return Done{};
    Result<std::vector<uint8_t>> params = object_.params();
    if (!params) return params.error();
    for (const size_t probe : probes) {
        if (!has_gate(probe)) continue;
        const uint32_t offset = plan_.probes[probe].gate->share;
        if (offset + sizeof share > params->size()) return Error{"the gate is not in the object", "", 0};
        std::memcpy(params->data() + offset, &share, sizeof share);
    }
    return object_.set_params(*params);
}

// The gate is shut first, so that of a span nothing is opened while it goes.
Status LiveSession::detach_probes(const std::vector<size_t>& probes) {
    if (auto shut = set_gates(probes, gate_shut); !shut) return shut;
    std::vector<Hook*> hooks;
    for (const size_t probe : probes) {
        Taken& taken = taken_[probe];
        taken.detached = true;
        if (const auto span = plan_.probes[probe].of_span) object_.abandon(*span);
        for (Hook& hook : taken.hooks) {
            hooks.push_back(&hook);
            for (const Descriptor& link : hook.links) taken.unserved += missed_by_link(link.get());
        }
        maps_.detached(probe);
    }
    stop_hooks(hooks);
    return Done{};
}

std::optional<TracingCost> LiveSession::costs() const {
    if (!overhead_options_.measured || !overhead_.measures()) return {};
    return whole_cost_ ? whole_cost_ : overhead_.whole(taken());
}

}  // namespace lt
