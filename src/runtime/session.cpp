// Load, run and finish.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <set>
#include <utility>

#include "iterator.h"
#include "live_session.h"
#include "missed.h"
#include "open_spans.h"
#include "session_values.h"

namespace lt {

LiveSession::~LiveSession() {
    detach();
    std::vector<Descriptor> events;
    for (Taken& taken : taken_)
        for (Hook& hook : taken.hooks) events.push_back(std::move(hook.event));
    close_all(std::move(events));
}

Status LiveSession::prepare(const SessionOptions& options) {
    if (!plan_.family.empty()) family_ = Family(object_.map(plan_.family));
    overhead_options_ = options.overhead;
    dry_ = options.dry;
    // What the object begins with is as it was compiled; of a saved plan parameters can have been set since.
    const auto compiled = object_.params();
    if (!compiled) return compiled.error();
    const auto bytes = with_session_values(plan_, options.command);
    if (!bytes) return bytes.error();
    if (!compiled->empty() && *compiled != *bytes) {
        if (auto set = object_.set_params(*bytes); !set) return set;
    }
    const SymbolStyle style{options.source_lines || plan_.shows_lines, plan_.mangled, options.debug_folders};
    auto collector = Collector::open(plan_, object_, maps_, printer_, style);
    if (!collector) return collector.error();
    collector_ = *std::move(collector);
    collector_->complain_to(options.messages, options.warnings);
    if (signals_) {
        auto signals = loop_.add(signals_->descriptor(), Loop::On::readable, [this] {
            if (signals_->next() != 0) end(Ended::interrupted);
        });
        if (!signals) return signals;
    }
    if (options.output >= 0) {
        auto watched = loop_.add(options.output, Loop::On::broken, [this] { end(Ended::output_closed); });
        if (!watched) return watched;
    }
    if (ProcessHistory* history = collector_->history()) {
        for (int descriptor : history->descriptors()) {
            auto added = loop_.add(descriptor, Loop::On::wakeup, [history] { history->catch_up(); });
            if (!added) return added;
        }
    }
    if (auto awaited = await_signals(); !awaited) return awaited;
    if (collector_->descriptor() < 0) return Done{};
    return loop_.add(collector_->descriptor(), Loop::On::wakeup, [] {});  // each turn drains anyway
}

// From here on they end nobody; the programs are run once the loop does. A signal is read once, for all of its probes.
Status LiveSession::await_signals() {
    std::set<int> awaited;
    for (const PlannedProbe& probe : plan_.probes) {
        if (probe.when != When::signal || !awaited.insert(probe.signal).second) continue;
        auto signals = Signals::block(std::span(&probe.signal, 1));
        if (!signals) return signals.error_in(probe.text);
        const int descriptor = signals->descriptor();
        awaited_.push_back(*std::move(signals));
        auto added = loop_.add(descriptor, Loop::On::readable, [this, signal = probe.signal, at = awaited_.size() - 1] {
            if (awaited_[at].next() == 0) return;
            if (auto ran = run_programs(When::signal, signal); !ran) {
                failure_ = ran.error();
                end(Ended::failed);
            }
        });
        if (!added) return added;
    }
    return Done{};
}

Status LiveSession::watch(int descriptor, std::function<void()> work) {
    return loop_.add(descriptor, Loop::On::readable, std::move(work));
}

// The others keep their values: `> worst` may just be changing its own, which is then overwritten by what it was a
// moment before.
Status LiveSession::set_param(size_t index, const std::vector<uint8_t>& bytes) {
    Result<std::vector<uint8_t>> all = object_.params();
    if (!all) return all.error();
    const size_t offset = plan_.params[index].offset;
    if (offset + bytes.size() > all->size()) return Error{"the parameter is not in the object", "", 0};
    std::copy(bytes.begin(), bytes.end(), all->begin() + static_cast<ptrdiff_t>(offset));
    if (Status set = object_.set_params(*all); !set) return set;
    for (const PlannedProbe& probe : plan_.probes)
        if (running_ && probe.when == When::set && probe.set_param == plan_.params[index].name)
            if (auto ran = run_program(probe); !ran) return ran;
    return Done{};
}

Status LiveSession::end_with(int descriptor) {
    constexpr uint64_t look_again = 100'000'000;
    watched_ = true;
    if (plan_.family.empty()) return loop_.add(descriptor, Loop::On::readable, [this] { end(Ended::watched_ended); });
    const auto look = [this] {
        if (!family_.lives()) end(Ended::watched_ended);
    };
    return loop_.add(descriptor, Loop::On::wakeup, [this, look] {
        look();
        if (ended_) return;
        if (auto timer = loop_.every(look_again, look); !timer) failure_ = timer.error(), end(Ended::failed);
    });
}

Status LiveSession::end_after(uint64_t nanoseconds) {
    return loop_.every(nanoseconds, [this] { end(Ended::time_over); });
}

// ---- run

Status LiveSession::run_programs(When when, int signal) {
    for (const PlannedProbe& probe : plan_.probes)
        if (probe.when == when && probe.signal == signal)
            if (auto ran = run_program(probe); !ran) return ran;
    return Done{};
}

Status LiveSession::run_program(const PlannedProbe& probe) {
    for (const Rung& rung : probe.rungs)
        for (const Attachment& attachment : rung.attachments) {
            auto ran = rung.way == Way::host ? run_here(probe, attachment.program) : object_.run(attachment.program);
            if (!ran) return ran.error_in(probe.text);
        }
    return Done{};
}

// What programs in the kernel have written comes before what the block prints.
Status LiveSession::run_here(const PlannedProbe& probe, const std::string& program) {
    if (!host_) {
        port_ = std::make_unique<LivePort>(plan_, object_, maps_, *collector_);
        auto host = Host::open(plan_, *port_);
        if (!host) return host.error();
        host_ = *std::move(host);
    }
    while (collector_->drain() == Collector::Drained::some) {
    }
    if (collector_->is_over()) return Done{};
    auto ran = host_->run(program);
    printer_.flush();
    if (!ran) return ran.error();
    if (*ran == Host::Ran::interrupted) {
        fmt::print(stderr, "lt: {} was interrupted\n", probe.text);
        if (signals_ && signals_->next() != 0) end(Ended::interrupted);
    }
    return Done{};
}

// Records are taken in between, or they would be more than there is room for.
Status LiveSession::run_iterators() {
    const auto goes_on = [this] {
        drain();
        return !ended_.has_value();
    };
    const auto is_read = [](const Hook& hook) {
        return hook.way == Way::iterator && !hook.links.empty() && !hook.pin.is_wanted();
    };
    const bool any = std::ranges::any_of(taken_, [&](const Taken& t) { return std::ranges::any_of(t.hooks, is_read); });
    if (!any || !goes_on()) return Done{};
    collector_->let_exit_wait(plan_.whole_iterators);
    for (const Taken& taken : taken_)
        for (const Hook& hook : taken.hooks)
            if (is_read(hook))
                if (auto read = read_iterator(hook.links.front().get(), goes_on); !read) return read;
    while (!ended_ && more_to_drain_) wait(0);
    collector_->let_exit_wait(false);
    drain();
    return Done{};
}

Ended LiveSession::run() {
    begin_run();
    while (!ended_) wait(patience());
    return *ended_;
}

std::optional<Ended> LiveSession::turn() {
    begin_run();
    if (!ended_) wait(0);
    return ended_;
}

void LiveSession::begin_run() {
    if (running_) return;
    running_ = true;
    collector_->release();
    drain();
    if (ended_) return;
    if (auto read = run_iterators(); !read) {
        failure_ = read.error();
        end(Ended::failed);
    }
    if (!ended_ && !anything_to_wait_for()) ended_ = Ended::exit_called;
}

void LiveSession::wait(int milliseconds) {
    if (auto waited = loop_.wait(milliseconds); !waited) {
        failure_ = waited.error();
        end(Ended::failed);
    }
    drain();
}

bool LiveSession::anything_to_wait_for() const {
    if (watched_) return true;
    return std::ranges::any_of(plan_.probes, [](const PlannedProbe& probe) {
        const bool lasts = probe.when == When::period || probe.when == When::signal || probe.when == When::set ||
                           probe.when == When::attached;
        return lasts && !probe.internal;
    });
}

void LiveSession::drain() {
    auto drained = collector_->drain();
    more_to_drain_ = drained == Collector::Drained::some;
    if (drained != Collector::Drained::nothing) last_record_ = Clock::now();
    if (collector_->failure()) {
        failure_ = collector_->failure();
        end(Ended::failed);
    }
    if (collector_->exit_called()) end(collector_->enough() ? Ended::enough : Ended::exit_called);
}

// How long records may wait. Programs wake us only when much is waiting; those that we run ourselves write while we
// watch.
int LiveSession::patience() const {
    constexpr int busy_ms = 20, idle_ms = 100, for_ever = -1;
    constexpr auto idle_after = std::chrono::seconds(1);
    if (more_to_drain_) return 0;
    bool attached = false;
    for (const Taken& taken : taken_) attached = attached || !taken.hooks.empty();
    if (!attached || collector_->descriptor() < 0) return for_ever;
    return Clock::now() - last_record_ < idle_after ? busy_ms : idle_ms;
}

// The first reason counts.
void LiveSession::end(Ended how) {
    if (!ended_) ended_ = how;
}

// ---- finish

// Where errors have ended the run, also in one of those that run at the end, what is for that runs instead.
Status LiveSession::run_last_programs() {
    for (const When when : {When::end, When::error}) {
        if (collector_->failed() != (when == When::error)) continue;
        collector_->restart();
        if (auto ran = run_programs(when); !ran) return ran;
        while (collector_->drain() != Collector::Drained::nothing) {
        }
    }
    return Done{};
}

Status LiveSession::finish() {
    if (signals_) {
        auto impatience = Impatience::watch(*signals_);
        if (!impatience) return impatience.error();
        impatience_ = *std::move(impatience);
    }

    if (plan_.can_stop()) {
        if (auto stopped = object_.stop_opening(true); !stopped) return stopped;
    }
    detach();
    const bool is_told = ended_ == Ended::interrupted;  // who is told to end does not begin something long
    collector_->drain_all(is_told ? std::chrono::seconds(1) : std::chrono::hours(24));
    if (auto ran = run_last_programs(); !ran) return ran;
    if (auto printed = collector_->print_maps(); !printed) return printed;
    printer_.flush();

    if (collector_->failure()) return *collector_->failure();
    if (failure_) return *failure_;
    return Done{};
}

std::vector<Loss> LiveSession::losses() const {
    std::vector<Loss> losses;
    std::vector<uint64_t> counters = object_.loss_counters();
    for (size_t i = 0; i < plan_.losses.size() && i < counters.size(); i++)
        if (counters[i] > 0) losses.push_back({plan_.losses[i].kind, plan_.losses[i].subject, counters[i]});
    return losses;
}

std::vector<Missed> LiveSession::missed() const {
    std::vector<Missed> all;
    const std::vector<LoadedObject::Facts> facts = object_.facts();
    for (size_t probe = 0; probe < taken_.size(); probe++) {
        const PlannedProbe& planned = plan_.probes[probe];
        if (planned.internal || planned.rungs.empty()) continue;
        std::set<std::string_view> programs;
        for (const Attachment& a : planned.rungs[taken_[probe].rung].attachments) programs.insert(a.program);
        uint64_t skipped = 0;
        for (const LoadedObject::Facts& program : facts)
            if (programs.contains(program.name)) skipped += program.misses;
        if (skipped > 0) all.push_back({probe, MissKind::recursion, skipped});
        if (taken_[probe].unserved > 0) all.push_back({probe, MissKind::unserved, taken_[probe].unserved});
    }
    return all;
}

Result<std::vector<Session::Account>> LiveSession::accounts() const {
    std::vector<Account> all(plan_.spans.size());
    if (all.empty()) return all;
    const std::vector<uint64_t> books = object_.per_cpu_sums(plan_.books);
    for (size_t i = 0; i < all.size() && 2 * i + 1 < books.size(); i++) all[i] = {books[2 * i], books[2 * i + 1]};
    for (uint32_t span = 0; span < all.size(); span++) all[span].left_out = maps_.openings_left_out(span);
    Result<std::vector<Open>> open = lt::open_spans(plan_, object_);
    if (!open) return open.error();
    for (const Open& each : *open) {
        if (each.span < all.size())
            (object_.is_abandoned(each.span) ? all[each.span].abandoned : all[each.span].open)++;
    }
    return all;
}

std::vector<Session::ProgramFacts> LiveSession::facts() const {
    std::vector<ProgramFacts> facts;
    for (const LoadedObject::Facts& program : object_.facts())
        facts.push_back({program.name, program.instructions, program.misses});
    return facts;
}

Result<std::unique_ptr<Session>> Session::load(const Plan& plan, Printer& printer, const SessionOptions& options) {
    std::optional<Signals> signals;
    if (options.takes_signals) {
        auto blocked = Signals::block();
        if (!blocked) return blocked.error();
        signals.emplace(*std::move(blocked));
    }
    auto loop = Loop::open();
    if (!loop) return loop.error();
    auto object = LoadedObject::load(plan);
    if (!object) return object.error();
    auto maps = kernel_maps(plan, *object);
    if (!maps) return maps.error();
    auto session = std::make_unique<LiveSession>(plan, printer, std::move(signals), *std::move(loop),
                                                 *std::move(object), Maps(plan, *std::move(maps)));
    if (auto prepared = session->prepare(options); !prepared) return prepared.error();
    return std::unique_ptr<Session>(std::move(session));
}

}  // namespace lt
