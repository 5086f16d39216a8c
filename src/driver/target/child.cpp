#include "driver/target/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
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

// Runs in the new process, which can share lt's memory until it executes the command: only async-signal-safe functions
// may be called, and no handler of lt may run. If the parent dies, its end of the pipe closes and nothing runs. The
// child ends with lt, even if lt is killed; processes that it has started do not.
int wait_and_execute(void* argument) {
    const auto [parent, start, other_end, failed, argv] = *static_cast<const Child::Waiting*>(argument);
    close(other_end);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(127);
    for (int signal = 1; signal < SIGSYS; signal++) {
        struct sigaction action{};
        if (signal == SIGKILL || signal == SIGSTOP) continue;
        sigaction(signal, nullptr, &action);
        const bool is_handled = action.sa_handler != SIG_IGN && action.sa_handler != SIG_DFL;
        if (is_handled || signal == SIGPIPE) ::signal(signal, SIG_DFL);
    }
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

constexpr size_t child_stack = 64 << 10;  // besides the arguments, which execvp() puts there for a script without `#!`

}  // namespace

Result<std::unique_ptr<Child>> Child::start(const std::string& command, Quotes quotes, Memory memory) {
    std::unique_ptr<Child> child(new Child());
    child->words_ = quotes == Quotes::stand ? words_between_blanks(command) : shell_words(command);
    for (std::string& word : child->words_) child->arguments_.push_back(word.data());
    child->arguments_.push_back(nullptr);
    if (child->words_.empty())
        return Error{fmt::format("-c: `{}` is not a command", command), "for pipes and the like: `-c \"sh -c '...'\"`",
                     0};
    int start[2];
    int failed[2];
    if (pipe2(start, O_CLOEXEC) != 0 || pipe2(failed, O_CLOEXEC) != 0) return system_error("-c: pipe", errno);
    child->waiting_ = {getpid(), start[0], start[1], failed[1], child->arguments_.data()};
    const size_t size = child_stack + child->arguments_.size() * sizeof(char*);
    child->stack_ = std::make_unique_for_overwrite<std::byte[]>(size);
    // a copy takes a page table, and then each page that lt writes to while the process waits
    const int flags = (memory == Memory::shared ? CLONE_VM : 0) | SIGCHLD;
    child->pid_ = clone(wait_and_execute, child->stack_.get() + size, flags, &child->waiting_);
    if (child->pid_ < 0) return system_error("-c: clone", errno);
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
        if (pidfd_ < 0 || poll(&ended, 1, patience_ms) > 0) {
            waitpid(pid_, nullptr, 0);
        } else {
            fmt::print(stderr, "lt: the command does not end on SIGTERM; it keeps running as process {}\n", pid_);
            static_cast<void>(stack_.release());  // it may still stand on it
        }
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
