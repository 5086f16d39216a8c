#include "stdlib/flag_sets.h"

#include <asm/fcntl.h>  // some bits differ between processors

#include <algorithm>
#include <array>
#include <bit>

#include "base/rows.h"

namespace lt {
namespace {

constexpr uint64_t all = UINT64_MAX;

// One bit, or several that mean something together.
constexpr FlagRow bit(uint64_t bits, std::string_view name) { return {bits, bits, name}; }
// The whole number.
constexpr FlagRow is(uint64_t number, std::string_view name) { return {all, number, name}; }

constexpr std::array open_flags{
    FlagRow{3, 0, "O_RDONLY"},     FlagRow{3, 1, "O_WRONLY"},
    FlagRow{3, 2, "O_RDWR"},       bit(0100, "O_CREAT"),
    bit(0200, "O_EXCL"),           bit(0400, "O_NOCTTY"),
    bit(01000, "O_TRUNC"),         bit(02000, "O_APPEND"),
    bit(04000, "O_NONBLOCK"),      bit(04010000, "O_SYNC"),
    bit(010000, "O_DSYNC"),        bit(020000, "O_ASYNC"),
    bit(O_DIRECT, "O_DIRECT"),     bit(O_LARGEFILE, "O_LARGEFILE"),
    bit(O_TMPFILE, "O_TMPFILE"),   bit(O_DIRECTORY, "O_DIRECTORY"),
    bit(O_NOFOLLOW, "O_NOFOLLOW"), bit(01000000, "O_NOATIME"),
    bit(02000000, "O_CLOEXEC"),    bit(010000000, "O_PATH"),
};
// The vectors of include/linux/interrupt.h, and the states of include/net/tcp_states.h.
constexpr std::array softirqs{is(0, "hi"),       is(1, "timer"),   is(2, "net_tx"), is(3, "net_rx"),  is(4, "block"),
                              is(5, "irq_poll"), is(6, "tasklet"), is(7, "sched"),  is(8, "hrtimer"), is(9, "rcu")};
constexpr std::array tcp_states{is(1, "ESTABLISHED"),    is(2, "SYN_SENT"),  is(3, "SYN_RECV"), is(4, "FIN_WAIT1"),
                                is(5, "FIN_WAIT2"),      is(6, "TIME_WAIT"), is(7, "CLOSE"),    is(8, "CLOSE_WAIT"),
                                is(9, "LAST_ACK"),       is(10, "LISTEN"),   is(11, "CLOSING"), is(12, "NEW_SYN_RECV"),
                                is(13, "BOUND_INACTIVE")};
constexpr std::array access_modes{is(0, "F_OK"), bit(4, "R_OK"), bit(2, "W_OK"), bit(1, "X_OK")};
constexpr std::array at_flags{bit(0x100, "AT_SYMLINK_NOFOLLOW"), bit(0x200, "AT_REMOVEDIR"),
                              bit(0x400, "AT_SYMLINK_FOLLOW"), bit(0x800, "AT_NO_AUTOMOUNT"),
                              bit(0x1000, "AT_EMPTY_PATH")};
constexpr std::array protections{is(0, "PROT_NONE"),
                                 bit(1, "PROT_READ"),
                                 bit(2, "PROT_WRITE"),
                                 bit(4, "PROT_EXEC"),
                                 bit(8, "PROT_SEM"),
                                 bit(0x1000000, "PROT_GROWSDOWN"),
                                 bit(0x2000000, "PROT_GROWSUP")};
constexpr std::array mmap_flags{
    FlagRow{3, 3, "MAP_SHARED_VALIDATE"}, FlagRow{3, 1, "MAP_SHARED"},
    FlagRow{3, 2, "MAP_PRIVATE"},         bit(0x10, "MAP_FIXED"),
    bit(0x20, "MAP_ANONYMOUS"),           bit(0x40, "MAP_32BIT"),
    bit(0x100, "MAP_GROWSDOWN"),          bit(0x800, "MAP_DENYWRITE"),
    bit(0x1000, "MAP_EXECUTABLE"),        bit(0x2000, "MAP_LOCKED"),
    bit(0x4000, "MAP_NORESERVE"),         bit(0x8000, "MAP_POPULATE"),
    bit(0x10000, "MAP_NONBLOCK"),         bit(0x20000, "MAP_STACK"),
    bit(0x40000, "MAP_HUGETLB"),          bit(0x80000, "MAP_SYNC"),
    bit(0x100000, "MAP_FIXED_NOREPLACE"),
};
constexpr std::array clone_flags{
    bit(0x100, "CLONE_VM"),
    bit(0x200, "CLONE_FS"),
    bit(0x400, "CLONE_FILES"),
    bit(0x800, "CLONE_SIGHAND"),
    bit(0x1000, "CLONE_PIDFD"),
    bit(0x2000, "CLONE_PTRACE"),
    bit(0x4000, "CLONE_VFORK"),
    bit(0x8000, "CLONE_PARENT"),
    bit(0x10000, "CLONE_THREAD"),
    bit(0x20000, "CLONE_NEWNS"),
    bit(0x40000, "CLONE_SYSVSEM"),
    bit(0x80000, "CLONE_SETTLS"),
    bit(0x100000, "CLONE_PARENT_SETTID"),
    bit(0x200000, "CLONE_CHILD_CLEARTID"),
    bit(0x400000, "CLONE_DETACHED"),
    bit(0x800000, "CLONE_UNTRACED"),
    bit(0x1000000, "CLONE_CHILD_SETTID"),
    bit(0x2000000, "CLONE_NEWCGROUP"),
    bit(0x4000000, "CLONE_NEWUTS"),
    bit(0x8000000, "CLONE_NEWIPC"),
    bit(0x10000000, "CLONE_NEWUSER"),
    bit(0x20000000, "CLONE_NEWPID"),
    bit(0x40000000, "CLONE_NEWNET"),
    bit(0x80000000, "CLONE_IO"),
    bit(0x100000000, "CLONE_CLEAR_SIGHAND"),
    bit(0x200000000, "CLONE_INTO_CGROUP"),
    FlagRow{0xff, 17, "SIGCHLD"},
};
constexpr std::array signals{
    is(0, "SIG_0"),    is(1, "SIGHUP"),     is(2, "SIGINT"),   is(3, "SIGQUIT"),   is(4, "SIGILL"),
    is(5, "SIGTRAP"),  is(6, "SIGABRT"),    is(7, "SIGBUS"),   is(8, "SIGFPE"),    is(9, "SIGKILL"),
    is(10, "SIGUSR1"), is(11, "SIGSEGV"),   is(12, "SIGUSR2"), is(13, "SIGPIPE"),  is(14, "SIGALRM"),
    is(15, "SIGTERM"), is(16, "SIGSTKFLT"), is(17, "SIGCHLD"), is(18, "SIGCONT"),  is(19, "SIGSTOP"),
    is(20, "SIGTSTP"), is(21, "SIGTTIN"),   is(22, "SIGTTOU"), is(23, "SIGURG"),   is(24, "SIGXCPU"),
    is(25, "SIGXFSZ"), is(26, "SIGVTALRM"), is(27, "SIGPROF"), is(28, "SIGWINCH"), is(29, "SIGIO/SIGPOLL"),
    is(30, "SIGPWR"),  is(31, "SIGSYS"),
};
constexpr std::array whences{is(0, "SEEK_SET"), is(1, "SEEK_CUR"), is(2, "SEEK_END"), is(3, "SEEK_DATA"),
                             is(4, "SEEK_HOLE")};
constexpr std::array file_commands{
    is(0, "F_DUPFD"),         is(1, "F_GETFD"),         is(2, "F_SETFD"),
    is(3, "F_GETFL"),         is(4, "F_SETFL"),         is(5, "F_GETLK"),
    is(6, "F_SETLK"),         is(7, "F_SETLKW"),        is(8, "F_SETOWN"),
    is(9, "F_GETOWN"),        is(10, "F_SETSIG"),       is(11, "F_GETSIG"),
    is(15, "F_SETOWN_EX"),    is(16, "F_GETOWN_EX"),    is(36, "F_OFD_GETLK"),
    is(37, "F_OFD_SETLK"),    is(38, "F_OFD_SETLKW"),   is(1024, "F_SETLEASE"),
    is(1025, "F_GETLEASE"),   is(1026, "F_NOTIFY"),     is(1030, "F_DUPFD_CLOEXEC"),
    is(1031, "F_SETPIPE_SZ"), is(1032, "F_GETPIPE_SZ"), is(1033, "F_ADD_SEALS"),
    is(1034, "F_GET_SEALS"),
};
constexpr std::array families{
    is(0, "PF_UNSPEC"), is(1, "PF_LOCAL"),  is(2, "PF_INET"),   is(3, "PF_AX25"),     is(4, "PF_IPX"),
    is(9, "PF_X25"),    is(10, "PF_INET6"), is(15, "PF_KEY"),   is(16, "PF_NETLINK"), is(17, "PF_PACKET"),
    is(21, "PF_RDS"),   is(24, "PF_PPPOX"), is(29, "PF_CAN"),   is(30, "PF_TIPC"),    is(31, "PF_BLUETOOTH"),
    is(33, "PF_RXRPC"), is(38, "PF_ALG"),   is(40, "PF_VSOCK"),
};
constexpr std::array socket_types{
    FlagRow{0xf, 1, "SOCK_STREAM"},  FlagRow{0xf, 2, "SOCK_DGRAM"},     FlagRow{0xf, 3, "SOCK_RAW"},
    FlagRow{0xf, 4, "SOCK_RDM"},     FlagRow{0xf, 5, "SOCK_SEQPACKET"}, FlagRow{0xf, 6, "SOCK_DCCP"},
    FlagRow{0xf, 10, "SOCK_PACKET"}, bit(02000000, "SOCK_CLOEXEC"),     bit(04000, "SOCK_NONBLOCK"),
};
constexpr std::array message_flags{
    bit(0x1, "MSG_OOB"),
    bit(0x2, "MSG_PEEK"),
    bit(0x4, "MSG_DONTROUTE"),
    bit(0x8, "MSG_CTRUNC"),
    bit(0x10, "MSG_PROBE"),
    bit(0x20, "MSG_TRUNC"),
    bit(0x40, "MSG_DONTWAIT"),
    bit(0x80, "MSG_EOR"),
    bit(0x100, "MSG_WAITALL"),
    bit(0x200, "MSG_FIN"),
    bit(0x400, "MSG_SYN"),
    bit(0x800, "MSG_CONFIRM"),
    bit(0x1000, "MSG_RST"),
    bit(0x2000, "MSG_ERRQUEUE"),
    bit(0x4000, "MSG_NOSIGNAL"),
    bit(0x8000, "MSG_MORE"),
    bit(0x10000, "MSG_WAITFORONE"),
    bit(0x20000000, "MSG_FASTOPEN"),
    bit(0x40000000, "MSG_CMSG_CLOEXEC"),
};
constexpr std::array advices{
    is(0, "MADV_NORMAL"),         is(1, "MADV_RANDOM"),     is(2, "MADV_SEQUENTIAL"),   is(3, "MADV_WILLNEED"),
    is(4, "MADV_DONTNEED"),       is(8, "MADV_FREE"),       is(9, "MADV_REMOVE"),       is(10, "MADV_DONTFORK"),
    is(11, "MADV_DOFORK"),        is(12, "MADV_MERGEABLE"), is(13, "MADV_UNMERGEABLE"), is(14, "MADV_HUGEPAGE"),
    is(15, "MADV_NOHUGEPAGE"),    is(16, "MADV_DONTDUMP"),  is(17, "MADV_DODUMP"),      is(18, "MADV_WIPEONFORK"),
    is(19, "MADV_KEEPONFORK"),    is(20, "MADV_COLD"),      is(21, "MADV_PAGEOUT"),     is(100, "MADV_HWPOISON"),
    is(101, "MADV_SOFT_OFFLINE"),
};
constexpr std::array pipe_flags{bit(04000, "O_NONBLOCK"), bit(02000000, "O_CLOEXEC"), bit(O_DIRECT, "O_DIRECT")};
constexpr std::array event_flags{bit(04000, "EFD_NONBLOCK"), bit(02000000, "EFD_CLOEXEC"), bit(1, "EFD_SEMAPHORE")};

constexpr std::array sets{
    FlagSet{"open", open_flags},      FlagSet{"mode_of_access", access_modes},
    FlagSet{"at", at_flags},          FlagSet{"protection", protections},
    FlagSet{"mmap", mmap_flags},      FlagSet{"clone", clone_flags},
    FlagSet{"signal", signals},       FlagSet{"whence", whences},
    FlagSet{"fcntl", file_commands},  FlagSet{"family", families},
    FlagSet{"socket", socket_types},  FlagSet{"message", message_flags},
    FlagSet{"advice", advices},       FlagSet{"pipe", pipe_flags},
    FlagSet{"event", event_flags},    FlagSet{"softirq", softirqs},
    FlagSet{"tcp_state", tcp_states},
};

constexpr uint32_t name_size = 24, row_size = 40;  // as in lt_names()
static_assert(std::ranges::all_of(sets, [](const FlagSet& set) {
    return std::ranges::all_of(set.rows, [](const FlagRow& row) { return row.name.size() < name_size; });
}));

void append(std::string& to, uint64_t word) {
    for (uint32_t shift = 0; shift < 64; shift += 8) to += static_cast<char>(word >> shift);
}

}  // namespace

std::string FlagSet::table() const {
    std::string out;
    for (const FlagRow& row : rows) {
        append(out, row.mask);
        append(out, row.bits);
        out += row.name;
        out.resize((out.size() + row_size - 1) / row_size * row_size);
    }
    return out;
}

uint32_t FlagSet::room() const {
    constexpr uint32_t digits = sizeof("|0xffffffffffffffff"), name_more = 32;
    uint32_t flags = 0, single = 0;
    for (const FlagRow& row : rows) {
        const auto size = static_cast<uint32_t>(row.name.size()) + 1;
        row.mask == all ? single = std::max(single, size) : flags += size;
    }
    return std::bit_ceil(std::max(flags + digits, single)) + name_more;  // nothing follows the name of a whole number
}

std::span<const FlagSet> flag_sets() { return sets; }

const FlagSet* find_flag_set(std::string_view name) { return find_row(sets, name, &FlagSet::name); }

}  // namespace lt
