#include "runtime/btf/kernel_btf.h"

namespace lt {

std::span<const uint8_t> KernelBtf::bytes() {
    if (!file_) file_.emplace(FileBytes::open("/sys/kernel/btf/vmlinux"));
    return *file_ ? (*file_)->bytes() : std::span<const uint8_t>();
}

}  // namespace lt
