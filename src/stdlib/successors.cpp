#include "stdlib/successors.h"

#include <array>
#include <optional>

namespace lt {
namespace {

constexpr std::string_view inlined_copies =
    "copies of a size that is constant in the kernel's source are inlined into their callers and are not seen";

constexpr std::array rows{
    Successor{"copy_to_user", "_copy_to_user", inlined_copies},
    Successor{"copy_from_user", "_copy_from_user", inlined_copies},
    Successor{"__copy_to_user", "_copy_to_user", inlined_copies},
    Successor{"__copy_from_user", "_copy_from_user", inlined_copies},
    Successor{"sys_*", "__x64_sys_*", ""},
    Successor{"SyS_*", "__x64_sys_*", ""},
    Successor{"__do_page_fault", "handle_mm_fault", ""},
    Successor{"do_page_fault", "handle_mm_fault", ""},
    Successor{"blk_account_io_start", "__blk_account_io_start", ""},
    Successor{"blk_account_io_done", "__blk_account_io_done", ""},
    Successor{"submit_bio", "submit_bio_noacct", ""},
    Successor{"generic_make_request", "submit_bio_noacct", ""},
    Successor{"do_fork", "kernel_clone", ""},
    Successor{"_do_fork", "kernel_clone", ""},
    Successor{"finish_task_switch", "finish_task_switch.isra.0", ""},
    Successor{"__netif_receive_skb", "__netif_receive_skb_core", ""},
    Successor{"tcp_may_send_now", "tcp_write_xmit", ""},
    Successor{"vfs_fsync", "vfs_fsync_range", ""},
    Successor{"do_sys_open", "do_sys_openat2", ""},
};

constexpr std::array<std::string_view, 3> suffixes{".isra.", ".constprop.", ".part."};

// The text that the * of the pattern stands for, if it matches.
std::optional<std::string_view> star(std::string_view pattern, std::string_view name) {
    const size_t at = pattern.find('*');
    if (at == std::string_view::npos) return pattern == name ? std::optional(std::string_view{}) : std::nullopt;
    const std::string_view head = pattern.substr(0, at), tail = pattern.substr(at + 1);
    if (name.size() < head.size() + tail.size() || !name.starts_with(head) || !name.ends_with(tail)) return {};
    return name.substr(at, name.size() - head.size() - tail.size());
}

}  // namespace

std::span<const Successor> successor_rows() { return rows; }

std::vector<Candidate> successors(std::string_view name) {
    std::vector<Candidate> out;
    for (const Successor& row : rows) {
        const auto rest = star(row.old_name, name);
        if (!rest) continue;
        std::string today(row.new_name);
        if (const size_t at = today.find('*'); at != std::string::npos) today.replace(at, 1, *rest);
        out.push_back({std::move(today), row.remark});
    }
    return out;
}

std::span<const std::string_view> variant_suffixes() { return suffixes; }

}  // namespace lt
