// Programs to their places. A rung is served in two steps: its events are opened, which is slow and changes nothing,
// and then linked, which makes them count; so that all probes of a session start within a moment of one another.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "attach_breakpoint.h"
#include "base/result.h"
#include "descriptor.h"
#include "object.h"
#include "runtime/plan.h"

namespace lt {

// A program at one place. The link goes before the event does.
struct Hook {
    int program = -1;
    Way way = Way::run;
    Descriptor event;       // empty for a trampoline: its link is all there is
    Descriptor link;        // empty until linked
    std::string raw_event;  // a raw tracepoint's name
    bool on_event = false;  // linked, but the kernel has no link for it: the program goes with the event
};

class Attacher {
  public:
    // Both outlive the attacher.
    Attacher(const Plan& plan, const LoadedObject& object) : plan_(plan), object_(object) {}

    // The rung's events, not yet counting, in the order in which they are to be linked: returns before entries, so that
    // no entry is seen whose return goes unseen. An error is the rung's refusal, and leaves nothing open.
    Result<std::vector<Hook>> open(const Rung& rung);

  private:
    using Opened = Result<std::vector<Hook>>;
    Opened open_one(Way way, const Attachment& attachment);
    Opened open_breakpoints(const Attachment& attachment, int program);
    const Result<CodeSymbols>& symbols();

    const Plan& plan_;
    const LoadedObject& object_;
    std::optional<Result<CodeSymbols>> symbols_;  // read at the first breakpoint, for all of them
};

// Sets the programs; on an error those already set are still there and go with the hooks.
Status link_hooks(std::vector<Hook>& hooks);
Status enable_hooks(const std::vector<Hook>& hooks);

// From here on no program of the hooks is started. The events stay open, for closing them takes up to 100 ms each.
void stop_hooks(std::span<Hook* const> hooks);

// Closes them all, in several threads: each waits for a grace period of the kernel's, and they can wait for the same
// one.
void close_all(std::vector<Descriptor> descriptors);

}  // namespace lt
