// How a session attaches its probes, each by the first rung that works, and detaches them: at the end or for a while.
#include <algorithm>
#include <chrono>
#include <utility>

#include "counters.h"
#include "live_session.h"
#include "missed.h"

namespace lt {
namespace {

// Of several programs at one place the kernel runs the one first that was attached last: those of a program's functions
// and of trampolines, and of kprobes those at entries.
bool last_runs_first(const Rung& rung) {
    const WayRow& way = way_row(rung.way);
    if (way.user || way.session || rung.way == Way::fentry) return true;
    const bool is_kprobe = rung.way == Way::kprobe_multi || rung.way == Way::kprobe;
    return is_kprobe && std::ranges::none_of(rung.attachments, &Attachment::at_return);
}

}  // namespace

std::vector<Refusal> LiveSession::attach() {
    taken_.resize(plan_.probes.size());
    Attacher attacher(plan_, object_, target_);
    // Before BEGIN prints anything: can all be had?
    if (auto refusals = open_all(attacher); !refusals.empty()) return refusals;
    if (dry_) return link_all(attacher);
    auto counters = open_counters(plan_, object_);
    if (!counters) {
        attach_error_ = counters.error();
        return {};
    }
    counters_ = *std::move(counters);
    collector_->hold();
    if (auto begun = run_programs(When::begin); !begun) {
        attach_error_ = begun.error();
        return {};
    }
    if (!collector_->holds_exit())
        if (auto refusals = link_all(attacher); !refusals.empty()) return refusals;
    if (collector_->holds_exit()) return {};
    if (auto started = start(); !started)
        attach_error_ = started.error();
    else if (auto followed = family_.add(target_.process); !followed)
        attach_error_ = followed.error();
    return {};
}

// So that blocks of one place run in the program's order. Some are attached when they are opened, others when linked.
// Ends of spans stay in the plan's order, in which what closes comes first: it must not miss what has been opened.
std::vector<size_t> LiveSession::attach_order() const {
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

std::vector<Refusal> LiveSession::open_all(Attacher& attacher) {
    for (const size_t probe : attach_order())
        if (!open_next(attacher, probe)) {
            taken_.clear();
            return refusals_of(probe);
        }
    return {};
}

// The first rung that is left and can be opened.
bool LiveSession::open_next(Attacher& attacher, size_t probe) {
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

std::vector<Refusal> LiveSession::link_all(Attacher& attacher) {
    for (const size_t probe : attach_order())
        for (;;) {
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

Status LiveSession::start() {
    for (const Taken& taken : taken_)
        if (auto enabled = enable_hooks(taken.hooks); !enabled) return enabled;
    if (auto watched = watch_overhead(); !watched) return watched;
    return start_periods();
}

Status LiveSession::start_periods() {
    if (!plan_.timeouts.empty()) {
        const auto period = std::chrono::duration_cast<std::chrono::nanoseconds>(Timeouts::period).count();
        auto timer = loop_.every(static_cast<uint64_t>(period), [this] {
            if (auto looked = timeouts_.look(); !looked) {
                failure_ = looked.error();
                end(Ended::failed);
            }
        });
        if (!timer) return timer.error_in("timeouts");
    }
    for (const PlannedProbe& probe : plan_.probes) {
        if (probe.when != When::period) continue;
        auto timer = loop_.every(probe.period_ns, [this, &probe] {
            if (paused_) return;
            if (auto ran = run_program(probe); !ran) {
                failure_ = ran.error();
                end(Ended::failed);
            }
        });
        if (!timer) return timer.error_in(probe.text);
    }
    return Done{};
}

// Those that the kernel said no to; where nothing was tried, what the plan knew.
std::vector<Refusal> LiveSession::refusals_of(size_t probe) const {
    std::vector<Refusal> tried, known;
    const auto& rungs = plan_.probes[probe].rungs;
    for (size_t rung = 0; rung < rungs.size(); rung++)
        (rungs[rung].refused.empty() ? tried : known).push_back({probe, rungs[rung].way, refused_[probe][rung]});
    return tried.empty() ? known : tried;
}

std::vector<size_t> LiveSession::taken() const {
    std::vector<size_t> rungs;
    for (const Taken& taken : taken_) rungs.push_back(taken.rung);
    return rungs;
}

std::vector<std::string> LiveSession::skipped(size_t probe) const {
    std::vector<std::string> why;
    for (const Skipped& each : taken_[probe].skipped) why.push_back(each.why);
    return why;
}

// ---- pause

// Not those of spans, nor what lt needs for its own books.
bool LiveSession::pauses(size_t probe) const {
    const PlannedProbe& planned = plan_.probes[probe];
    return planned.when == When::attached && !planned.internal && !planned.of_span && !taken_[probe].detached;
}

Status LiveSession::pause() {
    if (paused_) return Done{};
    paused_ = true;
    std::vector<Hook*> hooks;
    for (size_t probe = 0; probe < taken_.size(); probe++) {
        if (!pauses(probe)) continue;
        for (Hook& hook : taken_[probe].hooks) {
            hooks.push_back(&hook);
            for (const Descriptor& link : hook.links) taken_[probe].unserved += missed_by_link(link.get());
        }
    }
    stop_hooks(hooks);
    return plan_.spans.empty() ? Status(Done{}) : object_.stop_opening(true);
}

Status LiveSession::resume() {
    if (!paused_) return Done{};
    paused_ = false;
    for (const size_t probe : attach_order()) {
        if (!pauses(probe)) continue;
        if (auto started = restart_hooks(taken_[probe].hooks, taken_[probe].skipped); !started)
            return started.error_in(plan_.probes[probe].text);
    }
    return plan_.spans.empty() ? Status(Done{}) : object_.stop_opening(false);
}

void LiveSession::detach() {
    if (!whole_cost_) whole_cost_ = costs();
    std::vector<Hook*> hooks;
    for (Taken& taken : taken_)
        for (Hook& hook : taken.hooks) {
            hooks.push_back(&hook);
            for (const Descriptor& link : hook.links) taken.unserved += missed_by_link(link.get());
        }
    stop_hooks(hooks);
}

}  // namespace lt
