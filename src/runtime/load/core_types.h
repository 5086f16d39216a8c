// The kernel's types for the CO-RE relocations of an object: the few that it needs, as a file in memory.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "runtime/btf/kernel_btf.h"
#include "runtime/os/descriptor.h"

namespace lt {

class CoreTypes {
  public:
    CoreTypes() = default;
    CoreTypes(std::span<const uint8_t> object, KernelBtf& kernel);
    // For bpf_object_open_opts::btf_custom_path, while this lives; null: libbpf has to read all types of the kernel.
    const char* path() const { return file_ ? path_.c_str() : nullptr; }

  private:
    Descriptor file_;
    std::string path_;
};

}  // namespace lt
