// Tools that BCC, bpftrace and perf-tools have under a name that lt does not.
#pragma once

#include <string_view>

namespace lt {

// The same in lt, as words after `lt`: "fsdist -t ext4". Empty if the name is not of such a tool.
std::string_view words_for_other_tool(std::string_view name);

}  // namespace lt
