// Checks whether a saved plan holds on a kernel: everything that the compiler took from its machine is looked up again.
// Numbers that can differ are updated; what is compiled in has to be the same.
#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>

#include "base/release.h"
#include "base/rows.h"
#include "base/text.h"
#include "runtime/plan/saved_plan.h"

namespace lt {
namespace {

constexpr const char* compile_here = "compile the script on this machine, or for its kernel with --kernel";

struct FitContext {
    const std::string& release;  // of the kernel for which the plan was compiled
    Kernel& kernel;
    Plan& plan;
};

Error differs(std::string what) { return {std::move(what), compile_here, 0}; }

Error no_type(const std::string& name) {
    return differs(fmt::format("the kernel's type information has no {} here (modules are not searched)", name));
}

// ---- types

// The same for a program that reads it: type numbers, and what an address points to, do not matter.
bool same_to_read(const Type& a, const Type& b) {
    if (a.kind != b.kind || a.size != b.size || a.is_signed != b.is_signed) return false;
    const Type *part_a = element(a), *part_b = element(b);
    return (part_a == nullptr) == (part_b == nullptr) && (part_a == nullptr || same_to_read(*part_a, *part_b));
}

// Every value that the plan names must have the same name here. A value without a name here does not occur, and one
// without a name in the plan is printed as a number.
bool same_names(const Type& here, const Type& there) {
    if (!here.shape || !there.shape) return !there.shape || there.shape->enumerators.empty();
    const std::vector<Enumerator>& known = here.shape->enumerators;
    return std::ranges::all_of(there.shape->enumerators, [&](const Enumerator& e) {
        return std::ranges::find(known, e) != known.end() ||
               std::ranges::find(known, e.value, &Enumerator::value) == known.end();
    });
}

// The first member with another offset; none if all printed members are the same.
std::optional<std::string> difference(const Type& here, const Type& there, const std::string& name) {
    if (there.view == View::enumeration) {
        constexpr uint32_t kept = 8;  // bytes, whatever its size
        const bool same_size = there.size == here.size || there.size == kept;
        if (same_size && here.view == there.view && same_names(here, there)) return {};
        return fmt::format("{} has other names for its values here", name);
    }
    if (here.kind != there.kind) return fmt::format("{} is of another kind here", name);
    if (here.size != there.size || here.is_signed != there.is_signed)
        return fmt::format("{} is {} here and was {}", name, type_text(here), type_text(there));
    if (const Type *a = element(here), *b = element(there); a && b) return difference(*a, *b, name);
    if (here.kind != Kind::structure || !here.shape || !there.shape) return {};
    const std::vector<Member>&a = here.shape->members, &b = there.shape->members;
    for (size_t i = 0; i < std::min(a.size(), b.size()); i++) {
        const std::string inner = fmt::format("{}.{}", name, b[i].name);
        if (a[i].name != b[i].name) return fmt::format("where {} was there is {} here", inner, a[i].name);
        if (a[i].offset != b[i].offset || a[i].bit_offset != b[i].bit_offset || a[i].bit_size != b[i].bit_size)
            return fmt::format("{} is at {} here, and was at {} when the plan was made", inner, a[i].offset,
                               b[i].offset);
        if (auto found = difference(a[i].type, b[i].type, inner)) return found;
    }
    if (a.size() != b.size()) return fmt::format("{} has {} members here and had {}", name, a.size(), b.size());
    return {};
}

struct Reached {
    Type type;
    uint64_t offset = 0;
    bool bit_field = false;
};

// Follows a path of members from a kernel type.
Result<Reached> reach(Kernel& kernel, const std::string& root, const std::string& path) {
    const auto type = kernel.type(root);
    if (!type) return no_type(root);
    Reached at{*type};
    std::string name = root;
    for (std::string_view each : split(path, '.')) {
        while (const Type* inner = element(at.type)) at.type = Type(*inner);
        static const std::vector<Member> none;
        const std::vector<Member>& members =
            at.type.kind == Kind::structure && at.type.shape ? kernel.members(at.type) : none;
        const auto found = std::ranges::find(members, each, &Member::name);
        if (found == members.end()) return differs(fmt::format("{} has no member {} here", name, each));
        at.offset += found->offset;
        at.bit_field = found->bit_size != 0;
        at.type = Type(found->type);
        name += fmt::format("{}{}", name == root ? ": " : ".", each);
    }
    return at;
}

// ---- one function for each kind of assumption

Status same_fields(const Assumption& a, const std::string& owner, const Field* here) {
    if (here == nullptr) return differs(fmt::format("{} has no {} here", owner, a.name));
    const uint64_t place = place_of(*here);
    if (a.what == Assumed::field && place != a.number)
        return differs(fmt::format("{}: {} is at {} here, and was at {} when the plan was made", owner, a.name,
                                   static_cast<uint32_t>(place), static_cast<uint32_t>(a.number)));
    if (a.what != Assumed::field && here->offset != a.number)
        return differs(fmt::format("{}: {} is arg{} here, and was arg{} when the plan was made", owner, a.name,
                                   here->offset, a.number));
    if (same_to_read(here->type, a.type)) return Done{};
    return differs(fmt::format("{}: {} is {} here, and was {} when the plan was made", owner, a.name,
                               type_text(here->type), type_text(a.type)));
}

const Field* named(const std::vector<Field>& fields, const std::string& name) {
    return find_row(fields, name, &Field::name);
}

Status field_holds(const Assumption& a, const FitContext& context) {
    const size_t colon = a.owner.find(':');
    const auto event =
        context.kernel.tracepoint(a.owner.substr(0, colon), a.owner.substr(std::min(colon, a.owner.size() - 1) + 1));
    if (!event) return differs(event.error().what);
    return same_fields(a, "t:" + a.owner, named(event->fields, a.name));
}

Status parameter_holds(const Assumption& a, const FitContext& context) {
    const bool raw = a.what == Assumed::raw_parameter;
    const auto f = raw ? context.kernel.raw_tracepoint(a.owner) : context.kernel.function(a.owner);
    if (!f) return differs(fmt::format("this kernel has no {} {}", raw ? "raw tracepoint" : "function", a.owner));
    return same_fields(a, (raw ? "rt:" : "k:") + a.owner, named(f->parameters, a.name));
}

Status result_holds(const Assumption& a, const FitContext& context) {
    const auto f = context.kernel.function(a.owner);
    if (!f) return differs(fmt::format("this kernel has no function {}", a.owner));
    if (same_to_read(f->result, a.type)) return Done{};
    return differs(fmt::format("the result of {} is {} here, and was {} when the plan was made", a.owner,
                               type_text(f->result), type_text(a.type)));
}

Status member_holds(const Assumption& a, const FitContext& context) {
    const auto here = reach(context.kernel, a.owner, a.name);
    if (!here) return here.error();
    if (here->bit_field == (a.number != 0) && same_to_read(here->type, a.type)) return Done{};
    return differs(fmt::format("{}: {} is {}{} here, and was {}{} when the plan was made", a.owner, a.name,
                               here->bit_field ? "a bit field of " : "", type_text(here->type),
                               a.number != 0 ? "a bit field of " : "", type_text(a.type)));
}

Status offset_holds(const Assumption& a, const FitContext& context) {
    const auto here = reach(context.kernel, a.owner, a.name);
    if (!here) return here.error();
    if (here->offset == a.number) return Done{};
    return differs(fmt::format("{}: {} is at {} here, and was at {} when the plan was made", a.owner, a.name,
                               here->offset, a.number));
}

Status layout_holds(const Assumption& a, const FitContext& context) {
    const auto type = context.kernel.type(a.owner);
    if (!type) return no_type(a.owner);
    const auto found = difference(context.kernel.whole(*type), a.type, a.owner);
    return found ? Status(differs(*found)) : Status(Done{});
}

Status size_holds(const Assumption& a, const FitContext& context) {
    const auto type = context.kernel.type(a.owner);
    if (!type) return no_type(a.owner);
    if (type->size == a.number) return Done{};
    return differs(
        fmt::format("{} has {} bytes here, and had {} when the plan was made", a.owner, type->size, a.number));
}

Status constant_holds(const Assumption& a, const FitContext& context) {
    const auto constant = context.kernel.constant(a.name);
    if (!constant) return differs(fmt::format("this kernel has no constant {}", a.name));
    if (static_cast<uint64_t>(constant->value) == a.number) return Done{};
    return differs(fmt::format("{} is {} here, and was {} when the plan was made", a.name, constant->value,
                               static_cast<int64_t>(a.number)));
}

Status symbol_holds(const Assumption& a, const FitContext& context) {
    if (context.kernel.symbol(a.name) == a.number) return Done{};
    return differs(
        fmt::format("the symbol {} has another address in this kernel, and its address is compiled in", a.name));
}

Status cgroup_holds(const Assumption& a, const FitContext& context) {
    const auto number = context.kernel.machine().cgroup(a.name);
    if (!number) return differs(number.error().what);
    if (*number == a.number) return Done{};
    return differs(
        fmt::format("the control group {} has the id {} here, and {} is compiled in", a.name, *number, a.number));
}

Status feature_holds(const Assumption& a, const FitContext& context) {
    const Answer answer = a.number < feature_count ? context.kernel.can(static_cast<Feature>(a.number)) : Answer{};
    if (answer.yes) return Done{};
    return differs(fmt::format("the plan needs {}: {}", feature_name(static_cast<Feature>(a.number)), answer.why));
}

Status release_holds(const Assumption&, const FitContext& context) {
    if (context.kernel.release() == context.release) return Done{};
    return differs(fmt::format("types of Linux {} are compiled in that cannot be looked up on this one, {}",
                               context.release, context.kernel.release()));
}

// In another build of the file, function entries are found again by their symbols.
Status file_holds(const Assumption& a, const FitContext& context) {
    const auto build = context.kernel.programs().build(a.owner);
    if (!build) return differs(build.error().what);
    if (*build == a.name) return Done{};
    if (a.number != 0)
        return differs(fmt::format("{} is build {} here; the plan was made for build {} and contains its addresses",
                                   a.owner, *build, a.name));
    for (PlannedProbe& probe : context.plan.probes)
        for (Rung& rung : probe.rungs)
            for (Attachment& to : rung.attachments) {
                auto* const at = std::get_if<ProgramSite>(&to.site);
                if (!at || at->path != a.owner) continue;
                const auto f = context.kernel.programs().user_function(at->path, at->symbol);
                if (!f) return differs(f.error().what);
                at->offset = f->offset;
            }
    return Done{};
}

Status ids_hold(const Assumption&, const FitContext& context) {
    if (!context.kernel.machine().renumbers_processes()) return Done{};
    return Error{"its programs use the kernel's process ids, but lt runs in a PID namespace with other ids",
                 "run lt outside the container, start the container with `--pid=host`, or compile the script in it", 0};
}

struct Row {
    Assumed what;
    Status (*holds)(const Assumption&, const FitContext&);
    bool of_types = false;  // it follows from the types of the kernel and its modules
};
constexpr std::array rows{
    Row{Assumed::field, field_holds},
    Row{Assumed::parameter, parameter_holds, true},
    Row{Assumed::raw_parameter, parameter_holds, true},
    Row{Assumed::result, result_holds, true},
    Row{Assumed::member, member_holds, true},
    Row{Assumed::offset, offset_holds, true},
    Row{Assumed::layout, layout_holds, true},
    Row{Assumed::size, size_holds, true},
    Row{Assumed::constant, constant_holds, true},
    Row{Assumed::symbol, symbol_holds},
    Row{Assumed::cgroup, cgroup_holds},
    Row{Assumed::feature, feature_holds},
    Row{Assumed::release, release_holds},
    Row{Assumed::file, file_holds},
    Row{Assumed::kernel_ids, ids_hold},
};
static_assert(in_enum_order(rows, &Row::what, static_cast<size_t>(last_assumed) + 1));

// ---- ways

Status way_fits(const PlannedProbe& probe, Rung& rung, Kernel& kernel) {
    const std::optional<Feature> needs = way_row(rung.way).needs;
    const Answer answer = needs ? kernel.can(*needs) : Answer{true, ""};
    if (!answer.yes)
        return differs(fmt::format("{} is attached by {}, which this kernel lacks: {}", probe.text, way_name(rung.way),
                                   answer.why));
    for (Attachment& a : rung.attachments) {
        auto* const call = std::get_if<CallSite>(&a.site);
        auto* const at = call ? &call->own : std::get_if<TracepointSite>(&a.site);
        if (!at) continue;
        const auto event = kernel.tracepoint(at->category, at->event);
        if (!event) return differs(fmt::format("this kernel has no tracepoint {}:{}", at->category, at->event));
        at->id = event->id;
    }
    return Done{};
}

// Programs at system calls are preempted by others from Linux 7.2 on; plans for earlier kernels assume that they are
// not.
Status calls_fit(const Rung& rung, const FitContext& context) {
    const bool at_calls =
        rung.way == Way::system_call || std::ranges::any_of(rung.attachments, [&](const Attachment& a) {
            const auto* at = std::get_if<TracepointSite>(&a.site);
            return at && at->category.ends_with("syscalls");
        });
    const auto is_later = [](const std::string& release) { return parse_release(release) >= calls_preempted_since; };
    if (!at_calls || is_later(context.release) || !is_later(context.kernel.release())) return Done{};
    if (!context.kernel.function("trace_call_bpf_faultable")) return Done{};
    return differs("this kernel preempts programs at system calls, and those of the plan would lose counts there");
}

// A function that is traced alone has to exist; of many, the missing ones are reported when the others are attached.
Status functions_fit(const PlannedProbe& probe, const Rung& rung, Kernel& kernel) {
    if (probe.places > 1) return Done{};
    for (const Attachment& a : rung.attachments)
        if (const auto* at = std::get_if<KernelSite>(&a.site); at && !kernel.function(at->function))
            return differs(fmt::format("this kernel has no function {}", at->function));
    return Done{};
}

}  // namespace

Status fit(Plan& plan, const SavedPlan& saved, size_t index, Kernel& kernel, KernelTypes types) {
    utsname name{};
    if (::uname(&name) == 0 && saved.machine != name.machine)
        return differs(fmt::format("it is for {}, and this is {}", saved.machine, name.machine));
    const FitContext context{saved.releases[index], kernel, plan};
    for (const Assumption& a : std::vector(plan.assumed)) {
        const Row& row = rows[static_cast<size_t>(a.what)];
        if (row.of_types && types == KernelTypes::same) continue;
        if (Status holds = row.holds(a, context); !holds) return holds;
    }
    const auto in_task = [](const PlannedSpan& span) { return span.state == SpanState::task; };
    if (const Answer a = kernel.can(Feature::task_storage); std::ranges::any_of(plan.spans, in_task) && !a.yes)
        return differs("its spans need task storage: " + a.why);
    const auto is_large = [](const PlannedMap& map) { return map.key_size > largest_stack_key; };
    if (const auto map = std::ranges::find_if(plan.maps, is_large); map != plan.maps.end())
        if (const Answer a = kernel.can(Feature::large_keys); !a.yes)
            return differs(fmt::format("a key of {} has {} bytes: {}", map->name, map->key_size, a.why));
    for (PlannedProbe& probe : plan.probes)
        for (Rung& rung : probe.rungs) {
            if (!rung.refused.empty()) continue;
            if (Status fits = way_fits(probe, rung, kernel); !fits) return fits;
            if (types == KernelTypes::looked_up)
                if (Status fits = functions_fit(probe, rung, kernel); !fits) return fits;
            if (Status fits = calls_fit(rung, context); !fits) return fits;
        }
    return Done{};
}

}  // namespace lt
