#include "driver/pipeline/work.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "driver/pipeline/list.h"
#include "driver/pipeline/saved.h"
#include "driver/pipeline/steps.h"
#include "driver/report/report.h"
#include "driver/tools/tools.h"
#include "runtime/values/decode.h"

namespace lt {
namespace {

// The first such line in the text; an empty span for an empty line.
Span span_of_line(std::string_view text, std::string_view line) {
    const size_t at = line.empty() ? text.npos : text.find(line);
    if (at == text.npos) return {};
    return {static_cast<uint32_t>(at), static_cast<uint32_t>(at + line.size())};
}

// The verifier's log is only printed on request.
bool refuse_load(Job& job, const Error& e) {
    const size_t log = e.hint.find('\n');
    const bool shorter = log != std::string::npos && !job.command.has(Option::verbose);
    std::string hint = shorter ? e.hint.substr(0, log) + "; -v shows the verifier's log" : e.hint;
    // lt cannot prove what the script's own C does
    if (log != std::string::npos && !job.compiled.c_code.empty() && hint.starts_with("this is a bug in lt"))
        hint = "the verifier must see that each index and size in the script's C stays in bounds" +
               hint.substr(hint.find(shorter ? ';' : '\n', shorter ? log : 0));
    job.diags.error(span_of_line(job.source.text, e.line), e.what).hint = std::move(hint);
    return false;
}

// Both try the next way, if there is one, when the kernel refuses this one.
bool load(Job& job) {
    for (;;) {
        draw_diags(job);
        const Result<std::vector<Refusal>> refused = job.run->load(job.compiled.plan, job.stages.last());
        if (!refused) return refuse_load(job, refused.error());
        if (refused->empty()) return true;
        if (!make_plan_again(job, *refused)) return false;
    }
}

bool attach(Job& job) {
    for (;;) {
        const Result<std::vector<Refusal>> refused = job.run->attach();
        if (!refused) return refuse(job, refused.error());
        if (refused->empty()) return true;
        if (!make_plan_again(job, *refused) || !load(job)) return false;
    }
}

bool collect(Job& job) {
    const bool fine = all_right(job, job.run->collect());
    draw_diags(job);
    return fine;
}

bool is_accepted(Job& job) { return !job.shared.accepts || job.shared.accepts(job); }

// Runs the stages up to the one requested; `last` if the command line does not say.
bool do_stages(Job& job, Stage last) {
    const auto pass = [&](Stage stage, bool (*work)(Job&)) {
        return job.stages.pass(stage, job.compiled, [&] { return work(job); });
    };
    const bool fine = read_settings(job, last) && make_plan(job) && is_accepted(job) && pass(Stage::load, load) &&
                      pass(Stage::attach, attach) && pass(Stage::run, collect) && write_files(job);
    draw_diags(job);
    return fine;
}

std::string shown(const Plan& plan, const PlannedParam& param) {
    const auto value = decode_key({param.type}, std::span(plan.param_bytes).subspan(param.offset));
    return value ? show(value->front(), plan.conventions.plain_integers) : "";
}

// A tool's manual, and how it is called: the words that set its parameters.
void print_manual(const Job& job, const std::vector<ScriptParam>& params) {
    std::map<uint32_t, std::string> words;
    for (const ScriptParam& p : params)
        if (p.word != 0) words[p.word] = p.name;
    std::string shape;
    for (const auto& [number, name] : words) shape += fmt::format(" [{}", name);
    shape.append(words.size(), ']');
    fmt::print("{}\nUsage: lt {} [options]{}\n", manual_of(job.source.text), job.command.tool, shape);
}

int saved_help(const Job& job) {
    const Plan& plan = job.saved->plans.front();
    if (!plan.params.empty()) fmt::print("\nParameters of {}:\n", job.command.file);
    for (const PlannedParam& p : plan.params) fmt::print("  --{:<24}  {} [{}]\n", p.name, p.help, shown(plan, p));
    return 0;
}

}  // namespace

int run(Job& job) {
    const bool fine = do_stages(job, job.command.has(Option::dry_run) ? Stage::attach : Stage::run);
    if (job.command.has(Option::time)) print_times(job.stages.timings());
    return fine ? job.run->exit_status() : 1;
}

int check(Job& job) {
    if (!do_stages(job, job.saved ? Stage::load : Stage::emit)) return 1;
    const Plan& plan = job.compiled.plan;
    fmt::print("{}: {}\n", job.saved ? job.command.file : job.source.name, plural(own_probes(plan), "probe"));
    for (const PlannedProbe& probe : plan.probes) {
        if (probe.internal) continue;
        const auto open = std::ranges::find_if(probe.rungs, [](const Rung& r) { return r.refused.empty(); });
        fmt::print("    {} by {}\n", probe.text, open == probe.rungs.end() ? "no way" : way_name(open->way));
    }
    return 0;
}

bool start(Job& job) { return do_stages(job, Stage::attach); }

bool end(Job& job, Ended how) {
    const bool fine = all_right(job, job.run->end(how));
    draw_diags(job);
    return fine;
}

int help(Job& job) {
    if (job.saved) return saved_help(job);
    // without its arguments a script may have errors, and still options
    const bool read = read_script(job);
    const ast::Program& program = job.compiled.program;
    const std::vector<ScriptParam> params =
        grammar_of(job.source.spoken()) == Grammar::lt ? params_of(job.source) : std::vector<ScriptParam>{};
    if (!read && program.options.empty() && params.empty()) return draw_diags(job), 1;
    const bool is_tool = !job.command.tool.empty();
    if (is_tool) print_manual(job, params);
    if (!params.empty() || !program.options.empty())
        fmt::print("\nParameters{}:\n", is_tool ? "" : " of " + job.source.name);
    else if (job.command.script_help || is_tool)
        fmt::print("{} has no parameters\n", job.source.name);
    for (const ScriptParam& p : params) {
        const std::string names = p.short_name.empty() ? "--" + p.name : fmt::format("-{}, --{}", p.short_name, p.name);
        fmt::print("  {:<26}  {}{}\n", names, p.help, p.is_flag ? "" : fmt::format(" [{}]", p.value));
    }
    for (const ast::ScriptOption& o : program.options) {
        if (std::ranges::find(params, o.name, &ScriptParam::name) != params.end()) continue;
        fmt::print("  --{:<24}  {}{}\n", o.name, o.description,
                   o.otherwise.empty() ? "" : fmt::format(" [{}]", o.otherwise));
    }
    if (is_tool)
        fmt::print(
            "\nOptions of lt can be added: -c COMMAND, --follow, --cgroup PATH, --duration TIME, -f json, -o FILE ...\n"
            "`lt --help` lists them. `lt {} --print` prints the source.\n",
            job.command.tool);
    return 0;
}

int list(Job& job) {
    const bool found = read_settings(job, Stage::run) &&
                       (job.saved || (read_script(job) && open_for_script(job) && compile_script(job, Stage::resolve)));
    const bool verbose = job.command.has(Option::verbose);
    if (job.saved && verbose && !open_chosen_kernel(job)) return draw_diags(job), 1;
    std::vector<std::string> places = job.saved ? saved_places(job.saved->plans.front()) : std::vector<std::string>{};
    for (const Body& body : job.compiled.typed.bodies) {
        if (body.place.members.empty()) places.push_back(body.place.text);
        for (const SharedPlace& place : body.place.members) places.push_back(place.text);
    }
    for (const std::string& place : places) {
        if (job.command.has(Option::bpftrace) && !is_listed_by_bpftrace(place)) continue;
        fmt::print("{}\n", place);
        if (verbose) list_at_hand(*job.kernel, place);
    }
    draw_diags(job);
    return found ? 0 : 1;
}

}  // namespace lt
