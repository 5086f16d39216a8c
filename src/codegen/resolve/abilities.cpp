#include "codegen/resolve/abilities.h"

#include <algorithm>

#include "base/release.h"

namespace lt {
namespace {

bool has_way(const Typed& typed, bool (*fits)(Way)) {
    return std::ranges::any_of(typed.bodies, [&](const Body& body) {
        return std::ranges::any_of(body.place.rungs,
                                   [&](const Rung& rung) { return rung.refused.empty() && fits(rung.way); });
    });
}

}  // namespace

Abilities abilities(Kernel& kernel, const Typed& typed) {
    const auto has = [&](Feature feature) { return kernel.can(feature).yes; };
    Abilities out;
    out.atomics = has(Feature::atomics);
    out.loops = has(Feature::bpf_loop);
    out.map_walk = has(Feature::map_walk);
    out.cpu_lookup = has(Feature::cpu_lookup);
    out.large_keys = parse_release(kernel.release()) >= large_keys_since || has(Feature::large_keys);
    if (has_way(typed, [](Way way) { return way == Way::fentry; })) out.function_values = has(Feature::function_values);
    if (std::ranges::any_of(typed.bodies, [](const Body& body) { return is_system_call(body.place); }))
        out.calls_preempted = parse_release(kernel.release()) >= calls_preempted_since &&
                              kernel.function("trace_call_bpf_faultable").has_value();
    return out;
}

}  // namespace lt
