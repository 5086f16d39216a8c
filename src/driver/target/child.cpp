#include "driver/target/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wordexp.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace lt {
namespace {

constexpr int patience_ms = 2000;

// Empty if a shell would do more with the command than run it.
std::vector<std::string> shell_words(const std::string& command) {
    wordexp_t found{};
    std::vector<std::string> out;
    if (wordexp(command.c_str(), &found, WRDE_NOCMD) != 0) return out;
    out.assign(found.we_wordv, found.we_wordv + found.we_wordc);
    wordfree(&found);
    return out;
}

std::vector<std::string> words_between_blanks(const std::string& command) {
    std::vector<std::string> out;
    for (const std::string_view word : split(command, ' '))
        if (!word.empty()) out.emplace_back(word);
    return out;
}

// Runs in the child process, where only async-signal-safe functions may be called. If the parent dies, its end of the
// pipe closes and nothing runs.
// The child ends with lt, even if lt is killed; processes that it has started do not.
[[noreturn]] void wait_and_execute(pid_t parent, int start, int failed, char** argv) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(127);
    ::signal(SIGPIPE, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    int code = 0;  // ready: probes that count this process's system calls see none of the above
    char go = 0;
    if (write(failed, &code, sizeof code) == sizeof code && read(start, &go, 1) == 1) {
        execvp(argv[0], argv);
        code = errno;
        if (write(failed, &code, sizeof code) < 0) _exit(126);
    }
    _exit(127);
}

}  // namespace

Result<std::unique_ptr<Child>> Child::start(const std::string& command, Quotes quotes) {
    std::vector<std::string> words = quotes == Quotes::stand ? words_between_blanks(command) : shell_words(command);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    if (words.empty())
        return Error{fmt::format("-c: `{}` is not a command", command), "for pipes and the like: `-c \"sh -c '...'\"`",
                     0};
    int start[2];
    int failed[2];
    if (pipe2(start, O_CLOEXEC) != 0 || pipe2(failed, O_CLOEXEC) != 0) return system_error("-c: pipe", errno);
    std::unique_ptr<Child> child(new Child());
    const pid_t parent = getpid();
    child->pid_ = fork();
    if (child->pid_ < 0) return system_error("-c: fork", errno);
    if (child->pid_ == 0) {
        close(start[1]);
        wait_and_execute(parent, start[0], failed[1], arguments.data());
    }
    close(start[0]);
    close(failed[1]);
    child->start_ = start[1];
    child->failed_ = failed[0];
    child->pidfd_ = static_cast<int>(syscall(SYS_pidfd_open, child->pid_, 0));
    if (child->pidfd_ < 0) return system_error("-c: pidfd_open", errno);
    int ready = 0;
    if (read(child->failed_, &ready, sizeof ready) != sizeof ready)
        return Error{"-c: the new process ended before it could run the command", "", 0};
    return child;
}

Child::~Child() {
    for (const int fd : {start_, failed_}) {
        if (fd >= 0) close(fd);
    }
    if (pid_ > 0 && !reaped_) {
        if (released_) kill(pid_, SIGTERM);
        pollfd ended{pidfd_, POLLIN, 0};
        if (pidfd_ < 0 || poll(&ended, 1, patience_ms) > 0)
            waitpid(pid_, nullptr, 0);
        else
            fmt::print(stderr, "lt: the command does not end on SIGTERM; it keeps running as process {}\n", pid_);
    }
    if (pidfd_ >= 0) close(pidfd_);
}

Status Child::release() {
    released_ = true;
    // EPIPE: a signal has ended the process while it waited, such as that of Ctrl-C on a terminal.
    if (write(start_, "", 1) != 1 && errno != EPIPE) return system_error("-c: starting the command", errno);
    int code = 0;
    if (read(failed_, &code, sizeof code) == sizeof code) return system_error("-c: the command cannot be run", code);
    return Done{};
}

std::string Child::trouble() {
    int status = 0;
    if (reaped_ || waitpid(pid_, &status, WNOHANG) != pid_) return "";
    reaped_ = true;
    if (WIFSIGNALED(status))
        return fmt::format("was killed by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
    return WEXITSTATUS(status) == 0 ? "" : fmt::format("exited with status {}", WEXITSTATUS(status));
}

}  // namespace lt
