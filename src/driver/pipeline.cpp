#include "pipeline.h"

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "base/text.h"
#include "parser/parse.h"
#include "privileges.h"

namespace lt {
namespace {

struct StageRow {
    std::string_view name;
    bool (Pipeline::*work)();
    bool runs;  // touches the running kernel's programs: not done for a kernel in a folder
};
constexpr std::array stages{
    StageRow{"parse", &Pipeline::parse, false},
    // From here the text is a tree; nothing looks at the text again but to draw diagnostics.
    StageRow{"resolve", &Pipeline::resolve, false},
    // From here every probe names one existing place and knows the ways there.
    StageRow{"check", &Pipeline::check, false},
    // From here every expression has a type and every map a layout.
    StageRow{"lower", &Pipeline::lower, false},
    // From here sizes and offsets are known and syntax is forgotten.
    StageRow{"emit", &Pipeline::emit, false},
    // From here the plan is complete: the compiler is not needed any more.
    StageRow{"load", &Pipeline::load, true},
    // From here the verifier has accepted every program.
    StageRow{"attach", &Pipeline::attach, true},
    // From here every probe is attached.
    StageRow{"run", &Pipeline::collect, true},
};

struct DumpRow {
    std::string_view name;
    std::string_view stage;
    std::string (Pipeline::*text)() const;
};
constexpr std::array dumps{
    DumpRow{"ast", "parse", &Pipeline::ast_text},     DumpRow{"typed", "check", &Pipeline::typed_text},
    DumpRow{"ir", "lower", &Pipeline::ir_text},       DumpRow{"llvm", "emit", &Pipeline::llvm_text},
    DumpRow{"bpf", "emit", &Pipeline::assembly_text}, DumpRow{"plan", "emit", &Pipeline::plan_text},
};

template <class Rows>
const typename Rows::value_type* find_row(const Rows& rows, std::string_view name) {
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const auto& r) { return r.name == name; });
    return row == rows.end() ? nullptr : &*row;
}

template <class Rows>
std::string names_of(const Rows& rows) {
    std::vector<std::string> names;
    for (const auto& r : rows) names.emplace_back(r.name);
    return either(names);
}

bool colored() { return isatty(STDERR_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr; }

// Does it wait for something, so that the run goes on?
bool lasting(const PlannedProbe& p) {
    return !p.internal && (p.when == When::attached || p.when == When::period || p.when == When::signal);
}

size_t place_of(std::string_view stage) { return static_cast<size_t>(find_row(stages, stage) - stages.data()); }

}  // namespace

Pipeline::Pipeline(const Command& command, Source source) : command_(command), source_(std::move(source)) {}
Pipeline::~Pipeline() {
    if (process_ >= 0) close(process_);
}

int Pipeline::run() {
    const bool fine = options_fit() && run_stages();
    draw_diags();
    if (command_.has(Option::time)) tell_times(timings_);
    return fine ? exit_status_ : 1;
}

// Compiles and says what would be attached, and how.
int Pipeline::tell() {
    last_stage_ = "emit";
    const bool fine = options_fit() && run_stages();
    draw_diags();
    if (!fine) return 1;
    fmt::print("{}: {} probe{}\n", source_.name, own_probes(), own_probes() == 1 ? "" : "s");
    for (const PlannedProbe& probe : ir_.plan.probes) {
        if (probe.internal) continue;
        const auto open =
            std::find_if(probe.rungs.begin(), probe.rungs.end(), [](const Rung& r) { return r.refused.empty(); });
        fmt::print("    {} by {}\n", probe.text, open == probe.rungs.end() ? "no way" : way_name(open->way));
    }
    return 0;
}

size_t Pipeline::own_probes() const {
    const auto is_own = [](const PlannedProbe& p) { return !p.internal; };
    return static_cast<size_t>(std::count_if(ir_.plan.probes.begin(), ir_.plan.probes.end(), is_own));
}

bool Pipeline::options_fit() {
    if (last_stage_.empty()) last_stage_ = command_.has(Option::dry_run) ? "attach" : stages.back().name;
    resolve_options_.params = command_.params;
    resolve_options_.accounts = command_.has(Option::stats);
    resolve_options_.timestamps = command_.has(Option::timestamps);
    resolve_options_.unsafe = command_.has(Option::unsafe);
    if (!set_max_keys() || !set_process()) return false;
    Result<std::unique_ptr<Output>> output = Output::open(command_);
    if (!output) return refuse(output.error());
    output_ = std::move(*output);
    if (command_.has(Option::kernel)) last_stage_ = "emit";
    size_t last_dump = 0;
    for (const std::string& name : command_.list(Option::dump)) {
        const DumpRow* row = find_row(dumps, name);
        if (!row)
            return refuse(
                {fmt::format("nothing of the name `{}` can be dumped", name), "there are " + names_of(dumps), 0});
        last_dump = std::max(last_dump, place_of(row->stage));
        last_stage_ = stages[last_dump].name;
        emit_options_.llvm_text |= name == "llvm";
        emit_options_.assembly_text |= name == "bpf";
    }
    if (command_.has(Option::stop_after)) {
        last_stage_ = command_.text(Option::stop_after);
        if (!find_row(stages, last_stage_))
            return refuse({fmt::format("there is no stage `{}`", last_stage_), "there are " + names_of(stages), 0});
    }
    return rule_out_ways(command_.list(Option::attach_with), command_.has(Option::attach_with), resolve_options_,
                         diags_);
}

