#include "runtime/session/live_session.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <set>
#include <utility>

#include "runtime/attach/counters.h"
#include "runtime/attach/iterator.h"
#include "runtime/load/why_places.h"
#include "runtime/os/pid_namespace.h"
#include "runtime/os/timestamps.h"
#include "runtime/session/open_spans.h"
#include "runtime/session/session_values.h"

namespace lt {
namespace {

bool waits_for_events(const Plan& plan) {
    return std::ranges::any_of(plan.probes, [](const PlannedProbe& probe) {
        const bool lasts = probe.when == When::period || probe.when == When::signal || probe.when == When::set ||
                           probe.when == When::attached;
        return lasts && !probe.internal;
    });
}

// The records of processes on a CPU that came online are missing, too.
void look_at(CpuWatch& cpus, ProcessHistory* history) {
    cpus.look();
    if (history && !cpus.unwatched().empty()) history->miss(monotonic_now());
}

// Reads all symbols of the kernel, so only when everything else can be attached. `warnings`: null for none.
Status find_waits(LoadedObject& object, std::FILE* warnings) {
    const Result<WhyPlaces> places = fill_why_places(object);
    if (!places) return places.error();
    if (*places == WhyPlaces::hidden && warnings)
        std::fputs(
            "lt: the kernel hides its addresses, so it is not known what threads wait for, only for how long; to see "
            "it, run lt as root or with cap_syslog, and with sysctl kernel.kptr_restrict=1\n",
            warnings);
    return Done{};
}

}  // namespace

Status LiveSession::prepare(const SessionOptions& options) {
    may_change_ = object_.is_unsafe();
    // The compiler makes no such plan without it, but a file can contain anything.
    if (may_change_ && !options.unsafe)
        return Error{"the plan has programs that change what they trace", "run it with --unsafe if you trust it", 0};
    if (!plan_.family.empty()) family_ = ProcessFamily(object_.map(plan_.family));
    overhead_.emplace(plan_, object_, maps_, attached_, options.overhead);
    dry_ = options.dry;
    // The first process of a container may never wait for a child that it inherits.
    if (options.process_ends && pid_namespace().second == 0) attached_.process_ends();
    if (options.start) start_wait_.emplace(*options.start, options.awaits);
    // The object has its compiled values; in a saved plan, parameters may have been set since.
    const auto compiled = object_.params();
    if (!compiled) return compiled.error();
    const auto bytes = with_session_values(plan_, options.command);
    if (!bytes) return bytes.error();
    if (!compiled->empty() && *compiled != *bytes) {
        if (auto set = object_.set_params(*bytes); !set) return set;
    }
    if (plan_.has_run_words()) {
        const uint64_t left_out = plan_.skips_own ? static_cast<uint64_t>(::getpid()) : no_process;
        if (auto set = object_.set_namespace(pid_namespace(), left_out); !set) return set;
    }
    warnings_ = options.warnings ? options.messages : nullptr;
    const SymbolStyle style{options.source_lines || plan_.shows_lines, plan_.mangled, options.debug_folders};
    auto collector = Collector::open(plan_, object_, maps_, printer_, style);
    if (!collector) return collector.error();
    collector_ = *std::move(collector);
    collector_->complain_to(options.messages, options.warnings);
    const auto take_signal = [this] {
        if (impatience_ && impatience_->take()) end(Ended::interrupted);
    };
    own_.emplace(plan_, object_, maps_, *collector_, printer_, impatience_.get(), options.hangup_ends, take_signal);
    if (impatience_) {
        auto signals = loop_.add(impatience_->descriptor(), Loop::On::readable, take_signal);
        if (!signals) return signals;
    }
    if (takes_snapshots(plan_)) {
        auto snapshots =
            Snapshots::open(plan_, object_, options.keep, keep_size(options.keep), printer_, options.messages);
        if (!snapshots) return snapshots.error();
        snapshots_ = *std::move(snapshots);
        collector_->on_snapshot([this](const Trigger& trigger) { snapshots_->take(trigger); });
        auto added = loop_.add(snapshots_->descriptor(), Loop::On::readable, [this] { snapshots_->report(); });
        if (!added) return added;
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
    return loop_.add(collector_->descriptor(), Loop::On::wakeup, [] {});  // each iteration drains anyway
}

// Blocked from here on; their programs run when the loop sees them. A signal is read once, for all of its probes.
Status LiveSession::await_signals() {
    std::set<int> awaited;
    for (const PlannedProbe& probe : plan_.probes) {
        if (probe.when != When::signal || !awaited.insert(probe.signal).second) continue;
        auto signals = Signals::block(std::span(&probe.signal, 1));
        if (!signals) return signals.error_in(probe.text);
        const int descriptor = signals->descriptor();
        awaited_.push_back(*std::move(signals));
        auto added = loop_.add(descriptor, Loop::On::readable, [this, signal = probe.signal, at = awaited_.size() - 1] {
            if (awaited_[at].next() != 0) fail_unless(own_->run(When::signal, signal));
        });
        if (!added) return added;
    }
    return Done{};
}

Status LiveSession::watch(int descriptor, std::function<void()> work) {
    return loop_.add(descriptor, Loop::On::readable, std::move(work));
}

// The other parameters keep their values: `> worst` may be changing its own right now, which this overwrites with the
// value from a moment before.
Status LiveSession::set_param(size_t index, const std::vector<uint8_t>& bytes) {
    Result<std::vector<uint8_t>> all = object_.params();
    if (!all) return all.error();
    const size_t offset = plan_.params[index].offset;
    if (offset + bytes.size() > all->size()) return Error{"the parameter is not in the object", "", 0};
    std::ranges::copy(bytes, all->begin() + static_cast<ptrdiff_t>(offset));
    if (Status set = object_.set_params(*all); !set) return set;
    for (const PlannedProbe& probe : plan_.probes)
        if (running_ && probe.when == When::set && probe.set_param == plan_.params[index].name)
            if (auto ran = own_->run(probe); !ran) return ran;
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
        if (!ended_) fail_unless(loop_.every(look_again, [look](uint64_t) { look(); }));
    });
}

