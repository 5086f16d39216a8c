#include "runtime/session/overhead.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>
#include <string>
#include <utility>

#include "base/rows.h"
#include "runtime/attach/way.h"
#include "runtime/bpf/program.h"
#include "runtime/session/budget.h"

namespace lt {
namespace {

const LoadedObject::Facts* find(const std::vector<LoadedObject::Facts>& all, const std::string& name) {
    return find_row(all, name, &LoadedObject::Facts::name);
}

unsigned cpus_online() { return static_cast<unsigned>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN))); }

// Measuring slows programs down; if the user did not request it, lt measures only one second in five.
constexpr unsigned looks_apart = 5, first_look = 1;

}  // namespace

Status Overhead::begin() {
    asking_ = bpf::measure_runs();
    if (!asking_) return system_error("the kernel does not measure what programs cost", errno);
    begun_ = last_ = read();
    return Done{};
}

bool Overhead::is_measured() const { return measures() && bpf::are_runs_measured(asking_); }

Overhead::Reading Overhead::read() const { return {object_.facts(), Clock::now()}; }

TracingCost Overhead::since_last(const std::vector<size_t>& taken) {
    Reading now = read();
    TracingCost cost = between(last_, now, taken);
    last_ = std::move(now);
    return cost;
}

TracingCost Overhead::whole(const std::vector<size_t>& taken) const { return between(begun_, read(), taken); }

TracingCost Overhead::between(const Reading& first, const Reading& second, const std::vector<size_t>& taken) const {
    TracingCost cost;
    cost.probes.resize(plan_.probes.size());
    const auto elapsed = std::chrono::duration_cast<std::chrono::nanoseconds>(second.at - first.at).count();
    cost.capacity_ns = static_cast<double>(elapsed) * cpus_online();
    for (size_t i = 0; i < plan_.probes.size() && i < taken.size(); i++) {
        if (plan_.probes[i].rungs.empty()) continue;
        const Rung& rung = plan_.probes[i].rungs[taken[i]];
        std::set<std::string> seen;  // one program serves many locations
        for (const Attachment& to : rung.attachments) {
            const auto* then = find(first.programs, to.program);
            const auto* now = find(second.programs, to.program);
            if (!then || !now || !seen.insert(to.program).second) continue;
            const uint64_t runs = now->runs - then->runs;
            cost.probes[i].runs += runs;
            cost.probes[i].run_ns += now->run_ns - then->run_ns;
            cost.probes[i].dispatch_ns += runs * way_attach(rung.way).dispatch_ns(to.at_return);
        }
    }
    return cost;
}

Status OverheadWatch::begin() {
    if (!options_.measured && !options_.enforced) return Done{};
    auto begun = overhead_.begin();
    if (begun || !options_.enforced) return Done{};
    Error error = begun.error();
    error.hint = "run as root, or remove `--max-overhead`";
    return error;
}

Status OverheadWatch::look() {
    const bool is_requested = options_.measured || options_.enforced;
    if (is_requested && overhead_.measures() && !notice_setting()) return Done{};
    const unsigned turn = looks_++ % looks_apart;
    if (attached_.is_paused()) {
        skip();
    } else if (options_.enforced) {
        return keep_budget(overhead_.since_last(attached_.rungs()));
    } else if (!warned_ && turn == first_look) {
        begin_look();
    } else if (!warned_ && turn == first_look + 1) {
        end_look();
    }
    return Done{};
}

void OverheadWatch::begin_look() {
    if (overhead_.measures()) return skip();
    if (!overhead_.begin()) warned_ = true;  // the overhead cannot be measured here
}

// Acts only after two looks above the budget, so that a burst does not count.
void OverheadWatch::end_look() {
    if (!overhead_.measures()) return;
    const TracingCost cost = overhead_.since_last(attached_.rungs());
    if (!options_.measured) overhead_.end();
    ProbeCost all;
    for (const ProbeCost& each : cost.probes) all += each;
    const bool above = cost.share(all) > options_.budget;
    warned_ = above && above_;
    above_ = above;
    if (warned_) tell(OverheadNews::What::warning, suspects_of(cost), cost, options_.budget);
}

