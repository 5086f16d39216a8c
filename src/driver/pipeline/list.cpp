#include "driver/pipeline/list.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

#include "base/text.h"
#include "base/visible.h"
#include "codegen/providers/provider.h"
#include "driver/pipeline/process_files.h"
#include "stdlib/probes.h"

namespace lt {
namespace {

using Parts = std::vector<std::string_view>;

// A file is looked up as the traced process sees it.
Result<ListSearch> search(Kernel& kernel, const ProbeRow& row, const Parts& parts, const Listing& how) {
    ListSearch s{kernel, row, {parts.begin(), parts.end()}, how.process, how.as_bpftrace};
    if (!provider(row.place).in_file || parts.size() < 2) return s;
    Result<std::string> file = file_of_process(how.process, s.part(1));
    if (!file) return file.error();
    s.parts[1] = *std::move(file);
    return s;
}

void print_at_hand(Kernel& kernel, const ProbeRow& row, const Listed& listed) {
    const auto describe = provider(row.place).describe;
    for (const std::string& line : describe ? describe(kernel, row, listed) : std::vector<std::string>{})
        fmt::print("    {}\n", visible(line));
}

// bpftrace lists the units of what runs at times, as `interval:ms:`.
size_t list_units(const ProbeRow& row, const Parts& parts) {
    constexpr std::array<std::string_view, 4> units{"hz", "ms", "s", "us"};
    size_t found = 0;
    for (const std::string_view unit : units) {
        if (parts.size() > 1 && !glob_match(parts[1], unit)) continue;
        fmt::print("{}:{}:\n", row.name, unit);
        found++;
    }
    return found;
}

Result<size_t> list_kind(Kernel& kernel, const ProbeRow& row, const Parts& parts, const Listing& how) {
    const auto list = provider(row.place).list;
    if (how.as_bpftrace && (row.place == Place::period || row.place == Place::clock)) return list_units(row, parts);
    if (!list) {
        fmt::print("{}\n", row.shape);
        return size_t{1};
    }
    const Result<ListSearch> where = search(kernel, row, parts, how);
    const FoundNames all = where ? list(*where) : FoundNames(where.error());
    if (!all) return all.error();
    for (const Listed& each : *all) {
        fmt::print("{}:{}\n", row.name, visible(each.text));
        if (how.verbose) print_at_hand(kernel, row, each);
    }
    return all->size();
}

// "struct task_struct", "enum pid_type"
Status list_type(Kernel& kernel, std::string_view name) {
    std::optional<Type> type = kernel.type(name);
    if (!type) return Error{fmt::format("this kernel has no type {}", quoted(name)), "", 0};
    fmt::print("{} {{  // {} bytes\n", name, type->size);
    for (const std::string& member : declared_members(kernel, name)) fmt::print("    {};\n", visible(member));
    const Type whole = type->view == View::enumeration ? kernel.whole(*type) : nothing();
    if (whole.shape)
        for (const Enumerator& e : whole.shape->enumerators) fmt::print("    {} = {},\n", visible(e.name), e.value);
    fmt::print("}};\n");
    return Done{};
}

bool is_type(std::string_view pattern) {
    return pattern.starts_with("struct ") || pattern.starts_with("union ") || pattern.starts_with("enum ");
}

Status list_types(Kernel& kernel, std::string_view pattern, bool verbose) {
    if (!is_glob(pattern)) return list_type(kernel, pattern);
    const std::vector<std::string> names = kernel.types(pattern);
    if (names.empty()) return Error{fmt::format("no type of this kernel matches {}", quoted(pattern)), "", 0};
    for (const std::string& name : names) {
        if (!verbose)
            fmt::print("{}\n", visible(name));
        else if (const Status listed = list_type(kernel, name); !listed)
            return listed;
    }
    return Done{};
}

// Returns are where the entries are, and what runs at times is nowhere.
bool has_places_of_its_own(const ProbeRow& row, const Listing& how) {
    const Provider& kind = provider(row.place);
    return kind.list && !row.result && !(kind.only_lt && how.as_bpftrace);
}

// A pattern in place of the kind stands for the kinds whose locations look like it: a path is in a program. With -p it
// also matches the process's files. Standard error says which kinds the user cannot list here.
Result<size_t> list_kinds(Kernel& kernel, const Parts& parts, const Listing& how) {
    const bool in_programs = parts[1].find('/') != std::string_view::npos;
    size_t found = 0;
    std::vector<Error> unread;
    for (const ProbeRow& row : probe_rows()) {
        const Provider& kind = provider(row.place);
        const bool of_process = kind.in_file && how.process != 0 && parts.size() == 2;
        if ((kind.in_file != in_programs && !of_process) || !has_places_of_its_own(row, how)) continue;
        if (!glob_match(parts[0], row.name)) continue;
        const bool by_name = of_process || (parts.size() == 2 && kind.least == 2 && !kind.in_file);
        const Result<size_t> n = list_kind(kernel, row, by_name ? Parts{parts[0], "*", parts[1]} : parts, how);
        if (!n && in_programs) return n.error();
        if (!n) unread.push_back(n.error());
        found += n ? *n : 0;
    }
    if (found == 0 && !unread.empty()) return unread.front();
    for (const Error& each : unread) fmt::print(stderr, "lt: {}\n", each.what);
    return found;
}

constexpr std::string_view forms = "for example `k:vfs_*`, `t:sched:*`, `u:/bin/bash:read*` or `*read*`";

Result<size_t> list_parts(Kernel& kernel, const Parts& parts, const Listing& how) {
    if (const ProbeRow* row = find_probe(parts[0])) return list_kind(kernel, *row, parts, how);
    const bool is_kinds = parts.size() > 1 && is_glob(parts[0]);
    if (parts.size() > 1 && !is_kinds)
        return Error{fmt::format("there is no kind of probe `{}`", parts[0]), std::string(forms), 0};
    return list_kinds(kernel, is_kinds ? parts : Parts{"*", parts.back()}, how);
}

Status list_pattern(Kernel& kernel, std::string_view pattern, const Listing& how) {
    if (is_type(pattern)) return list_types(kernel, pattern, how.verbose);
    const Result<size_t> n = list_parts(kernel, split(pattern, ':'), how);
    if (!n) return n.error();
    if (*n == 0) return Error{fmt::format("nothing matches `{}`", pattern), std::string(forms), 0};
    return Done{};
}

}  // namespace

Status list_probes(Kernel& kernel, std::string_view patterns, const Listing& how) {
    for (const std::string_view pattern : split(patterns, ','))
        if (const Status listed = list_pattern(kernel, trim(pattern), how); !listed) return listed;
    return Done{};
}

bool is_listed_by_bpftrace(std::string_view probe) {
    const ProbeRow* row = find_probe(split(probe, ':')[0]);
    return !row || !provider(row->place).special;
}

void list_at_hand(Kernel& kernel, std::string_view probe) {
    const Parts parts = split(probe, ':');
    const ProbeRow* row = find_probe(parts[0]);
    const auto list = row ? provider(row->place).list : nullptr;
    const Result<ListSearch> where = list ? search(kernel, *row, parts, {}) : Result<ListSearch>(Error{});
    const FoundNames all = where ? list(*where) : FoundNames(std::vector<Listed>{});
    if (all && all->size() == 1) print_at_hand(kernel, *row, all->front());
}

}  // namespace lt
