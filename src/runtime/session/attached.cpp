#include "runtime/session/attached.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>
#include <utility>

#include "runtime/bpf/missed.h"
#include "runtime/bpf/running_programs.h"

namespace lt {
namespace {

// If several programs have one location, the kernel runs the last attached one first for probes on program functions
// and trampolines, and for kprobes at entries.
bool last_runs_first(const Rung& rung) {
    const WayRow& way = way_row(rung.way);
    if (way.user || way.session || rung.way == Way::fentry) return true;
    const bool is_kprobe = rung.way == Way::kprobe_multi || rung.way == Way::kprobe;
    return is_kprobe && std::ranges::none_of(rung.attachments, &Attachment::at_return);
}

// Events at which the kernel did not serve a kprobe, until now. A link to many locations counts its own; a link to an
// event reports those of the event, which stays open, with any earlier links to it.
uint64_t unserved_by(const Hook& hook) {
    const bool is_kprobe = hook.way == Way::kprobe || hook.way == Way::kprobe_multi || hook.way == Way::kprobe_session;
    if (!is_kprobe || hook.links.empty()) return hook.missed;
    uint64_t missed = hook.event ? 0 : hook.missed;
    for (const Descriptor& link : hook.links) missed += missed_by_link(link.get());
    return missed;
}

}  // namespace

Attached::~Attached() {
    if (!is_over_) detach();
    std::vector<Descriptor> links, events;
    for (Taken& taken : taken_)
        for (Hook& hook : taken.hooks) {
            std::ranges::move(hook.links, std::back_inserter(links));
            if (hook.event) events.push_back(std::move(hook.event));
        }
    close_later(std::move(links), std::move(events), process_ends_);
}

// Makes the blocks of one location run in script order. Some are attached when opened, others when linked. Ends of
// spans keep the plan's order, in which closing probes come first: they must not miss what was opened.
std::vector<size_t> Attached::order() const {
    std::vector<size_t> order, reversed;
    for (size_t probe = 0; probe < plan_.probes.size(); probe++) {
        const auto left = std::ranges::find_if(refused_[probe], &std::string::empty);
        const auto rung = static_cast<size_t>(left - refused_[probe].begin());
        const auto& rungs = plan_.probes[probe].rungs;
        const bool turns = !plan_.probes[probe].of_span && rung < rungs.size() && last_runs_first(rungs[rung]);
        (turns ? reversed : order).push_back(probe);
    }
    order.insert(order.end(), reversed.rbegin(), reversed.rend());
    return order;
}

std::vector<Refusal> Attached::open(Attacher& attacher) {
    taken_.resize(plan_.probes.size());
    for (const size_t probe : order())
        if (!open_next(attacher, probe)) {
            taken_.clear();
            return refusals_of(probe);
        }
    return {};
}

// Opens the first remaining rung that works.
bool Attached::open_next(Attacher& attacher, size_t probe) {
    const auto& rungs = plan_.probes[probe].rungs;
    for (size_t rung = 0; rung < rungs.size(); rung++) {
        std::string& why = refused_[probe][rung];
        if (!why.empty()) continue;
        std::vector<Skipped> skipped;
        if (auto hooks = attacher.open(rungs[rung], skipped)) {
            taken_[probe] = {rung, *std::move(hooks), std::move(skipped)};
            return true;
        } else {
            why = hooks.error().what;
        }
    }
    return rungs.empty();
}

std::vector<Refusal> Attached::link(Attacher& attacher, Part part) {
    for (const size_t probe : order())
        for (;;) {
            if (part != Part::all && pauses(probe) != (part == Part::rest)) break;
            Taken& taken = taken_[probe];
            auto linked = link_hooks(taken.hooks, taken.skipped);
            if (linked) break;
            refused_[probe][taken.rung] = linked.error().what;
            taken.hooks.clear();
            if (open_next(attacher, probe)) continue;
            detach();
            return refusals_of(probe);
        }
    return {};
}

Status Attached::enable() {
    for (const Taken& taken : taken_)
        if (auto enabled = enable_hooks(taken.hooks); !enabled) return enabled;
    return Done{};
}

// The rungs that the kernel refused; if none was tried, the plan's refusals.
std::vector<Refusal> Attached::refusals_of(size_t probe) const {
    std::vector<Refusal> tried, ruled_out;
    const auto& rungs = plan_.probes[probe].rungs;
    for (size_t rung = 0; rung < rungs.size(); rung++)
        (rungs[rung].refused.empty() ? tried : ruled_out).push_back({probe, rungs[rung].way, refused_[probe][rung]});
    return tried.empty() ? ruled_out : tried;
}

// ---- detach, pause

void Attached::stop(const std::function<bool(size_t)>& which) {
    std::vector<Hook*> hooks;
    for (size_t probe = 0; probe < taken_.size(); probe++) {
        if (!which(probe)) continue;
        for (Hook& hook : taken_[probe].hooks) {
            hook.missed = unserved_by(hook);
            // lt's own programs do not look at the word
            if (!is_over_ || plan_.probes[probe].internal || !way_row(hook.way).lingers) hooks.push_back(&hook);
        }
    }
    stop_hooks(hooks);
}

// Among lt's own programs, only those of `why` are at typed tracepoints.
bool Attached::follows_scheduler() const {
    for (size_t probe = 0; probe < taken_.size(); probe++)
        for (const Hook& hook : taken_[probe].hooks)
            if (plan_.probes[probe].internal && hook.way == Way::typed_tracepoint && !hook.links.empty()) return true;
    return false;
}

// The programs of `why` last, and once no closing program runs: until then spans close, with their causes.
void Attached::detach() {
    const auto is_internal = [this](size_t probe) { return plan_.probes[probe].internal; };
    stop(std::not_fn(is_internal));
    if (follows_scheduler()) (void)RunningPrograms().wait();
    stop(is_internal);
}

// Many are detached here unless that can be done later: the caller may have chosen a thread for it.
void Attached::end() {
    size_t count = 0;
    for (const Taken& taken : taken_)
        for (const Hook& hook : taken.hooks) count += hook.links.size() + (hook.event ? 1 : 0);
    const bool later = process_ends_ || count <= most_closed_later;
    is_over_ = later && plan_.ends_by_word && object_.end_programs();
    detach();
}

void Attached::detach_for_good(std::span<const size_t> probes) {
    for (const size_t probe : probes) {
        taken_[probe].detached = true;
        if (const auto span = plan_.probes[probe].of_span) object_.abandon(*span);
    }
    stop([&](size_t probe) { return std::ranges::find(probes, probe) != probes.end(); });
}

bool Attached::pauses(size_t probe) const {
    const PlannedProbe& planned = plan_.probes[probe];
    return planned.when == When::attached && !planned.internal && !planned.of_span && !taken_[probe].detached;
}

Status Attached::pause() {
    if (std::exchange(paused_, true)) return Done{};
    stop([this](size_t probe) { return pauses(probe); });
    return plan_.spans.empty() ? Status(Done{}) : object_.stop_opening(true, true);
}

// After an error it is paused as before, so that it can be tried again.
Status Attached::resume() {
    if (!paused_) return Done{};
    Status resumed = restart();
    if (!resumed) stop([this](size_t probe) { return pauses(probe); });
    paused_ = !resumed;
    return resumed;
}

Status Attached::restart() {
    for (const size_t probe : order()) {
        if (!pauses(probe)) continue;
        std::vector<Skipped> skipped = taken_[probe].skipped;
        if (auto started = restart_hooks(taken_[probe].hooks, skipped); !started)
            return started.error_in(plan_.probes[probe].text);
        taken_[probe].skipped = std::move(skipped);
    }
    return plan_.spans.empty() ? Status(Done{}) : object_.stop_opening(false);
}

// ---- what is attached

bool Attached::any() const {
    return std::ranges::any_of(taken_, [](const Taken& taken) { return !taken.hooks.empty(); });
}

bool Attached::on_each_cpu() const {
    return std::ranges::any_of(taken_,
                               [](const Taken& taken) { return std::ranges::any_of(taken.hooks, &Hook::on_cpu); });
}

std::vector<size_t> Attached::rungs() const {
    std::vector<size_t> rungs;
    for (const Taken& taken : taken_) rungs.push_back(taken.rung);
    return rungs;
}

std::vector<std::string> Attached::skipped(size_t probe) const {
    std::vector<std::string> why;
    for (const Skipped& each : taken_[probe].skipped) why.push_back(each.why);
    return why;
}

std::vector<int> Attached::iterators() const {
    std::vector<int> links;
    for (const Taken& taken : taken_)
        for (const Hook& hook : taken.hooks)
            if (hook.way == Way::iterator && !hook.links.empty() && !hook.pin.is_wanted())
                links.push_back(hook.links.front().get());
    return links;
}

std::vector<Missed> Attached::missed() const {
    std::vector<Missed> all;
    const std::vector<LoadedObject::Facts> facts = object_.facts();
    for (size_t probe = 0; probe < taken_.size(); probe++) {
        const PlannedProbe& planned = plan_.probes[probe];
        if (planned.rungs.empty()) continue;
        std::set<std::string_view> programs;
        for (const Attachment& a : planned.rungs[taken_[probe].rung].attachments) programs.insert(a.program);
        uint64_t skipped = 0;
        for (const LoadedObject::Facts& program : facts)
            if (programs.contains(program.name)) skipped += program.misses;
        if (skipped > 0) all.push_back({probe, MissKind::recursion, skipped});
        uint64_t unserved = 0;
        for (const Hook& hook : taken_[probe].hooks) unserved += is_over_ ? hook.missed : unserved_by(hook);
        if (unserved > 0) all.push_back({probe, MissKind::unserved, unserved});
    }
    return all;
}

}  // namespace lt
