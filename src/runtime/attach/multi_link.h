// Links one program to many locations at once. Uses the system call directly, because the libbpf version in use
// supports neither uprobe multi-links nor sessions.
#pragma once

#include <span>

#include "base/result.h"
#include "runtime/border/plan.h"
#include "runtime/os/descriptor.h"

namespace lt {

// All locations use this way and, except in a session, the same end. The program runs until the link is closed.
// `process`: only in this process; 0: in all.
Result<Descriptor> link_many(Way way, int program, std::span<const Attachment> places, int process = 0);

}  // namespace lt
