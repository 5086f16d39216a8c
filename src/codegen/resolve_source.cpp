// Places in source code: "f@b.c:12" and what else SystemTap writes, and the line behind PATH@FILE.c:.
#include <fmt/format.h>

#include "base/text.h"
#include "resolver.h"

namespace lt {
namespace {

constexpr std::string_view shapes = "lines are 12, 12-20 or *, and +3 counts from that of the function";

// "12", "12-20", "*"
bool read_lines(std::string_view text, SourceQuery& out) {
    if (text == "*") {
        out.first = 1;
        out.last = UINT32_MAX;
        return true;
    }
    const size_t dash = text.find('-');
    const auto first = number<uint32_t>(text.substr(0, dash));
    const auto last = dash == text.npos ? first : number<uint32_t>(text.substr(dash + 1));
    if (!first || !last || *last < *first || *last == UINT32_MAX) return false;
    out.first = *first;
    out.last = *last;
    return out.last > 0;
}

}  // namespace

// `file` is empty where the name has it: FUNCTION@FILE:LINES, FUNCTION@FILE+LINES or FUNCTION@FILE.
Result<SourceQuery> Resolver::source_query(std::string_view name, std::string_view file, bool inlined) {
    SourceQuery out;
    out.inlined = inlined;
    if (!file.empty()) {
        out.file = file;
        if (read_lines(name, out)) return out;
        return Error{fmt::format("{} is no line", quoted(name)), "write PATH@FILE.c:LINE", 0};
    }
    const size_t at = name.find('@');
    const std::string_view place = at == name.npos ? "*" : name.substr(at + 1);
    const size_t sign = place.find_last_of(":+");
    out.function = at == 0 ? "*" : std::string(name.substr(0, at));
    out.file = place.substr(0, sign);
    if (sign == place.npos) return out;
    out.relative = place[sign] == '+';
    if (read_lines(place.substr(sign + 1), out)) return out;
    return Error{fmt::format("{} is no line", quoted(place.substr(sign + 1))), std::string(shapes), 0};
}

// Lines of the kernel.
Resolver::Places Resolver::kernel_source(const ast::ProbeSpec& spec) {
    const std::string& name = spec.parts.back().text;
    const std::string release = kernel_.release();
    Diag& d =
        diags_.error(spec.parts.back().span,
                     fmt::format("a line of the kernel's source is found by its debug information, that of package "
                                 "linux-image-{}-dbg or the like, which lt does not read",
                                 release));
    d.hint = fmt::format(
        "kprobe:{0} is the entry of the function, kretprobe:{0} its return; in SystemTap's language "
        "kernel.function(\"{0}\").call and .return",
        name.substr(0, name.find('@')));
    return {};
}

}  // namespace lt
