#include "runtime/os/file_state.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

namespace lt {

std::optional<FileState> file_state(const std::string& path) {
    struct stat about{};
    if (::stat(path.c_str(), &about) != 0) return {};
    constexpr int64_t second = 1'000'000'000;
    const int64_t written = about.st_mtim.tv_sec * second + about.st_mtim.tv_nsec;
    const int64_t changed = about.st_ctim.tv_sec * second + about.st_ctim.tv_nsec;
    const std::string content = fmt::format("{}:{} {} {}", about.st_dev, about.st_ino, about.st_size, written);
    return FileState{fmt::format("{} {}", content, changed),
                     content,
                     about.st_ino,
                     gnu_dev_major(about.st_dev),
                     gnu_dev_minor(about.st_dev),
                     changed};
}

}  // namespace lt
