#include "driver/triage/watch.h"

#include <fmt/format.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>
#include <vector>

#include "base/text.h"
#include "compile/compile.h"
#include "driver/triage/programs.h"
#include "runtime/os/descriptor.h"
#include "runtime/print/printer.h"
#include "runtime/session/session.h"

namespace lt::triage {
namespace {

constexpr uint32_t map_keys = 2048;  // of maps that do not say; the kernel allocates all at once

// Keeps the maps that are printed at the end.
class Kept final : public Printer {
  public:
    explicit Kept(Watched& watched) : watched_(watched) {}
    void at(std::optional<int64_t>) override {}
    void text(std::string_view) override {}
    void map(const MapContent& content) override { watched_.maps[content.name] = content.entries.all(); }
    void open_spans(const OpenSpans&) override {}
    void value(const Value&) override {}
    void histogram(const Value&, SampleHistogram) override {}
    void attached(size_t) override {}
    void lost(const LossFact&) override {}
    void missed(const MissedFact&) override {}
    void account(const AccountFact&) override {}
    void fact(const Fact&) override {}
    void flush() override {}

  private:
    Watched& watched_;
};

std::string first_error(const Diags& diags) {
    for (const Diag& diag : diags.all())
        if (diag.severity == Severity::error) return diag.message;
    return "unknown";
}

struct Build {
    Source source;
    Compiled compiled;
    CompileOptions options;
    Diags diags;
};

bool make(Build& build, Kernel& kernel) {
    build.diags = {};
    build.compiled = compile(build.source, kernel, build.options, build.diags);
    return !build.diags.has_errors();
}

void prepare(Build& build, std::string text) {
    build = {};
    build.source = {"lt triage", std::move(text)};
    build.options.resolve.params = {{"own", std::to_string(getpid())}};
    build.options.resolve.max_keys = map_keys;
    build.options.resolve.accounts = true;
}

// All programs, or those that this kernel can have.
Result<Build> build_programs(Kernel& kernel, const WatchOptions& options, Watched& watched) {
    Build build;
    std::vector<bool> chosen(programs().size(), true);
    prepare(build, script(chosen, options.listening));
    if (make(build, kernel)) return build;
    for (size_t i = 0; i < chosen.size(); i++) {
        std::vector<bool> alone(chosen.size(), false);
        alone[0] = alone[i] = true;
        prepare(build, script(alone, options.listening));
        chosen[i] = make(build, kernel);
        if (chosen[i]) continue;
        if (i == 0)
            return Error{"this kernel does not show what threads wait for: " + first_error(build.diags),
                         "`lt doctor` says what this machine allows", 0};
        watched.missing.push_back(
            fmt::format("{} cannot be seen here: {}", programs()[i].without, first_error(build.diags)));
    }
    prepare(build, script(chosen, options.listening));
    if (!make(build, kernel)) return Error{"cannot compile its programs: " + first_error(build.diags), "", 0};
    return build;
}

// Rules out the ways that the kernel refused, and compiles again.
Status make_again(Build& build, Kernel& kernel, const std::vector<Refusal>& refusals) {
    for (const Refusal& refusal : refusals) {
        const PlannedProbe& probe = build.compiled.plan.probes[refusal.probe];
        const auto rung = std::ranges::find(probe.rungs, refusal.way, &Rung::way);
        const bool last = rung == probe.rungs.end() || rung->attachments.empty() || rung + 1 == probe.rungs.end();
        if (last) return Error{fmt::format("cannot attach {}: {}", probe.text, refusal.why), "", 0};
        build.options.resolve.ruled_out.push_back({subject(rung->attachments.front()), refusal.way, refusal.why});
    }
    if (!make(build, kernel)) return Error{"cannot compile its programs: " + first_error(build.diags), "", 0};
    return Done{};
}

uint64_t hidden_switches(const std::vector<Loss>& losses) {
    uint64_t count = 0;
    for (const Loss& loss : losses)
        if (loss.kind == LossKind::hidden_switch) count += loss.count;
    return count;
}

class Watch {
  public:
    Watch(Kernel& kernel, const WatchOptions& options) : kernel_(kernel), options_(options), kept_(watched_) {}
    Result<Watched> run(const std::function<void()>& begun) {
        Result<Build> build = build_programs(kernel_, options_, watched_);
        if (!build) return build.error();
        build_ = *std::move(build);
        if (const Status started = start(); !started) return started.error();
        begun();
        if (const Status zero = forget_attaching(); !zero) return zero.error();
        if (const Status timed = session_->end_after(options_.duration_ns); !timed) return timed.error();
        if (const Status limited = limit(); !limited) return limited.error();
        for (const auto& [descriptor, work] : options_.others) {
            const auto serve = [this, &work] {
                if (work()) session_->stop();
            };
            if (const Status watched = session_->watch(descriptor, serve); !watched) return watched.error();
        }
        session_->run();
        return end();
    }

  private:
    Status start();
    Status forget_attaching();
    Status limit();
    Result<Watched> end();
    uint64_t skipped() const;
    void hear(const OverheadNews& news) {
        if (news.what == OverheadNews::What::unmeasured)
            watched_.missing.emplace_back(
                "the kernel stopped measuring what programs cost, so lt's own cost is not known and was not limited");
    }

