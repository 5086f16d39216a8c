#include "driver/pipeline/plan_compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "driver/doctor/systemtap.h"
#include "driver/pipeline/list.h"
#include "driver/pipeline/probe_filter.h"
#include "driver/pipeline/process_files.h"
#include "driver/pipeline/rule_out.h"
#include "driver/pipeline/saving.h"
#include "driver/recording/recorded_script.h"
#include "driver/recording/recording_file.h"
#include "driver/run/saved.h"
#include "driver/tools/tool_words.h"
#include "driver/tools/tools.h"
#include "runtime/replay/recorded_kernel.h"
#include "runtime/replay/replay_session.h"

namespace lt {
namespace {

// Checks that each --NAME of the command line is a parameter of the script.
bool params_fit(Job& job, const ast::Program& program) {
    std::vector<std::string_view> names;
    for (const ast::Item& item : program.items) {
        if (const auto* p = std::get_if<ast::Parameter>(&item.node)) names.push_back(p->name);
    }
    for (const ast::ScriptOption& o : program.options) names.push_back(o.name);
    for (const ParamSetting& setting : job.command.params) {
        if (std::ranges::find(names, setting.name) != names.end()) continue;
        const std::vector<std::string> near = closest(setting.name, names);
        const std::string& tool = job.command.tool;
        Diag& d = job.diags.error({}, fmt::format("--{} is not an option of lt or a parameter of {}", setting.name,
                                                  tool.empty() ? job.source.name : tool));
        if (const std::string_view other = other_spelling("--" + setting.name, !tool.empty()); !near.empty())
            d.hint = did_you_mean(std::span(near).first(1), "--");
        else if (!other.empty())
            d.hint = other;
        else
            d.hint = tool.empty() ? "`lt --help` lists the options, `lt FILE --help` also a script's parameters"
                                  : fmt::format("`lt {} --help` lists its options", tool);
    }
    return !job.diags.has_errors();
}

// SystemTap's target() is a number when the script is compiled.
bool asks_for_command(const Job& job) {
    return job.run && grammar_of(job.source.spoken()) == Grammar::stp && job.stages.last() == Stage::run;
}

Status read_max_keys(const Command& command, ResolveOptions& options) {
    if (!command.has(Option::max_map_keys)) return Done{};
    const std::string text = command.text(Option::max_map_keys);
    const uint32_t keys = parse_number<uint32_t>(text).value_or(0);
    constexpr uint32_t most = 1 << 24;  // a larger map would not fit into any machine's memory
    if (keys == 0 || keys > most)
        return Error{fmt::format("`{}` is not a valid number of keys", text),
                     fmt::format("write a number from 1 to {}", most), 0};
    options.max_keys = keys;
    return Done{};
}

// A tool's manual, and how it is called: its probe, and the words that set its parameters.
void print_manual(const Job& job, const std::vector<ScriptParam>& params) {
    std::map<uint32_t, std::string> words;
    for (const ScriptParam& p : params)
        if (p.word != 0) words[p.word] = p.name;
    const uint32_t probe = words_of_tool(job.source).probe;
    std::string shape = probe == 0 ? "" : " PROBE";
    for (const auto& [number, name] : words) shape += fmt::format(" [{}", name);
    shape.append(words.size(), ']');
    fmt::print("{}\nUsage: lt {} [options]{}\n", manual_of(job.source.text), job.command.tool, shape);
}

struct DumpText {
    std::string_view name;  // as in the table of dumps
    std::string (*text)(const Compiled& compiled);
};

std::string text_of_dump(std::string_view name, const Compiled& compiled) {
    constexpr std::array rows{
        DumpText{"ast", [](const Compiled& c) { return ast::dump(c.program); }},
        DumpText{"typed", [](const Compiled& c) { return dump(c.program, c.typed); }},
        DumpText{"ir", [](const Compiled& c) { return ir::dump(c.ir); }},
        DumpText{"llvm", [](const Compiled& c) { return c.emitted.llvm; }},
        DumpText{"bpf", [](const Compiled& c) { return c.emitted.assembly; }},
        DumpText{"plan", [](const Compiled& c) { return dump(c.plan); }},
    };
    return std::ranges::find(rows, name, &DumpText::name)->text(compiled);
}

}  // namespace

Job script_job(const Command& command, Source source, const Shared& shared) {
    return {command, std::move(source), std::make_unique<PlanCompiler>(), shared};
}

// ---- options

Status PlanCompiler::read_recording(const Job& job, RunSettings& settings) {
    if (!job.command.has(Option::from)) return Done{};
    if (const Status suits = suits_recording(job.command); !suits) return suits;
    if (grammar_of(job.source.spoken()) != Grammar::lt)
        return Error{"--from is for scripts of lt and bpftrace", "a plan is compiled for a kernel", 0};
    const std::string path = job.command.text(Option::from);
    Result<Recording> recording = read_recording_file(path);
    if (!recording) return recording.error();
    if (const Status fits = can_replay(*recording, path); !fits) return fits;
    recording_ = *std::move(recording);
    settings.recording = &*recording_;
    return Done{};
}

bool PlanCompiler::read_options(Job& job, const RunSettings& settings) {
    const Command& command = job.command;
    ResolveOptions& resolve = options_.resolve;
    resolve.params = command.params;
    resolve.traced = settings.traced;
    resolve.one_process = command.has(Option::process) || command.has(Option::command);
    resolve.sampled = settings.max_overhead.has_value();
    // Someone may ask for open spans over the control socket, or when running a saved plan.
    resolve.accounts = command.has(Option::stats) || is_saving(command) || !job.shared.alone || resolve.sampled;
    resolve.timestamps = command.has(Option::timestamps);
    resolve.unsafe = command.has(Option::unsafe);
    resolve.sees_own = command.has(Option::self);
    resolve.only_listed = command.has(Option::traceable);
    options_.warns_of_types = command.has(Option::verbose);
    options_.counts_by_place = command.has(Option::warnings);
    options_.emit = {.llvm_text = job.stages.dumps("llvm"), .assembly_text = job.stages.dumps("bpf")};
    return all_right(job, read_max_keys(command, resolve)) &&
           rule_out_features(command.list(Option::no_feature), resolve, job.diags) &&
           rule_out_ways(command.list(Option::attach_with), command.has(Option::attach_with), resolve, job.diags);
}

Status PlanCompiler::suits(const Job& job) const {
    const Status fits = suits_language(job.command, grammar_of(job.source.spoken()) == Grammar::stp);
    return fits ? suits_saving(job.command) : fits;
}

// ---- stages

bool PlanCompiler::read_script(Job& job) {
    const Command& command = job.command;
    Invocation& given = options_.given = {command.positional};
    options_.headers = {command.list(Option::header_folders), command.list(Option::headers)};
    for (const ParamSetting& p : command.params) given.named.emplace_back(p.name, p.text);
    if (asks_for_command(job) && !all_right(job, job.run->start_command())) return false;
    add_systemtap_facts(command, given);
    if (job.run && job.run->command_pid() != 0) given.target = job.run->command_pid();
    given.keeps_options = is_saving(command);
    as_given_ = job.source;
    compiled_.program = read_program(job.source, options_, job.diags);
    note_imports(job.source);
    if (job.diags.has_errors() || !params_fit(job, compiled_.program)) return false;
    if (command.has(Option::probe_filter) &&
        !all_right(job, filter_probes(compiled_.program, command.text(Option::probe_filter))))
        return false;
    if (recording_) read_from_recording(compiled_.program, *recording_, job.source.text, job.diags);
    if (amend_) amend_(compiled_.program);
    read_diags_ = job.diags;
    return !job.diags.has_errors();
}

bool PlanCompiler::open_for_script(Job& job) {
    if (recording_) {
        job.own_kernel = recorded_kernel(*recording_);
        job.kernel = job.own_kernel.get();
        return true;
    }
    if (!open_chosen_kernel(job)) return false;
    const int process = options_.resolve.traced.process;
    if (!take_files_of(compiled_.program, process, job.diags)) return false;
    if (const auto unseen = unseen_calls(compiled_.program, process))
        job.diags
            .note(*unseen,
                  fmt::format("process {} runs a 32-bit program, whose system calls this probe does not see", process))
            .hint = "write `t:raw_syscalls:sys_enter { @[syscall_name(args.id)] = count(); }`";
    return true;
}

bool PlanCompiler::compile_script(Job& job, Stage last) {
    if (last == Stage::parse) return true;  // no kernel is open for it
    options_.last = std::min(last, Stage::emit);
    compiled_ = compile(job.source, std::move(compiled_), *job.kernel, options_, job.diags);
    job.plan = std::move(compiled_.plan);
    if (recording_) name_recorded_spans(job.plan, *recording_);
    job.has_c = !compiled_.c_code.empty();
    return !job.diags.has_errors();
}

bool PlanCompiler::make(Job& job) { return take_kept(job) || make_anew(job); }

bool PlanCompiler::make_anew(Job& job) {
    const auto pass = [&job](Stage stage, const Compiled& compiled, const std::function<bool()>& work) {
        const Dumped dumped = [&compiled](std::string_view name) { return text_of_dump(name, compiled); };
        if (stage == Stage::emit && job.run && job.stages.last() >= Stage::load) job.run->prepare(compiled.plan);
        return job.stages.pass(stage, planned_places(compiled.plan), work, dumped);
    };
    options_.around = pass;
    const bool made = pass(Stage::parse, compiled_, [&] { return read_script(job); }) &&
                      pass(Stage::resolve, compiled_, [&] { return open_for_script(job); }) &&
                      compile_script(job, job.stages.last());
    options_.around = {};  // compiling again is part of another stage
    return made;
}

bool PlanCompiler::make_again(Job& job, const std::vector<RuledOut>& refused) {
    std::vector<RuledOut>& all = options_.resolve.ruled_out;
    all.insert(all.end(), refused.begin(), refused.end());
    keeping_.reset();  // another time the kernel may take them
    if (is_kept_ && !(read_again(job) && open_for_script(job))) return false;
    job.diags = read_diags_;
    const bool compiled = compile_script(job);
    job.drawn = compiled ? std::min(job.drawn, job.diags.all().size()) : 0;
    return compiled;
}

// ---- what is said about a script

bool PlanCompiler::find_places(Job& job, std::vector<std::string>& places) {
    const bool found = read_script(job) && open_for_script(job) && compile_script(job, Stage::resolve);
    const auto add = [&](const std::string& place) {
        if (!job.command.has(Option::bpftrace) || is_listed_by_bpftrace(place)) places.push_back(place);
    };
    for (const Body& body : compiled_.typed.bodies) {
        if (body.place.members.empty()) add(body.place.text);
        for (const SharedPlace& place : body.place.members) add(place.text);
    }
    return found;
}

bool PlanCompiler::describe(Job& job, const std::string& place) {
    list_at_hand(*job.kernel, place);
    return true;
}

int PlanCompiler::print_help(Job& job) {
    // without its arguments a script may have errors, and still options
    const bool read = read_script(job);
    const ast::Program& program = compiled_.program;
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
            "\nOptions of lt can be added: --cmd COMMAND, --follow, --cgroup PATH, --duration TIME, --format json, "
            "--output FILE ...\n`lt --help` lists them. `lt {} --print` prints the source.\n",
            job.command.tool);
    return 0;
}

}  // namespace lt