bool Pipeline::set_process() {
    resolve_options_.one_process = command_.has(Option::process) || command_.has(Option::command);
    if (!command_.has(Option::process)) return true;
    const std::string text = command_.text(Option::process);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), resolve_options_.process);
    if (error != std::errc{} || end != text.data() + text.size() || resolve_options_.process <= 0)
        return refuse({fmt::format("{} is no process", quoted(text)), "write the number of one: -p 1234", 0});
    return true;
}

bool Pipeline::set_max_keys() {
    if (!command_.has(Option::max_map_keys)) return true;
    const std::string text = command_.text(Option::max_map_keys);
    uint32_t keys = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), keys);
    constexpr uint32_t most = 1 << 24;  // a map of more would not fit into any machine's memory
    if (error != std::errc{} || end != text.data() + text.size() || keys == 0 || keys > most)
        return refuse(
            {fmt::format("`{}` is no number of keys", text), fmt::format("write a number from 1 to {}", most), 0});
    resolve_options_.max_keys = keys;
    return true;
}

bool Pipeline::run_stages() {
    for (const StageRow& stage : stages) {
        const auto start = std::chrono::steady_clock::now();
        const bool fine = (this->*stage.work)();
        timings_.push_back({stage.name, std::chrono::steady_clock::now() - start});
        if (!fine) return false;
        for (const std::string& name : command_.list(Option::dump)) {
            const DumpRow* row = find_row(dumps, name);
            if (row->stage == stage.name) fmt::print("{}", (this->*row->text)());
        }
        if (stage.name == last_stage_) break;
    }
    return true;
}

bool Pipeline::refuse(const Error& error) {
    diags_.error({}, error.what).hint = error.hint;
    return false;
}

void Pipeline::draw_diags() {
    std::fflush(stdout);
    for (; drawn_ < diags_.all().size(); drawn_++)
        fmt::print(stderr, "{}", draw(source_, diags_.all()[drawn_], colored()));
}

bool Pipeline::parse() {
    load_imports(source_, diags_);
    Invocation given{command_.positional, {}};
    for (const ParamSetting& p : command_.params) given.named.emplace_back(p.name, p.text);
    program_ = lt::parse(source_, diags_, given);
    return !diags_.has_errors() && params_fit();
}

// Each setting of the command line names a parameter of the script.
bool Pipeline::params_fit() {
    std::vector<std::string_view> names;
    for (const ast::Item& item : program_.items) {
        if (const auto* p = std::get_if<ast::Parameter>(&item.node)) names.push_back(p->name);
    }
    for (const ast::ScriptOption& o : program_.options) names.push_back(o.name);
    for (const ParamSetting& setting : command_.params) {
        if (std::find(names.begin(), names.end(), setting.name) != names.end()) continue;
        const std::vector<std::string> near = closest(setting.name, names);
        Diag& d =
            diags_.error({}, fmt::format("--{} is no option of lt and no parameter of {}", setting.name, source_.name));
        d.hint = !near.empty() ? fmt::format("did you mean --{}?", near.front())
                               : "lt --help lists the options, lt FILE --help a script's parameters, too";
    }
    return !diags_.has_errors();
}

int Pipeline::help() {
    if (!parse() && program_.options.empty()) {  // without its words a script may have mistakes, and still options
        draw_diags();
        return 1;
    }
    bool any = false;
    for (const ast::Item& item : program_.items) {
        const auto* p = std::get_if<ast::Parameter>(&item.node);
        if (!p) continue;
        if (!any) fmt::print("\nParameters of {}:\n", source_.name);
        any = true;
        fmt::print("  --{:<24}  {} [{}]\n", p->name, p->help, source_.at(program_[p->value].span));
    }
    if (!any && !program_.options.empty()) fmt::print("\nParameters of {}:\n", source_.name);
    for (const ast::ScriptOption& o : program_.options)
        fmt::print("  --{:<24}  {}{}\n", o.name, o.description,
                   o.otherwise.empty() ? "" : fmt::format(" [{}]", o.otherwise));
    return 0;
}

