// Events of lt itself: it starts, ends, gets a signal, or gets a parameter's value.
#include <fmt/format.h>
#include <signal.h>

#include <algorithm>

#include "base/text.h"
#include "codegen/providers/provider.h"
#include "runtime/border/script_signals.h"

namespace lt {
namespace {

Places nothing_more(const Search&, ResolvedPlace place) { return {std::move(place)}; }

Places signal(const Search& s, ResolvedPlace place) {
    place.rungs = {{Way::run, "", {}}};
    if (s.spec.parts[1].text == "set") {
        place.there = SignalPlace{0, s.spec.parts[2].text};
        return {place};
    }
    if (s.spec.parts[1].text != "signal") {
        s.diags.error(s.spec.parts[1].span, "`self` probes are at signals and at changes of parameters").hint =
            "write `self:signal:SIGUSR1` or `self:set:NAME`";
        return {};
    }
    const std::string_view name = s.spec.parts[2].text;
    int number = 0;
    for (int n = 1; n < SIGRTMIN; n++) {
        const char* known = sigabbrev_np(n);
        if (known != nullptr && name == fmt::format("SIG{}", known)) number = n;
    }
    if (std::ranges::find(script_signals, number) == script_signals.end()) {
        s.diags
            .error(s.spec.parts[2].span, number != 0 ? fmt::format("scripts cannot wait for {}", name)
                                                     : fmt::format("there is no signal {}", quoted(name)))
            .hint = "scripts can use SIGUSR1 and SIGUSR2: `self:signal:SIGUSR1`";
        return {};
    }
    place.there = SignalPlace{number, ""};
    return {place};
}

}  // namespace

extern constinit const Provider nothing_provider{
    .find = nothing_more,
    .special = true,
};

extern constinit const Provider signal_provider{
    .least = 2,
    .most = 2,
    .find = signal,
    .special = true,
};

}  // namespace lt
