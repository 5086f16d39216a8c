#include "runtime/os/file_bytes.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "runtime/os/descriptor.h"
#include "runtime/os/mounts.h"

namespace lt {
namespace {

// Reads a file that cannot be mapped into memory of its size, which is not cleared first and does not grow. Empty if
// the file has another size.
std::span<uint8_t> read_whole(int file, size_t size) {
    constexpr int fresh = MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE;
    void* const memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, fresh, -1, 0);
    if (memory == MAP_FAILED) return {};
    const std::span bytes(static_cast<uint8_t*>(memory), size);
    size_t used = 0;
    while (used < size) {
        const ssize_t n = ::read(file, bytes.data() + used, size - used);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) break;
        used += static_cast<size_t>(n);
    }
    if (used == size) return bytes;
    ::munmap(memory, size);
    return {};
}

}  // namespace

Result<FileBytes> FileBytes::open(const std::string& path) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat about{};
    if (file.get() < 0 || ::fstat(file.get(), &about) != 0) return system_error(path, errno);
    const auto size = static_cast<size_t>(about.st_size);
    FileBytes out;
    void* const mapped = size == 0 ? MAP_FAILED : ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
    if (mapped != MAP_FAILED) {
        out.mapped_ = {static_cast<uint8_t*>(mapped), size};
        return out;
    }
    out.mapped_ = size == 0 ? std::span<uint8_t>() : read_whole(file.get(), size);
    if (!out.mapped_.empty()) return out;
    Result<std::string> text = read_text(path);
    if (!text) return text.error();
    out.text_ = *std::move(text);
    return out;
}

FileBytes::~FileBytes() {
    if (!mapped_.empty()) ::munmap(mapped_.data(), mapped_.size());
}

}  // namespace lt
