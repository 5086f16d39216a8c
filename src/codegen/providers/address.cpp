// Hardware breakpoints on memory.
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>

#include <algorithm>
#include <array>

#include "codegen/providers/provider.h"

namespace lt {
namespace {

// The accesses that can be watched.
struct AccessRow {
    std::string_view letters;
    uint32_t access;
};
constexpr std::array accesses{
    AccessRow{"w", HW_BREAKPOINT_W},
    AccessRow{"rw", HW_BREAKPOINT_RW},
    AccessRow{"wr", HW_BREAKPOINT_RW},
    AccessRow{"x", HW_BREAKPOINT_X},
};

Places address(const Search& s, ResolvedPlace place) {
    if (!offered(s, Feature::watchpoint, "watchpoints")) return {};
    auto at = any_number(s.spec.parts[1].text);
    const auto length = any_number(s.spec.parts[2].text);
    if (!at) at = s.kernel.symbol(s.spec.parts[1].text);
    const bool of_kernel = at && *at >> 63 != 0;  // the upper half of all addresses
    const auto access = std::find_if(accesses.begin(), accesses.end(),
                                     [&](const AccessRow& row) { return row.letters == s.spec.parts[3].text; });
    const auto wrong = [&](size_t part, std::string_view message, std::string_view hint) {
        s.diags.error(s.spec.parts[part].span, std::string(message)).hint = hint;
        return Places{};
    };
    if (!at && s.spec.parts[1].text.find("+arg") != std::string::npos)
        return wrong(1, "an argument of a function cannot be watched yet",
                     "`watchpoint:ADDRESS:LENGTH:w` watches an address");
    if (!at) return wrong(1, "this is neither an address nor a kernel symbol", "write `0x` and hexadecimal digits");
    if (!length || (*length != 1 && *length != 2 && *length != 4 && *length != 8))
        return wrong(2, "memory of this length cannot be watched", "the length must be 1, 2, 4 or 8");
    if (access == accesses.end())
        return wrong(3, "this access cannot be watched",
                     "write `w`, `rw` or `x`: this processor cannot watch reads alone");
    const bool executes = access->access == HW_BREAKPOINT_X;
    if (!executes && *at % *length != 0)
        return wrong(1, "the address is not a multiple of the length", "watch fewer bytes");
    if (!s.options.one_process && !of_kernel) {
        s.diags.error(s.spec.span, "a watchpoint watches the memory of one process").hint =
            "choose the process with `-p PID` or `-c COMMAND`";
        return {};
    }
    // an instruction breakpoint has no length; the kernel expects that of a word
    place.there = PerfEvent{PERF_TYPE_BREAKPOINT, 0, *at, executes ? sizeof(long) : *length, access->access, 1};
    place.rungs = {{Way::perf_event, "", {}}};
    return {place};
}

Site at_address(const ResolvedPlace& place, bool) { return std::get<PerfEvent>(place.there); }

}  // namespace

extern constinit const Provider address_provider{
    .least = 3,
    .most = 3,
    .find = address,
    .site = at_address,
    .sees = Sees::one,
    .side = Side::either,
    .registers = true,
};

}  // namespace lt
