#include "runtime/os/file_bytes.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>

#include "runtime/os/descriptor.h"
#include "runtime/os/mounts.h"

namespace lt {

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
    Result<std::string> text = read_text(path);
    if (!text) return text.error();
    out.text_ = *std::move(text);
    return out;
}

FileBytes::~FileBytes() {
    if (!mapped_.empty()) ::munmap(mapped_.data(), mapped_.size());
}

}  // namespace lt
