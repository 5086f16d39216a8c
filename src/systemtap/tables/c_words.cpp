#include "systemtap/tables/c_words.h"

#include <algorithm>
#include <array>

namespace lt {
namespace {

constexpr std::string_view busy = "with -g you can call mdelay() and udelay() in the script";
constexpr std::string_view no_sleep =
    "a BPF program cannot sleep; with -g you can call mdelay(), which keeps the CPU busy";
constexpr std::string_view sockets =
    "an iterator visits all TCP sockets: lt -e 'iter:tcp /ctx->sk_common/ { printf(\"%d %d\\n\", "
    "ctx->sk_common->skc_num, ctx->uid); }'";
constexpr std::string_view bound =
    "this prints all bound ports: lt -e 'BEGIN { $t = curtask->nsproxy->net_ns->ipv4.tcp_death_row.hashinfo; for ($i : "
    "0..$t->bhash_size) { $n = $t->bhash[$i].chain.first; while ($n) { print(container_of($n, struct "
    "inet_bind_bucket, node)->port); $n = $n->next; } } exit(); }'; `iter:tcp` visits the sockets";
constexpr std::string_view tasks = "an iterator visits all tasks: lt -e 'iter:task { print(ctx->task->comm); }'";
constexpr std::string_view option =
    "probe socket.accepted { if ($local_port == PORT) setsockopt(1, 9, 1) } sets SO_KEEPALIVE on each new "
    "connection, with -g";
constexpr std::string_view raise = "with -g raise() sends a signal to the current thread";
constexpr std::string_view print = "call printf() in the script";
constexpr std::string_view no_write = "lt does not write to what it traces";
constexpr std::string_view symbol = "symname() names a kernel address";
constexpr std::string_view no_lock = "a BPF program cannot take kernel locks: what it reads can change meanwhile";
constexpr std::string_view list =
    "the length of a list is not known in advance: use a bounded loop, `for (i = 0; i < 100 && p; i++)`";
constexpr std::string_view no_memory = "a BPF program only has a small stack; keep values in a global of the script";
constexpr std::string_view compare = "compare strings in the script, with ==";
constexpr std::string_view format = "use snprintf() with a literal format";
constexpr std::string_view failure = "call error() in the script";

struct Row {
    std::string_view word;
    std::string_view instead;
};
constexpr std::array words{
    Row{"mdelay", busy},
    Row{"udelay", busy},
    Row{"ndelay", busy},
    Row{"msleep", no_sleep},
    Row{"schedule", no_sleep},
    Row{"schedule_timeout", no_sleep},
    Row{"wait_event", no_sleep},
    Row{"inet_bind_hashbucket", bound},
    Row{"inet_bind_bucket_for_each", bound},
    Row{"tcp_hashinfo", bound},
    Row{"tcp_death_row", bound},
    Row{"bhash", bound},
    Row{"sk_for_each_bound", sockets},
    Row{"sk_for_each", sockets},
    Row{"for_each_process", tasks},
    Row{"do_each_thread", tasks},
    Row{"for_each_thread", tasks},
    Row{"for_each_process_thread", tasks},
    Row{"init_task", tasks},
    Row{"sock_setsockopt", option},
    Row{"kernel_setsockopt", option},
    Row{"sock_set_keepalive", option},
    Row{"tcp_set_keepalive", option},
    Row{"tcp_sock_set_keepidle", option},
    Row{"setsockopt", option},
    Row{"sockfd_lookup", option},
    Row{"send_sig", raise},
    Row{"send_sig_info", raise},
    Row{"force_sig", raise},
    Row{"kill_pid", raise},
    Row{"call_usermodehelper", "with -g system() runs a command"},
    Row{"printk", print},
    Row{"pr_info", print},
    Row{"pr_err", print},
    Row{"printf", print},
    Row{"STAP_PRINTF", print},
    Row{"_stp_printf", print},
    Row{"_stp_print", print},
    Row{"_stp_warn", "call warn() in the script"},
    Row{"STAP_ERROR", failure},
    Row{"_stp_error", failure},
    Row{"CONTEXT", failure},
    Row{"copy_to_user", no_write},
    Row{"put_user", no_write},
    Row{"WRITE_ONCE", no_write},
    Row{"atomic_inc", no_write},
    Row{"atomic_dec", no_write},
    Row{"atomic_set", no_write},
    Row{"atomic_add", no_write},
    Row{"rcu_assign_pointer", no_write},
    Row{"sprint_symbol", symbol},
    Row{"kallsyms_lookup", symbol},
    Row{"kallsyms_lookup_name", symbol},
    Row{"ktime_get", "use ktime_get_ns() here, or gettimeofday_ns() and local_clock_ns() in the script"},
    Row{"do_gettimeofday", "pass gettimeofday_us() from the script"},
    Row{"d_path", "use path() in an .lt script"},
    Row{"spin_lock", no_lock},
    Row{"spin_unlock", no_lock},
    Row{"spin_lock_bh", no_lock},
    Row{"spin_unlock_bh", no_lock},
    Row{"spin_lock_irqsave", no_lock},
    Row{"spin_unlock_irqrestore", no_lock},
    Row{"read_lock", no_lock},
    Row{"read_unlock", no_lock},
    Row{"mutex_lock", no_lock},
    Row{"mutex_unlock", no_lock},
    Row{"down_read", no_lock},
    Row{"up_read", no_lock},
    Row{"down_write", no_lock},
    Row{"mmap_read_lock", no_lock},
    Row{"mmap_read_unlock", no_lock},
    Row{"task_lock", no_lock},
    Row{"task_unlock", no_lock},
    Row{"list_for_each", list},
    Row{"list_for_each_safe", list},
    Row{"list_for_each_entry", list},
    Row{"list_for_each_entry_rcu", list},
    Row{"hlist_for_each", list},
    Row{"hlist_for_each_entry", list},
    Row{"hlist_for_each_entry_rcu", list},
    Row{"for_each_possible_cpu", list},
    Row{"for_each_online_cpu", list},
    Row{"kmalloc", no_memory},
    Row{"kzalloc", no_memory},
    Row{"kfree", no_memory},
    Row{"vmalloc", no_memory},
    Row{"strcmp", compare},
    Row{"strncmp", compare},
    Row{"vsnprintf", format},
};

// Words that systemtap/c/c_body.cpp translates into statements.
constexpr std::array<std::string_view, 20> spelled{
    "STAP_PRINTF",
    "_stp_printf",
    "tcp_hashinfo",
    "inet_bind_bucket_for_each",
    "list_for_each_entry",
    "sockfd_lookup",
    "sock_setsockopt",
    "kernel_setsockopt",
    "list_for_each_entry_rcu",
    "hlist_for_each_entry",
    "spin_lock",
    "spin_unlock",
    "spin_lock_bh",
    "spin_unlock_bh",
    "hlist_for_each_entry_rcu",
    "read_lock",
    "read_unlock",
    "spin_lock_irqsave",
    "spin_unlock_irqrestore",
    "sockfd_put",
};

}  // namespace

bool can_be_spelled(std::string_view word) { return std::ranges::find(spelled, word) != spelled.end(); }

std::string_view instead_of(std::string_view word) {
    const auto* row = std::ranges::find(words, word, &Row::word);
    return row == words.end() ? std::string_view() : row->instead;
}

}  // namespace lt
