// Finds the place of every probe: the kind by its row, then one small function per sort of place. What cannot be found
// gets a diagnostic with the nearest names; a name that moved is followed and a note says so.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "base/text.h"
#include "codegen/compile.h"
#include "ladder.h"
#include "params.h"
#include "stdlib/successors.h"

namespace lt {
namespace {

using Part = ast::ProbeSpec::Part;
constexpr size_t most_members = 50000;  // places that one program may serve
constexpr size_t few_matches =
    16;  // so many functions of the kernel get programs of their own, which cost less per call

// What is asked of the places of a probe.
struct Asked {
    Role role = Role::action;
    bool by_fields = false;  // the item's expressions use `args`, which differs from place to place
};

template <class T>
std::optional<T> number(std::string_view text, int base = 10) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return {};
    return value;
}

std::vector<std::string_view> views(const std::vector<std::string>& names) { return {names.begin(), names.end()}; }

std::string did_you_mean(const std::vector<std::string>& names) {
    return names.empty() ? "" : fmt::format("did you mean {}?", either(names));
}

class Resolver {
  public:
    Resolver(Kernel& kernel, const ResolveOptions& options, size_t most_matches, Diags& diags)
        : kernel_(kernel), options_(options), most_matches_(most_matches), diags_(diags) {}

    Resolver telling(Diags& diags) const { return {kernel_, options_, most_matches_, diags}; }

    // All places that one probe of an item stands for; none after a diagnostic.
    std::vector<ResolvedPlace> places(const ast::ProbeSpec& spec, const Asked& asked) {
        const Role role = asked.role;
        const ProbeRow* row = kind_of(spec, role);
        if (!row || !shape_fits(spec, *row)) return {};
        ResolvedPlace place;
        place.kind = row->kind;
        place.span = spec.span;
        place.text = text_of(*row, spec.parts, spec.parts.back().text);
        switch (row->place) {
            case Place::nothing:
                return {place};
            case Place::period:
                return period(spec, std::move(place));
            case Place::event:
                return event(spec, std::move(place));
            case Place::kernel_function:
                return kernel_function(spec, std::move(place), asked);
            case Place::system_call:
                return system_call(spec, std::move(place));
            case Place::binary_function:
                return binary_function(spec, std::move(place), asked);
        }
        return {};
    }

  private:
    Kernel& kernel_;
    const ResolveOptions& options_;
    size_t most_matches_;  // places that one wildcard may stand for
    Diags& diags_;

    static std::string text_of(const ProbeRow& row, const std::vector<Part>& parts, std::string_view last) {
        std::string out(row.name);
        for (size_t i = 1; i + 1 < parts.size(); i++) out += ":" + parts[i].text;
        if (parts.size() > 1) out += fmt::format(":{}", last);
        return out;
    }

    const ProbeRow* kind_of(const ast::ProbeSpec& spec, Role role) {
        const Part& kind = spec.parts.front();
        const ProbeRow* row = find_probe(kind.text);
        if (!row) {
            unknown_kind(spec);
            return nullptr;
        }
        if (role == Role::call && !row->spans) {
            Diag& d = diags_.error(
                kind.span, fmt::format("a span of one name opens at the entry of a call, and `{}` is none", row->name));
            d.hint = row->result ? "name the entry: the return is found by itself, as in `k:vfs_read < @ = hist(...) >`"
                                 : "name the event that closes it: `t:sched:sched_wakeup[args.pid] -> "
                                   "t:sched:sched_switch[args.next_pid] < ... >`";
            return nullptr;
        }
        if ((role == Role::open || role == Role::close) &&
            (row->place == Place::nothing || row->place == Place::period)) {
            diags_.error(kind.span, fmt::format("`{}` is no event that a span could {} at", row->name,
                                                role == Role::open ? "open" : "close"));
            return nullptr;
        }
        return row;
    }

