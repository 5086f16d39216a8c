#include "driver/triage/triage.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>

#include "base/file_text.h"
#include "driver/cli/progress.h"
#include "driver/target/chosen_kernel.h"
#include "driver/triage/machine.h"
#include "driver/triage/watch.h"
#include "runtime/border/param_value.h"
#include "runtime/os/cpus.h"
#include "runtime/os/descriptor.h"
#include "runtime/print/printer.h"
#include "stdlib/options.h"

namespace lt::triage {
namespace {

double own_cpu_seconds() {
    rusage usage{};
    if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::string progress_text(const Options& options) {
    const double seconds = static_cast<double>(options.duration_ns) / 1e9;
    return options.shows_progress ? fmt::format("looking at this machine for {:.3g} s; Ctrl-C ends it early", seconds)
                                  : "";
}

// Options that mean something here.
Status fits(const Command& command) {
    constexpr std::array taken{Option::duration, Option::format,        Option::output,
                               Option::verbose,  Option::quiet,         Option::no_warnings,
                               Option::kernel,   Option::debug_folders, Option::traceable};
    for (const auto& [option, _] : command.options) {
        if (std::ranges::find(taken, option) != taken.end()) continue;
        return Error{fmt::format("triage does not take {}", option_name(option)),
                     "it looks at the whole machine; `lt why -p PID` is for one process", 0};
    }
    if (command.has(Option::kernel)) return Error{"triage needs the running kernel", "leave out --kernel", 0};
    const bool has_two_times = command.has(Option::duration) && !command.file.empty();
    if (!command.positional.empty() || !command.params.empty() || has_two_times)
        return Error{"triage takes one time", "for example `lt triage 10s`", 0};
    const std::string format = command.text(Option::format);
    if (command.has(Option::format) && format != "text" && format != "json")
        return Error{fmt::format("`{}` is not a format", format), "use `text` or `json`", 0};
    return Done{};
}

// Only at the end, so that the last report stays if there is no new one.
Status write_report(const Command& command, int to, const std::string& text) {
    struct stat found{};
    if (command.has(Option::output) && ::fstat(to, &found) == 0 && S_ISREG(found.st_mode))
        return write_file(command.text(Option::output), text);
    const int code = write_all(to, text);
    return code == 0 ? Status(Done{}) : system_error("cannot write the report", code);
}

}  // namespace

Result<uint64_t> read_duration(const std::string& text) {
    const Result<std::vector<uint8_t>> bytes = param_bytes("duration", duration_type(), text);
    int64_t ns = 0;
    if (bytes) std::memcpy(&ns, bytes->data(), sizeof ns);
    constexpr int64_t shortest = 100'000'000, longest = 3600ll * 1'000'000'000;
    if (ns < shortest || ns > longest)
        return Error{fmt::format("`{}` is not a time from 100ms to 1h", text), "for example `lt triage 10s`", 0};
    return static_cast<uint64_t>(ns);
}

Result<Report> look(Kernel& kernel, const Options& options) {
    const double cpu_before = options.is_alone ? 0 : own_cpu_seconds();
    Report report;
    Evidence evidence;
    if (const auto cpus = online_cpus()) evidence.cpus = static_cast<uint32_t>(cpus->size());
    const std::vector<GroupMount> mounts = group_mounts();
    const std::vector<uint16_t> listening = listening_ports();
    Counters before;
    std::optional<Progress> progress;
    const WatchOptions how{.duration_ns = options.duration_ns,
                           .listening = listening,
                           .output = options.output,
                           .takes_signals = options.takes_signals,
                           .others = options.others};
    Result<Watched> watched = watch(kernel, how, [&] {
        before = read_counters(mounts);
        progress.emplace(progress_text(options));
    });
    progress.reset();
    if (!watched) return watched.error();
    const Counters after = read_counters(mounts);
    evidence.seconds = static_cast<double>(watched->watched_ns) / 1e9;
    take_maps(evidence, watched->maps);
    if (kernel.machine().renumbers_processes()) {
        forget_stuck(evidence);
        watched->missing.emplace_back(
            "threads outside of this PID namespace, those that do not come back, and the numbers of those that hold "
            "locks of the kernel cannot be seen here: run lt in the initial PID namespace, in a container with "
            "`--pid=host`");
    }
    describe(evidence, before, after, mounts);
    report.seconds = evidence.seconds;
    report.cpus = evidence.cpus;
    report.cost = watched->cost;
    report.suspects = rank(evidence);
    report.missing = std::move(watched->missing);
    if (watched->budget_used_up)
        report.missing.push_back(
            fmt::format("watched for {:.1f} s only, to stay below 1 % of the CPUs", report.seconds));
    report.own_cpu = own_cpu_seconds() - cpu_before;
    return report;
}

Result<Options> read_options(const Command& command) {
    if (const Status fine = fits(command); !fine) return fine.error();
    Options options;
    const std::string time = command.has(Option::duration) ? command.text(Option::duration) : command.file;
    if (!time.empty()) {
        const Result<uint64_t> duration = read_duration(time);
        if (!duration) return duration.error();
        options.duration_ns = *duration;
    }
    options.shows_progress = !command.has(Option::quiet) && Progress::has_terminal();
    return options;
}

Result<int> run(const Command& command, Options options) {
    Descriptor file;
    if (command.has(Option::output)) {
        const std::string path = command.text(Option::output);
        file = Descriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
        if (!file) return system_error("cannot write " + path, errno);
        options.output = file.get();
    }
    Result<std::unique_ptr<Kernel>> kernel = chosen_kernel(command);
    if (!kernel) return kernel.error();
    const Result<Report> report = look(**kernel, options);
    if (!report) return report.error();
    const bool json = command.text(Option::format) == "json";
    const Room room = file ? Room{} : terminal_room();
    const std::string text = json ? json_of(*report) : text_of(*report, command.has(Option::verbose), room);
    if (const Status written = write_report(command, options.output, text); !written) return written.error();
    return report->suspects.empty() ? 0 : found_status;
}

}  // namespace lt::triage
