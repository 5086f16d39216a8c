#include "list.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/text.h"
#include "stdlib/probes.h"

namespace lt {
namespace {

std::string part(const std::vector<std::string_view>& parts, size_t i) {
    return i < parts.size() ? std::string(parts[i]) : "*";
}

Result<size_t> list_kind(Kernel& kernel, const ProbeRow& row, const std::vector<std::string_view>& parts) {
    std::vector<std::string> names;
    std::string prefix = fmt::format("{}:", row.name);
    switch (row.place) {
        case Place::nothing:
        case Place::period:
            fmt::print("{}\n", row.shape);
            return size_t{1};
        case Place::event:
            names = kernel.tracepoints(part(parts, 1), part(parts, 2));
            break;
        case Place::raw_event:
            names = kernel.raw_tracepoints(part(parts, 1));
            break;
        case Place::kernel_function:
            names = kernel.functions(part(parts, parts.size() - 1));
            break;
        case Place::system_call:
            for (const std::string& full :
                 kernel.tracepoints(syscall_category, std::string(syscall_entry) + part(parts, 1))) {
                names.push_back(full.substr(syscall_category.size() + 1 + syscall_entry.size()));
            }
            break;
        case Place::binary_function: {
            if (parts.size() < 2) return Error{"which program?", fmt::format("write {}", row.shape), 0};
            const Result<std::string> path = kernel.binary(parts[1]);
            if (!path) return path.error();
            names = kernel.user_functions(*path, part(parts, 2));
            prefix += *path + ":";
        }
    }
    for (const std::string& name : names) fmt::print("{}{}\n", prefix, name);
    return names.size();
}

}  // namespace

Status list_probes(Kernel& kernel, std::string_view pattern) {
    const std::vector<std::string_view> parts = split(pattern, ':');
    const Error none{fmt::format("nothing matches `{}`", pattern),
                     "patterns look like k:vfs_*, t:sched:*, u:/bin/bash:read* or *read*", 0};
    if (const ProbeRow* row = find_probe(parts[0])) {
        const Result<size_t> n = list_kind(kernel, *row, parts);
        if (!n) return n.error();
        return *n > 0 ? Status(Done{}) : Status(none);
    }
    if (parts.size() > 1 && !is_glob(parts[0]))
        return Error{fmt::format("there is no kind of probe `{}`", parts[0]), none.hint, 0};
    const std::string last(parts.back());
    size_t found = 0;
    for (const std::string& name : kernel.tracepoints("*", last))
        found++, fmt::print("{}:{}\n", probe_row(ProbeKind::tracepoint).name, name);
    for (const std::string& name : kernel.functions(last))
        found++, fmt::print("{}:{}\n", probe_row(ProbeKind::kprobe).name, name);
    return found > 0 ? Status(Done{}) : Status(none);
}

void tell_features(Kernel& kernel) {
    fmt::print("kernel: {}\n", kernel.release());
    for (uint8_t i = 0; i < feature_count; i++) {
        const auto feature = static_cast<Feature>(i);
        const Answer a = kernel.can(feature);
        fmt::print("{}: {}\n", feature_name(feature), a.yes ? "yes" : fmt::format("no ({})", a.why));
    }
}

}  // namespace lt
