// Iterators over kernel objects. The context of each is a structure `bpf_iter__KIND` in the type information.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "codegen/providers/provider.h"

namespace lt {
namespace {

// A name without a path is in the root of the BPF file system.
std::string pin_of(const std::string& text) {
    return text.starts_with('/') ? text : fmt::format("/sys/fs/bpf/{}", text);
}

Places kernel_objects(const Search& s, ResolvedPlace place) {
    if (!offered(s, Feature::iterator, "iterators")) return {};
    const std::string& name = s.spec.parts[1].text;
    const std::vector<std::string> all = s.kernel.iterators();
    if (std::find(all.begin(), all.end(), name) == all.end()) {
        Diag& d = s.diags.error(s.spec.parts[1].span, fmt::format("this kernel has no iterator {}", quoted(name)));
        d.hint = did_you_mean(closest(name, views(all)));
        if (d.hint.empty()) d.hint = "`lt -l 'it:*'` lists all iterators";
        return {};
    }
    if (name == "bpf_map_elem" || name == "sockmap" || name == "bpf_sk_storage_map") {
        s.diags
            .error(s.spec.parts[1].span,
                   fmt::format("the iterator `{}` goes over one map, and lt cannot name one", name))
            .hint = "`iter:bpf_map` goes over all maps";
        return {};
    }
    ObjectsPlace at{name, "", "struct bpf_iter__" + name, {}};
    const std::optional<Type> type = s.kernel.type(at.context);
    for (const Member& member : type ? s.kernel.members(*type) : std::vector<Member>{}) {
        const bool address = member.type.kind == Kind::integer && member.type.view == View::hex;
        if (address && member.name != "meta" && !at.object) at.object = member;
    }
    if (s.spec.parts.size() == 3) at.pin = pin_of(s.spec.parts[2].text);
    place.there = std::move(at);
    place.rungs = {{Way::iterator, "", {}}};
    return {place};
}

Site at_objects(const ResolvedPlace& place, bool) { return IteratorSite{objects(place).kind, objects(place).pin}; }

FoundNames list_objects(const ListSearch& s) {
    return types_or_why(s, named(matching(s.kernel.iterators(), s.part(1))), "iterators");
}

std::vector<std::string> describe_objects(Kernel& kernel, const ProbeRow&, const Listed& listed) {
    return declared_members(kernel, "struct bpf_iter__" + listed.name);
}

std::vector<std::string> complete_objects(Kernel& kernel, std::string_view) { return kernel.iterators(); }

}  // namespace

extern constinit const Provider kernel_objects_provider{
    .least = 1,
    .most = 2,
    .find = kernel_objects,
    .site = at_objects,
    .list = list_objects,
    .describe = describe_objects,
    .complete = complete_objects,
    .looked_up = true,
};

}  // namespace lt
