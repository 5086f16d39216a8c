#include "stdlib/header_constants.h"

#include <algorithm>
#include <array>

namespace lt {
namespace {

struct Row {
    std::string_view name;
    int64_t value;
};
// linux/sched.h: task states and flags; linux/kdev_t.h.
constexpr std::array rows{
    Row{"TASK_RUNNING", 0},
    Row{"TASK_INTERRUPTIBLE", 1},
    Row{"TASK_UNINTERRUPTIBLE", 2},
    Row{"__TASK_STOPPED", 4},
    Row{"__TASK_TRACED", 8},
    Row{"EXIT_DEAD", 0x10},
    Row{"EXIT_ZOMBIE", 0x20},
    Row{"TASK_PARKED", 0x40},
    Row{"TASK_DEAD", 0x80},
    Row{"TASK_WAKEKILL", 0x100},
    Row{"TASK_WAKING", 0x200},
    Row{"TASK_NOLOAD", 0x400},
    Row{"TASK_NEW", 0x800},
    Row{"PF_EXITING", 0x4},
    Row{"PF_KTHREAD", 0x200000},
    Row{"MINORBITS", 20},
    // linux/socket.h: address families
    Row{"AF_UNSPEC", 0},
    Row{"AF_UNIX", 1},
    Row{"AF_INET", 2},
    Row{"AF_INET6", 10},
    Row{"AF_NETLINK", 16},
    Row{"AF_PACKET", 17},
    // asm-generic/socket.h, linux/tcp.h: levels and options of sockets
    Row{"SOL_SOCKET", 1},
    Row{"SO_REUSEADDR", 2},
    Row{"SO_SNDBUF", 7},
    Row{"SO_RCVBUF", 8},
    Row{"SO_KEEPALIVE", 9},
    Row{"SO_PRIORITY", 12},
    Row{"SO_RCVLOWAT", 18},
    Row{"SO_MARK", 36},
    Row{"SO_MAX_PACING_RATE", 47},
    Row{"SOL_TCP", 6},
    Row{"IPPROTO_TCP", 6},
    Row{"TCP_NODELAY", 1},
    Row{"TCP_MAXSEG", 2},
    Row{"TCP_KEEPIDLE", 4},
    Row{"TCP_KEEPINTVL", 5},
    Row{"TCP_KEEPCNT", 6},
    Row{"TCP_SYNCNT", 7},
    Row{"TCP_WINDOW_CLAMP", 10},
    Row{"TCP_USER_TIMEOUT", 18},
    Row{"TCP_NOTSENT_LOWAT", 25},
};

}  // namespace

std::optional<int64_t> header_constant(std::string_view name) {
    const auto* row = std::ranges::find(rows, name, &Row::name);
    return row == rows.end() ? std::nullopt : std::optional(row->value);
}

}  // namespace lt
