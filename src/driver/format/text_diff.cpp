#include "driver/format/text_diff.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "base/file_text.h"

namespace lt {
namespace {

// A text that another program can read as a file.
class TextFile {
  public:
    explicit TextFile(const std::string& text) : fd_(::memfd_create("lt-fmt", 0)) {
        whole_ = fd_ >= 0 && write_all(fd_, text) == 0;
    }
    ~TextFile() {
        if (fd_ >= 0) ::close(fd_);
    }
    TextFile(const TextFile&) = delete;
    TextFile& operator=(const TextFile&) = delete;

    bool is_whole() const { return whole_; }  // otherwise errno says why
    std::string path() const { return fmt::format("/proc/self/fd/{}", fd_); }

  private:
    int fd_;
    bool whole_ = false;
};

}  // namespace

Status print_diff(const std::string& name, const std::string& before, const std::string& after) {
    if (before == after) return Done{};
    const TextFile old_text(before), new_text(after);
    if (!old_text.is_whole() || !new_text.is_whole()) return system_error("cannot compare the texts", errno);
    std::string words[] = {"diff",          "-u",           "--label", name, "--label", name + " (formatted)",
                           old_text.path(), new_text.path()};
    char* argv[std::size(words) + 1] = {};
    for (size_t i = 0; i < std::size(words); i++) argv[i] = words[i].data();
    std::fflush(stdout);
    pid_t child = 0;
    int status = 0;
    if (const int code = ::posix_spawnp(&child, "diff", nullptr, nullptr, argv, environ); code != 0)
        return system_error("cannot run diff", code);
    while (::waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return system_error("waiting for diff", errno);
    constexpr int differs = 1;
    if (WIFEXITED(status) && WEXITSTATUS(status) == differs) return Done{};
    return Error{"diff failed", "its message is above", 0};
}

}  // namespace lt
