// The session: owner of all the parts, in the order in which they depend on one another.
#include "runtime/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <set>
#include <utility>

#include "attach.h"
#include "collect.h"
#include "iterator.h"
#include "loop.h"
#include "maps.h"
#include "missed.h"
#include "object.h"
#include "open_spans.h"
#include "session_values.h"
#include "signals.h"
#include "timeouts.h"

namespace lt {

namespace {

using Clock = std::chrono::steady_clock;

// What is open for one probe, and the rung it is from.
struct Taken {
    size_t rung = 0;
    std::vector<Hook> hooks;
    std::vector<Skipped> skipped;
    uint64_t unserved = 0;  // as the links told before they were closed
};

class LiveSession final : public Session {
  public:
    LiveSession(const Plan& plan, Printer& printer, Signals signals, Loop loop, LoadedObject object, Maps maps)
        : plan_(plan),
          printer_(printer),
          signals_(std::move(signals)),
          loop_(std::move(loop)),
          object_(std::move(object)),
          maps_(std::move(maps)),
          refused_(object_.refusals()) {}

    ~LiveSession() override;

    Status prepare(int output, bool source_lines);
    void trace(int process, bool only) override { target_ = {process, only}; }

    std::vector<Refusal> attach() override;
    std::optional<Error> attach_error() const override { return attach_error_; }
    std::vector<size_t> taken() const override;
    std::vector<std::string> skipped(size_t probe) const override;
    Status watch(int descriptor, std::function<void()> work) override;
    Status set_param(size_t index, const std::vector<uint8_t>& bytes) override;
    Status end_with(int descriptor) override;
    Ended run() override;
    Status finish() override;
    int exit_status() const override { return collector_->exit_status(); }
    std::vector<Loss> losses() const override;
    std::vector<Missed> missed() const override;
    Result<std::vector<Account>> accounts() const override;
    std::vector<ProgramFacts> facts() const override;

  private:
    Status run_programs(When when);
    Status run_program(const PlannedProbe& probe);
    std::vector<Refusal> refusals_of(size_t probe) const;
    bool open_next(Attacher& attacher, size_t probe);
    std::vector<Refusal> open_all(Attacher& attacher);
    std::vector<Refusal> link_all(Attacher& attacher);
    Status start();
    Status start_periods();
    Status await_signals();
    Status run_iterators();
    bool anything_to_wait_for() const;
    void drain();
    int patience() const;
    void end(Ended how);
    void detach();

