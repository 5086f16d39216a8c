#include "runtime/early/early_uprobe.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <utility>
#include <vector>

#include "runtime/attach/attach.h"
#include "runtime/attach/perf.h"
#include "runtime/os/descriptor.h"

namespace lt {

EarlyUprobe::EarlyUprobe()
    : thread_([this] {
          const Descriptor file(::memfd_create("lt_uprobe", MFD_CLOEXEC));
          constexpr off_t length = 16;  // as that of an instruction
          if (!file || ::ftruncate(file.get(), length) != 0) return;
          auto event = open_uprobe_event({.path = fmt::format("/proc/self/fd/{}", file.get())});
          ended_.acquire();
          std::vector<Descriptor> events;
          if (event) events.push_back(*std::move(event));
          close_later({}, std::move(events), false);
      }) {}

EarlyUprobe::~EarlyUprobe() { end(); }

void EarlyUprobe::end() {
    if (!is_ended_) ended_.release();
    is_ended_ = true;
}

}  // namespace lt
