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
#include "pin.h"
#include "probed_files.h"
#include "runtime/plan.h"
#include "runtime/session.h"

namespace lt {

// A program at one place, or at several by links to many. The links go before the event does.
struct Hook {
    int program = -1;
    Way way = Way::run;
    Descriptor event = Descriptor();  // empty for a trampoline and for links to many places: the link is all there is
    std::vector<Descriptor> links = {};  // empty until linked
    std::string raw_event = {};          // the name of a raw tracepoint or an iterator
    Pin pin = Pin();                     // of an iterator that others may read
    uint64_t cookie = 0;
    std::vector<Attachment> places = {};  // those that links to many serve
    int process = 0;                      // uprobes by one link, iterators over tasks: only of this one; 0: of all
    bool at_exec = false;                 // enabled by the kernel, when the command of -c is executed
    bool on_event = false;                // linked, but the kernel has no link for it: the program goes with the event
};

// Of the places of one program, one that the kernel refused while it took others.
struct Skipped {
    uint64_t cookie = 0;
    std::string why;  // with its name
};

class Attacher {
  public:
    // Both outlive the attacher.
    Attacher(const Plan& plan, const LoadedObject& object, Target target)
        : plan_(plan), object_(object), target_(target) {}

    // The rung's events, not yet counting, in the order in which they are to be linked: returns before entries, so that
    // no entry is seen whose return goes unseen. An error is the rung's refusal, and leaves nothing open. Where one
    // program has several places, those that are refused are skipped, unless all are.
    Result<std::vector<Hook>> open(const Rung& rung, std::vector<Skipped>& skipped);

  private:
    using Opened = Result<std::vector<Hook>>;
    // How one place is opened.
    struct Open {
        Way way;
        Opened (Attacher::*open)(const Attachment& attachment, int program);
    };
    static const Open* openers();
    Opened open_nothing(const Attachment& attachment, int program);
    Opened open_tracepoint(const Attachment& attachment, int program);
    Opened open_raw_tracepoint(const Attachment& attachment, int program);
    Opened open_trampoline(const Attachment& attachment, int program);
    Opened open_kprobe(const Attachment& attachment, int program);
    Opened open_system_call(const Attachment& a, int program);
    Opened open_sockets(const Attachment& a, int program);
    Opened open_iterator(const Attachment& attachment, int program);
    Opened open_some(Way way, std::span<const Attachment> attachments, std::vector<Skipped>& skipped);
    Opened open_one(Way way, const Attachment& attachment);
    Opened open_many(Way way, std::span<const Attachment> attachments);
    Opened open_uprobe(const Attachment& attachment, int program);
    Opened open_counting(const Attachment& attachment, int program);
    Opened open_breakpoints(const Attachment& attachment, int program);
    const Result<CodeSymbols>& symbols();

    const Plan& plan_;
    const LoadedObject& object_;
    const Target target_;
    ProbedFiles files_;
    std::optional<Result<CodeSymbols>> symbols_;  // read at the first breakpoint, for all of them
};

// Sets the programs; on an error those already set are still there and go with the hooks. What was skipped at one end
// is skipped at the other.
Status link_hooks(std::vector<Hook>& hooks, std::vector<Skipped>& skipped);
Status enable_hooks(const std::vector<Hook>& hooks);

// From here on no program of the hooks is started. The events stay open, for closing them takes up to 100 ms each.
void stop_hooks(std::span<Hook* const> hooks);

// Makes hooks count again that were stopped. A program that goes with its event (before Linux 5.15) cannot.
Status restart_hooks(std::vector<Hook>& hooks, std::vector<Skipped>& skipped);

// Closes them all, in several threads: each waits for a grace period of the kernel's, and they can wait for the same
// one.
void close_all(std::vector<Descriptor> descriptors);

}  // namespace lt
