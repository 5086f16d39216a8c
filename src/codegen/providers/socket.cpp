// Events of sockets. They run a program of type `sockops`, with its own context (struct bpf_sock_ops), whose first part
// has not changed since Linux 4.13.
#include <fmt/format.h>

#include <array>

#include "codegen/providers/provider.h"

namespace lt {
namespace {

// Members of the context: 32-bit numbers, which the verifier lets a program read as a whole.
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

Places socket_event(const Search& s, ResolvedPlace place) {
    const ast::ProbeSpec::Part& event = s.spec.parts[1];
    if (event.text != "accepted") {
        s.diags.error(event.span, fmt::format("sockets have no event `{}`", event.text)).hint =
            "write `socket:accepted`";
        return {};
    }
    if (s.options.traced.by != TracedBy::all) {
        s.diags
            .error(s.spec.span, "the kernel accepts connections without a process: they cannot be filtered by process")
            .hint = "leave out `-p`, `--follow`, `--cgroup` and `--container`, and compare `args.local_port`";
        return {};
    }
    Tracepoint accepted;
    accepted.category = "socket";
    accepted.event = event.text;
    for (const ContextPart& part : parts)
        accepted.fields.push_back({part.name, integer_type(4, false), part.type, part.offset});
    place.there = SocketPlace{std::move(accepted)};
    place.rungs = {{Way::sockets, "", {}}};
    return {place};
}

Site at_sockets(const ResolvedPlace& place, bool) { return SocketSite{record(place).event}; }

std::vector<std::string> events() { return {"accepted"}; }

FoundNames list_sockets(const ListSearch& s) { return named(matching(events(), s.part(1))); }

std::vector<std::string> describe_socket(Kernel&, const ProbeRow&, const Listed&) {
    std::vector<std::string> out;
    for (const ContextPart& part : parts) out.push_back(declared(part.type, part.name));
    return out;
}

std::vector<std::string> complete_socket(Kernel&, std::string_view) { return events(); }

// The first member of the context is the kind of event.
constexpr int64_t passive_established = 5;  // BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB

}  // namespace

extern constinit const Provider socket_event_provider{
    .least = 1,
    .most = 1,
    .find = socket_event,
    .site = at_sockets,
    .list = list_sockets,
    .describe = describe_socket,
    .complete = complete_socket,
    .only_lt = true,
    .counters = false,
    .has_current = false,
    .takes_options = true,
    .test = ContextTest{0, passive_established},
};

}  // namespace lt