Status LiveSession::end_after(uint64_t nanoseconds) {
    return loop_.every(nanoseconds, [this](uint64_t) { end(Ended::time_over); });
}

// ---- attach

// With a time to start at, spans are attached before, and can be opened from then on. The other programs are linked at
// that time, which is quick because their events are open.
std::vector<Refusal> LiveSession::attach() {
    Attacher attacher(plan_, object_, target_);
    // before BEGIN prints anything
    if (auto refusals = attached_.open(attacher); !refusals.empty()) return refusals;
    // A program can run as soon as it is linked. One that changes nothing does no harm: its records are not read.
    if (dry_) return may_change_ ? std::vector<Refusal>{} : attached_.link(attacher);
    const auto failed = [this](const Status& status) {
        if (!status) attach_error_ = status.error();
        return !status;
    };
    if (failed(find_waits(object_, warnings_))) return {};
    auto counters = open_counters(plan_, object_);
    if (!counters) {
        attach_error_ = counters.error();
        return {};
    }
    counters_ = *std::move(counters);
    if (snapshots_ && failed(snapshots_->attach())) return {};
    const bool has_gate = start_wait_ && !plan_.spans.empty();
    if (has_gate && failed(object_.stop_opening(true))) return {};
    if (start_wait_) {
        if (auto refusals = attached_.link(attacher, Attached::Part::spans); !refusals.empty()) return refusals;
        if (failed(start_wait_->wait(loop_, [this] { return !ended_; }))) return {};
    }
    // where the gate also stops BEGIN, it is opened first
    if (has_gate && plan_.stops_at_exit && failed(object_.stop_opening(false))) return {};
    collector_->hold();
    if (failed(own_->run(When::begin))) return {};
    if (has_gate && !plan_.stops_at_exit && failed(object_.stop_opening(false))) return {};
    if (!collector_->holds_exit()) {
        const auto part = start_wait_ ? Attached::Part::rest : Attached::Part::all;
        if (auto refusals = attached_.link(attacher, part); !refusals.empty()) return refusals;
    }
    if (!collector_->holds_exit() && !failed(start())) failed(family_.add(target_.process));
    const bool is_on_cpus = attached_.on_each_cpu() || !counters_.empty() || collector_->history() != nullptr;
    if (const Result<std::vector<int>> cpus = is_on_cpus ? online_cpus() : std::vector<int>(); is_on_cpus && cpus) {
        constexpr uint64_t second = 1'000'000'000;
        cpus_.emplace(*cpus);
        failed(loop_.every(second, [this](uint64_t) { look_at(*cpus_, collector_->history()); }));
    }
    if (start_wait_) start_wait_->attached();
    return {};
}

