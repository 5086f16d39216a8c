#include "base/text.h"
#include "driver/pipeline/plan_compiler.h"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/utsname.h>

#include <algorithm>
#include <utility>

#include "base/release.h"
#include "driver/pipeline/saving.h"
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

}  // namespace

Status take_kernels(Command& command) {
    if (!command.has(Option::for_kernels)) return Done{};
    if (!is_saving(command))
        return Error{"--for is about saved plans", "`lt build SCRIPT -o FILE.plan --for FOLDER`", 0};
    std::vector<std::string> folders = command.list(Option::for_kernels);
    if (!command.has(Option::kernel) && !folders.empty()) {
        command.options[Option::kernel] = folders.front();
        folders.erase(folders.begin());
    }
    command.options[Option::for_kernels] = join(folders, ",");
    return Done{};
}

// Drops diagnostics: there are plans for other ways.
bool PlanCompiler::compile_without(Job& job, const std::vector<RuledOut>& ruled_out) {
    std::vector<RuledOut>& all = options_.resolve.ruled_out;
    const std::vector<RuledOut> requested = all;
    all.insert(all.end(), ruled_out.begin(), ruled_out.end());
    Diags said = std::exchange(job.diags, {});
    const bool compiled = compile_script(job);
    all = requested;
    job.diags = std::move(said);
    return compiled;
}

std::vector<Plan> PlanCompiler::plans_by_way(Job& job) {
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
            plans.push_back(job.plan);
            if (ruled_out.size() == kernel_ways.size()) own = function_ways(job.plan, false);
            if (!add(ruled_out, function_ways(job.plan, true))) break;
        }
        goes_on = add(kernel_ways, own);
    }
    return plans;
}

// Checks that nothing in the plan belongs to this machine alone, and records what it needs to know about files.
bool PlanCompiler::can_be_saved(Job& job, Plan& plan) const {
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
    for (const PlannedCounter& counter : plan.counters) {
        if (counter.event.type < PERF_TYPE_RAW) continue;
        return refuse(job, {fmt::format("counter({}) cannot be saved: its event is another one on another machine",
                                        lt::quoted(counter.name)),
                            "run the script itself", 0});
    }
    for (Assumption& a : plan.assumed) {
        if (a.what != Assumed::file) continue;
        const Result<std::string> build = job.kernel->programs().build(a.owner);
        if (!build) return refuse(job, build.error());
        a.name = *build;
    }
    const bool includes = job.command.has(Option::headers) || reads_files(compiled_.program);
    if (compiled_.declarations && includes) assume(plan.assumed, {Assumed::release});
    return true;
}

bool PlanCompiler::add_plans(Job& job, std::vector<KernelPlans>& all) {
    KernelPlans own{job.kernel->release(), plans_by_way(job)};
    for (Plan& plan : own.plans)
        if (!can_be_saved(job, plan)) return false;
    all.push_back(std::move(own));
    return true;
}

// A job of its own, because the kernel decides from the first stage on: a SystemTap script can ask for its version.
bool PlanCompiler::add_plans_for(Job& job, const std::string& folder, std::vector<KernelPlans>& all) {
    Command command = job.command;
    command.options[Option::kernel] = folder;
    auto compiler = std::make_unique<PlanCompiler>();
    PlanCompiler& its = *compiler;
    Job other(command, as_given_, std::move(compiler), job.shared);
    const bool made = read_settings(other, Stage::emit) && its.make(other) && its.add_plans(other, all);
    draw_diags(other);
    if (!made) return refuse(job, {fmt::format("this is for the kernel in {}", folder), "leave it out of --for", 0});
    if (other.source.text == job.source.text) return true;
    return refuse(job,
                  {fmt::format("for the kernel in {} the script has another text: it includes other files", folder),
                   "build a plan for each kernel", 0});
}

SavedPlan PlanCompiler::to_save(const Job& job) const {
    utsname machine{};
    ::uname(&machine);
    return {LT_VERSION,
            machine.machine,
            job.source,
            job.command.has(Option::unsafe),
            options_.resolve.timestamps,
            options_.resolve.sampled};
}

bool PlanCompiler::save(Job& job) {
    if (!is_saving(job.command)) {
        keep(job);
        return true;
    }
    if (job.stages.last() != Stage::emit)
        return refuse(job,
                      {fmt::format("nothing can be saved after the stage `{}`", stage_name(job.stages.last())), "", 0});
    SavedPlan saved = to_save(job);
    std::vector<KernelPlans> all;
    if (!add_plans(job, all)) return false;
    for (const std::string& folder : job.command.list(Option::for_kernels))
        if (!add_plans_for(job, folder, all)) return false;
    // The newest kernel's come first: what only a newer one can do, an older one skips.
    std::ranges::stable_sort(all, std::ranges::greater{},
                             [](const KernelPlans& k) { return parse_release(k.release); });
    for (KernelPlans& kernel : all)
        for (Plan& plan : kernel.plans) {
            saved.plans.push_back(std::move(plan));
            saved.releases.push_back(kernel.release);
        }
    return all_right(job, write_plan(job.command, saved));
}

}  // namespace lt
