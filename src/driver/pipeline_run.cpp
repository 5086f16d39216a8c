// The part of a run that touches the kernel: what was compiled is loaded, attached, waited for and ended.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "notify.h"
#include "pipeline.h"
#include "protocol.h"

namespace lt {
namespace {

// Does it wait for something, so that the run goes on?
bool lasting(const PlannedProbe& p) {
    return !p.internal &&
           (p.when == When::attached || p.when == When::period || p.when == When::signal || p.when == When::set);
}

// Below these no other way stands on a ladder.
bool is_last(Way way) {
    constexpr std::array ways{Way::tracepoint, Way::raw_tracepoint, Way::uprobe,  Way::run,        Way::perf_event,
                              Way::iterator,   Way::host,           Way::sockets, Way::system_call};
    return std::find(ways.begin(), ways.end(), way) != ways.end();
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

// The first line that reads so; none if it is empty.
Span span_of_line(std::string_view text, std::string_view line) {
    const size_t at = line.empty() ? text.npos : text.find(line);
    if (at == text.npos) return {};
    return {static_cast<uint32_t>(at), static_cast<uint32_t>(at + line.size())};
}

}  // namespace

// The default is only told: nobody has asked for less to be traced.
OverheadOptions Pipeline::overhead() {
    OverheadOptions options;
    options.measured = command_.has(Option::stats);
    options.enforced = max_overhead_.has_value();
    options.budget = max_overhead_.value_or(options.budget);
    options.tell = [this](const OverheadNews& news) { tell_overhead(news, output_->printer(), messages()); };
    return options;
}

// While a view is drawn in its place, that is above it.
std::FILE* Pipeline::messages() const {
    return live_ && isatty(STDERR_FILENO) != 0 ? live_->messages() : shared_.messages;
}

bool Pipeline::load() {
    draw_diags();
    if (!start_command()) return false;
    if (const Status begun = output_->begin(ir_.plan); !begun) return refuse(begun.error());
    Result<std::unique_ptr<Session>> session = Session::load(ir_.plan, output_->printer(),
                                                             {.output = shared_.alone ? output_->descriptor() : -1,
                                                              .source_lines = command_.has(Option::verbose),
                                                              .debug_folders = debug_folders(command_),
                                                              .messages = messages(),
                                                              .warnings = !command_.has(Option::no_warnings),
                                                              .takes_signals = shared_.alone && last_stage_ != "load",
                                                              .command = child_ ? child_->pid() : 0,
                                                              .overhead = overhead(),
                                                              .dry = shared_.alone && last_stage_ == "attach"});
    if (!session) {
        const Error& e = session.error();
        const size_t log = e.hint.find('\n');
        const bool shorter = log != std::string::npos && !command_.has(Option::verbose);
        std::string hint = shorter ? e.hint.substr(0, log) + "; -v shows the verifier's log" : e.hint;
        // what the script's own C does is not for lt to prove
        if (log != std::string::npos && !c_code_.empty() && hint.starts_with("this is a mistake of lt"))
            hint = "in the program's C each index and size must be seen to stay in bounds" +
                   hint.substr(hint.find(shorter ? ';' : '\n', shorter ? log : 0));
        diags_.error(span_of_line(source_.text, e.line), e.what).hint = std::move(hint);
        return false;
    }
    session_ = std::move(*session);
    session_->end_after_results(most_results_);
    return true;
}

namespace {

// Each place of a pattern can be an open file. The command of -c, which runs already, keeps its limit.
void allow_many_files() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);  // with fewer it may still do
}

}  // namespace

bool Pipeline::attach() {
    const Traced& traced = resolve_options_.traced;
    if (traced.process != 0 && !watch_process()) return false;
    const bool bound = ir_.plan.binds_command && traced.by == TracedBy::all;
    if (traced.process != 0)
        session_->trace({traced.process, traced.by == TracedBy::process, false});
    else if (child_)
        session_->trace({child_->pid(), bound, true});
    allow_many_files();
    const std::vector<Refusal> refusals = session_->attach();
    if (!refusals.empty()) return compile_again(refusals);
    if (const auto e = session_->attach_error()) return refuse(*e);
    if (command_.has(Option::verbose)) tell_ways();
    tell_skipped();
    return true;
}

// What a kernel allows is only known by trying: the rungs that it refused are ruled out, and the ladder's next ones are
// compiled.
bool Pipeline::compile_again(const std::vector<Refusal>& refusals) {
    for (const Refusal& r : refusals) {
        const Rung* rung = nullptr;
        for (const Rung& candidate : ir_.plan.probes[r.probe].rungs) {
            if (candidate.way == r.way) rung = &candidate;
        }
        if (!rung || rung->attachments.empty() || is_last(r.way)) {
            diags_.error(ir_.plan.probes[r.probe].span,
                         fmt::format("cannot attach {}: {}", ir_.plan.probes[r.probe].text, r.why));
            return false;
        }
        resolve_options_.ruled_out.push_back({rung->attachments.front().function, r.way, r.why});
    }
    session_.reset();
    if (saved_) {
        refused_ = resolve_options_.ruled_out;
        return fit() && load() && attach();
    }
    diags_ = {};
    const size_t notes_drawn = drawn_;
    const bool compiled = parse() && resolve() && check() && lower() && emit();
    drawn_ = compiled ? std::min(notes_drawn, diags_.all().size()) : 0;
    return compiled && load() && attach();
}

