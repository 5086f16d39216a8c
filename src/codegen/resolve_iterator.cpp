// Iterators over objects of the kernel: each has a structure `bpf_iter__KIND` in type information, with what a program
// gets.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "resolver.h"

namespace lt {

// A name that is no path lies at the top of the kernel's file system of BPF.
std::string Resolver::pin_of(const std::string& text) {
    return text.starts_with('/') ? text : fmt::format("/sys/fs/bpf/{}", text);
}

Resolver::Places Resolver::kernel_objects(const ast::ProbeSpec& spec, ResolvedPlace place, const Asked&) {
    if (!offered(spec, Feature::iterator, "iterators")) return {};
    const std::string& name = spec.parts[1].text;
    const std::vector<std::string> all = kernel_.iterators();
    if (std::find(all.begin(), all.end(), name) == all.end()) {
        Diag& d = diags_.error(spec.parts[1].span, fmt::format("this kernel has no iterator {}", quoted(name)));
        d.hint = did_you_mean(closest(name, views(all)));
        if (d.hint.empty()) d.hint = "`lt -l 'it:*'` lists them all";
        return {};
    }
    if (name == "bpf_map_elem" || name == "sockmap" || name == "bpf_sk_storage_map") {
        diags_.error(spec.parts[1].span, fmt::format("the iterator {} goes over one map, and none can be named", name))
            .hint = "iter:bpf_map goes over all maps";
        return {};
    }
    place.context = "struct bpf_iter__" + name;
    const std::optional<Type> type = kernel_.type(place.context);
    for (const Member& member : type ? kernel_.members(*type) : std::vector<Member>{}) {
        const bool address = member.type.kind == Kind::integer && member.type.view == View::hex;
        if (address && member.name != "meta" && !place.object) place.object = member;
    }
    place.function.name = name;
    if (spec.parts.size() == 3) place.function.module = pin_of(spec.parts[2].text);
    place.rungs = {{Way::iterator, "", {}}};
    return {place};
}

}  // namespace lt