int Pipeline::list() {
    const bool found = options_fit() && parse() && resolve();
    for (const Body& body : typed_.bodies) {
        if (body.place.members.empty()) fmt::print("{}\n", body.place.text);
        for (const SharedPlace& place : body.place.members) fmt::print("{}\n", place.text);
    }
    draw_diags();
    return found ? 0 : 1;
}

bool Pipeline::resolve() {
    if (!kernel_) {
        const std::string folder = command_.text(Option::kernel);
        if (folder.empty()) {
            if (const auto lacking = lacking_privilege()) return refuse(*lacking);
        }
        Result<std::unique_ptr<Kernel>> kernel = open_kernel({folder});
        if (!kernel) return refuse(kernel.error());
        kernel_ = std::move(*kernel);
    }
    typed_ = lt::resolve(program_, *kernel_, resolve_options_, diags_);
    return !diags_.has_errors();
}

// The types and constants that the script declares in C; read once, however often it is compiled.
bool Pipeline::declare() {
    const HeaderOptions options{command_.list(Option::header_folders), command_.list(Option::headers)};
    if (!has_declarations(program_, options)) return true;
    if (!declarations_) {
        CDeclarations read = read_declarations(source_, program_, options, *kernel_, diags_);
        if (diags_.has_errors()) return false;
        kernel_->declare(std::move(read.declared));
        if (command_.has(Option::verbose)) {
            for (const auto& [span, header] : read.absent)
                diags_.warning(span, header + " is not installed; types are those that this kernel describes");
        }
        declarations_ = std::move(read);
    }
    place_macros(program_, *declarations_);
    return true;
}

bool Pipeline::check() {
    if (!declare()) return false;
    lt::check(program_, typed_, *kernel_, diags_);
    return !diags_.has_errors();
}

bool Pipeline::lower() {
    ir_ = lt::lower(program_, typed_, diags_);
    return !diags_.has_errors();
}

bool Pipeline::emit() {
    Result<Emitted> emitted = lt::emit(ir_, source_, emit_options_);
    if (!emitted) return refuse(emitted.error());
    emitted_ = std::move(*emitted);
    ir_.plan.object = std::move(emitted_.object);
    return true;
}

bool Pipeline::load() {
    draw_diags();
    if (const Status begun = output_->begin(ir_.plan); !begun) return refuse(begun.error());
    Result<std::unique_ptr<Session>> session =
        Session::load(ir_.plan, output_->printer(), output_->descriptor(), command_.has(Option::verbose));
    if (!session) {
        Error e = session.error();
        if (!command_.has(Option::verbose) && e.hint.find('\n') != std::string::npos)
            e.hint = "run it again with -v for the verifier's log";
        return refuse(e);
    }
    session_ = std::move(*session);
    return true;
}

bool Pipeline::attach() {
    if (command_.has(Option::command) && !child_) {
        Result<std::unique_ptr<Child>> child = Child::start(command_.text(Option::command));
        if (!child) return refuse(child.error());
        child_ = std::move(*child);
    }
    if (ir_.plan.announces_probes && !command_.has(Option::quiet) && !announced_) {
        const size_t n = own_probes();
        output_->printer().attaching(n);
        announced_ = true;
    }
    if (resolve_options_.process != 0 && !watch_process()) return false;
    if (resolve_options_.process != 0)
        session_->trace(resolve_options_.process, true);
    else if (child_)
        session_->trace(child_->pid(), false);
    const std::vector<Refusal> refusals = session_->attach();
    if (!refusals.empty()) return compile_again(refusals);
    if (const auto e = session_->attach_error()) return refuse(*e);
    if (command_.has(Option::verbose)) tell_ways();
    tell_skipped();
    return true;
}

// Below these no other way stands on a ladder.
bool is_last(Way way) {
    constexpr std::array ways{Way::tracepoint, Way::raw_tracepoint, Way::uprobe,
                              Way::run,        Way::perf_event,     Way::iterator};
    return std::find(ways.begin(), ways.end(), way) != ways.end();
}

// What a kernel allows is only known by trying: the rungs that it refused are ruled out, and the ladder's next ones are
// compiled.
bool Pipeline::compile_again(const std::vector<Refusal>& refusals) {
    for (const Refusal& r : refusals) {
        const Rung* rung = nullptr;
        for (const Rung& candidate : ir_.plan.probes[r.probe].rungs) {
            if (candidate.way == r.way) rung = &candidate;
        }
        if (!rung || rung->attachments.empty() || is_last(r.way)) {
            diags_.error(ir_.plan.probes[r.probe].span,
                         fmt::format("cannot attach {}: {}", ir_.plan.probes[r.probe].text, r.why));
            return false;
        }
        resolve_options_.ruled_out.push_back({rung->attachments.front().function, r.way, r.why});
    }
    session_.reset();
    diags_ = {};
    const size_t notes_drawn = drawn_;
    const bool compiled = parse() && resolve() && check() && lower() && emit();
    drawn_ = compiled ? std::min(notes_drawn, diags_.all().size()) : 0;
    return compiled && load() && attach();
}

