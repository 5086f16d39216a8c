#include "driver/pipeline/steps.h"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/utsname.h>

#include <algorithm>
#include <utility>

#include "driver/run/saved.h"

namespace lt {
namespace {

constexpr std::string_view for_others = "the plan is for kernels without it";

// The ways by which functions are attached, of the kernel or of programs.
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

// Drops diagnostics: there are plans for other ways.
bool compile_without(Job& job, const std::vector<RuledOut>& ruled_out) {
    std::vector<RuledOut>& all = job.options.resolve.ruled_out;
    const std::vector<RuledOut> requested = all;
    all.insert(all.end(), ruled_out.begin(), ruled_out.end());
    Diags said = std::exchange(job.diags, {});
    const bool compiled = compile_script(job);
    all = requested;
    job.diags = std::move(said);
    return compiled;
}

// The compiled plan comes first; then plans for kernels that lack the ways of those before.
std::vector<Plan> by_each_way(Job& job) {
    std::vector<Plan> plans;
    std::vector<RuledOut> kernel_ways;
    const auto add = [](std::vector<RuledOut>& to, const std::vector<RuledOut>& more) {
        to.insert(to.end(), more.begin(), more.end());
        return !more.empty();
    };
    for (bool goes_on = true; goes_on;) {
        std::vector<RuledOut> ruled_out = kernel_ways;
        std::vector<RuledOut> own;
        while (plans.empty() || compile_without(job, ruled_out)) {
            plans.push_back(job.compiled.plan);
            if (ruled_out.size() == kernel_ways.size()) own = function_ways(job.compiled.plan, false);
            if (!add(ruled_out, function_ways(job.compiled.plan, true))) break;
        }
        goes_on = add(kernel_ways, own);
    }
    return plans;
}

// Checks that nothing in the plan belongs to this machine alone, and records what it needs to know about files.
bool can_be_saved(Job& job, Plan& plan) {
    for (const PlannedProbe& probe : plan.probes)
        for (const Rung& rung : probe.rungs)
            for (const Attachment& a : rung.attachments) {
                const auto* event = std::get_if<PerfEvent>(&a.site);
                if (!event || event->type < PERF_TYPE_RAW) continue;
                const bool memory = event->type == PERF_TYPE_BREAKPOINT;
                Diag& d = job.diags.error(
                    probe.span, fmt::format("{} cannot be saved: {} another machine", probe.text,
                                            memory ? "its address is another one on" : "its event is another one on"));
                d.hint = "run the script itself";
                return false;
            }
    for (Assumption& a : plan.assumed) {
        if (a.what != Assumed::file) continue;
        const Result<std::string> build = job.kernel->programs().build(a.owner);
        if (!build) return refuse(job, build.error());
        a.name = *build;
    }
    const bool includes = job.command.has(Option::headers) || job.source.text.find("#include") != job.source.text.npos;
    if (job.compiled.declarations && includes) assume(plan.assumed, {Assumed::release});
    return true;
}

bool write_object(Job& job) {
    const auto& object = job.compiled.plan.object;
    if (object.empty())
        return refuse(job,
                      {fmt::format("there is no object after the stage `{}`", stage_name(job.stages.last())), "", 0});
    const Status written =
        write_file(job.command.text(Option::emit_elf), {reinterpret_cast<const char*>(object.data()), object.size()});
    return all_right(job, written);
}

bool save(Job& job) {
    if (job.stages.last() != Stage::emit)
        return refuse(job,
                      {fmt::format("nothing can be saved after the stage `{}`", stage_name(job.stages.last())), "", 0});
    utsname machine{};
    ::uname(&machine);
    SavedPlan saved{LT_VERSION,
                    machine.machine,
                    job.kernel->release(),
                    job.source,
                    job.command.has(Option::unsafe),
                    job.options.resolve.timestamps,
                    job.options.resolve.sampled,
                    by_each_way(job)};
    for (Plan& plan : saved.plans)
        if (!can_be_saved(job, plan)) return false;
    const Status written = write_plan(job.command, saved);
    return all_right(job, written);
}

}  // namespace

bool write_files(Job& job) {
    return (!job.command.has(Option::emit_elf) || write_object(job)) && (!is_saving(job.command) || save(job));
}

}  // namespace lt
