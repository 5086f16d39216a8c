#include "driver/cli/output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "base/file_text.h"
#include "base/text.h"
#include "driver/cli/facts.h"
#include "driver/cli/notify.h"
#include "runtime/print/table_text.h"

namespace lt {
namespace {

constexpr const char* notify_variable = "__BPFTRACE_NOTIFY_PROBES_ATTACHED";

struct BufferRow {
    std::string_view name;
    Buffering buffering;
};
constexpr std::array buffer_rows{BufferRow{"line", Buffering::together}, BufferRow{"full", Buffering::full},
                                 BufferRow{"none", Buffering::none}};

bool has_stack_key(const PlannedMap& map) {
    return std::ranges::any_of(map.key, [](const Type& type) { return type.kind == Kind::stack; });
}

bool counts_and_durations(const Plan& plan) {
    const auto wanted = [&](bool durations) {
        return std::ranges::any_of(plan.maps, [&](const PlannedMap& map) {
            return has_stack_key(map) && can_fold(map.value) && adds_durations(map.value) == durations;
        });
    };
    return wanted(true) && wanted(false);
}

// "count", "count and sum": what a graph of the maps with stacks in their keys adds up.
std::string weights_of(const Plan& plan) {
    std::vector<std::string_view> names;
    for (const PlannedMap& map : plan.maps) {
        if (!has_stack_key(map) || !can_fold(map.value)) continue;
        const std::string_view name = weight_name(map.value, plan.conventions.plain_integers);
        if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
    return join(names, " and ");
}

// Can the file be written, or a new one in its folder? errno says why not.
bool can_be_written(const std::string& path) {
    const auto may = [](const char* what, int how) { return ::faccessat(AT_FDCWD, what, how, AT_EACCESS) == 0; };
    std::error_code failed;
    if (std::filesystem::is_directory(path, failed)) return errno = EISDIR, false;
    if (may(path.c_str(), F_OK)) return may(path.c_str(), W_OK);
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    return may(folder.empty() ? "." : folder.c_str(), W_OK | X_OK);
}

// The option that says whose time `lt why` without a span explains.
std::string traced_text(const Command& command) {
    if (command.has(Option::process)) return "-p " + command.text(Option::process);
    if (command.has(Option::command)) return fmt::format("-c '{}'", command.text(Option::command));
    if (command.has(Option::cgroup)) return "--cgroup " + command.text(Option::cgroup);
    return command.has(Option::container) ? "--container " + command.text(Option::container) : "--all";
}

// The command line, in short.
std::string title_of(const Command& command) {
    std::string text = command.verb.empty() ? "lt " : fmt::format("lt {} ", command.verb);
    const std::string script = command.tool.empty() ? command.file : command.tool;
    if (!script.empty())
        text += script;
    else if (command.has(Option::program))
        text += fmt::format("{}'{}'", command.verb.empty() ? "-e " : "", trim(command.text(Option::program)));
    else
        text += traced_text(command);
    std::ranges::replace(text, '\n', ' ');
    return text;
}

}  // namespace

Result<std::unique_ptr<Output>> Output::open(const Command& command, Sink* sink) {
    std::unique_ptr<Output> output(new Output);
    output->sink_ = sink;
    output->quiet_ = command.has(Option::quiet);
    output->path_ = command.text(Option::output);
    // with --keep, -o can name the folder for snapshots
    std::error_code failed;
    if (command.has(Option::keep) && std::filesystem::is_directory(output->path_, failed)) output->path_.clear();
    output->timestamps_ = command.has(Option::timestamps);
    output->title_ = title_of(command);
    for (auto read : {&Output::read_format, &Output::read_buffering, &Output::read_ready_fd, &Output::read_stacks,
                      &Output::read_view})
        if (Status done = (*output.*read)(command); !done) return done.error();
    return output;
}

Output::~Output() {
    own_sink_.reset();
    if (fd_ != STDOUT_FILENO) ::close(fd_);
}

Status Output::read_format(const Command& command) {
    const std::string format = command.has(Option::format) ? command.text(Option::format) : "text";
    json_ = format == "json";
    if (json_ || format == "text") return Done{};
    return Error{fmt::format("`{}` is not an output format", format), "the formats are `text` and `json`", 0};
}

Status Output::read_buffering(const Command& command) {
    if (!command.has(Option::buffering)) return Done{};
    const auto row = std::ranges::find(buffer_rows, command.text(Option::buffering), &BufferRow::name);
    if (row == buffer_rows.end())
        return Error{fmt::format("`{}` is not a way to buffer the output", command.text(Option::buffering)),
                     "write `line`, `full` or `none`", 0};
    buffering_ = row->buffering;
    return Done{};
}

Status Output::read_ready_fd(const Command& command) {
    if (!command.has(Option::ready_fd)) return Done{};
    const Result<int> fd = ready_descriptor(command.text(Option::ready_fd));
    if (!fd) return fd.error();
    ready_fd_ = *fd;
    return Done{};
}

Status Output::read_stacks(const Command& command) {
    folded_ = command.has(Option::folded);
    flame_path_ = command.text(Option::flame);
    page_path_ = command.text(Option::html);
    if (folded_ && json_) return Error{"-f json and --folded exclude each other", "leave out one of them", 0};
    return Done{};
}

Status Output::read_view(const Command& command) {
    view_.sort = command.text(Option::sort);
    view_.columns = join(command.list(Option::columns), " ");
    view_.rows = command.has(Option::histograms);
    if (command.has(Option::top)) {
        view_.most = parse_number<size_t>(command.text(Option::top)).value_or(0);
        if (view_.most == 0)
            return Error{fmt::format("`{}` is not a number of rows", command.text(Option::top)),
                         "for example `--top 20`", 0};
    }
    return check_view(view_);
}

Status Output::begin(const Plan& plan) {
    if (!chain_.empty()) return Done{};
    if ((folded_ || !flame_path_.empty()) && std::ranges::none_of(plan.maps, has_stack_key))
        return Error{fmt::format("no map has a stack in its key, so there is nothing to {}", folded_ ? "fold" : "draw"),
                     "use a stack as key: `k:vfs_read { @[kstack] = count(); }`", 0};
    if (!flame_path_.empty() && counts_and_durations(plan))
        return Error{
            "some maps with stacks in their keys hold durations and others hold counts; one graph cannot show both",
            "keep one kind of map, or use --folded", 0};
    for (const std::string& path : {flame_path_, page_path_})
        if (!path.empty() && !can_be_written(path))
            return system_error("cannot write " + path, errno);  // reported before anything is collected
    if (!path_.empty()) {
        const int fd = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
        if (fd < 0) return system_error("cannot write " + path_, errno);
        fd_ = fd;
    }
    if (!sink_) {
        own_sink_ = file_sink(fd_, buffering_, !path_.empty());
        sink_ = own_sink_.get();
    }
    make_printers(plan);
    begun_ = std::chrono::steady_clock::now();
    return Done{};
}

void Output::make_printers(const Plan& plan) {
    const PrintStyle style{.plain = plan.conventions.plain_integers,
                           .newlines = plan.keeps_newlines,
                           .timestamps = timestamps_,
                           .view = view_};
    const bool several = std::ranges::count_if(plan.maps, has_stack_key) > 1;
    if (folded_) {
        rest_sink_ = file_sink(STDERR_FILENO);
        chain_.push_back(text_printer(*rest_sink_, style));
        chain_.push_back(folded_printer(*sink_, *chain_.back(), several));
    } else {
        chain_.push_back(json_ ? json_printer(*sink_, style) : text_printer(*sink_, style));
    }
    if (!page_path_.empty()) chain_.push_back(page_printer(page_.emplace(style), *chain_.back(), style));
    if (flame_path_.empty()) return;
    chain_.push_back(flame_printer(graph_, *chain_.back(), several));
    durations_ = !plan.conventions.plain_integers && std::ranges::all_of(plan.maps, [](const PlannedMap& map) {
        return !has_stack_key(map) || !can_fold(map.value) || adds_durations(map.value);
    });
    weights_ = weights_of(plan);
}

Status Output::finish(std::string_view script) {
    const Status written = sink_->finish();
    const Status drawn = flame_path_.empty() ? Status(Done{}) : draw();
    const Status paged = page_ ? write_file(page_path_, page_->html(title_, facts(), script)) : Status(Done{});
    return !written ? written : !drawn ? drawn : paged;
}

// Where and when, and how long.
std::string Output::facts() const {
    const auto ran = std::chrono::steady_clock::now() - begun_;
    return fmt::format("{}, {:.1f} s", machine_and_time(), std::chrono::duration<double>(ran).count());
}

Status Output::draw() const {
    if (graph_.empty()) {
        const std::string left_out = graph_.left_out_text();
        fmt::print(stderr, "lt: {}, so {} is not written\n", left_out.empty() ? "no stacks were collected" : left_out,
                   flame_path_);
        return Done{};
    }
    return write_file(flame_path_, graph_.svg(title_, fmt::format("{}, {} by stack", facts(), weights_), durations_));
}

void Output::announce(size_t probes, bool as_bpftrace) {
    if (probes > 0 && !quiet_) {
        const std::string count = plural(probes, "probe");
        if (!as_bpftrace)
            fmt::print(stderr, "lt: tracing {}; Ctrl-C to end\n", count);
        else if (!json_)
            fmt::print(stderr, "Attached {}\n", count);
        printer().at({});
        printer().attached(probes);
    }
    printer().flush();
    if (std::getenv(notify_variable)) write_all(STDOUT_FILENO, fmt::format("{}\n", notify_variable));
    notify_service("READY=1\nSTATUS=Tracing");
    if (!ready_fd_) return;
    tell_ready(*ready_fd_);
    ready_fd_.reset();
}

}  // namespace lt
