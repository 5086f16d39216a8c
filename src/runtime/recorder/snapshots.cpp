#include "runtime/recorder/snapshots.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "base/file_text.h"
#include "base/text.h"
#include "recording/explain.h"
#include "recording/file.h"
#include "runtime/border/duration.h"
#include "runtime/os/timestamps.h"
#include "runtime/recorder/machine_facts.h"

namespace lt {
namespace {

using Clock = std::chrono::steady_clock;

// A new file that only its owner can read: it says what all processes did. Returns its path.
Result<std::string> write_snapshot(const std::string& folder, std::string_view bytes) {
    const std::string stem = folder + date_text("/lt-%Y%m%d-%H%M%S");
    constexpr int most = 1000;
    for (int i = 0; i < most; i++) {
        const std::string path = i == 0 ? stem + ".ltr" : fmt::format("{}-{}.ltr", stem, i + 1);
        const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
        if (!file && errno == EEXIST) continue;
        if (!file) return system_error("cannot write " + path, errno);
        if (const int code = write_all(file.get(), bytes); code != 0) {
            ::unlink(path.c_str());
            return system_error(path + ": cannot write the snapshot", code);
        }
        return path;
    }
    return Error{"there are too many snapshots in " + folder, "", 0};
}

// ", 3 torn"
std::string losses_text(const RecordingAccount& account) {
    std::string out;
    if (account.missed > 0) out += fmt::format(", {} missed since recording began", plural(account.missed, "event"));
    if (account.torn > 0) out += fmt::format(", {} torn", account.torn);
    if (account.lost_stacks > 0) out += fmt::format(", {} lost", plural(account.lost_stacks, "stack"));
    return out;
}

}  // namespace

bool takes_snapshots(const Plan& plan) {
    return std::ranges::any_of(plan.events, [](const PlannedEvent& e) { return e.kind == EventKind::snapshot; });
}

Result<std::unique_ptr<Snapshots>> Snapshots::open(const Plan& plan, const LoadedObject& object, KeepOptions options,
                                                   const KeepSize& size, Printer& printer, std::FILE* messages) {
    if (::access(options.folder.c_str(), W_OK | X_OK) != 0)
        return system_error("cannot write snapshots to " + options.folder, errno);
    auto recorder = FlightRecorder::open(object, size);
    if (!recorder) return recorder.error();
    std::unique_ptr<Snapshots> out(new Snapshots(plan, std::move(options), *std::move(recorder), printer, messages));
    out->done_ = Descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!out->done_) return system_error("eventfd", errno);
    return out;
}

Snapshots::~Snapshots() {
    if (writer_.joinable()) writer_.join();
}

bool Snapshots::may_take() {
    const auto now = Clock::now();
    while (!taken_.empty() && now - taken_.front() > std::chrono::hours(1)) taken_.pop_front();
    if (writing_ || taken_.size() >= options_.most_per_hour) return false;
    const auto pause = std::chrono::nanoseconds(options_.pause_ns);
    if (!taken_.empty() && now - taken_.back() < pause) return false;
    taken_.push_back(now);
    return true;
}

Recording Snapshots::begin(const Trigger& trigger) {
    Recording out = recorder_->take();
    out.version = options_.version;
    out.script = options_.script;
    out.arguments = options_.arguments;
    out.trigger = trigger;
    out.trigger.time = std::min(trigger.time, out.end);
    for (const PlannedSpan& span : plan_.spans) out.spans.push_back(span.text);
    out.account.suppressed = std::exchange(suppressed_, 0);
    return out;
}

Snapshots::Written Snapshots::write(Recording recording) const {
    Written out;
    add_threads(recording);
    recorder_->add_ended(recording);
    add_machine(recording);
    add_symbols(recording);
    complete(recording);
    recording.account.lost_stacks = lost_stacks(recording);
    const Explanation explanation = Explainer(recording).explain(recording.trigger);
    out.explanation = explanation_text(recording, explanation);
    out.records = recording.records.size();
    const Result<std::string> bytes = recording_bytes(recording);
    const Result<std::string> path = bytes ? write_snapshot(options_.folder, *bytes) : bytes;
    path ? (void)(out.path = *path) : (void)out.error.emplace(path.error());
    recording.records.clear();
    recording.stacks.clear();
    out.facts = std::move(recording);
    return out;
}

void Snapshots::take(const Trigger& trigger) {
    if (!may_take()) {
        suppressed_++;
        all_suppressed_++;
        return;
    }
    if (writer_.joinable()) writer_.join();
    writing_ = true;
    const auto work = [this, recording = std::make_shared<Recording>(begin(trigger))] {
        written_ = write(std::move(*recording));
        const uint64_t one = 1;
        [[maybe_unused]] const ssize_t told = ::write(done_.get(), &one, sizeof one);
    };
    try {
        writer_ = std::thread(work);
    } catch (const std::system_error&) {  // there may be no further thread: the run waits
        work();
    }
}

void Snapshots::report() {
    uint64_t count = 0;
    if (::read(done_.get(), &count, sizeof count) != sizeof count) return;
    if (writer_.joinable()) writer_.join();
    writing_ = false;
    const Written& w = written_;
    const Recording& facts = w.facts;
    const uint64_t held = facts.end - facts.begin;
    Fact fact{"snapshot", {}, w.explanation};
    fact.members = {{"span", std::string(facts.span_text(facts.trigger))},
                    {"tid", static_cast<int64_t>(facts.trigger.tid)},
                    {"latency", static_cast<int64_t>(facts.trigger.latency)},
                    {"holds", static_cast<int64_t>(held)},
                    {"records", static_cast<int64_t>(w.records)},
                    {"missed", static_cast<int64_t>(facts.account.missed)},
                    {"torn", static_cast<int64_t>(facts.account.torn)},
                    {"lost_stacks", static_cast<int64_t>(facts.account.lost_stacks)},
                    {"suppressed", static_cast<int64_t>(facts.account.suppressed)},
                    {"explanation", w.explanation}};
    if (!w.error) fact.members.emplace(fact.members.begin(), "file", w.path);
    printer_.at({});
    printer_.fact(fact);
    printer_.flush();
    if (w.error) {  // what it would have said is known all the same
        fmt::print(messages_, "lt: {}\n", w.error->what);
        return;
    }
    fmt::print(messages_, "lt: {}: holds {}, {}{}\n", w.path, duration(held), plural(w.records, "record"),
               losses_text(facts.account));
}

void Snapshots::finish() {
    if (writing_) {  // it asks the recorder for the names of threads that end meanwhile
        if (writer_.joinable()) writer_.join();
        report();
    }
    recorder_->detach();
    if (all_suppressed_ > 0)
        fmt::print(messages_, "lt: no file for {} of snapshot(): too soon after another one, or over --keep-limit\n",
                   plural(all_suppressed_, "call"));
}

}  // namespace lt
