#include "runtime/replay/replay_session.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include "base/text.h"
#include "recording/explain.h"
#include "runtime/border/why.h"
#include "runtime/os/signals.h"
#include "runtime/replay/happenings.h"
#include "runtime/replay/interpreted_run.h"
#include "runtime/replay/recorded_kernel.h"

namespace lt {
namespace {

// Of one program at one event, and of one block that lt runs itself.
constexpr uint64_t most_instructions = 20'000'000;
constexpr uint64_t instructions_between_questions = 1 << 16;  // of a block; see Host::goes_on
constexpr int64_t tai_ahead = 37'000'000'000;                 // of UTC, since 2017
constexpr std::string_view own_name = "lt";                   // of the thread that runs blocks

uint64_t session_value(const Recording& recording, SessionValue what) {
    switch (what) {
        case SessionValue::start:
            return recording.begin;
        case SessionValue::tai_offset:
            return static_cast<uint64_t>(recording.unix_offset + tai_ahead);
        case SessionValue::day_offset:
            return static_cast<uint64_t>(recording.unix_offset);
        case SessionValue::cpus:
            return recording.cpus;
        case SessionValue::command:
        case SessionValue::has_command:
        case SessionValue::pid_device:
        case SessionValue::pid_inode:
            return 0;
    }
    return 0;
}

void report_losses(const RecordingAccount& a, bool uses_stacks, uint64_t incomplete_threads, Printer& printer,
                   std::FILE* messages) {
    struct Row {
        uint64_t count;
        std::string_view noun, what, name;
    };
    for (const Row& row :
         {Row{a.torn, "record", "torn: not finished when the recording was taken", "torn"},
          Row{a.missed, "event", "missed by the recorder since it began, because its programs interrupted themselves",
              "missed"},
          Row{uses_stacks ? a.lost_stacks : 0, "stack", "lost, so that `why` may say `other`", "lost_stacks"},
          Row{incomplete_threads, "thread",
              "without a name or a process in the recording: `comm` is empty or `pid` is 0", "incomplete"}}) {
        if (row.count == 0) continue;
        const std::string text = fmt::format("{} {}", plural(row.count, std::string(row.noun)), row.what);
        fmt::print(messages, "lt: {}\n", text);
        printer.fact({"recording",
                      {{"kind", std::string(row.name)}, {"count", static_cast<int64_t>(row.count)}, {"text", text}},
                      "",
                      text});
    }
}

// In a live run, programs follow the scheduler and add a thread's time to its causes. Here the recording says it: the
// record of the thread becomes as these programs would leave it, with a slice of running that begins now.
Status account(machine::Machine& machine, const Explainer& explainer, uint32_t tid, Window time) {
    const std::string map(why_threads);
    machine::Bytes key(sizeof tid);
    std::memcpy(key.data(), &tid, sizeof tid);
    const auto found = machine.lookup(map, key);
    if (!found) return found.error();
    if (!*found) return Done{};
    machine::Bytes thread = **found;
    std::memcpy(&thread[why_thread_since], &time.end, sizeof time.end);
    for (const CausePart& part : explainer.parts_of(tid, time)) {
        if (part.cause == Cause::unexplained) continue;
        uint64_t sum = 0;
        uint8_t* at = &thread[why_thread_sums + sizeof sum * static_cast<size_t>(part.cause)];
        std::memcpy(&sum, at, sizeof sum);
        sum += part.time;
        std::memcpy(at, &sum, sizeof sum);
    }
    return machine.update(map, key, thread);
}

// How a signal, or the reader of the output, ends the run; nothing if they do not.
std::optional<Ended> ended_from_outside(Impatience* impatience, int output) {
    if (impatience && impatience->take()) return Ended::interrupted;
    pollfd asked{output, 0, 0};
    const bool is_lost = output >= 0 && ::poll(&asked, 1, 0) > 0 && (asked.revents & (POLLERR | POLLHUP)) != 0;
    return is_lost ? std::optional(Ended::output_closed) : std::nullopt;
}

class ReplaySession final : public Session {
  public:
    ReplaySession(const Plan& plan, const Recording& recording, Printer& printer, machine::Machine machine,
                  Starters starters, std::optional<Signals> signals, std::unique_ptr<Impatience> impatience,
                  const ReplayOptions& options)
        : plan_(plan),
          recording_(recording),
          printer_(printer),
          options_(options),
          signals_(std::move(signals)),
          impatience_(std::move(impatience)),
          threads_(recording),
          starters_(std::move(starters)),
          until_(recording.end),
          run_(plan, printer, std::move(machine), [this] { return interrupted(); }) {
        run_.environment().knows_own_memory_only = true;
        run_.environment().instruction_limit = most_instructions;
        run_.environment().tai_offset = static_cast<uint64_t>(recording.unix_offset + tai_ahead);
        for (const PlannedSpan& span : plan.spans) run_.environment().owner_maps.push_back(span.symbol);
        run_.dispatcher().complain_to(options.messages, options.warnings);
        run_.dispatcher().use_clock(recording.unix_offset);
        const auto& maps = run_.machine().object().maps;
        if (std::ranges::find(maps, why_threads, &machine::MapDefinition::name) != maps.end())
            explainer_ = std::make_unique<Explainer>(recording);
    }