Status LiveSession::start() {
    if (auto enabled = attached_.enable(); !enabled) return enabled;
    if (overhead_->is_wanted()) {
        if (auto begun = overhead_->begin(); !begun) return begun;
        auto timer = loop_.every(OverheadWatch::period_ns, [this](uint64_t) { fail_unless(overhead_->look()); });
        if (!timer) return timer;
    }
    if (!plan_.timeouts.empty()) {
        auto timer = loop_.every(Timeouts::period_ns, [this](uint64_t) { fail_unless(timeouts_.look()); });
        if (!timer) return timer.error_in("timeouts");
    }
    if (std::ranges::find(plan_.spans, SpanState::frame, &PlannedSpan::state) != plan_.spans.end()) {
        const auto sweep = [this](uint64_t) { fail_unless(delete_ended_calls(plan_, object_, deleted_calls_)); };
        if (auto timer = loop_.every(ended_calls_period, sweep); !timer) return timer.error_in("ended calls");
    }
    for (const PlannedProbe& probe : plan_.probes) {
        if (probe.when != When::period) continue;
        auto timer = loop_.every(probe.period_ns, [this, &probe, left = probe.times](uint64_t periods) mutable {
            if (attached_.is_paused()) return;
            late_[static_cast<size_t>(&probe - plan_.probes.data())] += periods - 1;
            const bool is_last = left != 0 && --left == 0;
            if (is_last) collector_->note_printed();
            fail_unless(own_->run(probe));
            if (is_last) end(Ended::exit_called);
        });
        if (!timer) return timer.error_in(probe.text);
    }
    return Done{};
}

// ---- run

// Reads records in between, since otherwise the buffer would overflow.
Status LiveSession::run_iterators() {
    const auto goes_on = [this] {
        drain();
        return !ended_.has_value();
    };
    const std::vector<int> links = attached_.iterators();
    if (links.empty() || !goes_on()) return Done{};
    collector_->let_exit_wait(plan_.conventions.whole_iterators);
    for (const int link : links)
        if (auto read = read_iterator(link, goes_on); !read) return read;
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
    fail_unless(run_iterators());
    if (!ended_ && !watched_ && !waits_for_events(plan_)) ended_ = Ended::exit_called;
}

void LiveSession::wait(int milliseconds) {
    fail_unless(loop_.wait(milliseconds));
    drain();
}

void LiveSession::drain() {
    auto drained = collector_->drain();
    more_to_drain_ = drained == Collector::Drained::some;
    if (drained != Collector::Drained::nothing) last_record_ = Clock::now();
    if (collector_->failure()) fail_unless(*collector_->failure());
    if (collector_->exit_called()) end(collector_->enough() ? Ended::enough : Ended::exit_called);
}

// How long records may wait. Programs wake us only when many are waiting; programs that we run ourselves write while we
// watch.
int LiveSession::patience() const {
    constexpr int busy_ms = 20, idle_ms = 100, for_ever = -1;
    constexpr auto idle_after = std::chrono::seconds(1);
    if (more_to_drain_) return 0;
    if (!attached_.any() || collector_->descriptor() < 0) return for_ever;
    return Clock::now() - last_record_ < idle_after ? busy_ms : idle_ms;
}

// The first reason counts.
void LiveSession::end(Ended how) {
    if (!ended_) ended_ = how;
}

void LiveSession::fail_unless(const Status& done) {
    if (done) return;
    failure_ = done.error();
    end(Ended::failed);
}

// ---- finish

