#include "runtime/os/pid_namespace.h"

#include <sys/stat.h>

namespace lt {

std::pair<uint64_t, uint64_t> pid_namespace() {
    constexpr uint64_t first = 4026531836;  // include/uapi/linux/nsfs.h: PID_NS_INIT_INO
    struct stat file{};
    if (::stat("/proc/self/ns/pid", &file) != 0 || file.st_ino == first) return {0, 0};
    return {file.st_dev, file.st_ino};
}

}  // namespace lt