    void trace(const Target&) override {}
    std::vector<Refusal> attach() override;
    std::optional<Error> attach_error() const override { return failure_; }
    std::vector<size_t> taken() const override;
    std::vector<std::string> skipped(size_t) const override { return {}; }
    Status watch(int, std::function<void()>) override { return Done{}; }
    Status set_param(size_t index, const std::vector<uint8_t>& bytes) override;
    Result<std::vector<uint8_t>> params() const override { return run_.params(); }
    Result<MapContent> map(size_t index) override { return run_.maps().read(index); }
    Status clear(size_t index) override { return run_.maps().clear(index, false); }
    Result<OpenSpans> open_spans(size_t index) override { return run_.dispatcher().open_spans(index); }
    Status pause() override { return Done{}; }
    Status resume() override { return Done{}; }
    Status end_with(int) override { return Done{}; }
    Status end_after(uint64_t nanoseconds) override;
    void end_after_results(uint64_t count) override { run_.dispatcher().end_after(count); }
    Ended run() override;
    int descriptor() const override { return -1; }
    int patience() const override { return 0; }
    std::optional<Ended> turn() override { return run(); }
    void stop() override { end(Ended::interrupted); }
    Finished finish() override;
    int exit_status() const override { return run_.dispatcher().exit_status(); }
    uint64_t errors() const override { return run_.dispatcher().errors(); }
    std::vector<Loss> losses() const override { return run_.losses(); }
    std::vector<Missed> missed() const override { return {}; }
    Result<std::vector<Account>> accounts() const override;
    std::optional<TracingCost> costs() const override { return {}; }
    std::vector<ProgramFacts> facts() const override { return {}; }

  private:
    struct Timer {
        const PlannedProbe* probe;
        uint64_t next;
        uint64_t left;  // how often it still runs; 0: without a limit
    };
    Status replay();
    Status take(const Happening& happening);
    Status run_all(const Starters::Programs& programs, std::span<const uint8_t> context);
    Status call(const Happening& happening);
    Status run_timers(uint64_t until);
    Status run_timer(Timer& timer);
    void be_in(uint32_t tid, uint16_t cpu, uint64_t time);
    void be_lt(uint64_t time);
    bool interrupted();
    void end(std::optional<Ended> how);

