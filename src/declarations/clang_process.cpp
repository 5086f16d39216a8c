#include "declarations/clang_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <optional>

#include "base/file_text.h"
#include "base/text.h"
#include "declarations/c_functions.h"

namespace lt {
namespace {

// The emitter reads bitcode of this version and older ones.
constexpr std::array clang_names{"clang-19", "clang-18", "clang-17", "clang-16", "clang"};

// -O2 keeps the script's locals out of memory: their addresses would be taken for kernel addresses. The next three
// flags are the kernel's own, so that C means the same as there.
constexpr std::array arguments{"-x",
                               "c",
                               "-",
                               "-target",
                               "bpf",
                               "-mcpu=v3",
                               "-std=gnu11",
                               "-nostdinc",
                               "-O2",
                               "-fwrapv",
                               "-fno-strict-aliasing",
                               "-fno-delete-null-pointer-checks",
                               "-g",
                               "-fno-unroll-loops",
                               "-w",
                               "-Wno-int-conversion",
                               "-Wno-incompatible-pointer-types",
                               "-fno-color-diagnostics",
                               "-fno-caret-diagnostics",
                               "-fno-diagnostics-show-option",
                               "-emit-llvm",
                               "-c",
                               "-o",
                               "-"};

Result<std::string> find_compiler() {
    const char* path = std::getenv("PATH");
    std::string folders = fmt::format("{}:/usr/lib/llvm-19/bin:/usr/bin", path != nullptr ? path : "");
    for (const char* name : clang_names) {
        for (std::string_view folder : split(folders, ':')) {
            if (!folder.starts_with('/')) continue;
            std::string file = fmt::format("{}/{}", folder, name);
            if (::access(file.c_str(), X_OK) == 0) return file;
        }
    }
    return Error{"functions in C are compiled by clang, which is not installed", "install it: `apt install clang-19`",
                 0};
}

// An anonymous file.
class Memory {
  public:
    Memory() : fd_(::memfd_create("lt", MFD_CLOEXEC)) {}
    ~Memory() {
        if (fd_ >= 0) ::close(fd_);
    }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    int fd() const { return fd_; }

    bool fill(std::string_view text) const { return write_all(fd_, text) == 0 && ::lseek(fd_, 0, SEEK_SET) == 0; }
    std::string text() const {
        std::string out(static_cast<size_t>(::lseek(fd_, 0, SEEK_END)), '\0');
        const ssize_t got = ::pread(fd_, out.data(), out.size(), 0);
        out.resize(got > 0 ? static_cast<size_t>(got) : 0);
        return out;
    }

  private:
    int fd_;
};

// Runs in the child process, where only async-signal-safe functions may be called. It ends when lt ends, and on the
// keys that end lt.
[[noreturn]] void become(const char* file, char* const* argv, pid_t parent, int in, int out, int messages) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    // A function takes a fraction of this; macros that double repeatedly would use all memory.
    constexpr rlimit memory{rlim_t{4} << 30, rlim_t{4} << 30}, seconds{60, 60};
    ::setrlimit(RLIMIT_AS, &memory);
    ::setrlimit(RLIMIT_CPU, &seconds);
    if (::getppid() != parent) ::_exit(127);
    if (::dup2(in, 0) < 0 || ::dup2(out, 1) < 0 || ::dup2(messages, 2) < 0) ::_exit(127);
    ::execv(file, argv);
    ::_exit(127);
}

}  // namespace

std::optional<Error> lacking_clang() {
    const Result<std::string> file = find_compiler();
    return file ? std::nullopt : std::optional(file.error());
}

Result<ClangResult> run_clang(std::string_view text) {
    const Result<std::string> file = find_compiler();
    if (!file) return file.error();
    const Memory in, out, messages;
    if (in.fd() < 0 || out.fd() < 0 || messages.fd() < 0 || !in.fill(text)) return system_error("memory", errno);
    std::vector<char*> argv{const_cast<char*>(file->c_str())};
    for (const char* argument : arguments) argv.push_back(const_cast<char*>(argument));
    argv.push_back(nullptr);
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child < 0) return system_error("fork", errno);
    if (child == 0) become(file->c_str(), argv.data(), parent, in.fd(), out.fd(), messages.fd());
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) return Error{fmt::format("{} cannot be run", *file), "", 0};
    // clang aborts when it runs out of memory, and is killed at the time limit.
    if (!WIFEXITED(status))
        return Error{fmt::format("{} was killed by signal {} ({}); the limits are 4 GiB of memory and 1 minute", *file,
                                 WTERMSIG(status), ::strsignal(WTERMSIG(status))),
                     "use fewer macros in the function", 0};
    const std::string made = out.text();
    return ClangResult{WEXITSTATUS(status) == 0, {made.begin(), made.end()}, messages.text()};
}

}  // namespace lt