    const Plan& plan_;
    Printer& printer_;
    Signals signals_;
    std::vector<Signals> awaited_;  // one for each probe of a signal, in their order
    Target target_;
    std::unique_ptr<Impatience> impatience_;  // from finish() on, also while the events below are closed
    Loop loop_;
    LoadedObject object_;
    Maps maps_;
    std::unique_ptr<Collector> collector_;
    RungRefusals refused_;
    std::vector<Taken> taken_;  // indexed as Plan::probes
    Timeouts timeouts_{plan_, object_};
    std::optional<Error> attach_error_;
    std::optional<Error> failure_;
    std::optional<Ended> ended_;
    Clock::time_point last_record_ = Clock::now();
    bool more_to_drain_ = false;
    bool watched_ = false;
};

LiveSession::~LiveSession() {
    detach();
    std::vector<Descriptor> events;
    for (Taken& taken : taken_)
        for (Hook& hook : taken.hooks) events.push_back(std::move(hook.event));
    close_all(std::move(events));
}

Status LiveSession::prepare(int output, bool source_lines) {
    if (!plan_.session_values.empty()) {
        if (auto set = object_.set_params(with_session_values(plan_)); !set) return set;
    }
    auto collector = Collector::open(plan_, object_, maps_, printer_, source_lines);
    if (!collector) return collector.error();
    collector_ = *std::move(collector);
    auto signals = loop_.add(signals_.descriptor(), Loop::On::readable, [this] {
        if (signals_.next() != 0) end(Ended::interrupted);
    });
    if (!signals) return signals;
    if (output >= 0) {
        auto watched = loop_.add(output, Loop::On::broken, [this] { end(Ended::output_closed); });
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

// From here on they end nobody; the programs are run once the loop does.
Status LiveSession::await_signals() {
    for (const PlannedProbe& probe : plan_.probes) {
        if (probe.when != When::signal) continue;
        auto signals = Signals::block(std::span(&probe.signal, 1));
        if (!signals) return signals.error_in(probe.text);
        const int descriptor = signals->descriptor();
        awaited_.push_back(*std::move(signals));
        auto added = loop_.add(descriptor, Loop::On::readable, [this, &probe, at = awaited_.size() - 1] {
            if (awaited_[at].next() == 0) return;
            if (auto ran = run_program(probe); !ran) {
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
    return object_.set_params(*all);
}

Status LiveSession::end_with(int descriptor) {
    watched_ = true;
    return loop_.add(descriptor, Loop::On::readable, [this] { end(Ended::watched_ended); });
}

// ---- attach

std::vector<Refusal> LiveSession::attach() {
    taken_.resize(plan_.probes.size());
    Attacher attacher(plan_, object_, target_);
    // Before BEGIN prints anything: can all be had?
    if (auto refusals = open_all(attacher); !refusals.empty()) return refusals;
    if (auto begun = run_programs(When::begin); !begun) {
        attach_error_ = begun.error();
        return {};
    }
    drain();
    if (ended_) return {};
    if (auto refusals = link_all(attacher); !refusals.empty()) return refusals;
    if (auto started = start(); !started) attach_error_ = started.error();
    return {};
}

std::vector<Refusal> LiveSession::open_all(Attacher& attacher) {
    for (size_t probe = 0; probe < plan_.probes.size(); probe++)
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
    for (size_t probe = 0; probe < plan_.probes.size(); probe++)
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

// ---- run

Status LiveSession::run_programs(When when) {
    for (const PlannedProbe& probe : plan_.probes)
        if (probe.when == when)
            if (auto ran = run_program(probe); !ran) return ran;
    return Done{};
}

Status LiveSession::run_program(const PlannedProbe& probe) {
    for (const Rung& rung : probe.rungs)
        for (const Attachment& attachment : rung.attachments)
            if (auto ran = object_.run(attachment.program); !ran) return ran.error_in(probe.text);
    return Done{};
}

// Records are taken in between, or they would be more than there is room for.
Status LiveSession::run_iterators() {
    const auto goes_on = [this] {
        drain();
        return !ended_.has_value();
    };
    for (const Taken& taken : taken_)
        for (const Hook& hook : taken.hooks)
            if (hook.way == Way::iterator && !hook.links.empty())
                if (auto read = read_iterator(hook.links.front().get(), goes_on); !read) return read;
    return Done{};
}

Ended LiveSession::run() {
    if (auto read = run_iterators(); !read) {
        failure_ = read.error();
        end(Ended::failed);
    }
    if (!ended_ && !anything_to_wait_for()) ended_ = Ended::exit_called;
    while (!ended_) {
        if (auto waited = loop_.wait(patience()); !waited) {
            failure_ = waited.error();
            end(Ended::failed);
        }
        drain();
    }
    return *ended_;
}

bool LiveSession::anything_to_wait_for() const {
    if (watched_) return true;
    for (const PlannedProbe& probe : plan_.probes)
        if (probe.when == When::period || probe.when == When::signal || probe.when == When::attached) return true;
    return false;
}

void LiveSession::drain() {
    auto drained = collector_->drain();
    more_to_drain_ = drained == Collector::Drained::some;
    if (drained != Collector::Drained::nothing) last_record_ = Clock::now();
    if (collector_->failure()) {
        failure_ = collector_->failure();
        end(Ended::failed);
    }
    if (collector_->exit_called()) end(Ended::exit_called);
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

Status LiveSession::finish() {
    auto impatience = Impatience::watch(signals_);
    if (!impatience) return impatience.error();
    impatience_ = *std::move(impatience);

    if (!plan_.spans.empty()) {
        if (auto stopped = object_.stop_opening(); !stopped) return stopped;
    }
    detach();
    while (collector_->drain() != Collector::Drained::nothing) {
    }
    collector_->restart();
    if (auto ran = run_programs(When::end); !ran) return ran;
    while (collector_->drain() != Collector::Drained::nothing) {
    }
    if (auto printed = collector_->print_maps(); !printed) return printed;
    printer_.flush();

    if (collector_->failure()) return *collector_->failure();
    if (failure_) return *failure_;
    return Done{};
}

void LiveSession::detach() {
    std::vector<Hook*> hooks;
    for (Taken& taken : taken_)
        for (Hook& hook : taken.hooks) {
            hooks.push_back(&hook);
            for (const Descriptor& link : hook.links) taken.unserved += missed_by_link(link.get());
        }
    stop_hooks(hooks);
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
    for (size_t i = 0; i < all.size() && 2 * i + 1 < books.size(); i++) all[i] = {books[2 * i], books[2 * i + 1], 0};
    Result<std::vector<Open>> open = open_spans(plan_, object_);
    if (!open) return open.error();
    for (const Open& each : *open) {
        if (each.span < all.size()) all[each.span].open++;
    }
    return all;
}

std::vector<Session::ProgramFacts> LiveSession::facts() const {
    std::vector<ProgramFacts> facts;
    for (const LoadedObject::Facts& program : object_.facts())
        facts.push_back({program.name, program.instructions, program.misses});
    return facts;
}

}  // namespace

Result<std::unique_ptr<Session>> Session::load(const Plan& plan, Printer& printer, int output, bool source_lines) {
    auto signals = Signals::block();
    if (!signals) return signals.error();
    auto loop = Loop::open();
    if (!loop) return loop.error();
    auto object = LoadedObject::load(plan);
    if (!object) return object.error();
    auto maps = Maps::open(plan, *object);
    if (!maps) return maps.error();
    auto session = std::make_unique<LiveSession>(plan, printer, *std::move(signals), *std::move(loop),
                                                 *std::move(object), *std::move(maps));
    if (auto prepared = session->prepare(output, source_lines); !prepared) return prepared.error();
    return std::unique_ptr<Session>(std::move(session));
}

}  // namespace lt
