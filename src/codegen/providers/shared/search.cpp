#include "codegen/providers/shared/search.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace lt {

std::optional<uint64_t> any_number(std::string_view text) {
    std::string plain(text);
    if (!plain.starts_with('_')) std::erase(plain, '_');
    if (plain.starts_with("0x")) return number<uint64_t>(std::string_view(plain).substr(2), 16);
    const size_t e = std::min(plain.find_first_of("eE"), plain.size());
    auto out = number<uint64_t>(std::string_view(plain).substr(0, e));
    auto power = e < plain.size() ? number<uint32_t>(std::string_view(plain).substr(e + 1)) : 0;
    if (!power || *power > 19) return {};
    for (; out && *power > 0; --*power) {
        if (*out > UINT64_MAX / 10) return {};
        *out *= 10;
    }
    return out;
}

bool offered(const Search& s, Feature feature, std::string_view what) {
    const Answer a = s.kernel.can(feature);
    // In newer kernels, perf events on programs need CAP_SYS_ADMIN; links do not.
    if (!a.yes && feature == Feature::uprobe && s.kernel.can(Feature::uprobe_multi).yes) return true;
    if (!a.yes) s.diags.error(s.spec.span, fmt::format("this kernel does not support {}: {}", what, a.why));
    return a.yes;
}

Places incomplete(const Search& s) {
    const ProbeRow& row = *find_probe(s.spec.parts.front().text);
    const bool of_file = row.place == Place::binary_function || row.place == Place::marker;
    const bool of_process = of_file && s.spec.parts.size() > 1 && s.spec.parts[1].text.empty();
    s.diags.error(s.spec.span, fmt::format("`{}` is not complete", row.name)).hint =
        of_process ? "without a file it needs a process: give `-p PID`" : fmt::format("write {}", row.shape);
    return {};
}

bool count_fits(const Search& s, size_t n, std::optional<size_t> limit) {
    const size_t most = limit.value_or(s.most_matches);
    if (n == 0) {
        s.diags.error(s.last().span, "nothing matches this pattern").hint =
            "`lt -l` with a pattern in quotes lists the probes that exist";
        return false;
    }
    if (n <= most) return true;
    s.diags.error(s.last().span, fmt::format("this pattern matches {} locations; the limit is {}", n, most)).hint =
        "use a narrower pattern";
    return false;
}

std::string in_another_module(std::string_view name) {
    return fmt::format("`{}` exists, but not in this module: leave out the module", name);
}

std::string text_of(const Search& s, ProbeKind kind, std::string_view last) {
    const std::vector<Part>& parts = s.spec.parts;
    std::string out(probe_row(kind).name);
    for (size_t i = 1; i + 1 < parts.size(); i++) out += ":" + parts[i].text;
    if (parts.size() > 1) out += fmt::format(":{}", last);
    return out;
}

bool at_return(const Search& s, const ResolvedPlace& place) {
    return probe_row(place.kind).result || s.asked.role == Role::call;
}

Places no_way(const Search& s, const ResolvedPlace& place) {
    const std::string& name =
        user_function(place).name.empty() ? kernel_function(place).name : user_function(place).name;
    const std::string& pattern = s.last().text;
    const bool is_pattern = pattern.find_first_of("*?[") != pattern.npos;
    Diag& d = s.diags.error(
        s.spec.span, is_pattern ? fmt::format("this kernel has no way to trace any function that matches `{}`", pattern)
                                : fmt::format("this kernel has no way to trace `{}`", name));
    for (const Rung& r : place.rungs) d.notes.push_back({{}, fmt::format("{}: {}", way_name(r.way), r.refused)});
    d.hint = s.kernel.can(Feature::kprobe).yes ? "trace a caller of it, or a tracepoint nearby"
                                               : "tracepoints (`t:`) and functions of programs (`u:`) can be traced "
                                                 "here; `lt --info` lists what else works";
    if (is_decoded(place))
        d.hint = "to trace returns of Go functions, use `--attach-with ret.multi,ret` or leave the option out";
    return {};
}

}  // namespace lt
