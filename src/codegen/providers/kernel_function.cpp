// Kernel functions, with their ladder of attach methods.
#include "codegen/providers/kernel_function.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "codegen/providers/provider.h"
#include "codegen/providers/shared/ladder.h"
#include "stdlib/successors.h"

namespace lt {
namespace {

constexpr size_t few_matches = 16;  // up to this many kernel functions get their own programs, which cost less per call

// Words that can replace a module.
constexpr std::string_view kernel_itself = "vmlinux", inlined_there = "inline", bpf_programs = "bpf";

// Does the script use an argument or a result that the function does not have? Without its type, its registers are
// read, as in bpftrace.
bool lacks(const Search& s, ProbeKind kind, const KernelFunction& f) {
    if (!s.asked.registers || s.asked.by_fields || !f.in_btf) return false;
    if (kind == ProbeKind::kretprobe) return s.asked.result && f.result.kind != Kind::integer;
    return kind == ProbeKind::kprobe && s.asked.words > argument_words(f);
}

void warn_of_registers(const Search& s, ProbeKind kind, const std::vector<std::string>& lacking) {
    if (lacking.empty()) return;
    const std::string who = lacking.size() == 1 ? fmt::format("`{}` has", lacking.front())
                                                : fmt::format("{} of these functions have", lacking.size());
    const std::string what = kind == ProbeKind::kretprobe ? "retval" : fmt::format("arg{}", s.asked.words - 1);
    s.diags.warning(s.last().span, fmt::format("{} no `{}`; its register is read", who, what));
}

Climb climb_of(const Search& s, ProbeKind kind, bool many) {
    const bool has_registers = kind == ProbeKind::kprobe || kind == ProbeKind::kretprobe;
    return {.kind = kind,
            .both_ends = s.asked.role == Role::call,
            .many = many,
            .registers = s.asked.needs_registers && has_registers};
}

Places one_by_one(const Search& s, const ResolvedPlace& place, const std::vector<std::string>& names) {
    if (!count_fits(s, names.size(), s.most_matches)) return {};
    const bool names_module = s.spec.parts.size() == 3 && s.spec.parts[1].text.find('@') == std::string::npos;
    const std::string module = names_module ? s.spec.parts[1].text : "";
    std::vector<ResolvedPlace> out, refused;
    std::vector<std::string> lacking;
    for (const std::string& name : names) {
        ResolvedPlace p = place;
        std::optional<KernelFunction> found = s.kernel.function(name, module);
        if (!found && !module.empty()) found = s.kernel.function(name);
        if (!found) continue;  // debug information can be that of another build
        KernelPlace at{*std::move(found)};
        if (lacks(s, p.kind, at.function)) {
            at.function.in_btf = false;
            lacking.push_back(name);
        }
        p.there = at;
        p.text = text_of(s, place.kind, name);
        p.rungs = ladder(s.kernel, at.function, climb_of(s, p.kind, false), s.options.ruled_out);
        std::erase_if(p.rungs, [](const Rung& r) {
            return r.way == Way::breakpoint;
        });  // there are only four of them: not for wildcards
        (any_open(p.rungs) ? out : refused).push_back(std::move(p));
    }
    if (out.empty() && !refused.empty()) return no_way(s, refused.front());
    if (out.empty())
        s.diags.error(s.last().span, "this kernel has none of the functions that match").hint =
            "the debug information may be that of another build of the kernel";
    warn_of_registers(s, place.kind, lacking);
    return out;
}

// A name that several functions share is ambiguous: the kernel refuses it, or takes the first of them. False with an
// error if no other names remain.
bool leave_out_shared_names(const Search& s, std::vector<std::string>& names) {
    const size_t all = names.size();
    std::erase_if(names, [&](const std::string& name) { return s.kernel.ambiguous(name); });
    if (names.size() == all) return true;
    if (names.empty()) {
        s.diags.error(s.last().span, "each of the matching names belongs to several functions").hint =
            "trace a caller of the function that you mean, or a tracepoint nearby";
        return false;
    }
    s.diags.note(s.last().span, fmt::format("{} of {} functions are skipped: other functions have the same name",
                                            all - names.size(), all));
    return true;
}

// One program for all of them.
Places as_one(const Search& s, ResolvedPlace place, std::vector<std::string>& names) {
    if (!count_fits(s, names.size(), most_members)) return {};
    for (std::string& name : names) {
        const std::string text = text_of(s, place.kind, name);
        place.members.push_back({text, std::move(name), {}});
    }
    KernelPlace first;
    first.function.name = place.members.front().function;
    place.there = first;
    place.rungs = ladder(s.kernel, first.function, climb_of(s, place.kind, true), s.options.ruled_out);
    if (!any_open(place.rungs)) return no_way(s, place);
    return {place};
}

}  // namespace

Places matching_functions(const Search& s, const ResolvedPlace& place, std::vector<std::string> names) {
    const bool any = !names.empty();
    std::erase_if(names, [&](const std::string& name) {
        return s.kernel.traceable(name) == false || s.kernel.blacklisted(name);
    });
    if (any && names.empty()) {
        s.diags.error(s.last().span, "none of the matching functions can be traced").hint =
            "they are compiled without ftrace, or the kernel forbids kprobes on them";
        return {};
    }
    if (!leave_out_shared_names(s, names)) return {};
    const bool own_types = place.kind == ProbeKind::fentry || place.kind == ProbeKind::fexit;
    if (names.size() > few_matches && !s.asked.by_fields && !own_types) return as_one(s, place, names);
    return one_by_one(s, place, names);
}

std::vector<Rung> instruction_rungs(const Search& s, const std::string& function) {
    const Answer a = s.kernel.can(Feature::kprobe);
    std::string why = a.yes ? "" : a.why;
    for (const RuledOut& r : s.options.ruled_out)
        if (r.way == Way::kprobe && (r.function.empty() || r.function == function)) why = r.why;
    return {{Way::kprobe, std::move(why), {}}};
}

namespace {

// Functions are attached by name, and of several the kernel takes the first, or refuses. False with an error if that
// one need not be the one that is meant.
bool means_one(const Search& s, const std::string& name, const std::string& module) {
    if (!s.kernel.ambiguous(name)) return true;
    std::vector<std::string> owners;
    for (const NamedCode& code : s.kernel.named_code(name))
        owners.push_back(code.module.empty() ? std::string(kernel_itself) : code.module);
    const size_t all = owners.size();
    const bool one_own = std::count(owners.begin(), owners.end(), kernel_itself) == 1;
    owners.erase(std::unique(owners.begin(), owners.end()), owners.end());
    const std::string own = fmt::format("{}:{}:{}", s.spec.parts.front().text, kernel_itself, name);
    if (one_own && module == kernel_itself) return true;
    if (one_own && (module.empty() || glob_match(module, kernel_itself))) {
        owners.erase(owners.begin());
        const std::string others = join(owners, ", ");
        s.diags
            .warning(s.last().span,
                     fmt::format("the kernel's own `{}` is traced, not the function of this name in {}", name, others))
            .hint = fmt::format("`{}` says that the kernel's own is meant", own);
        return true;
    }
    s.diags.error(s.last().span, fmt::format("{} functions have the name `{}`, in {}", all, name, join(owners, ", ")))
        .hint = fmt::format("{}trace a caller of the function that you mean, or a tracepoint nearby",
                            one_own ? fmt::format("`{}` traces the kernel's own; else ", own) : "");
    return false;
}

// FUNCTION+OFFSET or an address. The kernel checks that FUNCTION+OFFSET is the start of an instruction, of whatever
// function; it cannot check an address.
Places kernel_instruction(const Search& s, ResolvedPlace place, const std::string& module) {
    const Part& part = s.last();
    const auto refuse = [&](std::string message, std::string hint) {
        s.diags.error(part.span, std::move(message)).hint = std::move(hint);
        return Places{};
    };
    if (place.kind != ProbeKind::kprobe || s.asked.role == Role::call)
        return refuse("only kprobes can be at single instructions", "write `k:FUNCTION+OFFSET { ... }`");
    const size_t plus = part.text.find('+');
    const bool is_address = plus == part.text.npos;
    if (is_address && !s.options.unsafe)
        return refuse("an address can be inside an instruction",
                      "write `k:FUNCTION+OFFSET`, or run lt with `--unsafe`");
    const auto number = any_number(part.text.substr(is_address ? 0 : plus + 1));
    if (!number) return refuse("this is not a number", "for example `k:vfs_read+4` or `k:0xffffffff81000000`");
    KernelPlace at;
    at.function.name = part.text;
    if (!is_address) {
        const std::optional<KernelFunction> f = s.kernel.function(part.text.substr(0, plus), module);
        if (!f) return refuse(fmt::format("this kernel has no function `{}`", part.text.substr(0, plus)), "");
        if (!means_one(s, f->name, module)) return {};
        const std::vector<NamedCode> code = s.kernel.named_code(f->name);
        const uint64_t size = code.empty() ? 0 : code.front().size;
        if (size != 0 && *number >= size) return refuse(fmt::format("`{}` is only {} bytes long", f->name, size), "");
        at.function.name = f->name;
        at.offset = *number;
    }
    place.rungs = instruction_rungs(s, at.function.name);
    place.there = std::move(at);
    if (!any_open(place.rungs)) return no_way(s, place);
    return {place};
}

std::vector<Candidate> candidates(const Search& s, const std::string& name) {
    std::vector<Candidate> out = successors(name);
    for (const VariantSuffix& suffix : variant_suffixes()) {
        for (std::string& variant : s.kernel.functions(fmt::format("{}{}*", name, suffix.text)))
            out.push_back({std::move(variant), suffix.remark});
    }
    return out;
}

std::optional<KernelFunction> function_today(const Search& s, const std::string& name) {
    for (const Candidate& c : candidates(s, name)) {
        std::optional<KernelFunction> f = s.kernel.function(c.name);
        if (!f) continue;
        Diag& d =
            s.diags.note(s.last().span, fmt::format("this kernel has no function `{}`; lt uses `{}`", name, f->name));
        if (!c.remark.empty()) d.notes.push_back({{}, std::string(c.remark)});
        const size_t variants = s.kernel.functions(fmt::format("{}.*", name)).size();
        if (variants > 1 && f->name.starts_with(name + '.'))
            d.notes.push_back({{},
                               fmt::format("there are {} variants of it: `{}:{}.*` traces all", variants,
                                           s.spec.parts.front().text, name)});
        return f;
    }
    return {};
}

// A function that this one calls, and that now has the parameter which this one had.
std::optional<KernelFunction> inner(const Search& s, const KernelFunction& f) {
    for (const std::string& field : s.asked.fields) {
        const InnerFunction* row = inner_function(f.name, field);
        const auto has = [&](const KernelFunction& g) {
            return std::ranges::find(g.parameters, field, &Field::name) != g.parameters.end();
        };
        std::optional<KernelFunction> called =
            row && !has(f) ? s.kernel.function(std::string(row->inner)) : std::nullopt;
        if (!called || !has(*called)) continue;
        Diag& d = s.diags.note(s.last().span, fmt::format("this kernel's `{}` has no argument `{}`; lt uses `{}`",
                                                          f.name, field, called->name));
        d.notes.push_back({{}, std::string(row->remark)});
        return called;
    }
    return {};
}

// Does no module of this name, or pattern, have functions? False if the kernel's functions are unknown.
bool is_not_loaded(const Search& s, const std::string& module) {
    if (module.empty() || module == kernel_itself || !s.kernel.functions("*", module).empty()) return false;
    return !s.kernel.functions("*").empty();
}

Places not_loaded(const Search& s, const std::string& module) {
    const bool is_one = !is_glob(module);
    s.diags
        .error(s.spec.parts[1].span, is_one ? fmt::format("the module `{}` is not loaded, or has no functions", module)
                                            : fmt::format("no loaded module with functions matches `{}`", module))
        .hint = is_one ? fmt::format("`modprobe {}` loads it; `lsmod` lists the modules that are loaded", module)
                       : "`lsmod` lists the modules that are loaded";
    return {};
}

Places missing_function(const Search& s, const std::string& module) {
    const std::string& name = s.last().text;
    const bool elsewhere = !module.empty() && s.kernel.function(name);
    if (!elsewhere && is_not_loaded(s, module)) return not_loaded(s, module);
    const std::vector<std::string> all = s.kernel.functions("*");
    std::vector<std::string_view> names = views(all);
    for (const Successor& row : successor_rows())
        if (row.old_name != name) names.push_back(row.old_name);
    Diag& d =
        s.diags.error(s.last().span, module.empty() ? fmt::format("this kernel has no function `{}`", name)
                                                    : fmt::format("module {} has no function `{}`", module, name));
    d.hint = elsewhere ? in_another_module(name) : did_you_mean(closest(name, names));
    if (d.hint.empty()) d.hint = "it may be inlined into its callers, or belong to a module that is not loaded";
    return {};
}

Places kernel_function(const Search& s, ResolvedPlace place) {
    const std::string& name = s.last().text;
    const std::string& word = s.spec.parts.size() == 3 ? s.spec.parts[1].text : "";
    const bool names_source = name.find('@') != name.npos || word.find('@') != word.npos;  // k:f@a.c:12 without quotes
    if (s.spec.parts.size() > 2 && s.spec.parts[1].text == bpf_programs) return bpf_program(s, place);
    if (s.spec.parts.size() > 3) return incomplete(s);
    if (names_source || word == inlined_there) return kernel_source(s, place);
    if (name.starts_with("0x") || name.find('+') != name.npos) return kernel_instruction(s, std::move(place), word);
    if (is_glob(name)) {
        std::vector<std::string> names = s.kernel.functions(name, word.empty() ? "*" : word);
        if (names.empty() && is_not_loaded(s, word)) return not_loaded(s, word);
        return matching_functions(s, place, std::move(names));
    }
    std::optional<KernelFunction> f = s.kernel.function(name, word);
    if (!f && (word.empty() || word == kernel_itself)) f = function_today(s, name);
    if (!f) return missing_function(s, word == kernel_itself ? "" : word);
    if (std::optional<KernelFunction> called = inner(s, *f)) f = std::move(called);
    if (!means_one(s, f->name, word)) return {};
    if (s.options.only_listed && s.kernel.traceable(f->name) == false) {
        s.diags.error(s.last().span, fmt::format("`{}` is not in the list of traceable functions", f->name)).hint =
            "the file of `--traceable-functions` has one function name per line";
        return {};
    }
    if (lacks(s, place.kind, *f)) {
        f->in_btf = false;
        warn_of_registers(s, place.kind, {f->name});
    }
    place.text = text_of(s, place.kind, f->name);
    place.rungs = ladder(s.kernel, *f, climb_of(s, place.kind, false), s.options.ruled_out);
    place.there = KernelPlace{std::move(*f)};
    if (!any_open(place.rungs)) return no_way(s, place);
    return {place};
}

Site at_function(const ResolvedPlace& place, bool) {
    const KernelPlace& at = std::get<KernelPlace>(place.there);
    return KernelSite{at.function.name, at.offset};
}

// A trampoline needs the function's type.
bool needs_btf(ProbeKind kind) { return kind == ProbeKind::fentry || kind == ProbeKind::fexit; }

FoundNames list_functions(const ListSearch& s) {
    if (needs_btf(s.row.kind) && s.parts.size() > 2 && s.part(1) == bpf_programs) return listed_bpf_programs(s);
    std::vector<Listed> out;
    for (const std::string& name : s.kernel.functions(s.last(), s.parts.size() > 2 ? s.part(1) : "*")) {
        if (!needs_btf(s.row.kind)) {
            out.push_back({name, name});
        } else if (const auto f = s.kernel.function(name); f && f->in_btf) {
            out.push_back({s.as_bpftrace ? fmt::format("{}:{}", module_of(*f), name) : name, name});
        }
    }
    return needs_btf(s.row.kind) ? types_or_why(s, std::move(out), "functions with their types") : out;
}

std::vector<std::string> describe_function(Kernel& kernel, const ProbeRow& row, const Listed& listed) {
    const std::optional<KernelFunction> f = kernel.function(listed.name);
    if (!f) return {};
    std::vector<std::string> out = row.arguments ? declared_fields(f->parameters) : std::vector<std::string>{};
    if (row.result && f->result.kind != Kind::none) out.push_back(declared(c_type(f->result), "retval"));
    return out;
}

std::vector<std::string> complete_function(Kernel& kernel, std::string_view typed) {
    return kernel.functions(fmt::format("{}*", typed));
}

std::vector<Field> fields_of_function(Kernel& kernel, const std::vector<std::string_view>& parts) {
    const auto function = kernel.function(parts[1]);
    return function ? function->parameters : std::vector<Field>{};
}

}  // namespace

extern constinit const Provider kernel_function_provider{
    .least = 1,
    .most = 3,
    .find = kernel_function,
    .site = at_function,
    .list = list_functions,
    .describe = describe_function,
    .complete = complete_function,
    .fields = fields_of_function,
    .sees = Sees::all,
    .looked_up = true,
    .at_function = true,
    .registers = true,
};

}  // namespace lt