    void unknown_kind(const ast::ProbeSpec& spec) {
        const Part& kind = spec.parts.front();
        const auto later = later_probes();
        if (std::find(later.begin(), later.end(), kind.text) != later.end()) {
            Diag& d = diags_.error(kind.span, fmt::format("`{}` probes are not there yet", kind.text));
            std::vector<std::string> names;
            for (const ProbeRow& r : probe_rows()) names.emplace_back(r.name);
            d.hint = "there are " + either(names);
            return;
        }
        Diag& d = diags_.error(kind.span, fmt::format("there is no kind of probe `{}`", kind.text));
        if (spec.parts.size() == 1 && kernel_.function(kind.text)) {
            d.hint = fmt::format("for the kernel function of this name write `k:{}`", kind.text);
            return;
        }
        std::vector<std::string_view> names;
        for (const ProbeRow& r : probe_rows()) names.push_back(r.name);
        d.hint = did_you_mean(closest(kind.text, names));
        if (d.hint.empty())
            d.hint = "a kernel function is k:NAME, a tracepoint t:CATEGORY:EVENT, a program's function u:PATH:NAME";
    }

    bool shape_fits(const ast::ProbeSpec& spec, const ProbeRow& row) {
        const size_t n = spec.parts.size() - 1;
        bool fits = false;
        switch (row.place) {
            case Place::nothing:
                fits = n == 0;
                break;
            case Place::period:
                fits = n == 1 || n == 2;
                break;
            case Place::event:
                fits = n == 2;
                break;
            case Place::system_call:
                fits = n == 1;
                break;
            case Place::kernel_function:
                fits = n == 1 || n == 2;
                break;
            case Place::binary_function:
                fits = n == 2;
                break;
        }
        for (const Part& p : spec.parts) fits = fits && !p.text.empty();
        if (fits) return true;
        diags_.error(spec.span, fmt::format("`{}` is not complete", row.name)).hint =
            fmt::format("write {}", row.shape);
        return false;
    }

    std::vector<ResolvedPlace> period(const ast::ProbeSpec& spec, ResolvedPlace place) {
        struct Unit {
            std::string_view name;
            uint64_t ns;
        };
        constexpr std::array units{Unit{"ns", 1}, Unit{"us", 1000}, Unit{"ms", 1000000}, Unit{"s", 1000000000},
                                   Unit{"m", 60000000000}};
        const bool two = spec.parts.size() == 3;
        std::string_view unit = spec.parts[1].text, count = two ? std::string_view(spec.parts[2].text) : unit;
        if (!two) {
            const size_t digits = std::min(unit.find_first_not_of("0123456789"), unit.size());
            count = unit.substr(0, digits);
            unit.remove_prefix(digits);
        }
        const auto n = number<uint32_t>(count);
        if (n && *n > 0) {
            if (unit == "hz") place.period_ns = std::max<uint64_t>(1, 1000000000 / *n);
            for (const Unit& u : units) {
                if (unit == u.name) place.period_ns = u.ns * *n;
            }
        }
        constexpr uint64_t shortest = 1000;  // a timer cannot do better, and the program would do nothing else
        if (place.period_ns < shortest) {
            Diag& d = diags_.error(spec.span, "this is no period");
            d.hint = "write interval:s:1, interval:ms:100, interval:hz:10 or interval:1s; at least 1us";
            return {};
        }
        place.rungs = {{Way::run, "", {}}};
        return {place};
    }

    std::vector<ResolvedPlace> event(const ast::ProbeSpec& spec, ResolvedPlace place) {
        if (const Answer a = kernel_.can(Feature::tracepoint); !a.yes) {
            diags_.error(spec.span, "this kernel offers no tracepoints: " + a.why);
            return {};
        }
        const std::string &category = spec.parts[1].text, &name = spec.parts[2].text;
        if (!is_glob(category) && !is_glob(name)) {
            Result<Tracepoint> tp = kernel_.tracepoint(category, name);
            if (!tp) return missing_event(spec, tp.error());
            return {at_event(place, std::move(*tp))};
        }
        const std::vector<std::string> names = kernel_.tracepoints(category, name);
        if (!count_fits(spec, names.size())) return {};
        std::vector<ResolvedPlace> out;
        for (const std::string& full : names) {
            const auto halves = split(full, ':');
            Result<Tracepoint> tp = kernel_.tracepoint(halves[0], halves[1]);
            if (tp) out.push_back(at_event(place, std::move(*tp)));
        }
        return out;
    }

