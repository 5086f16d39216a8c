// One function for each sort of place; `-v` adds what a probe has at hand, a line each.
#include "list.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "base/text.h"
#include "process_files.h"
#include "stdlib/counters.h"
#include "stdlib/probes.h"

namespace lt {
namespace {

using Parts = std::vector<std::string_view>;

// What matches: what stands behind the kind, and what is asked for to describe it.
struct Listed {
    std::string text;
    std::string name;
};

// What is left out, or empty, is anything.
std::string part(const Parts& parts, size_t i) {
    return i < parts.size() && !parts[i].empty() ? std::string(parts[i]) : "*";
}

std::vector<Listed> named(const std::vector<std::string>& names, std::string_view prefix = {}) {
    std::vector<Listed> out;
    for (const std::string& name : names) out.push_back({fmt::format("{}{}", prefix, name), name});
    return out;
}

std::vector<std::string> matching(const std::vector<std::string>& names, std::string_view pattern) {
    std::vector<std::string> out;
    for (const std::string& name : names) {
        if (glob_match(pattern, name)) out.push_back(name);
    }
    return out;
}

std::vector<Listed> system_calls(Kernel& kernel, const std::string& pattern) {
    std::vector<Listed> out;
    for (const std::string& full : kernel.tracepoints(syscall_category, std::string(syscall_entry) + pattern)) {
        const std::string name = full.substr(syscall_category.size() + 1 + syscall_entry.size());
        out.push_back({name, name});
    }
    return out;
}

// Hardware events are those of the tables, and those that the machine's own sources name.
std::vector<std::string> counters(Kernel& kernel, ProbeKind kind, bool as_bpftrace) {
    const bool software = kind == ProbeKind::software;
    std::vector<std::string> names;
    for (const CounterRow& row : software ? software_counters() : hardware_counters()) names.emplace_back(row.name);
    if (software || as_bpftrace) return names;
    for (const std::string& event : kernel.source_events()) names.push_back(event + "/");
    return names;
}

// "PROVIDER:NAME", sorted, each once.
Result<std::vector<std::string>> markers_of(Kernel& kernel, const std::string& path, const Parts& parts) {
    const Result<std::vector<Marker>> markers = kernel.markers(path);
    if (!markers) return markers.error();
    const std::string name = parts.size() > 2 ? part(parts, parts.size() - 1) : "*";
    const std::string provider = parts.size() > 3 ? part(parts, 2) : "*";
    std::vector<std::string> names;
    for (const Marker& m : *markers)
        if (glob_match(name, m.name) && glob_match(provider, m.provider))
            names.push_back(fmt::format("{}:{}", m.provider, m.name));
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

Result<std::vector<Listed>> in_file(Kernel& kernel, const ProbeRow& row, const Parts& parts, const std::string& path) {
    if (row.place == Place::binary_function) return named(kernel.user_functions(path, part(parts, 2)), path + ":");
    const Result<std::vector<std::string>> names = markers_of(kernel, path, parts);
    return names ? named(*names, path + ":") : Result<std::vector<Listed>>(names.error());
}

// A pattern of files is those that match, or, as `*`, those that processes have mapped. Of these some may be none that
// can be read. A path is shown as it was written, so that the line is what one can type.
Result<std::vector<Listed>> in_binary(Kernel& kernel, const ProbeRow& row, const Parts& parts, int process) {
    if (parts.size() < 2) return Error{"which program?", fmt::format("write {}", row.shape), 0};
    const std::string file = file_of_process(process, part(parts, 1));
    if (!is_glob(file)) {
        const Result<std::string> path = kernel.binary(file);
        if (!path) return path.error();
        std::error_code failed;
        return in_file(kernel, row, parts, std::filesystem::exists(file, failed) ? file : *path);
    }
    std::vector<Listed> out;
    for (const std::string& path : file == "*" ? kernel.mapped_files(process) : kernel.binaries(file)) {
        Result<std::vector<Listed>> here = in_file(kernel, row, parts, path);
        if (here) std::ranges::move(*here, std::back_inserter(out));
    }
    return out;
}

std::string module_of(const std::optional<KernelFunction>& f) {
    return !f || f->module.empty() ? "vmlinux" : f->module;
}

// rawtracepoint:EVENT or rawtracepoint:MODULE:EVENT
std::vector<std::string> raw_events(Kernel& kernel, const Parts& parts) {
    std::vector<std::string> names = kernel.raw_tracepoints(part(parts, std::max<size_t>(1, parts.size() - 1)));
    if (parts.size() < 3) return names;
    std::erase_if(names, [&](const std::string& name) {
        const std::optional<KernelFunction> event = kernel.raw_tracepoint(name);
        return !event || !glob_match(parts[1], module_of(event));
    });
    return names;
}

// A trampoline needs the function's type.
bool needs_btf(ProbeKind kind) { return kind == ProbeKind::fentry || kind == ProbeKind::fexit; }

std::vector<Listed> kernel_functions(Kernel& kernel, const ProbeRow& row, const Parts& parts, bool with_module) {
    std::vector<Listed> out;
    for (const std::string& name : kernel.functions(part(parts, std::max<size_t>(1, parts.size() - 1)),
                                                    parts.size() > 2 ? part(parts, 1) : "*")) {
        if (!needs_btf(row.kind)) {
            out.push_back({name, name});
        } else if (const auto f = kernel.function(name); f && f->in_btf) {
            out.push_back({with_module ? fmt::format("{}:{}", module_of(f), name) : name, name});
        }
    }
    return out;
}

Result<std::vector<Listed>> find_kind(Kernel& kernel, const ProbeRow& row, const Parts& parts, int process,
                                      bool as_bpftrace = false) {
    switch (row.place) {
        case Place::nothing:
        case Place::period:
        case Place::clock:
        case Place::address:
        case Place::signal:
            return std::vector<Listed>{};
        case Place::event:
            return named(kernel.tracepoints(part(parts, 1), part(parts, 2)));
        case Place::raw_event: {
            std::vector<Listed> out = named(raw_events(kernel, parts));
            for (Listed& each : out)
                if (as_bpftrace)
                    each.text = fmt::format("{}:{}", module_of(kernel.raw_tracepoint(each.name)), each.name);
            return out;
        }
        case Place::kernel_function:
            return kernel_functions(kernel, row, parts, as_bpftrace);
        case Place::system_call:
            return system_calls(kernel, part(parts, 1));
        case Place::counter:
            return named(matching(counters(kernel, row.kind, as_bpftrace), part(parts, 1)));
        case Place::socket_event:
            return named(matching({"accepted"}, part(parts, 1)));
        case Place::kernel_objects:
            return named(matching(kernel.iterators(), part(parts, 1)));
        case Place::binary_function:
        case Place::marker:
            return in_binary(kernel, row, parts, process);
    }
    return std::vector<Listed>{};
}

// ---- what is at hand there

// "int", "x" -> "int x"; "char[16]", "comm" -> "char comm[16]"
std::string declared(std::string_view type, std::string_view name) {
    const size_t bracket = type.ends_with(']') ? type.find('[') : type.npos;
    if (bracket != type.npos && !name.empty())
        return fmt::format("{} {}{}", type.substr(0, bracket), name, type.substr(bracket));
    return fmt::format("{}{}{}", type, type.ends_with('*') || name.empty() ? "" : " ", name);
}

// As C has it.
std::string c_type(const Type& type) {
    if (const Type* to = pointee(type)) {
        const std::string inner = c_type(*to);
        return inner + (inner.ends_with('*') ? "*" : " *");
    }
    if (type.kind == Kind::integer && type.view == View::hex) return "void *";
    if (type.kind == Kind::none) return "(other)";
    if (type.kind == Kind::string) return "char";
    if (const Type* each = element(type)) return c_type(*each);
    if (type.shape && !type.shape->name.empty()) return type.shape->name;
    return type.kind == Kind::structure ? "struct {...}" : type_text(type);
}

std::string c_member(const Member& member) {
    std::string out = declared(c_type(member.type), member.name);
    if (member.type.kind == Kind::string) out += fmt::format("[{}]", member.type.size);
    if (const Type* each = element(member.type))
        out += fmt::format("[{}]", each->size ? member.type.size / each->size : 0);
    if (member.bit_size != 0) out += fmt::format(" : {}", member.bit_size);
    return out;
}

std::vector<std::string> of_fields(const std::vector<Field>& fields) {
    std::vector<std::string> out;
    for (const Field& field : fields) out.push_back(declared(field.c_type, field.name));
    return out;
}

std::vector<std::string> of_function(Kernel& kernel, const ProbeRow& row, const std::string& name) {
    const std::optional<KernelFunction> f = kernel.function(name);
    if (!f) return {};
    std::vector<std::string> out = row.arguments ? of_fields(f->parameters) : std::vector<std::string>{};
    if (row.result && f->result.kind != Kind::none) out.push_back(declared(c_type(f->result), "retval"));
    return out;
}

std::vector<std::string> of_event(Kernel& kernel, std::string_view category, const std::string& event) {
    const Result<Tracepoint> tracepoint = kernel.tracepoint(category, event);
    return tracepoint ? of_fields(tracepoint->fields) : std::vector<std::string>{};
}

std::vector<std::string> of_structure(Kernel& kernel, std::string_view name) {
    std::vector<std::string> out;
    if (const std::optional<Type> type = kernel.type(name); type && type->kind == Kind::structure)
        for (const Member& member : kernel.members(*type)) out.push_back(c_member(member));
    return out;
}

// "PATH:FUNCTION", by the debug information of the file, if it has any.
std::vector<std::string> of_program(Kernel& kernel, const ProbeRow& row, const std::string& place) {
    const size_t colon = place.rfind(':');
    const std::string path = place.substr(0, colon);
    const Result<UserFunction> f = kernel.user_function(path, place.substr(colon + 1));
    if (!f) return {};
    const Result<ProgramScope>& scope = kernel.program_scope(*f);
    std::vector<std::string> out;
    if (!scope) return out;
    for (const ProgramVariable& v : scope->variables)
        if (row.arguments && v.parameter) out.push_back(declared(v.c_type, v.name));
    if (row.result && scope->c_result != "void") out.push_back(declared(scope->c_result, "retval"));
    return out;
}

std::vector<std::string> at_hand(Kernel& kernel, const ProbeRow& row, const Listed& listed) {
    const std::string& name = listed.name;
    switch (row.place) {
        case Place::event: {
            const size_t colon = name.find(':');
            return of_event(kernel, name.substr(0, colon), name.substr(colon + 1));
        }
        case Place::raw_event: {
            const std::optional<KernelFunction> event = kernel.raw_tracepoint(name);
            return event ? of_fields(event->parameters) : std::vector<std::string>{};
        }
        case Place::kernel_function:
            return of_function(kernel, row, name);
        case Place::system_call:
            return of_event(kernel, syscall_category, std::string(syscall_entry) + name);
        case Place::kernel_objects:
            return of_structure(kernel, "struct bpf_iter__" + name);
        case Place::socket_event:
            return of_structure(kernel, "struct bpf_sock_ops");
        case Place::nothing:
        case Place::period:
        case Place::clock:
        case Place::address:
        case Place::signal:
        case Place::counter:
        case Place::marker:
            return {};
        case Place::binary_function:
            return of_program(kernel, row, listed.text);
    }
    return {};
}

void print_at_hand(Kernel& kernel, const ProbeRow& row, const Listed& listed) {
    for (const std::string& line : at_hand(kernel, row, listed)) fmt::print("    {}\n", line);
}

Result<size_t> list_kind(Kernel& kernel, const ProbeRow& row, const Parts& parts, const Listing& how) {
    const Result<std::vector<Listed>> all = find_kind(kernel, row, parts, how.process, how.as_bpftrace);
    if (!all) return all.error();
    const std::string_view colon = how.as_bpftrace && row.place == Place::counter ? ":" : "";
    const bool without_places = run_by_lt(row.place) ? row.place != Place::kernel_objects
                                                     : row.place == Place::clock || row.place == Place::address;
    if (without_places) {
        fmt::print("{}\n", row.shape);
        return size_t{1};
    }
    for (const Listed& each : *all) {
        fmt::print("{}:{}{}\n", row.name, each.text, colon);
        if (how.verbose) print_at_hand(kernel, row, each);
    }
    return all->size();
}

// "struct task_struct", "enum pid_type"
Status list_type(Kernel& kernel, std::string_view name) {
    std::optional<Type> type = kernel.type(name);
    if (!type) return Error{fmt::format("this kernel has no type {}", quoted(name)), "", 0};
    fmt::print("{} {{  // {} bytes\n", name, type->size);
    for (const std::string& member : of_structure(kernel, name)) fmt::print("    {};\n", member);
    const Type whole = type->view == View::enumeration ? kernel.whole(*type) : nothing();
    if (whole.shape)
        for (const Enumerator& e : whole.shape->enumerators) fmt::print("    {} = {},\n", e.name, e.value);
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
            fmt::print("{}\n", name);
        else if (const Status listed = list_type(kernel, name); !listed)
            return listed;
    }
    return Done{};
}

bool in_a_program(const ProbeRow& row) { return row.place == Place::binary_function || row.place == Place::marker; }

// Returns are where the entries are, and what runs at times is nowhere.
bool has_places_of_its_own(const ProbeRow& row, const Listing& how) {
    switch (row.place) {
        case Place::nothing:
        case Place::period:
        case Place::clock:
        case Place::address:
        case Place::signal:
            return false;
        case Place::system_call:
        case Place::socket_event:
            return !how.as_bpftrace;
        case Place::event:
        case Place::raw_event:
        case Place::kernel_function:
        case Place::counter:
        case Place::kernel_objects:
        case Place::binary_function:
        case Place::marker:
            return !row.result;
    }
    return false;
}

// A pattern in the place of the kind stands for those kinds whose places are written so: a path is in programs. With -p
// they are in the process's files, too.
Result<size_t> list_kinds(Kernel& kernel, const Parts& parts, const Listing& how) {
    const bool in_programs = parts[1].find('/') != std::string_view::npos;
    size_t found = 0;
    for (const ProbeRow& row : probe_rows()) {
        const bool of_process = in_a_program(row) && how.process != 0 && parts.size() == 2;
        if ((in_a_program(row) != in_programs && !of_process) || !has_places_of_its_own(row, how)) continue;
        if (!glob_match(parts[0], row.name)) continue;
        const bool by_name = parts.size() == 2 && (row.place == Place::event || of_process);
        const Result<size_t> n = list_kind(kernel, row, by_name ? Parts{parts[0], "*", parts[1]} : parts, how);
        if (!n && in_programs) return n.error();
        found += n ? *n : 0;
    }
    return found;
}

constexpr std::string_view forms = "patterns look like k:vfs_*, t:sched:*, u:/bin/bash:read* or *read*";

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
    return !row || (row->place != Place::nothing && row->place != Place::signal);
}

void list_at_hand(Kernel& kernel, std::string_view probe) {
    const Parts parts = split(probe, ':');
    const ProbeRow* row = find_probe(parts[0]);
    const auto all = row ? find_kind(kernel, *row, parts, 0) : Result<std::vector<Listed>>(std::vector<Listed>{});
    if (all && all->size() == 1) print_at_hand(kernel, *row, all->front());
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
