#include "driver/run/plan_fitter.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "driver/cli/failure.h"
#include "driver/run/saved.h"
#include "driver/run/work.h"
#include "runtime/border/param_value.h"
#include "runtime/values/decode.h"

namespace lt {
namespace {

bool takes(const Plan& plan, const RuledOut& refused) {
    return std::ranges::any_of(plan.probes, [&](const PlannedProbe& probe) {
        return std::ranges::any_of(probe.rungs, [&](const Rung& rung) {
            return rung.refused.empty() && rung.way == refused.way && !rung.attachments.empty() &&
                   subject(rung.attachments.front()) == refused.function;
        });
    });
}

Status set_saved_params(Plan& plan, const Command& command) {
    for (const ParamSetting& setting : command.params) {
        const auto param = std::ranges::find(plan.params, setting.name, &PlannedParam::name);
        if (param == plan.params.end())
            return Error{fmt::format("--{} is not an option of {} or a parameter of {}", setting.name,
                                     program_name(command.program), command.file),
                         fmt::format("`{} FILE --help` lists the parameters", program_name(command.program)), 0};
        const auto bytes = param_bytes(param->name, param->type, setting.text);
        if (!bytes) return bytes.error();
        std::ranges::copy(*bytes, plan.param_bytes.begin() + param->offset);
    }
    return Done{};
}

std::string shown(const Plan& plan, const PlannedParam& param) {
    const auto value = decode_key({param.type}, std::span(plan.param_bytes).subspan(param.offset));
    return value ? show(value->front(), plan.conventions.plain_integers) : "";
}

}  // namespace

Status PlanFitter::suits(const Job& job) const { return suits_saved(job.command, saved_); }

bool PlanFitter::make(Job& job) {
    const Dumped dumped = [&](std::string_view) { return dump(job.plan); };
    return job.stages.pass(Stage::fit, planned_places(job.plan), [&] { return fit_saved(job); }, dumped);
}

bool PlanFitter::make_again(Job& job, const std::vector<RuledOut>& refused) {
    refused_.insert(refused_.end(), refused.begin(), refused.end());
    return fit_saved(job);
}

// Finds the first of its plans that fits this kernel and uses none of the ways that the kernel refused.
bool PlanFitter::fit_saved(Job& job) {
    if (!open_chosen_kernel(job)) return false;
    std::optional<Error> first;
    for (size_t i = 0; i < saved_.plans.size(); i++) {
        const Plan& plan = saved_.plans[i];
        if (std::ranges::any_of(refused_, [&](const RuledOut& r) { return takes(plan, r); })) continue;
        job.plan = plan;
        const Status fits = fit(job.plan, saved_, i, *job.kernel);
        if (!fits && !first) first = fits.error_in(job.command.file);
        if (!fits) continue;
        if (job.command.has(Option::suppress_errors)) job.plan.max_errors = UINT32_MAX;
        return all_right(job, set_saved_params(job.plan, job.command));
    }
    if (first) return refuse(job, *first);
    const RuledOut& last = refused_.back();
    return refuse(job, {fmt::format("{}: this kernel refuses {} by {}, the last way that the plan has: {}",
                                    job.command.file, last.function, way_name(last.way), last.why),
                        "compile the script on this machine", 0});
}

bool PlanFitter::find_places(Job& job, std::vector<std::string>& places) {
    if (job.command.has(Option::verbose)) {
        if (describe_ == nullptr)
            return refuse(job, {"only lt describes what probes can read", "`lt -l FILE -v` on a machine with lt", 0});
        if (!open_chosen_kernel(job)) return false;
    }
    places = saved_places(saved_.plans.front());
    return true;
}

bool PlanFitter::describe(Job& job, const std::string& place) {
    describe_(*job.kernel, place);
    return true;
}

int PlanFitter::print_help(Job& job) {
    const Plan& plan = saved_.plans.front();
    if (!plan.params.empty()) fmt::print("\nParameters of {}:\n", job.command.file);
    for (const PlannedParam& p : plan.params) fmt::print("  --{:<24}  {} [{}]\n", p.name, p.help, shown(plan, p));
    return 0;
}

// bpftrace's options are already compiled in.
int with_plan(Command command, const Source& file, const Shared& shared, Describe describe, int (*work)(Job&)) {
    Result<SavedPlan> saved = read_plan(file);
    if (!saved) return failure(saved.error());
    command.options.erase(Option::bpftrace);
    Source source = saved->source;
    Job job(command, std::move(source), std::make_unique<PlanFitter>(*std::move(saved), describe), shared);
    return work(job);
}

int run_own_plan(int argc, const char* const* argv, std::string plan, Program program, Describe describe) {
    std::vector<const char*> words(argv, argv + argc);
    words.insert(words.begin() + 1, argv[0]);  // as in `lt FILE`
    Result<Command> command = read_command(argc + 1, words.data(), {}, program);
    if (!command) return misuse(command.error());
    command->options.erase(Option::systemtap);  // whatever the binary is called
    command->file = argv[0];
    const Source file{argv[0], std::move(plan)};
    if (command->has(Option::help) || command->script_help) {
        if (!command->script_help) fmt::print("{}", command->help);
        return with_plan(*command, file, {}, describe, help);
    }
    return with_plan(*command, file, {}, describe, command->has(Option::list) ? list : run);
}

}  // namespace lt
