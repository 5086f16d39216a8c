#include "runtime/load/core_types.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <vector>

#include "runtime/btf/btf_excerpt.h"

namespace lt {

CoreTypes::CoreTypes(std::span<const uint8_t> object, KernelBtf& kernel) {
    if (!seeks_few_types(object)) return;
    const std::vector<uint8_t> types = btf_excerpt(object, kernel.bytes());
    if (types.empty()) return;
    Descriptor file(::memfd_create("lt_types", MFD_CLOEXEC));
    if (!file || ::write(file.get(), types.data(), types.size()) != static_cast<ssize_t>(types.size())) return;
    path_ = fmt::format("/proc/self/fd/{}", file.get());
    if (::access(path_.c_str(), R_OK) == 0) file_ = std::move(file);
}

}  // namespace lt
