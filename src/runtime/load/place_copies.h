// Copies of a program, one for each of its locations, for kernels without attach cookies (before Linux 5.15). In each
// copy an instruction with the answer replaces the call that asks where it runs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "runtime/os/descriptor.h"

struct bpf_program;

namespace lt {

class PlaceCopies {
  public:
    // Call before the program is loaded: removes what this kernel does not support. Returns 0 or a negative errno.
    int prepare(bpf_program* program);
    // The program for one of the locations, counted from 0; the original if it does not ask where it runs. The
    // descriptor is valid as long as this object.
    Result<int> at(const bpf_program* program, uint64_t place);
    // The descriptors of a program's copies.
    std::vector<int> of(const std::string& program) const;
    // Does the kernel have attach cookies?
    bool kernel_tells();

  private:
    std::map<std::string, std::vector<size_t>> questions_;  // by program: indices of instructions
    std::map<std::pair<std::string, uint64_t>, Descriptor> copies_;
    int tells_ = -1;  // not tested yet
};

}  // namespace lt
