// Records of the ring buffer to the printer, in order, each with its effect: text, a map printed, cleared or zeroed,
// the end of the run.
#pragma once

#include <bpf/libbpf.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "base/result.h"
#include "maps.h"
#include "object.h"
#include "runtime/plan.h"
#include "runtime/printer.h"

namespace lt {

class Collector {
  public:
    // All outlive the collector.
    static Result<std::unique_ptr<Collector>> open(const Plan& plan, const LoadedObject& object, const Maps& maps,
                                                   Printer& printer);

    // The ring buffer's own descriptor, readable when the kernel wakes us; -1: the plan has no events.
    int descriptor() const { return ring_fd_; }

    // Takes what is there, up to a limit, and flushes the printer if that was anything. After exit() nothing is taken
    // any more.
    enum class Drained : uint8_t { nothing, all, some };
    Drained drain();

    bool exit_called() const { return exit_called_; }
    const std::optional<Error>& failure() const { return failure_; }

    // Throws away what an exit() has left unread, and takes again what comes from now on.
    void restart();

  private:
    struct Free {
        void operator()(ring_buffer* ring) const { ring_buffer__free(ring); }
    };
    Collector(const Plan& plan, const Maps& maps, Printer& printer) : plan_(plan), maps_(maps), printer_(printer) {}
    static int take(void* self, void* record, size_t size);
    Status handle(std::span<const uint8_t> record);
    Status print_map(size_t index);

    const Plan& plan_;
    const Maps& maps_;
    Printer& printer_;
    std::unique_ptr<ring_buffer, Free> ring_;
    int ring_fd_ = -1;
    uint32_t left_ = 0;  // records that this drain may still take
    bool exit_called_ = false;
    bool discard_ = false;
    std::optional<Error> failure_;
};

}  // namespace lt