    // By the tracepoints at its entry and exit.
    std::vector<ResolvedPlace> system_call(const ast::ProbeSpec& spec, ResolvedPlace place) {
        if (const Answer a = kernel_.can(Feature::tracepoint); !a.yes) {
            diags_.error(spec.span, "this kernel offers no tracepoints: " + a.why);
            return {};
        }
        const std::string& name = spec.parts[1].text;
        std::vector<std::string> names;
        for (const std::string& full :
             kernel_.tracepoints(syscall_category, fmt::format("{}{}", syscall_entry, name))) {
            names.push_back(full.substr(syscall_category.size() + 1 + syscall_entry.size()));
        }
        if (names.empty()) return missing_system_call(spec);
        if (!count_fits(spec, names.size())) return {};
        std::vector<ResolvedPlace> out;
        for (const std::string& each : names) {
            Result<Tracepoint> entry = kernel_.tracepoint(syscall_category, fmt::format("{}{}", syscall_entry, each));
            Result<Tracepoint> exit = kernel_.tracepoint(syscall_category, fmt::format("{}{}", syscall_exit, each));
            if (!entry || !exit) continue;
            ResolvedPlace p = place;
            p.text = text_of(probe_row(place.kind), spec.parts, each);
            p.tracepoint = std::move(*entry);
            p.exit = std::move(*exit);
            p.rungs = {{Way::tracepoint, "", {}}};
            out.push_back(std::move(p));
        }
        return out;
    }

    std::vector<ResolvedPlace> missing_system_call(const ast::ProbeSpec& spec) {
        const std::string& name = spec.parts[1].text;
        std::vector<std::string> all;
        for (const std::string& full : kernel_.tracepoints(syscall_category, fmt::format("{}*", syscall_entry))) {
            all.push_back(full.substr(syscall_category.size() + 1 + syscall_entry.size()));
        }
        Diag& d = diags_.error(spec.parts[1].span,
                               all.empty() ? "this kernel has no tracepoints of system calls (CONFIG_FTRACE_SYSCALLS)"
                                           : fmt::format("this kernel has no system call {}", name));
        d.hint = did_you_mean(closest(name, views(all)));
        if (d.hint.empty() && !all.empty()) d.hint = "`lt -l 'sc:*'` lists them all";
        return {};
    }

    static ResolvedPlace at_event(ResolvedPlace place, Tracepoint tp) {
        place.text = fmt::format("{}:{}:{}", probe_row(place.kind).name, tp.category, tp.event);
        place.tracepoint = std::move(tp);
        place.rungs = {{Way::tracepoint, "", {}}};
        return place;
    }

    std::vector<ResolvedPlace> missing_event(const ast::ProbeSpec& spec, const Error& error) {
        const std::string &category = spec.parts[1].text, &name = spec.parts[2].text;
        const std::vector<std::string> all = kernel_.tracepoints("*", "*");
        const std::string full = category + ":" + name;
        const bool exists = std::find(all.begin(), all.end(), full) != all.end();
        Diag& d =
            diags_.error(cover(spec.parts[1].span, spec.parts[2].span),
                         exists || all.empty() ? error.what : fmt::format("this kernel has no tracepoint {}", full));
        d.hint = exists ? error.hint : did_you_mean(closest(full, views(all)));
        if (d.hint.empty() && !exists)
            d.hint = fmt::format("`lt -l 't:*{}*'` lists what there is", name.substr(0, name.find('_')));
        return {};
    }

    bool count_fits(const ast::ProbeSpec& spec, size_t n, std::optional<size_t> limit = {}) {
        const size_t most = limit.value_or(most_matches_);
        if (n == 0) {
            diags_.error(spec.parts.back().span, "nothing matches this pattern").hint =
                "`lt -l` followed by a pattern in quotes lists what there is";
            return false;
        }
        if (n <= most) return true;
        diags_
            .error(spec.parts.back().span,
                   fmt::format("this pattern matches {} places, more than the limit of {}", n, most))
            .hint = "use a narrower pattern";
        return false;
    }

    std::vector<ResolvedPlace> kernel_function(const ast::ProbeSpec& spec, ResolvedPlace place, const Asked& asked) {
        const std::string module = spec.parts.size() == 3 ? spec.parts[1].text : "";
        const std::string& name = spec.parts.back().text;
        if (is_glob(name)) return matching_functions(spec, place, asked);
        std::optional<KernelFunction> f = kernel_.function(name, module);
        if (!f) f = successor(spec, name);
        if (!f) return missing_function(spec, module);
        place.text = text_of(probe_row(place.kind), spec.parts, f->name);
        place.function = std::move(*f);
        place.rungs =
            ladder(kernel_, place.function, {place.kind, asked.role == Role::call, false}, options_.ruled_out);
        if (!any_open(place.rungs)) return no_way(spec, place);
        return {place};
    }

