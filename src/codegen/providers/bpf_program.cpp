// Functions of loaded BPF programs: fentry:bpf:NAME, fentry:bpf:ID:NAME.
#include <fmt/format.h>

#include "base/text.h"
#include "codegen/providers/kernel_function.h"
#include "codegen/providers/shared/ladder.h"
#include "codegen/providers/shared/listing.h"

namespace lt {
namespace {

constexpr std::string_view how_to_list = "`lt -l 'fentry:bpf:*'` lists the BPF programs that are loaded";

// The parts after `bpf` as a pattern for "ID:NAME".
std::string pattern_of(std::string_view id, std::string_view name) { return fmt::format("{}:{}", id, name); }

std::string_view name_in_program(std::string_view function) { return bpf_function(function)->name; }

Places missing_program(const Search& s) {
    const std::string& name = s.last().text;
    const std::vector<std::string> all = s.kernel.functions(pattern_of("*", "*"));
    std::vector<std::string_view> names;
    for (const std::string& function : all) names.push_back(name_in_program(function));
    const bool by_id = s.spec.parts.size() == 4;
    Diag& d = s.diags.error(s.last().span, by_id ? fmt::format("there is no loaded BPF program {} with a function `{}`",
                                                               s.spec.parts[2].text, name)
                                                 : fmt::format("no loaded BPF program has a function `{}`", name));
    d.hint = did_you_mean(closest(name, names));
    if (d.hint.empty()) d.hint = how_to_list;
    return {};
}

// bpftrace would trace all of them.
Places several_programs(const Search& s, const std::vector<std::string>& names) {
    std::vector<std::string> ids;
    for (const std::string& name : names) ids.push_back(std::to_string(bpf_function(name)->program));
    const std::string &kind = s.spec.parts[0].text, &function = s.last().text;
    s.diags
        .error(s.last().span,
               fmt::format("{} loaded BPF programs have a function `{}`: {}", ids.size(), function, join(ids, ", ")))
        .hint =
        fmt::format("write `{0}:bpf:{1}:{2}` for one of them, `{0}:bpf:*:{2}` for all", kind, ids.front(), function);
    return {};
}

Places without_types(const Search& s, const std::string& name) {
    s.diags
        .error(s.last().span,
               fmt::format("the BPF program {} has no type information (BTF), which fentry and fexit need",
                           bpf_function(name)->program))
        .hint = "compile it with `clang -g`";
    return {};
}

}  // namespace

Places bpf_program(const Search& s, const ResolvedPlace& place) {
    const std::string& name = s.last().text;
    const std::string id = s.spec.parts.size() == 4 ? s.spec.parts[2].text : "*";
    if (place.kind != ProbeKind::fentry && place.kind != ProbeKind::fexit) {
        s.diags.error(s.spec.span, "only `fentry` and `fexit` probes can be at BPF programs").hint =
            fmt::format("write `fentry:bpf:{}`", name);
        return {};
    }
    const std::vector<std::string> names = s.kernel.functions(pattern_of(id, name));
    if (names.empty()) return missing_program(s);
    if (names.size() > 1 && s.spec.parts.size() == 3 && !is_glob(name)) return several_programs(s, names);
    if (!count_fits(s, names.size())) return {};
    Places open, refused;
    std::string untyped;
    for (const std::string& each : names) {
        std::optional<KernelFunction> f = s.kernel.function(each);
        if (!f || !f->in_btf) {
            untyped = each;
            continue;
        }
        ResolvedPlace p = place;
        p.text = fmt::format("{}:bpf:{}", probe_row(place.kind).name, each);
        p.rungs = ladder(s.kernel, *f, {p.kind, s.asked.role == Role::call, false}, s.options.ruled_out);
        p.there = KernelPlace{std::move(*f)};
        (any_open(p.rungs) ? open : refused).push_back(std::move(p));
    }
    if (!open.empty()) return open;
    return refused.empty() ? without_types(s, untyped) : no_way(s, refused.front());
}

std::vector<Listed> listed_bpf_programs(const ListSearch& s) {
    std::vector<Listed> out;
    for (const std::string& name : s.kernel.functions(pattern_of(s.parts.size() > 3 ? s.part(2) : "*", s.last())))
        if (const auto f = s.kernel.function(name); f && f->in_btf) out.push_back({"bpf:" + name, name});
    return out;
}

}  // namespace lt
