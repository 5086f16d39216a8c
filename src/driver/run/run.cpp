#include "driver/run/run.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/text.h"
#include "base/visible.h"
#include "driver/cli/notify.h"
#include "driver/cli/progress.h"
#include "driver/cli/standard_streams.h"
#include "driver/control/protocol.h"
#include "driver/report/report.h"
#include "driver/report/uncovered.h"
#include "driver/target/chosen_kernel.h"
#include "runtime/border/duration.h"
#include "runtime/os/mounts.h"
#include "runtime/os/timestamps.h"
#include "runtime/recorder/snapshots.h"
#include "runtime/replay/replay_session.h"
#include "stdlib/settings.h"

namespace lt {
namespace {

// Does the probe wait for something, so that the run continues?
bool lasting(const PlannedProbe& p) {
    return !p.internal &&
           (p.when == When::attached || p.when == When::period || p.when == When::signal || p.when == When::set);
}

// The only trace of its process.
class Alone final : public Traces {
  public:
    explicit Alone(Trace& trace) : trace_(trace) {}
    std::vector<Trace*> traces() override { return {&trace_}; }
    Status stop(Trace& trace) override {
        trace.session().stop();
        return Done{};
    }

  private:
    Trace& trace_;
};

// FNV-1a: differs if scripts do, unless somebody makes them so.
std::string script_checksum(std::string_view text) {
    uint64_t sum = 0xcbf29ce484222325;
    for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return fmt::format("{:016x}", sum);
}

// Why there is no descriptor of a process: the number may be that of one of its threads.
Error lacks_process(int number, int code) {
    const Result<std::string> status = read_text(fmt::format("/proc/{}/status", number));
    constexpr std::string_view field = "\nTgid:\t";
    const size_t at = status ? status->find(field) : std::string::npos;
    if (at == std::string::npos) return system_error(fmt::format("process {}", number), code);
    const std::string_view rest = std::string_view(*status).substr(at + field.size());
    const auto process = parse_number<int>(rest.substr(0, rest.find('\n')));
    if (!process || *process == number) return system_error(fmt::format("process {}", number), code);
    return Error{fmt::format("{} is a thread of process {}", number, *process),
                 fmt::format("`-p {}`, and the predicate `/tid == {}/` for this thread alone", *process, number), 0};
}

}  // namespace

bool is_last(const Plan& plan, const Refusal& refusal) {
    if (refusal.way == Way::typed_tracepoint) return plan.probes[refusal.probe].internal;
    return !way_row(refusal.way).function || refusal.way == Way::uprobe;
}

size_t own_probes(const Plan& plan) {
    const auto is_own = [](const PlannedProbe& p) { return !p.internal; };
    return static_cast<size_t>(std::ranges::count_if(plan.probes, is_own));
}

size_t planned_places(const Plan& plan) {
    size_t places = 0;
    for (const PlannedProbe& p : plan.probes)
        if (lasting(p)) places += p.places;
    return places;
}

// ---- before the run

Result<std::unique_ptr<Run>> Run::open(const Command& command, const Source& source, const Shared& shared,
                                       RunSettings settings) {
    std::unique_ptr<Run> run(new Run(command, source, shared, settings));
    const Status opened = run->open_output();
    return opened ? Result<std::unique_ptr<Run>>(std::move(run)) : opened.error();
}

// All results are printed by now, but the kernel can take 50 ms to detach each location.
Run::~Run() {
    if (session_ && settings_.shows_progress) {
        const Progress progress(fmt::format("detaching {} locations", planned_places(*plan_)));
        session_.reset();
    }
    if (process_ >= 0) close(process_);
}

Status Run::open_output() {
    if (command_.has(Option::live) && shared_.alone) {
        for (const Option other : {Option::output, Option::format, Option::folded})
            if (command_.has(other))
                return Error{"--live shows results on the terminal, as text", "leave out -o, -f and --folded", 0};
        Result<std::unique_ptr<LiveView>> live = LiveView::open();
        if (!live) return live.error();
        live_ = *std::move(live);
        outlive_reader();
    }
    Result<std::unique_ptr<Output>> output = Output::open(command_, live_ ? &live_->sink() : shared_.sink);
    if (!output) return output.error();
    output_ = *std::move(output);
    return Done{};
}

Status Run::start_command(Child::Memory memory) {
    if (!command_.has(Option::command) || child_) return Done{};
    const auto quotes = settings_of(source_.spoken()).quotes_stand ? Child::Quotes::stand : Child::Quotes::taken_off;
    Result<std::unique_ptr<Child>> child = Child::start(command_.text(Option::command), quotes, memory);
    if (!child) return child.error();
    child_ = *std::move(child);
    return Done{};
}

// The default limit only warns: the user did not ask to trace less.
OverheadOptions Run::overhead() {
    if (shared_.overhead) return *shared_.overhead;
    OverheadOptions options;
    options.measured = command_.has(Option::stats);
    options.enforced = settings_.max_overhead.has_value();
    options.budget = settings_.max_overhead.value_or(options.budget);
    options.tell = [this](const OverheadNews& news) { report_overhead(news, printer(), messages()); };
    return options;
}

// With what its files say about this run.
KeepOptions Run::keep() const {
    KeepOptions options = settings_.keep;
    options.version = LT_VERSION;
    options.script = source_.text;
    options.arguments = command_.positional;
    return options;
}

// Messages appear above a view that redraws in place.
std::FILE* Run::messages() const { return live_ && isatty(STDERR_FILENO) != 0 ? live_->messages() : shared_.messages; }

// ---- the parts of a run

Result<std::unique_ptr<Session>> Run::load_session(const Plan& plan, Stage last, std::vector<Refusal>& refused) {
    const bool dry = shared_.alone && last == Stage::attach;
    if (settings_.recording)
        return load_replay(plan, *settings_.recording, printer(),
                           {.output = shared_.alone ? output_->descriptor() : -1,
                            .messages = messages(),
                            .warnings = !command_.has(Option::no_warnings),
                            .takes_signals = shared_.alone,
                            .dry = dry});
    return Session::load(plan, printer(),
                         {.output = shared_.alone ? output_->descriptor() : -1,
                          .source_lines = command_.has(Option::verbose),
                          .debug_folders = debug_folders(command_),
                          .messages = messages(),
                          .warnings = !command_.has(Option::no_warnings),
                          .takes_signals = shared_.alone && last != Stage::load,
                          .hangup_ends = shared_.hangup_ends,
                          .process_ends = shared_.alone,
                          .command = command_pid(),
                          .overhead = overhead(),
                          .keep = keep(),
                          .early_maps = early_ ? early_->maps() : nullptr,
                          .unsafe = command_.has(Option::unsafe),
                          .dry = dry,
                          .start = shared_.alone ? settings_.start : std::nullopt,
                          .awaits = [this](int64_t time) { wait_for(time); },
                          .refused = &refused});
}

void Run::prepare(const Plan& plan) {
    if (!settings_.recording) early_ = std::make_unique<Early>(plan);
}

Result<std::vector<Refusal>> Run::load(const Plan& plan, Stage last) {
    const auto memory = plan.conventions.binds_command ? Child::Memory::copied : Child::Memory::shared;
    if (const Status started = start_command(memory); !started) return started.error();
    if (settings_.keeps && !takes_snapshots(plan))
        return Error{"--keep needs a script that calls `snapshot()`",
                     "call it in the block of a span, for example `sc:fsync > 100ms < snapshot(); >`", 0};
    if (const Status begun = output_->begin(plan); !begun) return begun.error();
    plan_ = &plan;
    std::vector<Refusal> refused;
    Result<std::unique_ptr<Session>> session = load_session(plan, last, refused);
    if (early_ && (session || refused.empty())) early_->loaded();
    if (session) {
        session_ = *std::move(session);
        session_->end_after_results(settings_.most_results);
        return std::vector<Refusal>{};
    }
    const Error& e = session.error();
    if (refused.empty() || std::ranges::any_of(refused, [&](const Refusal& r) { return is_last(plan, r); })) return e;
    const bool of_verifier = e.hint.find('\n') != std::string::npos;
    if (of_verifier) fmt::print(messages(), "lt: {}: {}; trying another way\n", way_name(refused.front().way), e.what);
    return refused;
}

namespace {

// Each location of a pattern can need an open file. The command of -c, which is running already, keeps its limit.
void allow_many_files() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);  // the run may still work with fewer
}

}  // namespace

