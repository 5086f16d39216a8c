#include "stdlib/header_constants.h"

#include <algorithm>
#include <array>

namespace lt {
namespace {

struct Row {
    std::string_view name;
    int64_t value;
};
// linux/sched.h: what a task is doing, and its flags; linux/kdev_t.h.
constexpr std::array rows{
    Row{"TASK_RUNNING", 0},  Row{"TASK_INTERRUPTIBLE", 1}, Row{"TASK_UNINTERRUPTIBLE", 2}, Row{"__TASK_STOPPED", 4},
    Row{"__TASK_TRACED", 8}, Row{"EXIT_DEAD", 0x10},       Row{"EXIT_ZOMBIE", 0x20},       Row{"TASK_PARKED", 0x40},
    Row{"TASK_DEAD", 0x80},  Row{"TASK_WAKEKILL", 0x100},  Row{"TASK_WAKING", 0x200},      Row{"TASK_NOLOAD", 0x400},
    Row{"TASK_NEW", 0x800},  Row{"PF_EXITING", 0x4},       Row{"PF_KTHREAD", 0x200000},    Row{"MINORBITS", 20},
};

}  // namespace

std::optional<int64_t> header_constant(std::string_view name) {
    const auto* row = std::ranges::find(rows, name, &Row::name);
    return row == rows.end() ? std::nullopt : std::optional(row->value);
}

}  // namespace lt