    Kernel& kernel_;
    const WatchOptions& options_;
    Watched watched_;
    Kept kept_;
    Build build_;
    std::unique_ptr<Session> session_;
    Descriptor timer_;
    std::chrono::steady_clock::time_point begin_;
    uint64_t hidden_before_ = 0;  // switches that came while not all was attached yet
};

Status Watch::start() {
    for (;;) {
        std::vector<Refusal> refused;
        session_.reset();
        Result<std::unique_ptr<Session>> session = Session::load(
            build_.compiled.plan, kept_,
            {.output = options_.output,
             .takes_signals = options_.takes_signals,
             .overhead = {.measured = true, .budget = 1, .tell = [this](const OverheadNews& news) { hear(news); }},
             .refused = &refused});
        if (!session && refused.empty()) return session.error();
        if (session) {
            session_ = *std::move(session);
            refused = session_->attach();
            if (refused.empty()) {
                const auto error = session_->attach_error();
                return error ? Status(*error) : Done{};
            }
        }
        session_.reset();
        if (const Status made = make_again(build_, kernel_, refused); !made) return made;
    }
}

// On a busy machine the first programs count for a while before the last one is attached: more than there is time for,
// were that added to what comes now. The same is true of waits that have begun meanwhile.
Status Watch::forget_attaching() {
    const std::vector<PlannedMap>& maps = build_.compiled.plan.maps;
    const std::vector<PlannedParam>& params = build_.compiled.plan.params;
    hidden_before_ = hidden_switches(session_->losses());
    begin_ = std::chrono::steady_clock::now();
    if (const auto began = std::ranges::find(params, "began", &PlannedParam::name); began != params.end()) {
        const int64_t now = begin_.time_since_epoch().count();  // CLOCK_MONOTONIC in nanoseconds, as nsecs
        std::vector<uint8_t> bytes(sizeof now);
        std::memcpy(bytes.data(), &now, sizeof now);
        const Status set = session_->set_param(static_cast<size_t>(began - params.begin()), bytes);
        if (!set) return set.error();
    }
    for (size_t i = 0; i < maps.size(); i++) {
        if (maps[i].value.kind != lt::Kind::aggregation) continue;
        if (const Status cleared = session_->clear(i); !cleared) return cleared.error();
    }
    return Done{};
}

// Looks at the cost twice a second.
Status Watch::limit() {
    timer_ = Descriptor(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
    constexpr timespec half{0, 500'000'000};
    const itimerspec often{half, half};
    if (!timer_ || timerfd_settime(timer_.get(), 0, &often, nullptr) != 0)
        return system_error("cannot make a timer", errno);
    return session_->watch(timer_.get(), [this] {
        uint64_t ticks = 0;
        if (::read(timer_.get(), &ticks, sizeof ticks) < 0) return;
        const std::optional<TracingCost> costs = session_->costs();
        if (!costs || costs->capacity_ns <= 0) return;
        const double passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
        const double whole = static_cast<double>(options_.duration_ns) / 1e9;
        ProbeCost total;
        for (const ProbeCost& probe : costs->probes) total += probe;
        if (costs->share(total) * passed < options_.budget * whole) return;
        watched_.budget_used_up = true;
        session_->stop();
    });
}

Result<Watched> Watch::end() {
    if (const std::optional<TracingCost> costs = session_->costs()) {
        ProbeCost total;
        for (const ProbeCost& probe : costs->probes) total += probe;
        watched_.cost = costs->share(total);
    }
    watched_.watched_ns = static_cast<uint64_t>((std::chrono::steady_clock::now() - begin_).count());
    if (const Session::Finished finished = session_->finish(); finished.failure) return *finished.failure;
    const std::vector<std::string> notes = uncounted(session_->losses(), hidden_before_, skipped());
    watched_.missing.insert(watched_.missing.end(), notes.begin(), notes.end());
    session_.reset();
    return std::move(watched_);
}

uint64_t Watch::skipped() const {
    uint64_t events = 0;
    for (const Missed& miss : session_->missed()) events += miss.count;
    return events;
}

}  // namespace

std::vector<std::string> uncounted(const std::vector<Loss>& losses, uint64_t hidden_before, uint64_t skipped) {
    constexpr std::array of_waits{LossKind::map_full,     LossKind::contended,       LossKind::map_no_memory,
                                  LossKind::span_no_room, LossKind::span_unmeasured, LossKind::span_clock,
                                  LossKind::scratch_busy};
    std::vector<std::string> out;
    uint64_t waits = 0;
    for (const Loss& loss : losses)
        if (std::ranges::find(of_waits, loss.kind) != of_waits.end()) waits += loss.count;
    if (waits != 0) out.push_back(fmt::format("{} could not be counted", plural(waits, "wait")));
    if (const uint64_t hidden = hidden_switches(losses); hidden > hidden_before)
        out.push_back(
            fmt::format("context switches that the kernel did not report: {}; the waits around them are not counted",
                        hidden - hidden_before));
    if (skipped != 0) out.push_back(fmt::format("the kernel skipped {}", plural(skipped, "event")));
    return out;
}

Result<Watched> watch(Kernel& kernel, const WatchOptions& options, const std::function<void()>& begun) {
    Watch all(kernel, options);
    return all.run(begun);
}

}  // namespace lt::triage
