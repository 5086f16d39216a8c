#include "runtime/os/effects.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

#include "runtime/os/descriptor.h"

namespace lt {
namespace {

std::string read_all(int fd, size_t most) {
    std::string text;
    std::array<char, 4096> room{};
    while (text.size() < most) {
        const ssize_t got = ::read(fd, room.data(), std::min(room.size(), most - text.size()));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        text.append(room.data(), static_cast<size_t>(got));
    }
    return text;
}

// Appends what a command writes, until there are `most` bytes; false: there is no more. What the command leaves in the
// background may keep the pipe open: it ends when the command has ended and the pipe is empty.
bool append_output(std::string& text, size_t most, int pipe, int command) {
    std::array<char, 4096> room{};
    while (text.size() < most) {
        // In this order: what the command wrote before its end is in the pipe when that is looked at.
        std::array<pollfd, 2> both{pollfd{command, POLLIN, 0}, pollfd{pipe, POLLIN, 0}};
        const int ready = ::poll(both.data(), both.size(), -1);
        if (ready < 0 && errno == EINTR) continue;
        if (ready < 0 || both[1].revents == 0) return false;
        const ssize_t got = ::read(pipe, room.data(), std::min(room.size(), most - text.size()));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        text.append(room.data(), static_cast<size_t>(got));
    }
    return true;
}

// Starts a command with its output going into the pipe and the signals unblocked.
int start(const std::string& command, int output, pid_t& child) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none;
    ::sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    sigset_t ignored;  // by lt, not by the command
    ::sigemptyset(&ignored);
    ::sigaddset(&ignored, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes, &ignored);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    std::string shell = "sh", option = "-c", text = command;
    std::array<char*, 4> words{shell.data(), option.data(), text.data(), nullptr};
    const int code = ::posix_spawn(&child, "/bin/sh", &actions, &attributes, words.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return code;
}

}  // namespace

Result<std::string> file_text(const std::string& path, size_t most) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (file.get() < 0) return system_error("cannot read " + path, errno);
    errno = 0;
    std::string text = read_all(file.get(), most);
    if (text.empty() && errno == EAGAIN)
        return Error{path + " has nothing to read yet; cat() does not wait for it", "", EAGAIN};
    return text;
}

Result<std::string> command_output(const std::string& command, const std::function<void(std::string_view)>& take) {
    constexpr size_t most = 1 << 20;
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) < 0) return system_error("cannot create a pipe", errno);
    const Descriptor reader(ends[0]);
    Descriptor writer(ends[1]);
    pid_t child = 0;
    if (const int code = start(command, writer.get(), child); code != 0)
        return system_error("cannot run a command", code);
    writer.reset();
    const Descriptor process(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
    std::string text;
    while (append_output(text, most, reader.get(), process.get())) {
        const size_t line_end = text.rfind('\n');
        const size_t whole = line_end == text.npos ? most : line_end + 1;
        take(std::string_view(text).substr(0, whole));
        text.erase(0, whole);
    }
    while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
    return text;
}

Status set_socket_option(const SocketOption& o) {
    const auto refused = [&](int code) {
        return system_error(
            fmt::format("cannot set option {} of descriptor {} of process {}", o.option, o.descriptor, o.process),
            code);
    };
    const Descriptor process(static_cast<int>(::syscall(SYS_pidfd_open, o.process, 0)));
    if (process.get() < 0) return refused(errno);
    const Descriptor socket(static_cast<int>(::syscall(SYS_pidfd_getfd, process.get(), o.descriptor, 0)));
    if (socket.get() < 0) return refused(errno);
    if (::setsockopt(socket.get(), o.level, o.option, &o.value, sizeof o.value) < 0) return refused(errno);
    return Done{};
}

}  // namespace lt
