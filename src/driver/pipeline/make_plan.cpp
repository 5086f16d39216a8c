#include "driver/pipeline/steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "driver/doctor/systemtap.h"
#include "driver/pipeline/saved.h"
#include "driver/recording/recorded_script.h"
#include "driver/target/chosen_kernel.h"
#include "driver/target/probe_filter.h"
#include "driver/target/process_files.h"
#include "runtime/replay/recorded_kernel.h"
#include "runtime/replay/replay_session.h"

namespace lt {
namespace {

// ---- a script

// Checks that each --NAME of the command line is a parameter of the script.
bool params_fit(Job& job) {
    const ast::Program& program = job.compiled.program;
    std::vector<std::string_view> names;
    for (const ast::Item& item : program.items) {
        if (const auto* p = std::get_if<ast::Parameter>(&item.node)) names.push_back(p->name);
    }
    for (const ast::ScriptOption& o : program.options) names.push_back(o.name);
    for (const ParamSetting& setting : job.command.params) {
        if (std::ranges::find(names, setting.name) != names.end()) continue;
        const std::vector<std::string> near = closest(setting.name, names);
        Diag& d = job.diags.error(
            {}, fmt::format("--{} is not an option of lt or a parameter of {}", setting.name, job.source.name));
        d.hint = !near.empty() ? did_you_mean(std::span(near).first(1), "--")
                               : "`lt --help` lists the options, `lt FILE --help` also a script's parameters";
    }
    return !job.diags.has_errors();
}

// SystemTap's target() is a number when the script is compiled.
bool asks_for_command(const Job& job) {
    return job.run && grammar_of(job.source.spoken()) == Grammar::stp && job.stages.last() == Stage::run;
}

// ---- a saved plan

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
            return Error{fmt::format("--{} is not an option of lt or a parameter of {}", setting.name, command.file),
                         "`lt FILE --help` lists the parameters", 0};
        const auto bytes = param_bytes(param->name, param->type, setting.text);
        if (!bytes) return bytes.error();
        std::ranges::copy(*bytes, plan.param_bytes.begin() + param->offset);
    }
    return Done{};
}

// Finds the first of its plans that fits this kernel and uses none of the ways that the kernel refused.
bool fit_saved(Job& job) {
    if (!open_chosen_kernel(job)) return false;
    const std::vector<RuledOut>& refused = job.options.resolve.ruled_out;
    std::optional<Error> first;
    for (const Plan& plan : job.saved->plans) {
        if (std::ranges::any_of(refused, [&](const RuledOut& r) { return takes(plan, r); })) continue;
        job.compiled.plan = plan;
        const Status fits = fit(job.compiled.plan, *job.saved, *job.kernel);
        if (fits) return all_right(job, set_saved_params(job.compiled.plan, job.command));
        if (!first) first = fits.error_in(job.command.file);
    }
    if (first) return refuse(job, *first);
    const RuledOut& last = refused.back();
    return refuse(job, {fmt::format("{}: this kernel refuses {} by {}, the last way that the plan has: {}",
                                    job.command.file, last.function, way_name(last.way), last.why),
                        "compile the script on this machine", 0});
}

}  // namespace

bool open_chosen_kernel(Job& job) {
    if (job.kernel && !job.recording) return true;
    if (job.recording) {
        job.own_kernel = recorded_kernel(*job.recording);
        job.kernel = job.own_kernel.get();
        return true;
    }
    Result<std::unique_ptr<Kernel>> kernel = chosen_kernel(job.command);
    if (!kernel) return refuse(job, kernel.error());
    job.own_kernel = *std::move(kernel);
    job.kernel = job.own_kernel.get();
    return true;
}

bool read_script(Job& job) {
    const Command& command = job.command;
    Invocation& given = job.options.given = {command.positional};
    job.options.headers = {command.list(Option::header_folders), command.list(Option::headers)};
    for (const ParamSetting& p : command.params) given.named.emplace_back(p.name, p.text);
    if (asks_for_command(job) && !all_right(job, job.run->start_command())) return false;
    add_systemtap_facts(command, given);
    if (job.run && job.run->command_pid() != 0) given.target = job.run->command_pid();
    given.keeps_options = is_saving(command);
    job.compiled.program = read_program(job.source, job.options, job.diags);
    if (job.diags.has_errors() || !params_fit(job)) return false;
    if (command.has(Option::probe_filter) &&
        !all_right(job, filter_probes(job.compiled.program, command.text(Option::probe_filter))))
        return false;
    if (job.recording) read_from_recording(job.compiled.program, *job.recording, job.source.text, job.diags);
    job.read_diags = job.diags;
    if (job.diags.has_errors()) return false;
    return true;
}

bool open_for_script(Job& job) {
    if (!open_chosen_kernel(job)) return false;
    if (!job.recording) take_files_of(job.compiled.program, job.options.resolve.traced.process);
    return true;
}

bool compile_script(Job& job, Stage last) {
    if (last == Stage::parse) return true;  // no kernel is open for it
    job.options.last = std::min(last, Stage::emit);
    job.compiled = compile(job.source, std::move(job.compiled), *job.kernel, job.options, job.diags);
    if (job.recording) name_recorded_spans(job.compiled.plan, *job.recording);
    return !job.diags.has_errors();
}

bool make_plan(Job& job) {
    job.options.around = [&job](Stage stage, const Compiled& compiled, const std::function<bool()>& work) {
        return job.stages.pass(stage, compiled, work);
    };
    const auto pass = [&job](Stage stage, bool (*work)(Job&)) {
        return job.stages.pass(stage, job.compiled, [&] { return work(job); });
    };
    const bool made = job.saved ? pass(Stage::fit, fit_saved)
                                : pass(Stage::parse, read_script) && pass(Stage::resolve, open_for_script) &&
                                      compile_script(job, job.stages.last());
    job.options.around = {};  // compiling again is part of another stage
    return made;
}

// Only trying shows what a kernel allows: the refused ways are ruled out, and the next ones on the ladder are compiled.
bool make_plan_again(Job& job, const std::vector<Refusal>& refusals) {
    for (const Refusal& r : refusals) {
        const PlannedProbe& probe = job.compiled.plan.probes[r.probe];
        const auto rung = std::ranges::find(probe.rungs, r.way, &Rung::way);
        if (rung == probe.rungs.end() || rung->attachments.empty() || is_last(r.way)) {
            job.diags.error(probe.span, fmt::format("cannot attach {}: {}", probe.text, r.why));
            return false;
        }
        job.options.resolve.ruled_out.push_back({subject(rung->attachments.front()), r.way, r.why});
    }
    job.run->unload();
    if (job.saved) return fit_saved(job);
    job.diags = job.read_diags;
    const bool compiled = compile_script(job);
    job.drawn = compiled ? std::min(job.drawn, job.diags.all().size()) : 0;
    return compiled;
}

}  // namespace lt
