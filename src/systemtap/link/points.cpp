#include "systemtap/link/points.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "arch/arch.h"
#include "base/text.h"
#include "stdlib/functions/builtins.h"

namespace lt::stp {
namespace {

constexpr uint32_t most_depth = 16;  // of nested aliases
constexpr size_t most_places = 20000;
constexpr size_t most_looked_at = 200000;

// The next part of a row's shape: "function(s)".
std::string_view cut_part(std::string_view& shape) {
    const size_t dot = std::min(shape.find('.'), shape.size());
    const std::string_view part = shape.substr(0, dot);
    shape.remove_prefix(std::min(dot + 1, shape.size()));
    return part;
}

bool fits(std::string_view shape, const PointPart& part, bool globs) {
    const size_t paren = shape.find('(');
    const std::string name(shape.substr(0, paren));
    if (globs ? !glob_match(part.name, name) : part.name != name) return false;
    if (paren == std::string_view::npos) return !part.argument;
    if (!part.argument) return false;
    return std::holds_alternative<int64_t>(*part.argument) == (shape[paren + 1] == 'n');
}

bool fits(std::string_view shape, const std::vector<PointPart>& parts, bool globs = false) {
    for (const PointPart& part : parts) {
        if (shape.empty() || !fits(cut_part(shape), part, globs)) return false;
    }
    return shape.empty();
}

std::string text_of(const PointPart& part) {
    if (!part.argument) return "";
    const auto upper_half = -static_cast<int64_t>(arch::native.program_end);  // addresses of the kernel
    if (const auto* number = std::get_if<int64_t>(&*part.argument))
        return *number < 0 && *number >= upper_half ? fmt::format("{:#x}", static_cast<uint64_t>(*number))
                                                    : std::to_string(*number);
    return std::get<std::string>(*part.argument);
}

// Without arguments: "kernel.function().return".
std::string bare(std::string_view text) {
    std::string out;
    uint32_t depth = 0;
    for (char c : text) {
        depth -= c == ')';
        if (depth == 0) out += c;
        depth += c == '(';
    }
    return out;
}

// Families of SystemTap's library that lt does not have at all.
struct Missing {
    std::string_view family, why, hint;
};
constexpr std::string_view counted_by_kernel =
    "the kernel counts it inside of functions, at lines that only its debug information has";
constexpr std::string_view counters =
    "/proc/net/snmp and /proc/net/netstat have the counters; kernel.trace(\"tcp_retransmit_skb\"), "
    "kernel.trace(\"tcp_send_reset\") and kernel.trace(\"inet_sock_set_state\") cover the most important ones";
constexpr std::string_view of_module = "lt does not know the functions of that module";
constexpr std::array missing{
    Missing{"tcpmib", counted_by_kernel, counters},
    Missing{"ipmib", counted_by_kernel, counters},
    Missing{"linuxmib", counted_by_kernel, counters},
    Missing{"nfs", of_module, "if the module is loaded: kernel.trace(\"nfs_*\"), module(\"nfs\").function(\"nfs_*\")"},
    Missing{"sunrpc", of_module, "if the module is loaded: kernel.trace(\"rpc_*\"), kernel.trace(\"svc_*\")"},
    Missing{"scsi", of_module, "if it is loaded: kernel.trace(\"scsi_dispatch_cmd_start\") and the like; ioblock.*"},
    Missing{"ioscheduler", "the scheduler no longer has a function that takes requests",
            "use ioscheduler_trace.elv_issue_request, for when the driver gets a request"},
    Missing{"generic", "current file systems share other functions", "kernel.function(\"generic_file_*\")"},
    Missing{
        "xdp", "lt does not attach to network drivers",
        "kernel.trace(\"netif_receive_skb\") and netfilter.ip.pre_routing see each packet that the kernel receives"},
    Missing{"lsm", "lt does not take part in the kernel's security decisions",
            "kernel.function(\"security_socket_bind\") and the like see what is asked; .return sees the answer"},
    Missing{"stap", "lt does not know the marks of SystemTap's own programs",
            "process(\"/usr/bin/stap\").mark(\"pass0__start\")"},
    Missing{"python2", "lt does not look into interpreters", "process(\"/usr/bin/python3\").mark(\"function__entry\")"},
    Missing{"python3", "lt does not look into interpreters", "process(\"/usr/bin/python3\").mark(\"function__entry\")"},
};

// Parts that limit how many probes run at once, or choose when exactly, or set a file's permissions or size; lt does
// not need them. Each has a number; syscall.umask is a system call.
bool without_meaning(const PointPart& part) {
    constexpr std::array<std::string_view, 5> names{"maxactive", "randomize", "priority", "umask", "maxsize"};
    return part.argument && std::ranges::find(names, part.name) != names.end();
}

// Positions of parts that only some points can have: the part before, or the first one.
struct Placed {
    std::string_view name, before, first;
};
constexpr std::array placed{Placed{"maxactive", "return", ""}, Placed{"randomize", "", "timer"}};

// A part that is not valid at its position; null: there is none.
const PointPart* misplaced(const Point& point) {
    for (size_t i = 0; i < point.parts.size(); i++) {
        const auto* row = std::ranges::find(placed, point.parts[i].name, &Placed::name);
        if (row == placed.end()) continue;
        const bool fits = i > 0 && (row->before.empty() || point.parts[i - 1].name == row->before) &&
                          (row->first.empty() || point.parts[0].name == row->first);
        const bool has_number = point.parts[i].argument && std::holds_alternative<int64_t>(*point.parts[i].argument);
        if (!fits || !has_number) return &point.parts[i];
    }
    return nullptr;
}

Point plain(const Point& point) {
    Point out = point;
    std::erase_if(out.parts, without_meaning);
    return out;
}

// Do the first parts of a point name the alias? The rest selects the alias's own points.
bool names(const std::vector<PointPart>& parts, const Alias& alias) {
    if (alias.name.size() > parts.size()) return false;
    for (size_t i = 0; i < alias.name.size(); i++) {
        if (!glob_match(parts[i].name, alias.name[i].name)) return false;
        if (parts[i].argument != alias.name[i].argument) return false;
    }
    return true;
}

// kernel.function("sys_read"), the name that system calls had until Linux 4.17. The function of today takes the saved
// registers, so the system call stands in for it: its arguments have the names of the old parameters.
std::optional<Point> of_system_call(const Point& point) {
    const auto& parts = point.parts;
    const bool returns = parts.size() == 3 && parts[2].name == "return";
    const bool plain = parts.size() == 2 || (parts.size() == 3 && (parts[2].name == "call" || returns));
    if (!plain || (parts[0].name != "kernel" && parts[0].name != "kprobe") || parts[1].name != "function") return {};
    const auto* function = parts[1].argument ? std::get_if<std::string>(&*parts[1].argument) : nullptr;
    if (function == nullptr) return {};
    std::string name = function->substr(0, function->find('@'));
    if (!name.starts_with("sys_") && !name.starts_with("SyS_")) return {};
    name.erase(0, std::string_view("sys_").size());
    if (find_stp_system_call(name) == nullptr) return {};
    Point out = point;
    out.parts = {{point.span, "kernel", {}}, {parts[1].span, "syscall", std::move(name)}};
    if (returns) out.parts.push_back(parts[2]);
    return out;
}

// function("*@fs/read_write.c")
bool names_file(const PointPart& part) {
    const auto* name = part.argument ? std::get_if<std::string>(&*part.argument) : nullptr;
    return part.name == "function" && name && name->find('@') != name->npos &&
           is_glob(name->substr(0, name->find('@')));
}

Point by_names(Point point) {
    for (PointPart& part : point.parts) {
        if (names_file(part)) part.argument = "PREFIX_*";
    }
    return point;
}

// A dash in the name of a mark is two underscores in the program.
std::string mark_name(std::string name) {
    for (size_t at = name.find('-'); at != std::string::npos; at = name.find('-', at)) name.replace(at, 1, "__");
    return name;
}

}  // namespace

std::vector<Place> PointFinder::places(const std::vector<Point>& points) {
    out_.clear();
    looked_at_ = 0, gave_up_ = false;
    add_all(points, {}, {}, 0);
    return std::move(out_);
}

void PointFinder::add_all(const std::vector<Point>& points, const std::vector<PointPart>& suffix, const Place& outside,
                          uint32_t depth) {
    const bool has_choice = std::ranges::any_of(points, [](const Point& p) { return p.sufficient; });
    const uint32_t group = has_choice ? ++groups_ : 0;
    for (uint32_t i = 0; i < points.size(); i++) {
        Point whole = points[i];
        whole.parts.insert(whole.parts.end(), suffix.begin(), suffix.end());
        Place place = outside;
        if (depth == 0) place.named = text(whole);
        place.alternative.optional |= whole.optional || whole.sufficient;
        if (has_choice) place.alternative.choices.push_back({group, i, whole.sufficient});
        if (whole.armed) place.armed.push_back(*whole.armed);
        if (const PointPart* part = depth == 0 ? misplaced(whole) : nullptr) {
            diags_.error(part->span, fmt::format("{}: `.{}()` is not valid here", text(whole), part->name)).hint =
                part->name == "maxactive" ? "it takes a number and follows `.return`"
                                          : "it takes a number and follows a timer";
            continue;
        }
        add(plain(whole), place, depth);
        if (out_.size() > most_places || gave_up_) return;
    }
}

void PointFinder::add(const Point& point, const Place& outside, uint32_t depth) {
    if (const auto call = of_system_call(point)) return add(*call, outside, depth);
    if (const StpPoint* row = row_of(point)) return add_row(*row, point, outside);
    if (depth >= most_depth || ++looked_at_ > most_looked_at) {
        const char* const why = depth >= most_depth ? "refers to itself" : "leads to too many points";
        diags_.error(point.span, fmt::format("the alias {} {}", text(point), why));
        gave_up_ = true;
        return;
    }
    std::vector<const Alias*> whole, begun;
    for (const Alias& alias : tree_.aliases) {
        if (!names(point.parts, alias)) continue;
        (alias.name.size() == point.parts.size() ? whole : begun).push_back(&alias);
    }
    std::vector<const Alias*> found = whole.empty() ? begun : whole;
    const bool of_all = point.parts.size() > 1 && is_glob(point.parts[1].name);
    if (found.empty() || of_all) {
        if (const Alias* made = system_call_(point)) found = {made};
    }
    if (found.empty() && add_kinds(point, outside)) return;
    if (found.empty()) return unknown(point, outside);
    for (const Alias* alias : found) {
        Place place = outside;
        place.aliases.insert(place.aliases.begin(), alias);
        const std::vector<PointPart> suffix(point.parts.begin() + static_cast<ptrdiff_t>(alias->name.size()),
                                            point.parts.end());
        add_all(alias->points, suffix, place, depth + 1);
        if (gave_up_) return;
    }
}

// kernel.*("vfs_read"): all kinds of this form that have such a location.
bool PointFinder::add_kinds(const Point& point, const Place& outside) {
    if (std::ranges::none_of(point.parts, [](const PointPart& part) { return is_glob(part.name); })) return false;
    const size_t before = out_.size();
    for (const StpPoint& row : stp_points()) {
        if (!row.refusal.empty() || !fits(row.shape, point.parts, true)) continue;
        Place place = outside;
        place.alternative.optional = true;
        add_row(row, point, place);
    }
    return out_.size() != before;
}

const StpPoint* PointFinder::row_of(const Point& point) const {
    const auto rows = stp_points();
    const auto found = std::ranges::find_if(rows, [&](const StpPoint& r) { return fits(r.shape, point.parts); });
    return found == rows.end() ? nullptr : &*found;
}

void PointFinder::add_row(const StpPoint& row, const Point& point, Place place) {
    if (!row.refusal.empty()) {
        if (place.alternative.optional) return;
        diags_.error(point.span, fmt::format("{}: {}", text(point), row.refusal)).hint = row.hint;
        return;
    }
    const bool in_program = row.probe.starts_with('u');  // its debug information says which file a function is in
    if (!in_program && std::ranges::any_of(point.parts, names_file)) {
        if (place.alternative.optional) return;
        diags_
            .error(point.span, fmt::format("{}: only debug information says which file a function is in", text(point)))
            .hint = fmt::format("use a pattern of names: `{}`", text(by_names(point)));
        return;
    }
    place.row = &row;
    place.point = point;
    for (const PointPart& part : point.parts) {
        if (!part.argument) continue;
        place.arguments.push_back(text_of(part));
        if (part.name == "mark") place.arguments.back() = mark_name(place.arguments.back());
    }
    out_.push_back(std::move(place));
}

void PointFinder::unknown(const Point& point, const Place& outside) {
    if (outside.alternative.optional) return;
    const auto* family =
        std::ranges::find_if(missing, [&](const Missing& m) { return point.parts[0].name == m.family; });
    if (family != missing.end()) {
        diags_.error(point.span, fmt::format("lt does not support {}: {}", text(point), family->why)).hint =
            family->hint;
        return;
    }
    std::vector<std::string> all;
    for (const StpPoint& row : stp_points()) {
        if (row.refusal.empty()) all.push_back(bare(row.shape));
    }
    for (const Alias& alias : tree_.aliases) all.push_back(bare(text(Point{{}, alias.name})));
    const std::vector<std::string_view> views(all.begin(), all.end());
    const auto near = closest(bare(text(point)), views);
    diags_.error(point.span, fmt::format("there is no probe point {}", text(point))).hint =
        near.empty() ? "lt-stp(7) lists them" : did_you_mean(near);
}

// A file after the name of a function selects one of several.
std::string without_file(const std::string& argument) { return argument.substr(0, argument.find('@')); }

// For a file that would be written: a valid parameter name.
std::string parameter_of(const Place& place) {
    std::string name = place.arguments.empty() ? "command" : place.arguments.front();
    std::ranges::replace_if(name, [](char c) { return !is_word_character(c); }, '_');
    const bool taken = find_variable(name) != nullptr || find_function(name) != nullptr;
    if (taken || name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) name.insert(0, "_");
    return name;
}

ast::ProbeSpec probe_of(const Place& place, std::string_view shape) {
    ast::ProbeSpec spec;
    spec.span = place.point.span;
    spec.alternative = place.alternative;
    // Uses debug information for files and lines.
    const bool by_source = shape.starts_with("u") || place.row->shape.find("statement") != std::string_view::npos;
    for (std::string_view part : split(shape, ':')) {
        std::string text(part);
        for (size_t brace = text.find('{'); brace != std::string::npos; brace = text.find('{', brace)) {
            const auto n = static_cast<size_t>(text[brace + 1] - '0');
            if (place.row->variables == "written") {
                text = parameter_of(place);
                break;
            }
            const std::string argument = by_source ? place.arguments[n] : without_file(place.arguments[n]);
            text.replace(brace, 3, argument);
            brace += argument.size();
        }
        // "sched:sched_switch"
        const size_t system = place.row->shape == "kernel.trace(s)" ? text.find(':') : std::string::npos;
        if (system != std::string::npos) spec.parts.push_back({place.point.span, text.substr(0, system)});
        spec.parts.push_back({place.point.span, system == std::string::npos ? text : text.substr(system + 1)});
    }
    return spec;
}

}  // namespace lt::stp
