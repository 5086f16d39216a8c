#include "stdlib/system_calls.h"

#include <algorithm>
#include <array>
#include <span>

#include "arch/arch.h"

namespace lt {
namespace {

using CallRow = arch::SystemCall;
// As the header of the kernel lists them that lt was built with.
constexpr CallRow header_calls[] = {
#include "system_calls.inc"
};

// Those of later kernels, up to 6.18, that have one number on all processors (include/uapi/asm-generic/unistd.h). A
// header may have them, too.
constexpr std::array later_calls{
    CallRow{451, "cachestat"},         CallRow{452, "fchmodat2"},        CallRow{453, "map_shadow_stack"},
    CallRow{454, "futex_wake"},        CallRow{455, "futex_wait"},       CallRow{456, "futex_requeue"},
    CallRow{457, "statmount"},         CallRow{458, "listmount"},        CallRow{459, "lsm_get_self_attr"},
    CallRow{460, "lsm_set_self_attr"}, CallRow{461, "lsm_list_modules"}, CallRow{462, "mseal"},
    CallRow{463, "setxattrat"},        CallRow{464, "getxattrat"},       CallRow{465, "listxattrat"},
    CallRow{466, "removexattrat"},     CallRow{467, "open_tree_attr"},   CallRow{468, "file_getattr"},
    CallRow{469, "file_setattr"},
};

constexpr bool is_below(const CallRow& row) { return row.number < system_call_numbers; }
static_assert(std::ranges::all_of(header_calls, is_below) && std::ranges::all_of(later_calls, is_below));

// Kernel functions with another name than their call (SYSCALL_DEFINE in fs/stat.c, fs/read_write.c, fs/namespace.c,
// kernel/sys.c).
struct Renamed {
    std::string_view function, name;
};
constexpr std::array renamed{
    Renamed{"newfstat", "fstat"}, Renamed{"newlstat", "lstat"},      Renamed{"newstat", "stat"},
    Renamed{"newuname", "uname"}, Renamed{"sendfile64", "sendfile"}, Renamed{"umount", "umount2"},
};

// Looks in the header's table, then in that of later kernels.
template <class Key>
const CallRow* find(Key CallRow::* key, Key wanted) {
    const std::array<std::span<const CallRow>, 3> tables{header_calls, later_calls, arch::native.later_system_calls};
    for (const std::span<const CallRow> table : tables)
        if (const auto row = std::ranges::find(table, wanted, key); row != table.end()) return &*row;
    return nullptr;
}

}  // namespace

std::string_view system_call_name(int64_t number) {
    const CallRow* row = find(&CallRow::number, number);
    return row ? row->name : std::string_view();
}

std::optional<uint32_t> traced_system_call(std::string_view name) {
    const auto* other = std::ranges::find(renamed, name, &Renamed::function);
    const CallRow* row = find(&CallRow::name, other == renamed.end() ? name : other->name);
    return row ? std::optional(static_cast<uint32_t>(row->number)) : std::nullopt;
}

}  // namespace lt
