// Helpers that copy memory the program may not touch itself. A fault zeroes the destination, as in the kernel; of a
// buffer filled only in part the rest counts as written but keeps what was there.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "machine/world/helpers.h"

namespace lt::machine {
namespace {

enum class Reach { kernel, user, both };

// The program's own memory is kernel memory too.
bool fetch(const World& world, Reach reach, Address at, std::span<uint8_t> out) {
    const Environment& e = world.environment;
    if (reach != Reach::user && e.kernel.read(at, out)) return true;
    if (reach != Reach::kernel && e.user.read(at, out)) return true;
    if (reach == Reach::user) return false;
    auto own = world.memory.read(at, out.size());
    if (own) std::copy(own->begin(), own->end(), out.begin());
    return static_cast<bool>(own);
}

Result<uint64_t> fault(const World& world, Address at, std::span<uint8_t> out) {
    // Programs read at 0 to clear a buffer.
    if (world.environment.knows_own_memory_only && at != 0)
        return Error{fmt::format("it reads memory at {:#x}, which is not known here", at), "", 0};
    std::fill(out.begin(), out.end(), uint8_t{0});
    return failure(EFAULT);
}

template <Reach reach>
Result<uint64_t> probe_read(Execution& x, const Arguments& a) {
    const uint64_t size = static_cast<uint32_t>(a[1]);
    auto out = x.memory().write(a[0], size);
    if (!out) return out.error_in("destination");
    if (fetch(world_of(x), reach, a[2], *out)) return uint64_t{0};
    return fault(world_of(x), a[2], *out);
}

template <Reach reach>
Result<uint64_t> probe_read_str(Execution& x, const Arguments& a) {
    const uint64_t size = static_cast<uint32_t>(a[1]);
    auto out = x.memory().write(a[0], size);
    if (!out) return out.error_in("destination");
    for (uint64_t i = 0; i < size; ++i) {
        if (!fetch(world_of(x), reach, a[2] + i, out->subspan(i, 1))) return fault(world_of(x), a[2] + i, *out);
        if ((*out)[i] == 0) return i + 1;
    }
    if (size > 0) out->back() = 0;
    return size;
}

Result<uint64_t> get_current_comm(Execution& x, const Arguments& a) {
    const uint64_t size = static_cast<uint32_t>(a[1]);
    if (size == 0) return Error{"a buffer of size 0", "", 0};
    auto out = x.memory().write(a[0], size);
    if (!out) return out.error();
    const std::string& comm = world_of(x).environment.task.comm;
    std::fill(out->begin(), out->end(), uint8_t{0});
    std::copy_n(comm.begin(), std::min<size_t>(comm.size(), size - 1), out->begin());
    return uint64_t{0};
}

// The second string is a constant that ends in a zero; the first may fill its size.
Result<uint64_t> string_compare(Execution& x, const Arguments& a) {
    auto left = x.memory().read(a[0], static_cast<uint32_t>(a[1]));
    if (!left) return left.error_in("argument 1");
    for (uint64_t i = 0; i < left->size(); ++i) {
        auto right = x.memory().read(a[2] + i, 1);
        if (!right) return right.error_in("argument 3");
        const uint8_t l = (*left)[i], r = right->front();
        if (l != r) return from_int(l < r ? -1 : 1);
        if (l == 0) break;
    }
    return uint64_t{0};
}

constexpr std::array memory_rows = {
    Helper{BPF_FUNC_probe_read, "probe_read", 3, Returns::value, probe_read<Reach::both>},
    Helper{BPF_FUNC_probe_read_kernel, "probe_read_kernel", 3, Returns::value, probe_read<Reach::kernel>},
    Helper{BPF_FUNC_probe_read_user, "probe_read_user", 3, Returns::value, probe_read<Reach::user>},
    Helper{BPF_FUNC_copy_from_user, "copy_from_user", 3, Returns::value, probe_read<Reach::user>},
    Helper{BPF_FUNC_probe_read_str, "probe_read_str", 3, Returns::value, probe_read_str<Reach::both>},
    Helper{BPF_FUNC_probe_read_kernel_str, "probe_read_kernel_str", 3, Returns::value, probe_read_str<Reach::kernel>},
    Helper{BPF_FUNC_probe_read_user_str, "probe_read_user_str", 3, Returns::value, probe_read_str<Reach::user>},
    Helper{BPF_FUNC_get_current_comm, "get_current_comm", 2, Returns::value, get_current_comm},
    Helper{BPF_FUNC_strncmp, "strncmp", 3, Returns::value, string_compare},
};

}  // namespace

std::span<const Helper> memory_helpers() { return memory_rows; }

}  // namespace lt::machine
