#include "driver/recording/recording_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/visible.h"
#include "recording/file.h"
#include "runtime/border/duration.h"
#include "runtime/os/mounts.h"
#include "runtime/os/timestamps.h"

namespace lt {
namespace {

std::string duration(uint64_t time) { return show_duration(static_cast<int64_t>(time)); }

std::string local_time(const Recording& recording, uint64_t time) {
    return date_text("%Y-%m-%d %H:%M:%S", static_cast<int64_t>(time) + recording.unix_offset);
}

void print_origin(const Recording& r) {
    fmt::print("{}: Linux {} {}, {}; holds {}, {}\n", local_time(r, r.end), visible(r.kernel), visible(r.machine),
               plural(r.cpus, "CPU"), duration(r.end - r.begin), plural(r.records.size(), "record"));
    const RecordingAccount& a = r.account;
    if (a.missed > 0) fmt::print("lost since recording began: {}\n", plural(a.missed, "event"));
    if (a.torn > 0) fmt::print("lost: {}\n", plural(a.torn, "torn record"));
    if (a.lost_stacks > 0) fmt::print("lost: {}\n", plural(a.lost_stacks, "stack"));
    if (a.suppressed > 0) fmt::print("{} of snapshot() before this one made no file\n", plural(a.suppressed, "call"));
    for (const std::string& event : a.missing) fmt::print("not recorded: {}\n", visible(event));
}

}  // namespace

bool names_recording(const std::string& word) { return word.ends_with(".ltr"); }

Result<Recording> read_recording_file(const std::string& path) {
    const Result<std::string> bytes = read_text(path);
    if (!bytes)
        return bytes.error().code == 0 ? bytes.error() : system_error("cannot read " + path, bytes.error().code);
    Result<Recording> recording = read_recording(*bytes);
    return recording ? recording : recording.error_in(path);
}

Status explain_file(const std::string& path) {
    const Result<Recording> recording = read_recording_file(path);
    if (!recording) return recording.error();
    print_origin(*recording);
    const Explainer explainer(*recording);
    const std::vector<Trigger> calls = recording->triggers();
    constexpr size_t most = 50;
    for (size_t i = 0; i < std::min(calls.size(), most); i++)
        fmt::print("\n{}", explanation_text(*recording, explainer.explain(calls[i])));
    if (calls.size() > most)
        fmt::print("\n{}; `lt view {} --call N` shows each\n", plural(calls.size() - most, "more late call"), path);
    return Done{};
}

}  // namespace lt
