#include "driver/pipeline/steps.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/text.h"
#include "driver/pipeline/saved.h"
#include "driver/recording/recorded_script.h"
#include "driver/recording/recording_file.h"
#include "driver/report/report.h"
#include "driver/target/traced.h"

namespace lt {
namespace {

Status read_max_keys(const Command& command, ResolveOptions& options) {
    if (!command.has(Option::max_map_keys)) return Done{};
    const std::string text = command.text(Option::max_map_keys);
    const uint32_t keys = parse_number<uint32_t>(text).value_or(0);
    constexpr uint32_t most = 1 << 24;  // a larger map would not fit into any machine's memory
    if (keys == 0 || keys > most)
        return Error{fmt::format("`{}` is not a valid number of keys", text),
                     fmt::format("write a number from 1 to {}", most), 0};
    options.max_keys = keys;
    return Done{};
}

// A percentage of all CPUs' time, with its sign.
Status read_max_overhead(const Command& command, RunSettings& settings, ResolveOptions& options) {
    if (!command.has(Option::max_overhead)) return Done{};
    const std::string text = command.text(Option::max_overhead);
    double percent = 0;
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, percent);
    const bool whole = error == std::errc{} && std::string_view(end, last) == "%";
    if (!whole || !(percent > 0) || !(percent <= 100))
        return Error{fmt::format("`{}` is not a valid share of CPU time", text),
                     "write a percentage: `--max-overhead 3%`", 0};
    settings.max_overhead = percent / 100;
    options.sampled = options.accounts = true;
    return Done{};
}

Status read_process(const Command& command, RunSettings& settings, ResolveOptions& options) {
    options.one_process = command.has(Option::process) || command.has(Option::command);
    const Result<Traced> traced = traced_of(command);
    if (!traced) return traced.error();
    options.traced = settings.traced = *traced;
    return Done{};
}

// The value of an option that takes a duration.
Result<uint64_t> read_duration(const Command& command, Option option, std::string_view name) {
    const std::string text = command.text(option);
    const Result<std::vector<uint8_t>> bytes = param_bytes("duration", duration_type(), text);
    int64_t ns = 0;
    if (bytes) std::memcpy(&ns, bytes->data(), sizeof ns);
    if (ns <= 0)
        return Error{fmt::format("`{}` is not a duration", text),
                     fmt::format("write it with its unit: `--{} 30s`", name), 0};
    return static_cast<uint64_t>(ns);
}

// The duration and the number of results after which the run ends by itself.
Status read_limits(const Command& command, RunSettings& settings) {
    if (command.has(Option::duration)) {
        const Result<uint64_t> duration = read_duration(command, Option::duration, "duration");
        if (!duration) return duration.error();
        settings.duration_ns = *duration;
    }
    if (!command.has(Option::count)) return Done{};
    const std::string text = command.text(Option::count);
    settings.most_results = parse_number<decltype(settings.most_results)>(text).value_or(0);
    if (settings.most_results == 0)
        return Error{fmt::format("`{}` is not a valid number of results", text), "for example `--count 10`", 0};
    return Done{};
}

// Of the flight recorder.
Status read_recorder(const Command& command, RunSettings& settings) {
    for (const Option option : {Option::keep, Option::keep_pause, Option::keep_limit})
        settings.keeps = settings.keeps || command.has(option);
    if (command.has(Option::keep)) {
        if (const Status read = read_keep(command.text(Option::keep), settings.keep); !read) return read;
        const std::string folder = command.text(Option::output);
        std::error_code failed;
        if (!folder.empty() && std::filesystem::is_directory(folder, failed)) settings.keep.folder = folder;
    }
    if (command.has(Option::keep_pause)) {
        const Result<uint64_t> pause = read_duration(command, Option::keep_pause, "keep-pause");
        if (!pause) return pause.error();
        settings.keep.pause_ns = *pause;
    }
    if (!command.has(Option::keep_limit)) return Done{};
    const std::string text = command.text(Option::keep_limit);
    settings.keep.most_per_hour = parse_number<uint32_t>(text).value_or(0);
    if (settings.keep.most_per_hour == 0)
        return Error{fmt::format("`{}` is not a valid number of snapshots", text), "for example `--keep-limit 10`", 0};
    return Done{};
}

void read_compiling(Job& job) {
    const Command& command = job.command;
    ResolveOptions& resolve = job.options.resolve;
    resolve.params = command.params;
    // Someone may ask for open spans over the control socket, or when running a saved plan.
    resolve.accounts = command.has(Option::stats) || is_saving(command) || !job.shared.alone;
    resolve.timestamps = command.has(Option::timestamps);
    resolve.unsafe = command.has(Option::unsafe);
    resolve.only_listed = command.has(Option::traceable);
    job.options.warns_of_types = command.has(Option::verbose);
    job.options.counts_by_place = command.has(Option::warnings);
}

// --from
Status read_recording_to_replay(Job& job) {
    if (!job.command.has(Option::from)) return Done{};
    if (const Status suits = suits_recording(job.command); !suits) return suits;
    if (job.saved || grammar_of(job.source.spoken()) != Grammar::lt)
        return Error{"--from is for scripts of lt and bpftrace", "a plan is compiled for a kernel", 0};
    const std::string path = job.command.text(Option::from);
    Result<Recording> recording = read_recording_file(path);
    if (!recording) return recording.error();
    if (const Status fits = can_replay(*recording, path); !fits) return fits;
    job.recording = *std::move(recording);
    return Done{};
}

Status read_running(Job& job) {
    ResolveOptions& resolve = job.options.resolve;
    RunSettings settings;
    if (const Status read = read_recording_to_replay(job); !read) return read;
    settings.recording = job.recording ? &*job.recording : nullptr;
    settings.shows_progress = job.stages.shows_progress();
    if (const Status read = read_max_keys(job.command, resolve); !read) return read;
    if (const Status read = read_max_overhead(job.command, settings, resolve); !read) return read;
    if (const Status read = read_process(job.command, settings, resolve); !read) return read;
    if (const Status read = read_limits(job.command, settings); !read) return read;
    if (const Status read = read_recorder(job.command, settings); !read) return read;
    Result<std::unique_ptr<Run>> run = Run::open(job.command, job.source, job.shared, settings);
    if (!run) return run.error();
    job.run = *std::move(run);
    return Done{};
}

Status read_stages(Job& job, Stage last) {
    const bool ends_with_plan =
        job.command.has(Option::kernel) || is_saving(job.command) || job.command.has(Option::emit_elf);
    const bool saved = job.saved.has_value();
    job.stages.stop_after(!ends_with_plan ? last : saved ? Stage::fit : Stage::emit);
    const Status suits = saved ? suits_saved(job.command, *job.saved) : suits_saving(job.command);
    return suits ? job.stages.choose(job.command, saved, job.options.emit) : suits;
}

}  // namespace

bool read_settings(Job& job, Stage last) {
    read_compiling(job);
    return all_right(job, read_running(job)) && all_right(job, read_stages(job, last)) &&
           rule_out_features(job.command.list(Option::no_feature), job.options.resolve, job.diags) &&
           rule_out_ways(job.command.list(Option::attach_with), job.command.has(Option::attach_with),
                         job.options.resolve, job.diags);
}

}  // namespace lt