Result<std::vector<Refusal>> Run::attach() {
    const Traced& traced = settings_.traced;
    if (traced.process != 0) {
        if (const Status watched = watch_process(); !watched) return watched.error();
        session_->trace({traced.process, traced.by == TracedBy::process, false});
    } else if (child_) {
        session_->trace({child_->pid(), plan_->conventions.binds_command && traced.by == TracedBy::all, true});
    }
    allow_many_files();
    std::vector<Refusal> refusals = session_->attach();
    if (early_) early_->attached();
    if (!refusals.empty()) return refusals;
    if (const auto e = session_->attach_error()) return *e;
    if (command_.has(Option::verbose) && !settings_.recording) print_ways();
    print_skipped();
    return refusals;
}

void Run::print_ways() {
    if (plan_->skips_own)
        fmt::print(shared_.messages,
                   "system calls of lt itself and functions that it calls are left out; --self shows them\n");
    const std::vector<size_t> taken = session_->taken();
    for (size_t i = 0; i < plan_->probes.size(); i++) {
        const PlannedProbe& probe = plan_->probes[i];
        if (probe.rungs[taken[i]].way == Way::host) fmt::print(shared_.messages, "{}: run by lt itself\n", probe.text);
        if (probe.when != When::attached || probe.internal) continue;
        const std::string places = probe.places > 1 ? fmt::format(" ({} locations)", probe.places) : "";
        fmt::print(shared_.messages, "{}{}: attached by {}\n", probe.text, places, way_name(probe.rungs[taken[i]].way));
        for (size_t r = 0; r < taken[i]; r++) {
            fmt::print(shared_.messages, "    not by {}: {}\n", way_name(probe.rungs[r].way), probe.rungs[r].refused);
        }
    }
}

