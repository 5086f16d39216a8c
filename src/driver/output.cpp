#include "output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>

#include "base/text.h"

namespace lt {
namespace {

constexpr const char* notify_variable = "__BPFTRACE_NOTIFY_PROBES_ATTACHED";

struct BufferRow {
    std::string_view name;
    Buffering buffering;
};
constexpr std::array buffer_rows{BufferRow{"line", Buffering::together}, BufferRow{"full", Buffering::full},
                                 BufferRow{"none", Buffering::none}};

// A few bytes that somebody waits for; where nobody does (any more), nothing is lost.
void tell(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(fd, text.data(), text.size());
        if (written < 0 && errno != EINTR) return;
        if (written > 0) text.remove_prefix(static_cast<size_t>(written));
    }
}

}  // namespace

Result<std::unique_ptr<Output>> Output::open(const Command& command) {
    std::unique_ptr<Output> output(new Output);
    output->quiet_ = command.has(Option::quiet);
    output->path_ = command.text(Option::output);
    output->timestamps_ = command.has(Option::timestamps);
    for (auto read : {&Output::read_format, &Output::read_buffering, &Output::read_ready_fd})
        if (Status done = (*output.*read)(command); !done) return done.error();
    return output;
}

Output::~Output() {
    sink_.reset();
    if (fd_ != STDOUT_FILENO) ::close(fd_);
}

Status Output::read_format(const Command& command) {
    const std::string format = command.has(Option::format) ? command.text(Option::format) : "text";
    json_ = format == "json";
    if (json_ || format == "text") return Done{};
    return Error{fmt::format("there is no format `{}`", format), "there are text and json", 0};
}

Status Output::read_buffering(const Command& command) {
    if (!command.has(Option::buffering)) return Done{};
    const auto row = std::ranges::find(buffer_rows, command.text(Option::buffering), &BufferRow::name);
    if (row == buffer_rows.end())
        return Error{fmt::format("there is no way `{}` to buffer the output", command.text(Option::buffering)),
                     "there are line, full and none", 0};
    buffering_ = row->buffering;
    return Done{};
}

Status Output::read_ready_fd(const Command& command) {
    if (!command.has(Option::ready_fd)) return Done{};
    const std::string text = command.text(Option::ready_fd);
    int fd = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), fd);
    if (error != std::errc{} || end != text.data() + text.size() || fd < 0)
        return Error{fmt::format("`{}` is no number of a descriptor", text), "as in lt --ready-fd 3 ... 3>ready", 0};
    if (::fcntl(fd, F_SETFD, FD_CLOEXEC) < 0)
        return Error{fmt::format("no descriptor {} is open", fd),
                     fmt::format("as in lt --ready-fd {0} ... {0}>ready", fd), 0};
    ready_fd_ = fd;
    return Done{};
}

Status Output::begin(const Plan& plan) {
    if (printer_) return Done{};
    if (!path_.empty()) {
        const int fd = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (fd < 0) return system_error("cannot write " + path_, errno);
        fd_ = fd;
    }
    const PrintStyle style{.plain = plan.plain_integers, .timestamps = timestamps_};
    sink_ = file_sink(fd_, buffering_);
    printer_ = json_ ? json_printer(*sink_, style) : text_printer(*sink_, style);
    return Done{};
}

void Output::announce(size_t places) {
    if (places > 0 && !quiet_) {
        fmt::print(stderr, "lt: tracing {} probe{}; Ctrl-C ends\n", places, places == 1 ? "" : "s");
        printer_->at({});
        printer_->attached(places);
    }
    printer_->flush();
    if (std::getenv(notify_variable)) tell(STDOUT_FILENO, fmt::format("{}\n", notify_variable));
    if (!ready_fd_) return;
    tell(*ready_fd_, "ready\n");
    ::close(*ready_fd_);
    ready_fd_.reset();
}

}  // namespace lt
