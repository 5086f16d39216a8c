#include "driver/run/job.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/text.h"
#include "driver/run/read_start.h"
#include "driver/run/saved.h"
#include "driver/target/traced.h"
#include "runtime/border/param_value.h"
#include "runtime/os/timestamps.h"

namespace lt {
namespace {

// A percentage of all CPUs' time, with its sign.
Status read_max_overhead(const Command& command, RunSettings& settings) {
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
    return Done{};
}

Status read_process(const Command& command, RunSettings& settings) {
    const Result<Traced> traced = traced_of(command);
    if (!traced) return traced.error();
    settings.traced = *traced;
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
        const std::string seconds = command.text(Option::time_limit);  // which became the duration
        if (command.has(Option::time_limit) && (!duration || seconds.find_first_not_of("0123456789.") != seconds.npos))
            return Error{fmt::format("`{}` is not a valid number of seconds", seconds),
                         "for example `-T 10`; --duration takes other units", 0};
        if (!duration) return duration.error();
        settings.duration_ns = *duration;
    }
    if (command.has(Option::at)) {
        if (settings.recording) return Error{"--at is for a run in the kernel, not for a recording", "", 0};
        const Result<StartTime> start = read_start(command.text(Option::at), unix_now());
        if (!start) return start.error();
        settings.start = *start;
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

Status read_running(const Command& command, RunSettings& settings) {
    if (const Status read = read_max_overhead(command, settings); !read) return read;
    if (const Status read = read_process(command, settings); !read) return read;
    if (const Status read = read_limits(command, settings); !read) return read;
    return read_recorder(command, settings);
}

Status open_run(Job& job, const RunSettings& settings) {
    Result<std::unique_ptr<Run>> run = Run::open(job.command, job.source, job.shared, settings);
    if (!run) return run.error();
    job.run = *std::move(run);
    job.stages.while_waiting([waits = job.run.get()] { return waits->waiting(); });
    return Done{};
}

Status read_stages(Job& job, Stage last) {
    const bool ends_with_plan =
        job.command.has(Option::kernel) || is_saving(job.command) || job.command.has(Option::emit_elf);
    const bool saved = job.maker->fits_saved();
    job.stages.stop_after(!ends_with_plan ? last : saved ? Stage::fit : Stage::emit);
    const Status suits = job.maker->suits(job);
    return suits ? job.stages.choose(job.command, saved) : suits;
}

}  // namespace

bool read_settings(Job& job, Stage last) {
    RunSettings settings;
    settings.shows_progress = job.stages.shows_progress();
    return all_right(job, job.maker->read_recording(job, settings)) &&
           all_right(job, read_running(job.command, settings)) && all_right(job, open_run(job, settings)) &&
           all_right(job, read_stages(job, last)) && job.maker->read_options(job, settings);
}

}  // namespace lt
