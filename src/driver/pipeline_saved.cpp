// The parts of a run that have to do with plans in files: a script's plan by each way that there is, saved; and a saved
// one made fit for the kernel that runs it.
#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/utsname.h>

#include <algorithm>
#include <utility>

#include "pipeline.h"
#include "runtime/decode.h"
#include "saved.h"

namespace lt {
namespace {

constexpr std::string_view for_others = "the plan is for kernels without it";

// Those by which functions are attached, of the kernel or of programs.
std::vector<RuledOut> function_ways(const Plan& plan, bool user) {
    std::vector<RuledOut> out;
    for (const PlannedProbe& probe : plan.probes)
        for (const Rung& rung : probe.rungs) {
            const WayRow& row = way_row(rung.way);
            if (!rung.refused.empty() || !row.function || row.user != user) continue;
            if (std::ranges::find(out, rung.way, &RuledOut::way) == out.end())
                out.push_back({"", rung.way, std::string(for_others)});
        }
    return out;
}

bool takes(const Plan& plan, const RuledOut& refused) {
    return std::ranges::any_of(plan.probes, [&](const PlannedProbe& probe) {
        return std::ranges::any_of(probe.rungs, [&](const Rung& rung) {
            return rung.refused.empty() && rung.way == refused.way && !rung.attachments.empty() &&
                   rung.attachments.front().function == refused.function;
        });
    });
}

std::string shown(const Plan& plan, const PlannedParam& param) {
    const auto value = decode_key({param.type}, std::span(plan.param_bytes).subspan(param.offset));
    return value ? show(value->front(), plan.plain_integers) : "";
}

}  // namespace

// ---- saving

bool Pipeline::compile_with(const std::vector<RuledOut>& ruled_out) {
    const std::vector<RuledOut> asked = resolve_options_.ruled_out;
    resolve_options_.ruled_out.insert(resolve_options_.ruled_out.end(), ruled_out.begin(), ruled_out.end());
    Diags told = std::exchange(diags_, {});
    const bool compiled = parse() && resolve() && check() && lower() && emit();
    resolve_options_.ruled_out = asked;
    diags_ = std::move(told);
    return compiled;
}

// What is compiled already comes first; then what kernels take that lack the ways of those before.
std::vector<Plan> Pipeline::by_each_way() {
    std::vector<Plan> plans;
    std::vector<RuledOut> kernel_ways;
    const auto add = [](std::vector<RuledOut>& to, const std::vector<RuledOut>& more) {
        to.insert(to.end(), more.begin(), more.end());
        return !more.empty();
    };
    for (bool goes_on = true; goes_on;) {
        std::vector<RuledOut> ruled_out = kernel_ways;
        std::vector<RuledOut> own;
        while (plans.empty() || compile_with(ruled_out)) {
            plans.push_back(ir_.plan);
            if (ruled_out.size() == kernel_ways.size()) own = function_ways(ir_.plan, false);
            if (!add(ruled_out, function_ways(ir_.plan, true))) break;
        }
        goes_on = add(kernel_ways, own);
    }
    return plans;
}

// What belongs to this machine, and what has to be known of its files.
bool Pipeline::can_be_saved(Plan& plan) {
    for (const PlannedProbe& probe : plan.probes)
        for (const Rung& rung : probe.rungs)
            for (const Attachment& a : rung.attachments) {
                if (rung.way != Way::perf_event || a.perf.type < PERF_TYPE_RAW) continue;
                const bool memory = a.perf.type == PERF_TYPE_BREAKPOINT;
                Diag& d = diags_.error(
                    probe.span, fmt::format("{} cannot be saved: {} another machine", probe.text,
                                            memory ? "its address is another one on" : "its event is another one on"));
                d.hint = "run the script itself";
                return false;
            }
    for (Assumption& a : plan.assumed) {
        if (a.what != Assumed::file) continue;
        const Result<std::string> build = kernel_->build(a.owner);
        if (!build) return refuse(build.error());
        a.name = *build;
    }
    const bool includes = command_.has(Option::headers) || source_.text.find("#include") != source_.text.npos;
    if (declarations_ && includes) assume(plan.assumed, {Assumed::release});
    return true;
}

// What is compiled goes to the files that are asked for.
bool Pipeline::write_files() {
    return (!command_.has(Option::emit_elf) || write_object()) && (!is_saving(command_) || save());
}

bool Pipeline::write_object() {
    const auto& object = ir_.plan.object;
    if (object.empty()) return refuse({fmt::format("there is no object after the stage {}", last_stage_), "", 0});
    const Status written =
        write_file(command_.text(Option::emit_elf), {reinterpret_cast<const char*>(object.data()), object.size()});
    return written ? true : refuse(written.error());
}

bool Pipeline::save() {
    if (last_stage_ != "emit") return refuse({fmt::format("nothing is saved after the stage {}", last_stage_), "", 0});
    utsname machine{};
    ::uname(&machine);
    SavedPlan saved{LT_VERSION,
                    machine.machine,
                    kernel_->release(),
                    source_,
                    command_.has(Option::unsafe),
                    resolve_options_.timestamps,
                    resolve_options_.sampled,
                    by_each_way()};
    for (Plan& plan : saved.plans)
        if (!can_be_saved(plan)) return false;
    const Status written = write_plan(command_, saved);
    return written ? true : refuse(written.error());
}

// ---- running

bool Pipeline::fit() {
    if (!open_kernel_asked()) return false;
    std::optional<Error> first;
    for (const Plan& plan : saved_->plans) {
        if (std::ranges::any_of(refused_, [&](const RuledOut& r) { return takes(plan, r); })) continue;
        ir_.plan = plan;
        const Status fits = lt::fit(ir_.plan, *saved_, *kernel_);
        if (fits) return set_saved_params();
        if (!first) first = fits.error_in(command_.file);
    }
    if (first) return refuse(*first);
    const RuledOut& last = refused_.back();
    return refuse({fmt::format("{}: this kernel refuses {} by {}, the last way that the plan has: {}", command_.file,
                               last.function, way_name(last.way), last.why),
                   "compile the script on this machine", 0});
}

bool Pipeline::set_saved_params() {
    for (const ParamSetting& setting : command_.params) {
        const auto param = std::ranges::find(ir_.plan.params, setting.name, &PlannedParam::name);
        if (param == ir_.plan.params.end())
            return refuse({fmt::format("--{} is no option of lt and no parameter of {}", setting.name, command_.file),
                           "lt FILE --help lists the parameters", 0});
        const auto bytes = param_bytes(param->name, param->type, setting.text);
        if (!bytes) return refuse(bytes.error());
        std::ranges::copy(*bytes, ir_.plan.param_bytes.begin() + param->offset);
    }
    return true;
}

int Pipeline::params_help() const {
    const Plan& plan = saved_->plans.front();
    if (!plan.params.empty()) fmt::print("\nParameters of {}:\n", command_.file);
    for (const PlannedParam& p : plan.params) fmt::print("  --{:<24}  {} [{}]\n", p.name, p.help, shown(plan, p));
    return 0;
}

}  // namespace lt
