#include "stdlib/successors.h"

#include <array>
#include <optional>

#include "arch/arch.h"

namespace lt {
namespace {

constexpr std::string_view inlined_copies =
    "copies of a size that is constant in the kernel's source are inlined into their callers and are not seen";

constexpr std::string_view of_folio = "a folio is one or more pages that belong together";

const std::array all_successors{
    Successor{"copy_to_user", "_copy_to_user", inlined_copies},
    Successor{"copy_from_user", "_copy_from_user", inlined_copies},
    Successor{"__copy_to_user", "_copy_to_user", inlined_copies},
    Successor{"__copy_from_user", "_copy_from_user", inlined_copies},
    Successor{"sys_*", arch::native.system_call_functions, ""},
    Successor{"SyS_*", arch::native.system_call_functions, ""},
    Successor{"__do_page_fault", "handle_mm_fault", "", 0},
    Successor{"do_page_fault", "handle_mm_fault", "", 0},
    Successor{"blk_account_io_start", "__blk_account_io_start", ""},
    Successor{"blk_account_io_done", "__blk_account_io_done", ""},
    Successor{"blk_start_request", "blk_mq_start_request", ""},
    Successor{"blk_finish_request", "blk_mq_end_request", ""},
    Successor{"__blk_mq_complete_request", "blk_mq_complete_request", ""},
    Successor{"__blk_put_request", "blk_mq_free_request", "", 0},
    Successor{"blk_mq_make_request", "blk_mq_submit_bio", "", 0},
    Successor{"blk_queue_bio", "blk_mq_submit_bio", "", 0},
    Successor{"submit_bio", "submit_bio_noacct", ""},
    Successor{"generic_make_request", "submit_bio_noacct", ""},
    Successor{"do_fork", "kernel_clone", "", 0},
    Successor{"_do_fork", "kernel_clone", "", 0},
    Successor{"finish_task_switch", "finish_task_switch.isra.0", ""},
    Successor{"__netif_receive_skb", "__netif_receive_skb_core", "", 0},
    Successor{"skb_copy_datagram_iovec", "skb_copy_datagram_iter", ""},
    Successor{"tcp_transmit_skb", "__tcp_transmit_skb", ""},
    Successor{"tcp_may_send_now", "tcp_write_xmit", ""},
    Successor{"vfs_fsync", "vfs_fsync_range", "", 1},
    Successor{"do_sys_open", "do_sys_openat2", "", 2},
    Successor{"swap_readpage", "swap_read_folio", "", 1},
    Successor{"__vfs_read", "vfs_read", ""},
    Successor{"__vfs_write", "vfs_write", ""},
    Successor{"do_execve", "bprm_execve", "", 0},
    Successor{"dev_queue_xmit", "__dev_queue_xmit", ""},
    Successor{"scheduler_tick", "sched_tick", ""},
    Successor{"load_balance", "sched_balance_rq", ""},
    Successor{"send_signal", "send_signal_locked", ""},
    Successor{"__send_signal", "__send_signal_locked", ""},
    Successor{"get_signal_to_deliver", "get_signal", "", 0},
    Successor{"do_signal", "arch_do_signal_or_restart", ""},
    Successor{"rwsem_down_read_failed", "rwsem_down_read_slowpath", ""},
    Successor{"rwsem_down_write_failed", "rwsem_down_write_slowpath", ""},
    Successor{"queued_spin_lock_slowpath", "native_queued_spin_lock_slowpath", ""},
    Successor{"generic_file_buffered_read", "filemap_read", ""},
    Successor{"do_generic_file_read", "filemap_read", "", 0},
    Successor{"do_mmap_pgoff", "do_mmap", "", 5},
    Successor{"__set_page_dirty_buffers", "block_dirty_folio", of_folio, 0},
    Successor{"add_to_page_cache_lru", "filemap_add_folio", of_folio, 0},
    Successor{"add_to_page_cache_locked", "__filemap_add_folio", of_folio, 0},
    Successor{"mark_page_accessed", "folio_mark_accessed", of_folio},
    Successor{"lru_cache_add", "folio_add_lru", of_folio},
    Successor{"__lru_cache_add", "folio_add_lru", of_folio},
    Successor{"activate_page", "folio_activate", of_folio},
    Successor{"page_add_new_anon_rmap", "folio_add_new_anon_rmap", of_folio, 3},
    Successor{"shrink_page_list", "shrink_folio_list", of_folio},
    Successor{"lock_page", "__folio_lock", "it is called if another thread holds the lock", 1},
    Successor{"__lock_page", "__folio_lock", of_folio},
    Successor{"wait_on_page_bit", "folio_wait_bit", of_folio},
    Successor{"wait_on_page_bit_common", "folio_wait_bit_common", of_folio, 0},
    Successor{"clear_huge_page", "folio_zero_user", of_folio, 2},
    Successor{"copy_user_huge_page", "copy_user_large_folio", of_folio, 2},
    Successor{"split_huge_page", "split_huge_page_to_list", ""},
    Successor{"split_huge_page", "split_huge_page_to_list_to_order", ""},
    Successor{"find_get_entry", "filemap_get_entry", of_folio},
    Successor{"do_munmap", "__vm_munmap", "", 0},
    Successor{"vfs_readdir", "iterate_dir", "", 1},
    Successor{"sock_aio_read", "sock_read_iter", "", 1},
    Successor{"sock_aio_write", "sock_write_iter", "", 1},
    Successor{"__alloc_pages_nodemask", "__alloc_pages", ""},
    Successor{"__alloc_pages_nodemask", "__alloc_pages_noprof", ""},
    Successor{"alloc_pages_current", "alloc_pages", ""},
    Successor{"alloc_pages_current", "alloc_pages_noprof", ""},
    Successor{"__get_free_pages", "get_free_pages_noprof", ""},
    Successor{"__page_cache_alloc", "filemap_alloc_folio", of_folio},
    Successor{"__page_cache_alloc", "filemap_alloc_folio_noprof", of_folio},
    Successor{"__do_page_cache_readahead", "do_page_cache_ra", "", 0},
    Successor{"__do_page_cache_readahead", "page_cache_ra_unbounded", "", 0},
    Successor{"*", "*_noprof", ""},  // Linux 6.10, of functions that allocate memory
};

// Tracepoints.
constexpr std::array events{
    Successor{"deactivate_task", "sched_switch", "a sleeping task is seen when another one takes its CPU"},
    Successor{"activate_task", "sched_wakeup", ""},
    Successor{"io_uring_submit_sqe", "io_uring_submit_req", ""},
    Successor{"mm_vmscan_writepage", "mm_vmscan_write_folio", of_folio},
};

constexpr std::array parameters{
    ParameterSuccessor{"sched_switch", "p", "prev", ""},
    ParameterSuccessor{"dev_hard_start_xmit", "skb", "first", "it is the first packet of a list"},
    ParameterSuccessor{"vfs_*", "mnt_userns", "idmap", ""},  // Linux 6.3
    ParameterSuccessor{"vfs_*", "idmap", "mnt_userns", ""},
    ParameterSuccessor{"do_filp_open", "filename", "pathname", ""},
    ParameterSuccessor{"vfs_read", "filp", "file", ""},
    ParameterSuccessor{"vfs_write", "filp", "file", ""},
    ParameterSuccessor{"*", "page", "folio", of_folio},
};

constexpr std::array inner_functions{
    InnerFunction{"__sys_sendmsg", "sock", "____sys_sendmsg", "sendmmsg() also calls it"},
    InnerFunction{"___sys_sendmsg", "sock", "____sys_sendmsg", "sendmmsg() also calls it"},
    InnerFunction{"__sys_recvmsg", "sock", "____sys_recvmsg", "recvmmsg() also calls it"},
    InnerFunction{"___sys_recvmsg", "sock", "____sys_recvmsg", "recvmmsg() also calls it"},
};

constexpr std::array members{
    MemberSuccessor{"struct cfs_rq", "nr_running", "nr_queued"},  // Linux 6.14
};

// glibc has contained these since 2.34 and keeps empty files for old programs.
constexpr std::array libraries{
    LibrarySuccessor{"libpthread", "libc"}, LibrarySuccessor{"libdl", "libc"},  LibrarySuccessor{"librt", "libc"},
    LibrarySuccessor{"libutil", "libc"},    LibrarySuccessor{"libanl", "libc"},
};

constexpr std::string_view other_arguments = "the compiler may have changed its arguments";
constexpr std::array suffixes{
    VariantSuffix{".isra.", other_arguments},
    VariantSuffix{".constprop.", other_arguments},
    VariantSuffix{".part.", "it is a part of the function: calls that do not get there are not seen"},
};

// The text that the * of the pattern matches, if it matches.
std::optional<std::string_view> star(std::string_view pattern, std::string_view name) {
    const size_t at = pattern.find('*');
    if (at == std::string_view::npos) return pattern == name ? std::optional(std::string_view{}) : std::nullopt;
    const std::string_view head = pattern.substr(0, at), tail = pattern.substr(at + 1);
    if (name.size() < head.size() + tail.size() || !name.starts_with(head) || !name.ends_with(tail)) return {};
    return name.substr(at, name.size() - head.size() - tail.size());
}

std::vector<Candidate> named_today(std::span<const Successor> table, std::string_view name) {
    std::vector<Candidate> out;
    for (const Successor& row : table) {
        const auto rest = star(row.old_name, name);
        if (!rest) continue;
        std::string today(row.new_name);
        if (const size_t at = today.find('*'); at != std::string::npos) today.replace(at, 1, *rest);
        out.push_back({std::move(today), row.remark, row.same});
    }
    return out;
}

}  // namespace

std::span<const Successor> successor_rows() { return all_successors; }

std::vector<Candidate> successors(std::string_view name) { return named_today(all_successors, name); }

std::vector<Candidate> event_successors(std::string_view name) { return named_today(events, name); }

std::vector<ParameterSuccessor> parameter_successors(std::string_view function, std::string_view parameter) {
    std::vector<ParameterSuccessor> out;
    for (const ParameterSuccessor& row : parameters)
        if (row.old_name == parameter && star(row.function, function)) out.push_back(row);
    return out;
}

const InnerFunction* inner_function(std::string_view function, std::string_view parameter) {
    for (const InnerFunction& row : inner_functions)
        if (row.function == function && row.parameter == parameter) return &row;
    return nullptr;
}

std::string_view member_successor(std::string_view structure, std::string_view member) {
    for (const MemberSuccessor& row : members)
        if (row.structure == structure && row.old_name == member) return row.new_name;
    return {};
}

// "/lib/libpthread.so.0" is libpthread.
std::string_view library_successor(std::string_view path) {
    const size_t slash = path.rfind('/');
    const std::string_view file = slash == path.npos ? path : path.substr(slash + 1);
    for (const LibrarySuccessor& row : libraries)
        if (file.substr(0, file.find('.')) == row.old_name) return row.new_name;
    return {};
}

std::span<const VariantSuffix> variant_suffixes() { return suffixes; }

}  // namespace lt
