// What happens to sockets: a program of the kernel's kind `sockops` is told of it, with a context of its own
// (struct bpf_sock_ops), whose first part has been the same since Linux 4.13.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "resolver.h"

namespace lt {
namespace {

// Members of the context, each a number of 32 bits that the verifier lets be read whole.
struct ContextPart {
    const char* name;
    uint32_t offset;
    const char* type;
};
constexpr std::array parts{
    ContextPart{"family", 20, "__u32"},
    ContextPart{"remote_ip4", 24, "__be32"},
    ContextPart{"local_ip4", 28, "__be32"},
    ContextPart{"local_port", 68, "__u32"},
};

}  // namespace

Resolver::Places Resolver::socket_event(const ast::ProbeSpec& spec, ResolvedPlace place, const Asked&) {
    const ast::ProbeSpec::Part& event = spec.parts[1];
    if (event.text != "accepted") {
        diags_.error(event.span, fmt::format("sockets have no event `{}`", event.text)).hint = "write socket:accepted";
        return {};
    }
    if (options_.traced.by != TracedBy::all) {
        diags_.error(spec.span, "the kernel accepts connections on nobody's behalf: they cannot be told by process")
            .hint = "leave out -p, --follow, --cgroup and --container, and compare args.local_port";
        return {};
    }
    place.tracepoint.category = "socket";
    place.tracepoint.event = event.text;
    for (const ContextPart& part : parts)
        place.tracepoint.fields.push_back({part.name, integer_type(4, false), part.type, part.offset});
    place.rungs = {{Way::sockets, "", {}}};
    return {place};
}

}  // namespace lt