    std::optional<KernelFunction> successor(const ast::ProbeSpec& spec, const std::string& name) {
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

    std::vector<Candidate> candidates(const std::string& name) {
        std::vector<Candidate> out = successors(name);
        for (std::string_view suffix : variant_suffixes()) {
            for (std::string& variant : kernel_.functions(fmt::format("{}{}*", name, suffix)))
                out.push_back({std::move(variant), ""});
        }
        return out;
    }

    std::vector<ResolvedPlace> missing_function(const ast::ProbeSpec& spec, const std::string& module) {
        const std::string& name = spec.parts.back().text;
        const std::vector<std::string> all = kernel_.functions("*");
        std::vector<std::string_view> names = views(all);
        for (const Successor& s : successor_rows()) names.push_back(s.old_name);
        Diag& d = diags_.error(spec.parts.back().span, module.empty()
                                                           ? fmt::format("this kernel has no function {}", name)
                                                           : fmt::format("module {} has no function {}", module, name));
        d.hint = did_you_mean(closest(name, names));
        if (d.hint.empty())
            d.hint = "it may be inlined into its callers here, or belong to a module that is not loaded";
        return {};
    }

    std::vector<ResolvedPlace> no_way(const ast::ProbeSpec& spec, const ResolvedPlace& place) {
        const std::string& name = place.user.name.empty() ? place.function.name : place.user.name;
        Diag& d = diags_.error(spec.span, fmt::format("this kernel offers no way to trace {}", name));
        for (const Rung& r : place.rungs) d.notes.push_back({{}, fmt::format("{}: {}", way_name(r.way), r.refused)});
        d.hint =
            kernel_.can(Feature::kprobe).yes
                ? "trace a caller of it, or a tracepoint nearby"
                : "tracepoints (t:) and functions of programs (u:) can be traced here; `lt --info` tells what else";
        return {};
    }

    std::vector<ResolvedPlace> matching_functions(const ast::ProbeSpec& spec, const ResolvedPlace& place,
                                                  const Asked& asked) {
        const std::string& pattern = spec.parts.back().text;
        std::vector<std::string> names = kernel_.functions(pattern);
        const bool any = !names.empty();
        std::erase_if(names, [&](const std::string& name) {
            return kernel_.traceable(name) == false || kernel_.blacklisted(name);
        });
        if (any && names.empty()) {
            diags_.error(spec.parts.back().span, "none of the functions that match can be traced").hint =
                "they are compiled without ftrace, or kprobes are forbidden on them";
            return {};
        }
        const bool own_types = place.kind == ProbeKind::fentry || place.kind == ProbeKind::fexit;
        if (names.size() > few_matches && !asked.by_fields && !own_types) return as_one(spec, place, names, asked);
        return one_by_one(spec, place, names, asked);
    }

    std::vector<ResolvedPlace> one_by_one(const ast::ProbeSpec& spec, const ResolvedPlace& place,
                                          const std::vector<std::string>& names, const Asked& asked) {
        if (!count_fits(spec, names.size(), most_matches_)) return {};
        std::vector<ResolvedPlace> out, refused;
        for (const std::string& name : names) {
            ResolvedPlace p = place;
            p.function = *kernel_.function(name);
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
    std::vector<ResolvedPlace> as_one(const ast::ProbeSpec& spec, ResolvedPlace place, std::vector<std::string>& names,
                                      const Asked& asked) {
        const size_t all = names.size();
        std::erase_if(names, [&](const std::string& name) { return kernel_.ambiguous(name); });
        if (names.size() < all) {
            diags_.note(
                spec.parts.back().span,
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

    // Behind a function's first instruction the kernel would take what lies on the stack for the return address, and
    // the program would crash.
    std::vector<ResolvedPlace> not_an_entry(const ast::ProbeSpec& spec) {
        diags_.error(spec.parts[2].span, "a return can only be traced from a function's entry, not from inside it")
            .hint = "name the function alone";
        return {};
    }

    std::vector<ResolvedPlace> binary_function(const ast::ProbeSpec& spec, ResolvedPlace place, const Asked& asked) {
        const bool at_return = probe_row(place.kind).result || asked.role == Role::call;
        if (const Answer a = kernel_.can(Feature::uprobe); !a.yes) {
            diags_.error(spec.span, "this kernel offers no uprobes: " + a.why);
            return {};
        }
        const Result<std::string> path = kernel_.binary(spec.parts[1].text);
        if (!path) {
            diags_.error(spec.parts[1].span, path.error().what).hint = path.error().hint;
            return {};
        }
        const std::string& name = spec.parts[2].text;
        if (!is_glob(name)) {
            Result<UserFunction> f = user_place(*path, name);
            if (!f) return missing_user_function(spec, *path, f.error());
            if (at_return && name.find('+') != name.npos) return not_an_entry(spec);
            if (at_return && name.starts_with("0x") && !starts_function(*path, *f)) return not_an_entry(spec);
            place.text = text_of(place, *f);
            place.user = std::move(*f);
            place.rungs =
                ladder(kernel_, place.user, {place.kind, asked.role == Role::call, false}, options_.ruled_out);
            return any_open(place.rungs) ? std::vector{place} : no_way(spec, place);
        }
        const std::vector<std::string> names = kernel_.user_functions(*path, name);
        if (!count_fits(spec, names.size(), most_members)) return {};
        for (const std::string& match : names) {
            Result<UserFunction> f = kernel_.user_function(*path, match);
            if (f) place.members.push_back({text_of(place, *f), "", std::move(*f)});
        }
        if (place.members.empty())
            return missing_user_function(spec, *path, Error{"none of them can be traced", "", 0});
        place.user = place.members.front().user;
        place.rungs = ladder(kernel_, place.user, {place.kind, asked.role == Role::call, true}, options_.ruled_out);
        return any_open(place.rungs) ? std::vector{place} : no_way(spec, place);
    }

    static std::string text_of(const ResolvedPlace& place, const UserFunction& f) {
        return fmt::format("{}:{}:{}", probe_row(place.kind).name, f.path, f.name);
    }

    // NAME, NAME+OFFSET or 0xADDRESS
    Result<UserFunction> user_place(const std::string& path, std::string_view name) {
        if (name.starts_with("0x")) {
            const auto address = number<uint64_t>(name.substr(2), 16);
            if (!address) return Error{fmt::format("`{}` is no address", name), "", 0};
            return kernel_.user_address(path, *address);
        }
        const size_t plus = name.find('+');
        if (plus == std::string_view::npos) return kernel_.user_function(path, name);
        std::string_view text = name.substr(plus + 1);
        const bool hex = text.starts_with("0x");
        const auto offset = number<uint64_t>(hex ? text.substr(2) : text, hex ? 16 : 10);
        if (!offset) return Error{fmt::format("`{}` is no offset", text), "write NAME+16 or NAME+0x10", 0};
        Result<UserFunction> f = kernel_.user_function(path, name.substr(0, plus));
        if (!f) return f;
        if (f->size != 0 && *offset >= f->size) {
            return Error{fmt::format("{} is only {} bytes long", f->name, f->size), "", 0};
        }
        f->offset += *offset;
        f->name = name;
        return f;
    }

    bool starts_function(const std::string& path, const UserFunction& f) {
        const Result<UserFunction> named = kernel_.user_function(path, f.name);
        return named && named->offset == f.offset;
    }

    std::vector<ResolvedPlace> missing_user_function(const ast::ProbeSpec& spec, const std::string& path,
                                                     const Error& error) {
        Diag& d = diags_.error(spec.parts[2].span, error.what);
        const std::vector<std::string> all = kernel_.user_functions(path, "*");
        d.hint = did_you_mean(closest(spec.parts[2].text, views(all)));
        if (d.hint.empty()) d.hint = error.hint;
        return {};
    }
};

std::string text_of(const std::vector<ast::Endpoint>& endpoints) {
    std::string out;
    for (const ast::Endpoint& e : endpoints) {
        if (!out.empty()) out += ", ";
        for (const Part& p : e.probe.parts) out += (&p == &e.probe.parts.front() ? "" : ":") + p.text;
    }
    return out;
}

bool uses_args(const ast::Program& program, const ast::Block& block);

bool uses_args(const ast::Program& program, ast::ExprId id) {
    const auto* name = std::get_if<ast::Name>(&program[id].node);
    if (name && name->name == variable_row(Variable::args).name) return true;
    bool found = false;
    ast::each_child(program[id], [&](ast::ExprId child) { found = found || uses_args(program, child); });
    ast::each_block(program[id], [&](const ast::Block& inner) { found = found || uses_args(program, inner); });
    return found;
}

bool uses_args(const ast::Program& program, const ast::Block& block) {
    bool found = false;
    for (ast::StmtId id : block.statements) {
        ast::each_expr(program[id], [&](ast::ExprId child) { found = found || uses_args(program, child); });
        ast::each_block(program[id], [&](const ast::Block& inner) { found = found || uses_args(program, inner); });
    }
    return found;
}

bool uses_args(const ast::Program& program, const ast::Action& node) {
    return (node.predicate && uses_args(program, *node.predicate)) || uses_args(program, node.body);
}

bool uses_args(const ast::Program& program, const ast::SpanAction& node) {
    const auto uses = [&](const std::optional<ast::ExprId>& id) { return id && uses_args(program, *id); };
    const auto any_key = [&](const std::vector<ast::Endpoint>& ends) {
        return std::ranges::any_of(ends, [&](const ast::Endpoint& e) {
            return std::ranges::any_of(e.key, [&](auto id) { return uses(id); });
        });
    };
    return uses(node.predicate) || uses(node.threshold) || uses_args(program, node.body) || any_key(node.opens) ||
           any_key(node.closes) || (node.timeout && uses_args(program, node.timeout->body));
}

constexpr std::array<std::string_view, 4> map_kinds{"hash", "lruhash", "percpuhash", "percpulruhash"};

void declare_map(Typed& typed, const ast::MapDeclaration& m, Diags& diags) {
    constexpr uint64_t most_entries = 1U << 24;
    const std::string name = "@" + m.name;
    if (std::find(map_kinds.begin(), map_kinds.end(), m.kind) == map_kinds.end()) {
        diags.error(m.kind_span, fmt::format("there is no kind of map '{}'", m.kind)).hint =
            fmt::format("there are {}", fmt::join(map_kinds, ", "));
    } else if (m.entries == 0 || m.entries > most_entries) {
        diags.error(m.kind_span, fmt::format("a map has from 1 to {} keys", most_entries)).hint =
            fmt::format("for example let {} = {}(10000)", name, m.kind);
    }
    const auto same = [&](const MapInfo& known) { return known.name == name; };
    if (std::any_of(typed.maps.begin(), typed.maps.end(), same))
        diags.error(m.name_span, fmt::format("{} is declared twice", name)).hint = "remove one of the two";
    MapInfo info;
    info.name = name;
    info.first = m.name_span;
    info.declared = m.kind;
    info.declared_at = m.name_span;
    info.entries = static_cast<uint32_t>(m.entries);
    typed.maps.push_back(std::move(info));
}

// Adds a body for each place that an item's probes stand for.
class ItemResolver {
  public:
    ItemResolver(Resolver& resolver, Kernel& kernel, const ast::Program& program, Typed& typed, uint32_t item,
                 Diags& diags)
        : resolver_(resolver),
          kernel_(kernel),
          program_(program),
          typed_(typed),
          item_(item),
          missing_(program.settings.missing_probes),
          diags_(diags) {}
    void operator()(const ast::Parameter&) {}
    void operator()(const ast::FunctionItem&) {}
    void operator()(const ast::Macro&) {}
    void operator()(const ast::Config&) {}
    void operator()(const ast::Import&) {}
    void operator()(const ast::CText&) {}
    void operator()(const ast::MapDeclaration& m) { declare_map(typed_, m, diags_); }

    void operator()(const ast::Action& action) {
        by_fields_ = uses_args(program_, action);
        const size_t before = typed_.bodies.size();
        for (const ast::ProbeSpec& spec : action.probes) add(spec, Role::action, no_span, 0);
        // A block that could never run is a mistake even so.
        const bool is_left_out = missing_ == MissingProbes::warn && typed_.bodies.size() == before;
        if (is_left_out && !diags_.has_errors()) resolver_.places(action.probes.front(), {Role::action, by_fields_});
    }
    void operator()(const ast::SpanAction& node) {
        by_fields_ = uses_args(program_, node);
        const auto span = static_cast<uint32_t>(typed_.spans.size());
        SpanInfo info;
        info.item = item_;
        info.name = node.name;
        info.between_events = !node.closes.empty();
        info.text = text_of(node.opens) + (info.between_events ? " -> " + text_of(node.closes) : "");
        info.task_storage = !info.between_events && kernel_.can(Feature::task_storage).yes;
        if (node.worst) info.worst = worst_of(typed_, node);
        info.opening = static_cast<uint32_t>(typed_.bodies.size());
        typed_.spans.push_back(std::move(info));
        for (uint32_t i = 0; i < node.opens.size(); i++)
            add(node.opens[i].probe, node.closes.empty() ? Role::call : Role::open, span, i);
        for (uint32_t i = 0; i < node.closes.size(); i++) add(node.closes[i].probe, Role::close, span, i);
    }

  private:
    void add(const ast::ProbeSpec& spec, Role role, uint32_t span, uint32_t endpoint) {
        for (ResolvedPlace& place : places(spec, role))
            typed_.bodies.push_back({item_, role, span, endpoint, std::move(place), {}, {}, {}, {}, {}});
    }

    // Where the program can do without, what is missing is told as a warning or not at all.
    std::vector<ResolvedPlace> places(const ast::ProbeSpec& spec, Role role) {
        const Asked asked = {role, by_fields_};
        const bool is_known =
            find_probe(spec.parts.front().text) != nullptr;  // else it is not the place that is missing
        if (missing_ == MissingProbes::error || role != Role::action || !is_known) return resolver_.places(spec, asked);
        Diags found;
        std::vector<ResolvedPlace> out = resolver_.telling(found).places(spec, asked);
        if (!found.has_errors()) {
            diags_.take(std::move(found));
        } else if (missing_ == MissingProbes::warn) {
            diags_.warning(spec.span, found.all().front().message + "; this probe is left out");
        }
        return out;
    }

    Resolver& resolver_;
    Kernel& kernel_;
    const ast::Program& program_;
    Typed& typed_;
    uint32_t item_;
    bool by_fields_ = false;
    MissingProbes missing_;
    Diags& diags_;
};

bool is_loop(const ast::Stmt& stmt) {
    return std::holds_alternative<ast::While>(stmt.node) || std::holds_alternative<ast::ForRange>(stmt.node) ||
           std::holds_alternative<ast::ForMap>(stmt.node);
}

void loops_possible(const ast::Program& program, Kernel& kernel, Diags& diags) {
    const auto first = std::find_if(program.stmts.begin(), program.stmts.end(), is_loop);
    if (first == program.stmts.end()) return;
    if (const Answer a = kernel.can(Feature::bpf_loop); !a.yes)
        diags.error(first->span, "this kernel has no loops for BPF programs: " + a.why).hint =
            "write unroll(N) { ... } for a number of turns that is known";
}

// Registers are not seen by a trampoline's program.
bool asks_registers(const ast::Program& program) {
    return std::any_of(program.exprs.begin(), program.exprs.end(), [](const ast::Expr& e) {
        const auto* call = std::get_if<ast::Call>(&e.node);
        return call && call->name == function_row(Function::reg).name;
    });
}

}  // namespace

Typed resolve(const ast::Program& program, Kernel& kernel, const ResolveOptions& asked, Diags& diags) {
    ResolveOptions options = asked;
    if (asks_registers(program)) options.ruled_out.push_back({"", Way::fentry, "the program asks for registers"});
    Typed typed;
    loops_possible(program, kernel, diags);
    read_params(program, options, typed, diags);
    typed.accounts = options.accounts;
    typed.timestamps = options.timestamps;
    typed.unsafe = options.unsafe;
    typed.max_keys = options.max_keys;
    Resolver resolver(kernel, options, program.settings.max_probes, diags);
    for (uint32_t i = 0; i < program.items.size(); i++)
        std::visit(ItemResolver(resolver, kernel, program, typed, i, diags), program.items[i].node);
    if (program.items.empty() && !diags.has_errors()) {
        diags.error({}, "the program is empty").hint = "try: lt -e 'k:vfs_read < @ns = hist(...) >'";
    }
    return typed;
}

}  // namespace lt