void Pipeline::tell_ways() {
    const std::vector<size_t> taken = session_->taken();
    for (size_t i = 0; i < ir_.plan.probes.size(); i++) {
        const PlannedProbe& probe = ir_.plan.probes[i];
        if (probe.rungs[taken[i]].way == Way::host) fmt::print(shared_.messages, "{}: lt itself runs it\n", probe.text);
        if (probe.when != When::attached || probe.internal) continue;
        const std::string places = probe.places > 1 ? fmt::format(" ({} places)", probe.places) : "";
        fmt::print(shared_.messages, "{}{}: attached by {}\n", probe.text, places, way_name(probe.rungs[taken[i]].way));
        for (size_t r = 0; r < taken[i]; r++) {
            fmt::print(shared_.messages, "    not by {}: {}\n", way_name(probe.rungs[r].way), probe.rungs[r].refused);
        }
    }
}

void Pipeline::tell_skipped() {
    for (size_t i = 0; i < ir_.plan.probes.size(); i++) {
        const std::vector<std::string> skipped = session_->skipped(i);
        const size_t shown = command_.has(Option::verbose) ? skipped.size() : std::min<size_t>(skipped.size(), 1);
        if (shown == 0) continue;
        fmt::print(shared_.messages, "lt: {}: {} of {} places cannot be attached{}\n", ir_.plan.probes[i].text,
                   skipped.size(), ir_.plan.probes[i].places,
                   shown < skipped.size() ? ", this one among them (-v tells all):" : ":");
        for (size_t k = 0; k < shown; k++) fmt::print(shared_.messages, "    {}\n", skipped[k]);
    }
}

size_t Pipeline::planned_places() const {
    size_t places = 0;
    for (const PlannedProbe& p : ir_.plan.probes)
        if (lasting(p)) places += p.places;
    return places;
}

size_t Pipeline::places() const {
    size_t skipped = 0;
    for (size_t i = 0; i < ir_.plan.probes.size(); i++)
        if (lasting(ir_.plan.probes[i])) skipped += session_->skipped(i).size();
    return planned_places() - skipped;
}

// As bpftrace counts: every match of every probe, and the blocks that run at the beginning and at the end.
size_t Pipeline::attached() const {
    const auto is_once = [](const PlannedProbe& p) {
        return !p.internal && (p.when == When::begin || p.when == When::end || p.when == When::once);
    };
    return places() + static_cast<size_t>(std::ranges::count_if(ir_.plan.probes, is_once));
}

bool Pipeline::collect() { return begin() && end(session_->run()); }

bool Pipeline::begin() {
    trace_ = std::make_unique<Trace>(1, source_.text, ir_.plan, *session_);
    traces_ = std::make_unique<Alone>(*trace_);
    if (std::ranges::any_of(ir_.plan.probes, lasting)) listen();
    const bool as_bpftrace = ir_.plan.announces_probes;
    output_->announce(as_bpftrace ? attached() : places(), as_bpftrace);  // who reads it may ask at once
    if (live_) {
        live_->show(*traces_);
        if (const Status timed = session_->watch(live_->descriptor(), [this] { live_->tick(); }); !timed)
            return refuse(timed.error());
    }
    input_ = ScriptInput::of(ir_.plan, *trace_, shared_.messages);
    if (input_) {
        if (const Status watched = input_->watch(*session_); !watched) return refuse(watched.error());
    }
    if (child_ && !release_child()) return false;
    if (duration_ns_ == 0) return true;
    const Status timed = session_->end_after(duration_ns_);
    return timed ? true : refuse(timed.error());
}

bool Pipeline::end(Ended how) {
    if (live_) live_->end();
    if (shared_.alone) notify_service("STOPPING=1\nSTATUS=Printing the results");
    input_.reset();
    const Status finished = session_->finish();
    tell_end();
    exit_status_ = session_->exit_status();
    if (command_.waits) tell_wait(how);
    const Status written = output_->finish();
    const bool fine = (finished || refuse(finished.error())) && (written || refuse(written.error()));
    draw_diags();
    return fine;
}

// Success is only what was waited for, or what the program itself says.
void Pipeline::tell_wait(Ended how) {
    if (how == Ended::enough || how == Ended::exit_called) return;
    fmt::print(shared_.messages, "lt: it did not happen {} time{}\n", most_results_, most_results_ == 1 ? "" : "s");
    if (exit_status_ == 0) exit_status_ = 1;
}

// It can be asked from outside. Where it cannot listen it traces nevertheless.
void Pipeline::listen() {
    Result<std::unique_ptr<Control>> control =
        Control::listen([this](std::string_view request) { return reply(*traces_, request); });
    if (!control) {
        fmt::print(stderr, "lt: cannot be asked from outside (lt ctl): {}\n", control.error().what);
        return;
    }
    control_ = std::move(*control);
    const Status watched = session_->watch(control_->descriptor(), [this] { control_->serve(); });
    if (!watched) control_.reset();
}

// The run ends with it, if not by itself before.
bool Pipeline::watch_process() {
    if (process_ < 0) process_ = static_cast<int>(syscall(SYS_pidfd_open, resolve_options_.traced.process, 0));
    if (process_ < 0) return refuse(system_error(fmt::format("process {}", resolve_options_.traced.process), errno));
    if (!std::ranges::any_of(ir_.plan.probes, lasting)) return true;
    const Status watched = session_->end_with(process_);
    return watched ? true : refuse(watched.error());
}

bool Pipeline::release_child() {
    if (const Status watched = session_->end_with(child_->descriptor()); !watched) return refuse(watched.error());
    session_->turn();  // what BEGIN asks for is done before the command runs
    const Status released = child_->release();
    return released ? true : refuse(released.error());
}

void Pipeline::tell_end() {
    if (child_) {
        const std::string trouble = child_->trouble();
        if (!trouble.empty()) fmt::print(shared_.messages, "lt: the command {}\n", trouble);
    }
    lt::tell_end(ir_.plan, *session_, output_->printer(), {command_.has(Option::stats), source_.name},
                 shared_.messages);
}

}  // namespace lt
