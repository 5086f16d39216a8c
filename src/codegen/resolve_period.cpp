// Probes that time brings.
#include <algorithm>
#include <array>

#include "resolver.h"

namespace lt {

Resolver::Places Resolver::period(const ast::ProbeSpec& spec, ResolvedPlace place, const Asked&) {
    struct Unit {
        std::string_view name;
        uint64_t ns;
    };
    constexpr std::array units{Unit{"ns", 1}, Unit{"us", 1000}, Unit{"ms", 1000000}, Unit{"s", 1000000000},
                               Unit{"m", 60000000000}};
    const bool two = spec.parts.size() == 3;
    std::string_view unit = spec.parts[1].text, count = two ? std::string_view(spec.parts[2].text) : unit;
    if (!two) {
        const size_t digits = std::min(unit.find_first_not_of("0123456789"), unit.size());
        count = unit.substr(0, digits);
        unit.remove_prefix(digits);
    }
    const auto n = number<uint32_t>(count);
    if (n && *n > 0) {
        if (unit == "hz") place.period_ns = std::max<uint64_t>(1, 1000000000 / *n);
        for (const Unit& u : units) {
            if (unit == u.name) place.period_ns = u.ns * *n;
        }
    }
    constexpr uint64_t shortest = 1000;  // a timer cannot do better, and the program would do nothing else
    if (place.period_ns < shortest) {
        Diag& d = diags_.error(spec.span, "this is no period");
        d.hint = "write interval:s:1, interval:ms:100, interval:hz:10 or interval:1s; at least 1us";
        return {};
    }
    place.rungs = {{Way::run, "", {}}};
    return {place};
}

}  // namespace lt