void Run::print_skipped() {
    for (size_t i = 0; i < plan_->probes.size(); i++) {
        const std::vector<std::string> skipped = session_->skipped(i);
        const size_t shown = command_.has(Option::verbose) ? skipped.size() : std::min<size_t>(skipped.size(), 1);
        if (shown == 0) continue;
        fmt::print(shared_.messages, "lt: {}: {} of {} locations cannot be attached{}\n", plan_->probes[i].text,
                   skipped.size(), plan_->probes[i].places,
                   shown < skipped.size() ? ", for example (-v lists all):" : ":");
        for (size_t k = 0; k < shown; k++) fmt::print(shared_.messages, "    {}\n", visible(skipped[k]));
    }
}

size_t Run::places() const {
    size_t skipped = 0;
    for (size_t i = 0; i < plan_->probes.size(); i++)
        if (lasting(plan_->probes[i])) skipped += session_->skipped(i).size();
    return planned_places(*plan_) - skipped;
}

// Counts as bpftrace does: every match of every probe, and the blocks that run at the start and the end.
size_t Run::attached() const {
    const auto is_once = [](const PlannedProbe& p) {
        return !p.internal && (p.when == When::begin || p.when == When::end || p.when == When::once);
    };
    return places() + static_cast<size_t>(std::ranges::count_if(plan_->probes, is_once));
}

Status Run::collect() {
    const Status begun = begin();
    return begun ? end(session_->run()) : begun;
}

Status Run::begin() {
    began_ = std::chrono::steady_clock::now();
    trace_ = std::make_unique<Trace>(1, source_.text, *plan_, *session_, output_->view());
    traces_ = std::make_unique<Alone>(*trace_);
    if (command_.has(Option::history)) {
        if (const Status kept = trace_->keep_history(); !kept) return kept;
    }
    if (settings_.recording) return settings_.duration_ns == 0 ? Done{} : session_->end_after(settings_.duration_ns);
    if (Page* page = output_->page()) {
        looks_ = std::make_unique<PageLooks>(*page, *plan_, *session_);
        if (const Status started = looks_->start(); !started) return started;
    }
    if (std::ranges::any_of(plan_->probes, lasting)) listen();
    const bool as_bpftrace = plan_->conventions.announces_attached;
    if (session_->started()) print_start();
    output_->announce(as_bpftrace ? attached() : places(), as_bpftrace);  // a reader may send a request at once
    if (live_) {
        live_->show(*traces_);
        if (const Status timed = session_->watch(live_->descriptor(), [this] { live_->tick(); }); !timed) return timed;
    }
    input_ = ScriptInput::of(*plan_, *trace_, shared_.messages);
    if (input_) {
        if (const Status watched = input_->watch(*session_); !watched) return watched;
    }
    if (child_) {
        if (const Status released = release_child(); !released) return released;
    }
    return settings_.duration_ns == 0 ? Done{} : session_->end_after(time_left());
}

// Counted from the time to start at.
uint64_t Run::time_left() const {
    const std::optional<Started> started = session_->started();
    if (!started) return settings_.duration_ns;
    const auto spent = static_cast<uint64_t>(std::max<int64_t>(unix_now() - started->at, 0));
    return spent < settings_.duration_ns ? settings_.duration_ns - spent : 1;
}

void Run::wait_for(int64_t time) {
    awaited_ = time;
    if (time != 0 && !command_.has(Option::quiet) && !settings_.shows_progress)
        fmt::print(shared_.messages, "lt: ready; starts at {}\n", time_of_day(time));
}