Session::Finished LiveSession::finish() {
    Finished out;
    const auto note = [&out](const Status& done) {
        if (!done && !out.failure) out.failure = done.error();
    };
    if (impatience_) impatience_->run_is_over();
    if (cpus_) look_at(*cpus_, collector_->history());
    if (plan_.can_stop()) note(object_.stop_opening(true));
    overhead_->end();
    attached_.end();
    const bool is_told = ended_ == Ended::interrupted;  // after a signal, lt does not start anything slow
    collector_->drain_all(is_told ? std::chrono::seconds(1) : std::chrono::hours(24));
    has_happened_ = collector_->exit_called();  // the END programs forget it
    if (snapshots_) snapshots_->finish();
    note(own_->run_last());
    note(collector_->print_maps());
    printer_.flush();
    if (collector_->failure()) note(*collector_->failure());
    if (failure_) note(*failure_);
    out.maps = collector_->results();
    return out;
}

std::vector<Missed> LiveSession::missed() const {
    std::vector<Missed> all = attached_.missed();
    for (const auto& [probe, periods] : late_)
        if (periods > 0) all.push_back({probe, MissKind::late, periods});
    return all;
}

std::vector<Loss> LiveSession::losses() const {
    std::vector<Loss> losses;
    std::vector<uint64_t> counters = object_.loss_counters();
    for (size_t i = 0; i < plan_.losses.size() && i < counters.size(); i++) {
        const PlannedLoss& loss = plan_.losses[i];
        if (loss.kind == LossKind::sum_overflow && maps_.has_overflowed(loss.subject)) counters[i]++;
        if (loss.kind == LossKind::map_full) counters[i] += maps_.not_kept(loss.subject);
        if (counters[i] > 0) losses.push_back({loss.kind, loss.subject, counters[i]});
    }
    const Result<std::vector<uint64_t>> ended = ended_calls(plan_, object_);
    for (uint32_t span = 0; span < plan_.spans.size(); span++) {
        const uint64_t deleted = span < deleted_calls_.size() ? deleted_calls_[span] : 0;
        const uint64_t died = deleted + (ended ? (*ended)[span] : 0);
        if (died > 0) losses.push_back({LossKind::span_died, span, died});
    }
    const ProcessHistory* history = collector_ ? collector_->history() : nullptr;
    if (history != nullptr && history->lost() > 0) losses.push_back({LossKind::process_records, 0, history->lost()});
    if (cpus_ && !cpus_->unwatched().empty()) losses.push_back({LossKind::cpu_unwatched, 0, cpus_->unwatched().size()});
    return losses;
}

Result<std::vector<Session::Account>> LiveSession::accounts() const {
    std::vector<Account> all(plan_.spans.size());
    if (all.empty()) return all;
    const std::vector<uint64_t> books = object_.per_cpu_sums(plan_.books);
    for (size_t i = 0; i < all.size() && 2 * i + 1 < books.size(); i++) all[i] = {books[2 * i], books[2 * i + 1]};
    for (uint32_t span = 0; span < all.size(); span++) all[span].left_out = maps_.openings_left_out(span);
    Result<std::vector<OpenRecord>> open = lt::open_spans(plan_, object_);
    if (!open) return open.error();
    for (const OpenRecord& each : *open) {
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
    std::unique_ptr<Impatience> impatience;
    if (options.takes_signals) {
        auto blocked = Signals::block();
        if (!blocked) return blocked.error();
        signals.emplace(*std::move(blocked));
        auto watching = Impatience::watch(*signals);
        if (!watching) return watching.error();
        impatience = *std::move(watching);
    }
    auto loop = Loop::open();
    if (!loop) return loop.error();
    std::vector<Refusal> refused;
    const KeepSize keep = takes_snapshots(plan) ? keep_size(options.keep) : KeepSize{};
    auto object = LoadedObject::load(plan, options.refused ? *options.refused : refused, keep, options.early_maps);
    if (!object) return object.error();
    auto maps = kernel_maps(plan, *object);
    if (!maps) return maps.error();
    auto session = std::make_unique<LiveSession>(plan, printer, std::move(signals), std::move(impatience),
                                                 *std::move(loop), *std::move(object), Maps(plan, *std::move(maps)));
    if (auto prepared = session->prepare(options); !prepared) return prepared.error();
    return std::unique_ptr<Session>(std::move(session));
}

}  // namespace lt
