#include "driver/run/script_input.h"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "runtime/border/param_value.h"

namespace lt {
namespace {

constexpr const char* char_name = "input_char";
constexpr const char* line_name = "input_line";

bool has(const Plan& plan, const char* name) {
    return std::ranges::any_of(plan.probes,
                               [&](const PlannedProbe& p) { return p.when == When::set && p.set_param == name; });
}

}  // namespace

std::unique_ptr<ScriptInput> ScriptInput::of(const Plan& plan, Trace& trace, std::FILE* messages) {
    const bool chars = has(plan, char_name), lines = has(plan, line_name);
    if (!chars && !lines) return nullptr;
    return std::make_unique<ScriptInput>(trace, chars, lines, messages);
}

ScriptInput::ScriptInput(Trace& trace, bool chars, bool lines, std::FILE* messages)
    : trace_(trace), chars_(chars), lines_(lines), messages_(messages) {}

ScriptInput::~ScriptInput() {
    if (before_) ::tcsetattr(STDIN_FILENO, TCSANOW, &*before_);
    for (const int fd : {epoll_, always_})
        if (fd >= 0) ::close(fd);
}

// It has its own epoll, so that the end of the input can remove it.
Status ScriptInput::watch(Session& session) {
    epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
    if (epoll_ < 0) return system_error("epoll_create1", errno);
    epoll_event event{EPOLLIN, {.fd = STDIN_FILENO}};
    if (::epoll_ctl(epoll_, EPOLL_CTL_ADD, STDIN_FILENO, &event) != 0) {
        if (errno != EPERM) return Done{};  // there is no input
        always_ = ::eventfd(1, EFD_CLOEXEC);
        event.data.fd = always_;
        if (always_ < 0 || ::epoll_ctl(epoll_, EPOLL_CTL_ADD, always_, &event) != 0)
            return system_error("eventfd", errno);
    }
    termios now{};
    if (chars_ && ::isatty(STDIN_FILENO) != 0 && ::tcgetattr(STDIN_FILENO, &now) == 0) {
        before_ = now;
        now.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
        ::tcsetattr(STDIN_FILENO, TCSANOW, &now);
    }
    return session.watch(epoll_, [this] { read_some(); });
}

void ScriptInput::read_some() {
    char bytes[256];
    const ssize_t n = ::read(STDIN_FILENO, bytes, sizeof bytes);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
    for (ssize_t i = 0; i < n; i++) take(bytes[i]);
    if (n > 0) return;
    ::epoll_ctl(epoll_, EPOLL_CTL_DEL, always_ >= 0 ? always_ : STDIN_FILENO, nullptr);
}

// Of a line that is too long, only as much is kept as shows that it is.
void ScriptInput::take(char byte) {
    if (byte == '\0') return;
    if (chars_) set(char_name, std::string(1, byte));
    if (!lines_) return;
    if (line_.size() < param_text) line_ += byte;
    if (byte != '\n') return;
    set(line_name, line_);
    line_.clear();
}

void ScriptInput::set(const char* name, const std::string& text) {
    if (const Status done = trace_.set(name, text); !done)
        fmt::print(messages_, "lt: a line of the input was dropped: {}\n", done.error().what);
}

}  // namespace lt
