#include "runtime/attach/probed_files.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "runtime/os/descriptor.h"

namespace lt {

ProbedFiles::~ProbedFiles() {
    for (const auto& [at, size] : mappings_) ::munmap(at, size);
}

void ProbedFiles::map(const std::string& path) {
    if (!known_.insert(path).second) return;
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat about{};
    if (!file || ::fstat(file.get(), &about) != 0 || !S_ISREG(about.st_mode) || about.st_size <= 0) return;
    const auto size = static_cast<size_t>(about.st_size);
    // A private, read-only mapping counts as one that runs code (valid_vma() in kernel/events/uprobes.c).
    void* at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
    if (at != MAP_FAILED) mappings_.emplace_back(at, size);
}

}  // namespace lt