std::string Run::waiting() const {
    const int64_t time = awaited_;
    if (time == 0) return {};
    constexpr int64_t second = 1'000'000'000;
    return fmt::format("starts at {}, in {} s", time_of_day(time), (time - unix_now() + second - 1) / second);
}

void Run::print_start() {
    const Started started = *session_->started();
    if (!command_.has(Option::quiet))
        fmt::print(shared_.messages, "lt: started at {}; all was attached {} later\n", time_of_day(started.at),
                   show_duration(started.late));
    if (!command_.has(Option::no_warnings) && !clock_is_synchronized())
        fmt::print(shared_.messages,
                   "lt: this machine's clock is not synchronized, so others may have started at another time\n");
}

Status Run::end(Ended how) {
    ended_ = std::chrono::steady_clock::now();
    if (trace_) paused_ = trace_->paused_time();
    if (live_) live_->end();
    if (shared_.alone) notify_service("STOPPING=1\nSTATUS=Printing the results", true);
    input_.reset();
    const Session::Finished finished = session_->finish();
    report_end();
    if (how != Ended::watched_ended) report_threads();
    if (!settings_.recording) print_run(finished.maps);
    exit_status_ = session_->exit_status();
    if (command_.verb == "wait") report_wait(how);
    const Status written = output_->finish(source_.text);
    return finished.failure ? Status(*finished.failure) : written;
}

// The run succeeds only if what it waited for happened, or if the script itself says so.
void Run::report_wait(Ended how) {
    if (how == Ended::enough || how == Ended::exit_called || session_->has_happened()) return;
    const std::string times = settings_.most_results == 1 ? "" : " " + plural(settings_.most_results, "time");
    fmt::print(shared_.messages, "lt: it did not happen{}\n", times);
    if (exit_status_ == 0) exit_status_ = 1;
}

// Opens the control socket. The run continues if that fails.
void Run::listen() {
    Result<std::unique_ptr<Control>> control =
        Control::listen([this](std::string_view request) { return reply(*traces_, request); });
    if (!control) {
        fmt::print(stderr, "lt: `lt ctl` cannot reach this process: {}\n", control.error().what);
        return;
    }
    control_ = std::move(*control);
    const Status watched = session_->watch(control_->descriptor(), [this] { control_->serve(); });
    if (!watched) control_.reset();
}

// The run ends with the process, if not earlier.
Status Run::watch_process() {
    if (process_ < 0) process_ = static_cast<int>(syscall(SYS_pidfd_open, settings_.traced.process, 0));
    if (process_ < 0) return lacks_process(settings_.traced.process, errno);
    if (!std::ranges::any_of(plan_->probes, lasting)) return Done{};
    return session_->end_with(process_);
}

Status Run::release_child() {
    if (const Status watched = session_->end_with(child_->descriptor()); !watched) return watched;
    // Requests of BEGIN are done before the command runs. If one of them or a signal has ended the run, it does not
    // start.
    return session_->turn() ? Done{} : child_->release();
}

void Run::report_end() {
    if (child_) {
        const std::string trouble = child_->trouble();
        if (!trouble.empty()) fmt::print(shared_.messages, "lt: the command {}\n", trouble);
    }
    lt::report_end(*plan_, *session_, printer(), {command_.has(Option::stats), source_.name}, shared_.messages);
}

// Of `lt why -p PID`. What is left out on purpose is reported already.
void Run::report_threads() {
    const bool explains = source_.name == threads_script && settings_.traced.process != 0 && !settings_.recording;
    if (!explains || settings_.max_overhead || plan_->maps.empty() || plan_->spans.empty()) return;
    const std::chrono::steady_clock::duration time = ended_ - began_ - paused_;
    report_uncovered(*session_, {settings_.traced.process, ended_, time}, printer(), shared_.messages);
}

// The last line of JSON, so that what a reader has with it is complete. In a .bt program JSON is bpftrace's.
void Run::print_run(const std::vector<ResultFact>& maps) {
    if (plan_->conventions.plain_integers) return;
    utsname machine{};
    uname(&machine);
    RunFact run{LT_VERSION,
                {machine.nodename},
                source_.name,
                script_checksum(source_.text),
                {},
                maps,
                std::chrono::duration<double>(ended_ - began_ - paused_).count(),
                session_->started()};
    for (const ParamSetting& p : command_.params) run.arguments.push_back(fmt::format("--{}={}", p.name, p.text));
    run.arguments.insert(run.arguments.end(), command_.positional.begin(), command_.positional.end());
    printer().run(run);
}

}  // namespace lt