void Pipeline::tell_ways() {
    const std::vector<size_t> taken = session_->taken();
    for (size_t i = 0; i < ir_.plan.probes.size(); i++) {
        const PlannedProbe& probe = ir_.plan.probes[i];
        if (probe.when != When::attached || probe.internal) continue;
        const std::string places = probe.places > 1 ? fmt::format(" ({} places)", probe.places) : "";
        fmt::print(stderr, "{}{}: attached by {}\n", probe.text, places, way_name(probe.rungs[taken[i]].way));
        for (size_t r = 0; r < taken[i]; r++) {
            fmt::print(stderr, "    not by {}: {}\n", way_name(probe.rungs[r].way), probe.rungs[r].refused);
        }
    }
}

void Pipeline::tell_skipped() {
    for (size_t i = 0; i < ir_.plan.probes.size(); i++) {
        const std::vector<std::string> skipped = session_->skipped(i);
        const size_t shown = command_.has(Option::verbose) ? skipped.size() : std::min<size_t>(skipped.size(), 1);
        if (shown == 0) continue;
        fmt::print(stderr, "lt: {}: {} of {} places cannot be attached{}\n", ir_.plan.probes[i].text, skipped.size(),
                   ir_.plan.probes[i].places, shown < skipped.size() ? ", this one among them (-v tells all):" : ":");
        for (size_t k = 0; k < shown; k++) fmt::print(stderr, "    {}\n", skipped[k]);
    }
}

bool Pipeline::collect() {
    size_t places = 0;
    for (size_t i = 0; i < ir_.plan.probes.size(); i++) {
        const PlannedProbe& p = ir_.plan.probes[i];
        if (lasting(p)) places += p.places - session_->skipped(i).size();
    }
    output_->announce(places, ir_.plan.announces_probes);
    if (!ir_.plan.params.empty() && !listen()) return false;
    if (child_ && !release_child()) return false;
    session_->run();
    const Status finished = session_->finish();
    tell_end();
    exit_status_ = session_->exit_status();
    const Status written = output_->finish();
    if (!finished) return refuse(finished.error());
    return written ? true : refuse(written.error());
}

// Parameters can be set while the program runs.
bool Pipeline::listen() {
    Result<std::unique_ptr<Control>> control = Control::listen([this](std::string_view line) { return set(line); });
    if (!control) return refuse(control.error());
    control_ = std::move(*control);
    const Status watched = session_->watch(control_->descriptor(), [this] { control_->serve(); });
    return watched ? true : refuse(watched.error());
}

// NAME=VALUE
Status Pipeline::set(std::string_view setting) {
    const size_t equals = setting.find('=');
    if (equals == setting.npos) return Error{fmt::format("`{}` sets nothing", setting), "write NAME=VALUE", 0};
    const std::string name(setting.substr(0, equals));
    std::vector<std::string> names;
    for (size_t i = 0; i < ir_.plan.params.size(); i++) {
        const PlannedParam& param = ir_.plan.params[i];
        names.push_back(param.name);
        if (param.name != name) continue;
        Result<std::vector<uint8_t>> bytes = param_bytes(name, param.type, setting.substr(equals + 1));
        if (!bytes) return bytes.error();
        return session_->set_param(i, *bytes);
    }
    return Error{fmt::format("there is no parameter {}", name), "there are " + either(names), 0};
}

// The run ends with it, if not by itself before.
bool Pipeline::watch_process() {
    if (process_ < 0) process_ = static_cast<int>(syscall(SYS_pidfd_open, resolve_options_.process, 0));
    if (process_ < 0) return refuse(system_error(fmt::format("process {}", resolve_options_.process), errno));
    if (!std::ranges::any_of(ir_.plan.probes, lasting)) return true;
    const Status watched = session_->end_with(process_);
    return watched ? true : refuse(watched.error());
}

bool Pipeline::release_child() {
    if (const Status watched = session_->end_with(child_->descriptor()); !watched) return refuse(watched.error());
    const Status released = child_->release();
    return released ? true : refuse(released.error());
}

void Pipeline::tell_end() {
    if (child_) {
        const std::string trouble = child_->trouble();
        if (!trouble.empty()) fmt::print(stderr, "lt: the command {}\n", trouble);
    }
    lt::tell_end(ir_.plan, *session_, output_->printer(), command_.has(Option::stats));
}

std::string Pipeline::ast_text() const { return ast::dump(program_); }
std::string Pipeline::typed_text() const { return lt::dump(program_, typed_); }
std::string Pipeline::ir_text() const { return ir::dump(ir_); }
std::string Pipeline::plan_text() const { return lt::dump(ir_.plan); }

}  // namespace lt
