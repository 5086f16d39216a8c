#include "stdlib/causes.h"

#include <algorithm>
#include <array>

#include "base/rows.h"
#include "base/text.h"

namespace lt {
namespace {

constexpr std::array<std::string_view, 5> groups{"running", "interrupts", "runq", "blocked", "unexplained"};

constexpr std::array causes_by_id{
    CauseRow{Cause::running, "running", CauseGroup::running, "running", "The thread ran on a CPU.",
             "a loop that computes"},
    CauseRow{Cause::irq, "irq", CauseGroup::interrupts, "interrupts",
             "A hard interrupt, the timer or another CPU's call took the CPU from the thread while it ran.",
             "a network card's interrupts"},
    CauseRow{Cause::softirq, "softirq", CauseGroup::interrupts, "softirqs",
             "A softirq took the CPU from the thread while it ran.", "packets over the loopback device"},
    CauseRow{Cause::woken, "woken", CauseGroup::runq, "run queue: woken",
             "The thread had been woken up and waited for a CPU.", "more threads than CPUs"},
    CauseRow{Cause::preempted, "preempted", CauseGroup::runq, "run queue: preempted",
             "Another thread was given the CPU although this one wanted to run.", "a busy thread on the same CPU"},
    CauseRow{Cause::throttled, "throttled", CauseGroup::runq, "CPU quota",
             "The CPU quota of its cgroup was used up (cpu.max).", "a container with half a CPU"},
    CauseRow{Cause::other, "other", CauseGroup::blocked, "other wait",
             "The thread waited in a function of the kernel that no other cause names.", "a driver's own wait"},
    CauseRow{Cause::lock, "lock", CauseGroup::blocked, "kernel lock",
             "Another thread held a mutex, an rwsem or another sleeping lock of the kernel.",
             "two threads that write to one file"},
    CauseRow{Cause::mmap_lock, "mmap_lock", CauseGroup::blocked, "mmap_lock",
             "Another thread of the process was changing its address space, or used it.",
             "munmap() beside page faults"},
    CauseRow{Cause::memory, "memory", CauseGroup::blocked, "memory reclaim",
             "The kernel was short of memory: the thread freed some itself, or waited for it, or for swap.",
             "a cgroup at its memory.max"},
    CauseRow{Cause::futex, "futex", CauseGroup::blocked, "user lock",
             "The thread waited for a lock, a condition variable or another futex of its program.",
             "pthread_mutex_lock() of a mutex that is held"},
    CauseRow{Cause::disk, "disk", CauseGroup::blocked, "block I/O",
             "The thread waited for reads or writes of a block device or a file system's journal.", "fsync()"},
    CauseRow{Cause::fault, "fault", CauseGroup::blocked, "page fault",
             "A page fault waited, mostly for a page to be read from a file.", "the first access to a mapped file"},
    CauseRow{Cause::dirty, "dirty", CauseGroup::blocked, "dirty throttling",
             "The kernel slowed down a writer because too much written data waits for the disk.",
             "a copy that is faster than the disk"},
    CauseRow{Cause::network, "network", CauseGroup::blocked, "socket",
             "The thread waited for data, room or a connection on a socket.", "read() from a TCP connection"},
    CauseRow{Cause::pipe, "pipe", CauseGroup::blocked, "pipe", "The thread waited for the other end of a pipe.",
             "a shell's pipeline"},
    CauseRow{Cause::poll, "poll", CauseGroup::blocked, "poll",
             "The thread waited for one of several descriptors: epoll, poll, select, io_uring.",
             "a server that waits for requests"},
    CauseRow{Cause::timer, "timer", CauseGroup::blocked, "timer", "The thread slept for a time.", "sleep 1"},
    CauseRow{Cause::child, "child", CauseGroup::blocked, "child process",
             "The thread waited for a child to end, or to call exec.", "wait4()"},
    CauseRow{Cause::stopped, "stopped", CauseGroup::blocked, "stopped",
             "A signal, a debugger or the freezer had stopped the thread.", "kill -STOP"},
    CauseRow{Cause::signal, "signal", CauseGroup::blocked, "signal", "The thread waited for a signal.",
             "sigtimedwait()"},
    CauseRow{Cause::file_lock, "file_lock", CauseGroup::blocked, "file lock", "Another process held a lock on a file.",
             "flock()"},
    CauseRow{Cause::server, "server", CauseGroup::blocked, "file server",
             "The thread waited for a file system outside of the kernel: FUSE, virtiofs, NFS.", "a read from sshfs"},
    CauseRow{Cause::kernel, "kernel", CauseGroup::blocked, "kernel work",
             "The thread waited for work of the kernel: an RCU grace period, another CPU, a worker thread.",
             "exec on a busy machine"},
    CauseRow{Cause::terminal, "terminal", CauseGroup::blocked, "terminal",
             "The thread waited for input from a terminal, or for it to take output.", "a shell's prompt"},
    CauseRow{Cause::ipc, "ipc", CauseGroup::blocked, "message queue or semaphore",
             "The thread waited for a semaphore or a message queue that processes share.", "msgrcv()"},
    CauseRow{Cause::unexplained, "unexplained", CauseGroup::unexplained, "unexplained", "What was not seen.",
             "events that the kernel left out"},
};
static_assert(in_enum_order(causes_by_id, &CauseRow::id, cause_count + 1) && groups.size() == cause_groups);

// Seen on Linux 6.1, 6.12 and 6.18 while threads waited for each of these; functions that only older kernels have are
// from the sources of 5.10.
constexpr std::array waits{
    WaitRow{"try_to_free_mem_cgroup_pages", Cause::memory, true},
    WaitRow{"try_to_free_pages", Cause::memory, true},
    WaitRow{"try_to_compact_pages", Cause::memory, true},
    WaitRow{"mem_cgroup_handle_over_high", Cause::memory, true},
    WaitRow{"do_swap_page", Cause::memory, true},
    WaitRow{"reclaim_throttle", Cause::memory},
    WaitRow{"shrink_lruvec", Cause::memory},
    WaitRow{"balance_dirty_pages", Cause::dirty},
    WaitRow{"handle_mm_fault", Cause::fault, true},
    WaitRow{"filemap_fault", Cause::fault, true},
    WaitRow{"request_wait_answer", Cause::server},
    WaitRow{"virtio_fs_enqueue_req", Cause::server},
    WaitRow{"rpc_wait_bit_killable", Cause::server},
    WaitRow{"jbd2_log_wait_commit", Cause::disk},
    WaitRow{"wait_transaction_locked", Cause::disk},
    WaitRow{"start_this_handle", Cause::disk},
    WaitRow{"submit_bio_wait", Cause::disk},
    WaitRow{"blkdev_issue_flush", Cause::disk},
    WaitRow{"blkdev_issue_discard", Cause::disk},
    WaitRow{"folio_wait_bit_common", Cause::disk},
    WaitRow{"folio_wait_writeback", Cause::disk},
    WaitRow{"wait_on_page_bit_common", Cause::disk},
    WaitRow{"wait_on_page_bit", Cause::disk},
    WaitRow{"wait_on_page_writeback", Cause::disk},
    WaitRow{"__wait_on_buffer", Cause::disk},
    WaitRow{"__sync_dirty_buffer", Cause::disk},
    WaitRow{"fsync_buffers_list", Cause::disk},
    WaitRow{"__iomap_dio_rw", Cause::disk},
    WaitRow{"iomap_dio_rw", Cause::disk},
    WaitRow{"__blkdev_direct_IO", Cause::disk},
    WaitRow{"__blkdev_direct_IO_simple", Cause::disk},
    WaitRow{"do_blockdev_direct_IO", Cause::disk},
    WaitRow{"rq_qos_wait", Cause::disk},
    WaitRow{"wbt_wait", Cause::disk},
    WaitRow{"blk_mq_get_tag", Cause::disk},
    WaitRow{"blk_execute_rq", Cause::disk},
    WaitRow{"xfs_buf_iowait", Cause::disk},
    WaitRow{"xfs_log_force_seq", Cause::disk},
    WaitRow{"xlog_wait_on_iclog", Cause::disk},
    WaitRow{"btrfs_wait_ordered_range", Cause::disk},
    WaitRow{"btrfs_sync_log", Cause::disk},
    WaitRow{"futex_wait_queue", Cause::futex},
    WaitRow{"futex_wait_queue_me", Cause::futex},
    WaitRow{"futex_do_wait", Cause::futex},
    WaitRow{"__futex_wait", Cause::futex},
    WaitRow{"futex_wait", Cause::futex},
    WaitRow{"futex_wait_multiple", Cause::futex},
    WaitRow{"futex_wait_requeue_pi", Cause::futex},
    WaitRow{"futex_lock_pi", Cause::futex},
    WaitRow{"pipe_read", Cause::pipe},
    WaitRow{"pipe_write", Cause::pipe},
    WaitRow{"anon_pipe_read", Cause::pipe},
    WaitRow{"anon_pipe_write", Cause::pipe},
    WaitRow{"wait_for_partner", Cause::pipe},
    WaitRow{"fifo_open", Cause::pipe},
    WaitRow{"do_epoll_wait", Cause::poll},
    WaitRow{"ep_poll", Cause::poll},
    WaitRow{"do_sys_poll", Cause::poll},
    WaitRow{"do_select", Cause::poll},
    WaitRow{"io_cqring_wait", Cause::poll},
    WaitRow{"read_events", Cause::poll},
    WaitRow{"sk_wait_data", Cause::network},
    WaitRow{"tcp_recvmsg_locked", Cause::network},
    WaitRow{"unix_stream_read_generic", Cause::network},
    WaitRow{"unix_stream_data_wait", Cause::network},
    WaitRow{"__unix_dgram_recvmsg", Cause::network},
    WaitRow{"__skb_wait_for_more_packets", Cause::network},
    WaitRow{"unix_wait_for_peer", Cause::network},
    WaitRow{"unix_stream_connect", Cause::network},
    WaitRow{"sock_alloc_send_pskb", Cause::network},
    WaitRow{"sk_stream_wait_memory", Cause::network},
    WaitRow{"sk_stream_wait_connect", Cause::network},
    WaitRow{"inet_csk_accept", Cause::network},
    WaitRow{"__inet_stream_connect", Cause::network},
    WaitRow{"lock_sock_nested", Cause::network},
    WaitRow{"hrtimer_nanosleep", Cause::timer},
    WaitRow{"alarm_timer_nsleep", Cause::timer},
    WaitRow{"msleep", Cause::timer},
    WaitRow{"msleep_interruptible", Cause::timer},
    WaitRow{"do_wait", Cause::child},
    WaitRow{"kernel_clone", Cause::child},
    WaitRow{"do_signal_stop", Cause::stopped},
    WaitRow{"ptrace_stop", Cause::stopped},
    WaitRow{"do_freezer_trap", Cause::stopped},
    WaitRow{"__refrigerator", Cause::stopped},
    WaitRow{"do_sigtimedwait", Cause::signal},
    WaitRow{"sigsuspend", Cause::signal},
    WaitRow{"locks_lock_inode_wait", Cause::file_lock},
    WaitRow{"do_lock_file_wait", Cause::file_lock},
    WaitRow{"fcntl_setlk", Cause::file_lock},
    WaitRow{"n_tty_read", Cause::terminal},
    WaitRow{"n_tty_write", Cause::terminal},
    WaitRow{"tty_wait_until_sent", Cause::terminal},
    WaitRow{"__do_semtimedop", Cause::ipc},
    WaitRow{"do_semtimedop", Cause::ipc},
    WaitRow{"do_msgrcv", Cause::ipc},
    WaitRow{"do_msgsnd", Cause::ipc},
    WaitRow{"wq_sleep", Cause::ipc},
    WaitRow{"synchronize_rcu_normal", Cause::kernel},
    WaitRow{"synchronize_rcu_expedited", Cause::kernel},
    WaitRow{"__wait_rcu_gp", Cause::kernel},
    WaitRow{"rcu_barrier", Cause::kernel},
    WaitRow{"affine_move_task", Cause::kernel},
    WaitRow{"stop_one_cpu", Cause::kernel},
    WaitRow{"de_thread", Cause::kernel},  // exec ends the other threads
    WaitRow{"begin_new_exec", Cause::kernel},
    WaitRow{"__flush_work", Cause::kernel},
    WaitRow{"lock_mm_and_find_vma", Cause::mmap_lock},
    WaitRow{"vm_mmap_pgoff", Cause::mmap_lock},
    WaitRow{"__vm_munmap", Cause::mmap_lock},
    WaitRow{"__mm_populate", Cause::mmap_lock},
};

}  // namespace

std::span<const CauseRow> cause_rows() { return causes_by_id; }

std::vector<const CauseRow*> causes_named(std::string_view words) {
    const auto is_named = [&](const CauseRow& row) {
        if (row.name == words || row.title == words || row.title.substr(0, row.title.find(':')) == words) return true;
        return std::ranges::any_of(split(row.title, ' '), [&](std::string_view word) {
            return word.substr(0, word.find(':')) == words && words.size() > 2;  // not `or`
        });
    };
    std::vector<const CauseRow*> out;
    for (const CauseRow& row : causes_by_id)
        if (is_named(row)) out.push_back(&row);
    return out;
}

std::string_view group_name(CauseGroup group) { return groups[static_cast<size_t>(group)]; }

const Type& why_type() {
    static const Type type = [] {
        Type cause = integer_type(8, false, View::enumeration);
        Shape names;
        for (const CauseRow& row : causes_by_id)
            names.enumerators.push_back({std::string(row.name), static_cast<int64_t>(row.id)});
        cause.shape = std::move(names);
        std::vector<Type> parts{cause};
        std::vector<std::string> part_names{"cause"};
        const auto add = [&](std::string_view name) {
            parts.push_back(duration_type());
            part_names.emplace_back(name);
        };
        for (const CauseRow& row : causes_by_id) add(row.name);
        for (const CauseGroup group : {CauseGroup::interrupts, CauseGroup::runq, CauseGroup::blocked})
            add(group_name(group));
        const Type number = integer_type(), comm = string_type(16);
        Type stack = stack_type();
        stack.view = View::hex;  // shown as lt shows stacks
        parts.push_back(tuple_type({duration_type(), cause, stack, number, comm, number, comm},
                                   {"time", "cause", "stack", "waker", "waker_comm", "holder", "holder_comm"}));
        part_names.emplace_back("longest");
        return named(tuple_type(std::move(parts), std::move(part_names)), Naming::why);
    }();
    return type;
}

std::span<const WaitRow> wait_rows() { return waits; }

}  // namespace lt
