// Attaches programs. Each rung takes two steps: opening its events is slow and changes nothing; linking them starts the
// counting. This way all probes of a session start almost at the same time.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "runtime/attach/way.h"

namespace lt {

// A location that the kernel refused while it took others of the same program.
struct Skipped {
    uint64_t cookie = 0;
    std::string why;  // includes the location's name
};

class Attacher {
  public:
    // Both must outlive the attacher.
    Attacher(const Plan& plan, LoadedObject& object, Target target) : opening_{plan, object, target, {}, {}} {}

    // Opens the rung's events without starting them, in the order in which they must be linked: returns before entries,
    // so that no entry is seen without its return. On an error the kernel refuses the rung, and nothing stays open. If
    // a program has several locations, refused ones are skipped unless all are refused.
    Opened open(const Rung& rung, std::vector<Skipped>& skipped);

  private:
    Opened open_some(Way way, std::span<const Attachment> attachments, std::vector<Skipped>& skipped);
    Opened open_one(Way way, const Attachment& attachment);
    Opened open_many(Way way, std::span<const Attachment> attachments);

    Opening opening_;
};

// Links the programs. After an error, the programs that are already linked stay and go with the hooks. A location that
// is skipped at one end is skipped at the other end too.
Status link_hooks(std::vector<Hook>& hooks, std::vector<Skipped>& skipped);
Status enable_hooks(const std::vector<Hook>& hooks);

// After this call, no program of the hooks starts. The events stay open, because closing one takes up to 100 ms.
void stop_hooks(std::span<Hook* const> hooks);

// Restarts stopped hooks. Fails for a program that goes with its event (before Linux 5.15).
Status restart_hooks(std::vector<Hook>& hooks, std::vector<Skipped>& skipped);

// Closes all descriptors in several threads: each close waits for an RCU grace period, and threads can share one.
void close_all(std::vector<Descriptor> descriptors);

constexpr size_t most_closed_later = 32;  // links and events

// Leaves that to the kernel, which closes a few links and events in the background, also when this process has ended.
// Of many it would take so long that others wait for it: those are closed here or, if the process ends next, by one
// that outlives it.
void close_later(std::vector<Descriptor> links, std::vector<Descriptor> events, bool process_ends);

}  // namespace lt
