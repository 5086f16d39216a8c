// Fields of tracepoints whose values the tracepoint's arguments hold. A raw tracepoint reads them there, without the
// record that the kernel makes for perf at each event, and without its perf event, which takes long to detach.
#pragma once

#include <span>
#include <string_view>

#include "codegen/typed/typed.h"

namespace lt {

struct RawFieldRow {
    std::string_view events;  // one or several, with commas; without categories: names of tracepoints are unique
    std::string_view field;
    // An argument of the raw tracepoint or `current`, then members: "skb->dev->name", "p->thread_info.cpu". With a star
    // before it, what the value points to. If a field has several rows, the first that the kernel's types allow counts.
    std::string_view source;
    Adapted adapted = Adapted::copied;

    bool is_of(std::string_view event) const;
};

// The sources are those of include/trace/events/*.h of Linux 5.10 to 6.18, where the field is a copy, or nearly. Not
// those of system calls: newer kernels run their raw tracepoint programs with preemption on, and skip one that is
// already running.
std::span<const RawFieldRow> raw_field_rows();

}  // namespace lt
