#include "stdlib/system_calls.h"

#include <algorithm>
#include <array>
#include <span>

#include "arch/arch.h"

namespace lt {
namespace {

using Row = arch::SystemCall;
// As the header of the kernel lists them that lt was built with.
constexpr Row rows[] = {
#include "system_calls.inc"
};

// Those of later kernels, up to 6.18, that have one number on all processors (include/uapi/asm-generic/unistd.h). A
// header may have them, too.
constexpr std::array later{
    Row{451, "cachestat"},         Row{452, "fchmodat2"},        Row{453, "map_shadow_stack"},
    Row{454, "futex_wake"},        Row{455, "futex_wait"},       Row{456, "futex_requeue"},
    Row{457, "statmount"},         Row{458, "listmount"},        Row{459, "lsm_get_self_attr"},
    Row{460, "lsm_set_self_attr"}, Row{461, "lsm_list_modules"}, Row{462, "mseal"},
    Row{463, "setxattrat"},        Row{464, "getxattrat"},       Row{465, "listxattrat"},
    Row{466, "removexattrat"},     Row{467, "open_tree_attr"},   Row{468, "file_getattr"},
    Row{469, "file_setattr"},
};

constexpr bool is_below(const Row& row) { return row.number < system_call_numbers; }
static_assert(std::ranges::all_of(rows, is_below) && std::ranges::all_of(later, is_below));

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
const Row* find(Key Row::* key, Key wanted) {
    const std::array<std::span<const Row>, 3> tables{rows, later, arch::native.later_system_calls};
    for (const std::span<const Row> table : tables)
        if (const auto row = std::ranges::find(table, wanted, key); row != table.end()) return &*row;
    return nullptr;
}

}  // namespace

std::string_view system_call_name(int64_t number) {
    const Row* row = find(&Row::number, number);
    return row ? row->name : std::string_view();
}

std::optional<uint32_t> traced_system_call(std::string_view name) {
    const auto* other = std::ranges::find(renamed, name, &Renamed::function);
    const Row* row = find(&Row::name, other == renamed.end() ? name : other->name);
    return row ? std::optional(static_cast<uint32_t>(row->number)) : std::nullopt;
}

}  // namespace lt