    const Plan& plan_;
    const Recording& recording_;
    Printer& printer_;
    const ReplayOptions options_;
    std::optional<Signals> signals_;
    std::unique_ptr<Impatience> impatience_;  // reads them; or null
    const ThreadHistory threads_;
    const Starters starters_;
    std::unique_ptr<Explainer> explainer_;    // for `why`; null: the plan does not use it
    std::map<uint32_t, uint64_t> accounted_;  // by thread: until when its time is in its account
    std::vector<Timer> timers_;
    uint64_t until_;  // the recording's end, or earlier
    bool shortened_ = false;
    uint64_t questions_ = 0;  // since the running block began
    bool finishes_ = false;   // the blocks at the end run, although the run has ended
    std::optional<Error> failure_;
    std::optional<Ended> ended_;
    mutable InterpretedRun run_;  // its maps make elements when they are read
};

std::vector<Refusal> ReplaySession::attach() {
    if (options_.dry) return {};
    be_lt(recording_.begin);
    const Status begun = run_.begin([this](SessionValue what) { return session_value(recording_, what); });
    if (!begun) failure_ = begun.error();
    for (const PlannedProbe& probe : plan_.probes)
        if (probe.when == When::period) timers_.push_back({&probe, recording_.begin + probe.period_ns, probe.times});
    return {};
}

std::vector<size_t> ReplaySession::taken() const {
    std::vector<size_t> out;
    for (const PlannedProbe& probe : plan_.probes) {
        const Rung* rung = taken_rung(probe);
        out.push_back(rung ? static_cast<size_t>(rung - probe.rungs.data()) : 0);
    }
    return out;
}

Status ReplaySession::set_param(size_t index, const std::vector<uint8_t>& bytes) {
    auto all = run_.params();
    if (!all) return all.error();
    const size_t offset = plan_.params[index].offset;
    if (offset + bytes.size() > all->size()) return Error{"the parameter is not in the object", "", 0};
    std::ranges::copy(bytes, all->begin() + static_cast<ptrdiff_t>(offset));
    return run_.set_params(*all);
}

Status ReplaySession::end_after(uint64_t nanoseconds) {
    if (nanoseconds < until_ - recording_.begin) {
        until_ = recording_.begin + nanoseconds;
        shortened_ = true;
    }
    return Done{};
}

// The first reason counts.
void ReplaySession::end(std::optional<Ended> how) {
    if (!ended_) ended_ = how;
}

// Asked now and then; a block has no other limit.
bool ReplaySession::interrupted() {
    end(ended_from_outside(impatience_.get(), options_.output));
    if (++questions_ > most_instructions / instructions_between_questions && !failure_) {
        failure_ = Error{fmt::format("a block executed more than {} instructions", most_instructions),
                         "does one of its loops have no end?", 0};
        end(Ended::failed);
    }
    return failure_ || (ended_ && !finishes_);
}

Ended ReplaySession::run() {
    if (ended_) return *ended_;
    if (run_.ended()) end(run_.dispatcher().enough() ? Ended::enough : Ended::exit_called);
    if (const Status done = ended_ ? Status(Done{}) : replay(); !done) {
        failure_ = done.error();
        end(Ended::failed);
    }
    end(shortened_ ? Ended::time_over : Ended::watched_ended);
    return *ended_;
}

Status ReplaySession::replay() {
    constexpr uint64_t often = 16;
    uint64_t count = 0;
    for (const Happening& happening : happenings(recording_, starters_)) {
        if (happening.time > until_) break;
        if (auto ran = run_timers(happening.time); !ran) return ran;
        if (++count % often == 0) end(ended_from_outside(impatience_.get(), options_.output));
        if (ended_) return Done{};
        if (auto taken = take(happening); !taken) return taken;
        if (run_.ended()) end(run_.dispatcher().enough() ? Ended::enough : Ended::exit_called);
    }
    return ended_ ? Status(Done{}) : run_timers(until_);
}

Status ReplaySession::take(const Happening& happening) {
    const Record& record = *happening.record;
    if (happening.event) {
        const RecordedEvent& event = *happening.event;
        be_in(event.current(record), record.cpu, happening.time);
        return run_all(starters_.at(event), context_of(event, event.values(record, threads_)));
    }
    be_in(record.tid, record.cpu, happening.time);
    if (record.kind == RecordKind::exit) return run_all(starters_.at_exit(), std::vector<uint8_t>(8));
    return call(happening);
}

Status ReplaySession::call(const Happening& happening) {
    const Record& record = *happening.record;
    if (explainer_) {
        const Window since{std::exchange(accounted_[record.tid], record.time), record.time};
        if (const Status done = account(run_.machine(), *explainer_, record.tid, since); !done) return done;
    }
    if (happening.owner != 0) run_.environment().owner = happening.owner;
    const bool closes = record.kind == RecordKind::close;
    const auto& programs = closes ? starters_.at_close(span_of(record)) : starters_.at_opening(span_of(record));
    return run_all(programs, context_of_call(happening.depth, closes));
}

Status ReplaySession::run_all(const Starters::Programs& programs, std::span<const uint8_t> context) {
    for (const Starters::Program& program : programs) {
        auto ran = run_.machine().run(program.name, context);
        if (!ran) return ran.error_in(std::string(program.probe));
    }
    return run_.drain();
}

// Timers that are due by then, in their order.
Status ReplaySession::run_timers(uint64_t until) {
    for (;;) {
        const auto next = std::ranges::min_element(timers_, {}, &Timer::next);
        if (ended_ || next == timers_.end() || next->next > until) return Done{};
        if (auto ran = run_timer(*next); !ran) return ran;
        end(ended_from_outside(impatience_.get(), options_.output));
    }
}

Status ReplaySession::run_timer(Timer& timer) {
    be_lt(timer.next);
    timer.next += timer.probe->period_ns;
    const bool is_last = timer.left != 0 && --timer.left == 0;
    if (is_last) run_.dispatcher().note_printed();
    const Rung* rung = taken_rung(*timer.probe);
    if (auto ran = rung ? run_.run_program(*rung) : Status(Done{}); !ran) return ran.error_in(timer.probe->text);
    if (auto drained = run_.drain(); !drained) return drained;
    if (is_last || run_.ended()) end(run_.dispatcher().enough() ? Ended::enough : Ended::exit_called);
    return Done{};
}

void ReplaySession::be_in(uint32_t tid, uint16_t cpu, uint64_t time) {
    machine::Environment& e = run_.environment();
    e.now = time;
    e.cpu_number = cpu;
    e.owner.reset();
    e.task.pid = tid;
    e.task.tgid = threads_.process(tid, time);
    e.task.comm = threads_.comm(tid, time, cpu);
}

// Blocks that lt runs are in no thread of the recording.
void ReplaySession::be_lt(uint64_t time) {
    questions_ = 0;
    be_in(0, 0, time);
    run_.environment().task.comm = own_name;
}

// A recording's results are not those of this host, so there is nothing that could be merged.
Session::Finished ReplaySession::finish() {
    Finished out;
    if (impatience_) impatience_->run_is_over();
    finishes_ = true;
    if (!options_.dry && ended_ != Ended::failed) {
        const bool was_whole = ended_ == Ended::time_over || ended_ == Ended::watched_ended;
        be_lt(was_whole ? until_ : run_.environment().now);
        if (auto finished = run_.finish(); !finished) out.failure = finished.error();
    }
    printer_.flush();
    report_losses(recording_.account, explainer_ != nullptr, threads_.incomplete(), printer_, options_.messages);
    if (failure_ && !out.failure) out.failure = failure_;
    return out;
}

Result<std::vector<Session::Account>> ReplaySession::accounts() const {
    std::vector<Account> all;
    for (uint32_t span = 0; span < plan_.spans.size(); span++) {
        auto account = run_.account(span);
        if (!account) return account.error();
        all.push_back(*account);
    }
    return all;
}

}  // namespace

Result<std::unique_ptr<Session>> load_replay(const Plan& plan, const Recording& recording, Printer& printer,
                                             const ReplayOptions& options) {
    if (!plan.timeouts.empty()) return Error{"a span's timeout cannot be read from a recording", "", 0};
    if (std::ranges::any_of(plan.events, [](const PlannedEvent& e) { return e.kind == EventKind::spans; }))
        return Error{"`print()` of the spans that are open cannot be read from a recording", "", 0};
    auto starters = Starters::of(plan);
    if (!starters) return starters.error();
    auto object = machine::Object::read(plan.object);
    if (!object) return object.error();
    // Nothing runs at the same time, so one place for all CPUs is enough.
    auto machine = machine::Machine::create(*std::move(object), 1);
    if (!machine) return machine.error();
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
    return std::unique_ptr<Session>(std::make_unique<ReplaySession>(plan, recording, printer, *std::move(machine),
                                                                    *std::move(starters), std::move(signals),
                                                                    std::move(impatience), options));
}

void name_recorded_spans(Plan& plan, const Recording& recording) {
    const auto rename = [&](std::string& text) {
        const size_t colon = text.find(':');
        const auto span = colon == text.npos ? std::nullopt : span_of_function(text.substr(colon + 1));
        if (span && *span < recording.spans.size()) text = recording.spans[*span];
    };
    for (PlannedSpan& span : plan.spans) rename(span.text);
    for (PlannedProbe& probe : plan.probes) rename(probe.text);
}

}  // namespace lt
