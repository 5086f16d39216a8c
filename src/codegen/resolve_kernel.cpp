// Functions of the kernel, with the ladder of ways to them.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "ladder.h"
#include "resolver.h"

namespace lt {
namespace {

// Words in the place of a module.
constexpr std::string_view kernel_itself = "vmlinux", inlined_there = "inline", bpf_programs = "bpf";

}  // namespace

Resolver::Places Resolver::kernel_function(const ast::ProbeSpec& spec, ResolvedPlace place, const Asked& asked) {
    const std::string& name = spec.parts.back().text;
    const std::string& word = spec.parts.size() == 3 ? spec.parts[1].text : "";
    const bool names_source = name.find('@') != name.npos || word.find('@') != word.npos;  // k:f@a.c:12 without quotes
    if (spec.parts.size() > 2 && spec.parts[1].text == bpf_programs) {
        diags_.error(spec.span, "lt does not trace other BPF programs yet").hint =
            "`bpftool prog profile` counts the runs of one";
        return {};
    }
    if (names_source || word == inlined_there) return kernel_source(spec, place, asked);
    if (name.starts_with("0x") || name.find('+') != name.npos)
        return kernel_instruction(spec, std::move(place), word, asked);
    if (is_glob(name))
        return matching_functions(spec, place, kernel_.functions(name, word.empty() ? "*" : word), asked);
    std::optional<KernelFunction> f = kernel_.function(name, word);
    if (!f && (word.empty() || word == kernel_itself)) f = successor(spec, name);
    if (!f) return missing_function(spec, word == kernel_itself ? "" : word);
    if (std::optional<KernelFunction> called = inner(spec, *f, asked)) f = std::move(called);
    if (options_.only_listed && kernel_.traceable(f->name) == false) {
        diags_.error(spec.parts.back().span, fmt::format("{} is not in the list of traceable functions", f->name))
            .hint = "--traceable-functions FILE: the names of functions, one a line";
        return {};
    }
    place.text = text_of(probe_row(place.kind), spec.parts, f->name);
    place.function = std::move(*f);
    place.rungs = ladder(kernel_, place.function, {place.kind, asked.role == Role::call, false}, options_.ruled_out);
    if (!any_open(place.rungs)) return no_way(spec, place);
    return {place};
}

// FUNCTION+OFFSET, or an address, where nobody knows whether an instruction begins. The kernel sees to the first.
Resolver::Places Resolver::kernel_instruction(const ast::ProbeSpec& spec, ResolvedPlace place,
                                              const std::string& module, const Asked& asked) {
    const Part& part = spec.parts.back();
    const auto refuse = [&](std::string message, std::string hint) {
        diags_.error(part.span, std::move(message)).hint = std::move(hint);
        return Places{};
    };
    if (place.kind != ProbeKind::kprobe || asked.role == Role::call)
        return refuse("only kprobes are on single instructions", "write k:FUNCTION+OFFSET { ... }");
    const size_t plus = part.text.find('+');
    const bool is_address = plus == part.text.npos;
    if (is_address && !options_.unsafe)
        return refuse("an address may lie inside of an instruction",
                      "write k:FUNCTION+OFFSET, or run lt with --unsafe");
    const auto number = any_number(part.text.substr(is_address ? 0 : plus + 1));
    if (!number) return refuse("this is no number", "for example k:vfs_read+4 or k:0xffffffff81000000");
    place.function.name = part.text;
    if (!is_address) {
        const std::optional<KernelFunction> f = kernel_.function(part.text.substr(0, plus), module);
        if (!f) return refuse(fmt::format("this kernel has no function {}", part.text.substr(0, plus)), "");
        place.function.name = f->name;
        place.offset = *number;
    }
    place.rungs = instruction_rungs(place.function.name);
    if (!any_open(place.rungs)) return no_way(spec, place);
    return {place};
}

std::vector<Rung> Resolver::instruction_rungs(const std::string& function) {
    const Answer a = kernel_.can(Feature::kprobe);
    std::string why = a.yes ? "" : a.why;
    for (const RuledOut& r : options_.ruled_out)
        if (r.way == Way::kprobe && (r.function.empty() || r.function == function)) why = r.why;
    return {{Way::kprobe, std::move(why), {}}};
}

std::optional<KernelFunction> Resolver::successor(const ast::ProbeSpec& spec, const std::string& name) {
    for (const Candidate& c : candidates(name)) {
        std::optional<KernelFunction> f = kernel_.function(c.name);
        if (!f) continue;
        Diag& d = diags_.note(spec.parts.back().span,
                              fmt::format("this kernel has no function {}; {} is taken", name, f->name));
        if (!c.remark.empty()) d.notes.push_back({{}, std::string(c.remark)});
        return f;
    }
    return {};
}

// The function called by this one that has the parameter which this one had.
std::optional<KernelFunction> Resolver::inner(const ast::ProbeSpec& spec, const KernelFunction& f, const Asked& asked) {
    for (const std::string& field : asked.fields) {
        const InnerFunction* row = inner_function(f.name, field);
        const auto has = [&](const KernelFunction& g) {
            return std::ranges::find(g.parameters, field, &Field::name) != g.parameters.end();
        };
        std::optional<KernelFunction> called =
            row && !has(f) ? kernel_.function(std::string(row->inner)) : std::nullopt;
        if (!called || !has(*called)) continue;
        Diag& d = diags_.note(spec.parts.back().span, fmt::format("this kernel's {} has no argument {}; {} is taken",
                                                                  f.name, field, called->name));
        d.notes.push_back({{}, std::string(row->remark)});
        return called;
    }
    return {};
}

std::vector<Candidate> Resolver::candidates(const std::string& name) {
    std::vector<Candidate> out = successors(name);
    for (std::string_view suffix : variant_suffixes()) {
        for (std::string& variant : kernel_.functions(fmt::format("{}{}*", name, suffix)))
            out.push_back({std::move(variant), ""});
    }
    return out;
}

Resolver::Places Resolver::missing_function(const ast::ProbeSpec& spec, const std::string& module) {
    const std::string& name = spec.parts.back().text;
    const std::vector<std::string> all = kernel_.functions("*");
    std::vector<std::string_view> names = views(all);
    for (const Successor& s : successor_rows())
        if (s.old_name != name) names.push_back(s.old_name);
    Diag& d = diags_.error(spec.parts.back().span, module.empty()
                                                       ? fmt::format("this kernel has no function {}", name)
                                                       : fmt::format("module {} has no function {}", module, name));
    d.hint = did_you_mean(closest(name, names));
    if (d.hint.empty()) d.hint = "it may be inlined into its callers here, or belong to a module that is not loaded";
    return {};
}

Resolver::Places Resolver::no_way(const ast::ProbeSpec& spec, const ResolvedPlace& place) {
    const std::string& name = place.user.name.empty() ? place.function.name : place.user.name;
    Diag& d = diags_.error(spec.span, fmt::format("this kernel offers no way to trace {}", name));
    for (const Rung& r : place.rungs) d.notes.push_back({{}, fmt::format("{}: {}", way_name(r.way), r.refused)});
    d.hint = kernel_.can(Feature::kprobe).yes
                 ? "trace a caller of it, or a tracepoint nearby"
                 : "tracepoints (t:) and functions of programs (u:) can be traced here; `lt --info` tells what else";
    return {};
}

Resolver::Places Resolver::matching_functions(const ast::ProbeSpec& spec, const ResolvedPlace& place,
                                              std::vector<std::string> names, const Asked& asked) {
    const bool any = !names.empty();
    std::erase_if(
        names, [&](const std::string& name) { return kernel_.traceable(name) == false || kernel_.blacklisted(name); });
    if (any && names.empty()) {
        diags_.error(spec.parts.back().span, "none of the functions that match can be traced").hint =
            "they are compiled without ftrace, or kprobes are forbidden on them";
        return {};
    }
    const bool own_types = place.kind == ProbeKind::fentry || place.kind == ProbeKind::fexit;
    if (names.size() > few_matches && !asked.by_fields && !own_types) return as_one(spec, place, names, asked);
    return one_by_one(spec, place, names, asked);
}

Resolver::Places Resolver::one_by_one(const ast::ProbeSpec& spec, const ResolvedPlace& place,
                                      const std::vector<std::string>& names, const Asked& asked) {
    if (!count_fits(spec, names.size(), most_matches_)) return {};
    const bool names_module = spec.parts.size() == 3 && spec.parts[1].text.find('@') == std::string::npos;
    const std::string module = names_module ? spec.parts[1].text : "";
    std::vector<ResolvedPlace> out, refused;
    for (const std::string& name : names) {
        ResolvedPlace p = place;
        const std::optional<KernelFunction> found = kernel_.function(name, module);
        p.function = found ? *found : *kernel_.function(name);
        p.text = text_of(probe_row(place.kind), spec.parts, name);
        p.rungs = ladder(kernel_, p.function, {p.kind, asked.role == Role::call, false}, options_.ruled_out);
        std::erase_if(p.rungs, [](const Rung& r) {
            return r.way == Way::breakpoint;
        });  // four of them at most: not for wildcards
        (any_open(p.rungs) ? out : refused).push_back(std::move(p));
    }
    if (out.empty() && !refused.empty()) return no_way(spec, refused.front());
    return out;
}

// One program for all of them. A name that stands for several functions does not say which.
Resolver::Places Resolver::as_one(const ast::ProbeSpec& spec, ResolvedPlace place, std::vector<std::string>& names,
                                  const Asked& asked) {
    const size_t all = names.size();
    std::erase_if(names, [&](const std::string& name) { return kernel_.ambiguous(name); });
    if (names.size() < all) {
        diags_.note(spec.parts.back().span,
                    fmt::format("{} of {} functions are left out: others have the same name", all - names.size(), all));
    }
    if (!count_fits(spec, names.size(), most_members)) return {};
    for (std::string& name : names) {
        const std::string text = text_of(probe_row(place.kind), spec.parts, name);
        place.members.push_back({text, std::move(name), {}});
    }
    place.function.name = place.members.front().function;
    place.rungs = ladder(kernel_, place.function, {place.kind, asked.role == Role::call, true}, options_.ruled_out);
    if (!any_open(place.rungs)) return no_way(spec, place);
    return {place};
}

}  // namespace lt