// Discards the current measurement, because the run has just changed.
void OverheadWatch::skip() {
    if (overhead_.measures()) overhead_.since_last(attached_.rungs());
}

// Without a measurement every probe would seem to cost nothing. False if the kernel does not measure now.
bool OverheadWatch::notice_setting() {
    const bool is_measured = overhead_.is_measured();
    if (std::exchange(was_measured_, is_measured) == is_measured) return is_measured;
    if (is_measured) skip();
    OverheadNews news;
    news.what = is_measured ? OverheadNews::What::measured : OverheadNews::What::unmeasured;
    options_.tell(news);
    return is_measured;
}

// All probes of a span are one suspect.
std::vector<OverheadWatch::Accused> OverheadWatch::suspects_of(const TracingCost& cost) const {
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
        if (stays || attached_.is_detached(probe)) own.suspect.can_be_detached = own.suspect.can_be_sampled = false;
    }
    return all;
}

void OverheadWatch::tell(OverheadNews::What what, const std::vector<Accused>& all, const TracingCost& cost,
                         double budget, size_t which, uint64_t one_of) const {
    ProbeCost sum;
    for (const Accused& each : all) sum += each.suspect.cost;
    const auto costs_less = [](const Accused& a, const Accused& b) {
        return a.suspect.cost.total_ns() < b.suspect.cost.total_ns();
    };
    if (all.empty()) return;
    const Accused& worst = which < all.size() ? all[which] : *std::ranges::max_element(all, costs_less);
    options_.tell({what, worst.text, cost.share(sum), cost.share(worst.suspect.cost), budget, one_of});
}

Status OverheadWatch::keep_budget(const TracingCost& cost) {
    const std::vector<Accused> all = suspects_of(cost);
    std::vector<Suspect> suspects;
    ProbeCost sum;
    for (const Accused& each : all) {
        suspects.push_back(each.suspect);
        sum += each.suspect.cost;
    }
    const double budget = options_.allowance ? options_.allowance(cost.share(sum)) : options_.budget;
    const Remedy remedy = find_remedy(suspects, cost.capacity_ns, budget);
    switch (remedy.what) {
        case Remedy::What::none:
            return Done{};
        case Remedy::What::sample:
            if (auto set = set_gates(all[remedy.suspect].probes, gate_share(remedy.one_of)); !set) return set;
            for (const size_t probe : all[remedy.suspect].probes) one_of_[probe] = remedy.one_of;
            tell(OverheadNews::What::sampled, all, cost, budget, remedy.suspect, remedy.one_of);
            break;
        case Remedy::What::detach: {
            if (auto gone = detach(all[remedy.suspect].probes); !gone) return gone;
            const bool sampled = all[remedy.suspect].suspect.can_be_sampled;
            tell(sampled ? OverheadNews::What::detached : OverheadNews::What::detached_whole, all, cost, budget,
                 remedy.suspect);
            break;
        }
        case Remedy::What::too_late:
            if (!std::exchange(warned_, true)) tell(OverheadNews::What::too_late, all, cost, budget, remedy.suspect);
            return Done{};
    }
    skip();  // the next look sees the effect
    return Done{};
}

// Like set_param(): the other parameters keep their values.
Status OverheadWatch::set_gates(const std::vector<size_t>& probes, uint64_t share) const {
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

// Shuts the gates first, so that no span is opened while its probes are detached.
Status OverheadWatch::detach(const std::vector<size_t>& probes) {
    if (auto shut = set_gates(probes, gate_shut); !shut) return shut;
    attached_.detach_for_good(probes);
    for (const size_t probe : probes) maps_.detached(probe);
    return Done{};
}

void OverheadWatch::end() {
    if (!whole_cost_) whole_cost_ = costs();
}

std::optional<TracingCost> OverheadWatch::costs() const {
    if (whole_cost_) return whole_cost_;
    if (!options_.measured || !overhead_.is_measured()) return {};
    return overhead_.whole(attached_.rungs());
}

}  // namespace lt
