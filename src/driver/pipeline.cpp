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
#include <cstring>
#include <filesystem>

#include "base/text.h"
#include "codegen/loss_places.h"
#include "list.h"
#include "parser/parse.h"
#include "privileges.h"
#include "process_files.h"
#include "probe_filter.h"
#include "progress.h"
#include "saved.h"
#include "systemtap.h"
#include "traced.h"

namespace lt {
namespace {

enum class From : uint8_t { script, plan, both };
struct StageRow {
    std::string_view name;
    bool (Pipeline::*work)();
    From from;               // what is run
    std::string_view doing;  // as it is told where it takes long
};
constexpr std::array stages{
    StageRow{"parse", &Pipeline::parse, From::script, "reading the program"},
    // From here the text is a tree; nothing looks at the text again but to draw diagnostics.
    StageRow{"resolve", &Pipeline::resolve, From::script, "looking for the places of the probes"},
    // From here every probe names one existing place and knows the ways there.
    StageRow{"check", &Pipeline::check, From::script, "checking the program"},
    // From here every expression has a type and every map a layout.
    StageRow{"lower", &Pipeline::lower, From::script, "compiling"},
    // From here sizes and offsets are known and syntax is forgotten.
    StageRow{"emit", &Pipeline::emit, From::script, "compiling"},
    // In the place of these, for a plan that was saved.
    StageRow{"fit", &Pipeline::fit, From::plan, "looking whether the plan fits"},
    // From here the plan is complete: the compiler is not needed any more.
    StageRow{"load", &Pipeline::load, From::both, "loading"},
    // From here the verifier has accepted every program.
    StageRow{"attach", &Pipeline::attach, From::both, "attaching {} places"},
    // From here every probe is attached.
    StageRow{"run", &Pipeline::collect, From::both, ""},
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

bool is_passed(const StageRow& stage, bool saved) {
    return stage.from == From::both || stage.from == (saved ? From::plan : From::script);
}

std::string stage_names(bool saved) {
    std::vector<std::string> names;
    for (const StageRow& r : stages)
        if (is_passed(r, saved)) names.emplace_back(r.name);
    return either(names);
}

bool colored() {
    const char* wish = std::getenv("BPFTRACE_COLOR");
    if (wish != nullptr && std::string_view(wish) == "always") return true;
    if (wish != nullptr && std::string_view(wish) == "never") return false;
    return isatty(STDERR_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
}

size_t place_of(std::string_view stage) { return static_cast<size_t>(find_row(stages, stage) - stages.data()); }

}  // namespace

Pipeline::Pipeline(const Command& command, Source source, Shared shared)
    : command_(command), source_(std::move(source)), shared_(shared), kernel_(shared.kernel) {}
Pipeline::Pipeline(const Command& command, SavedPlan saved, Shared shared)
    : command_(command), source_(saved.source), shared_(shared), kernel_(shared.kernel), saved_(std::move(saved)) {}
// What is printed is printed, but the kernel can take 50 ms for each place that is detached.
Pipeline::~Pipeline() {
    if (session_ && shows_progress()) {
        const Progress progress(fmt::format("detaching {} places", planned_places()));
        session_.reset();
    }
    if (process_ >= 0) close(process_);
}

int Pipeline::run() {
    const bool fine = options_fit() && run_stages() && write_files();
    draw_diags();
    if (command_.has(Option::time)) tell_times(timings_);
    return fine ? exit_status_ : 1;
}

bool Pipeline::start() {
    last_stage_ = "attach";
    const bool fine = options_fit() && run_stages();
    draw_diags();
    return fine;
}

// Compiles, or loads what was compiled, and says what would be attached, and how.
int Pipeline::tell() {
    last_stage_ = saved_ ? "load" : "emit";
    const bool fine = options_fit() && run_stages() && write_files();
    draw_diags();
    if (!fine) return 1;
    fmt::print("{}: {} probe{}\n", saved_ ? command_.file : source_.name, own_probes(), own_probes() == 1 ? "" : "s");
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
    // Others may ask what is open, and who runs what is saved.
    resolve_options_.accounts = command_.has(Option::stats) || is_saving(command_) || !shared_.alone;
    resolve_options_.timestamps = command_.has(Option::timestamps);
    resolve_options_.unsafe = command_.has(Option::unsafe);
    resolve_options_.only_listed = command_.has(Option::traceable);
    if (!set_max_keys() || !set_max_overhead() || !set_process() || !set_limits()) return false;
    if (!open_output()) return false;
    if (command_.has(Option::kernel) || is_saving(command_) || command_.has(Option::emit_elf))
        last_stage_ = saved_ ? "fit" : "emit";
    return stages_fit() && rule_out_features(command_.list(Option::no_feature), resolve_options_, diags_) &&
           rule_out_ways(command_.list(Option::attach_with), command_.has(Option::attach_with), resolve_options_,
                         diags_);
}

bool Pipeline::stages_fit() {
    const Status suits = saved_ ? suits_saved(command_, *saved_) : suits_saving(command_);
    if (!suits) return refuse(suits.error());
    size_t last_dump = 0;
    for (const std::string& name : command_.list(Option::dump)) {
        const DumpRow* row = find_row(dumps, name);
        if (!row)
            return refuse(
                {fmt::format("nothing of the name `{}` can be dumped", name), "there are " + names_of(dumps), 0});
        if (saved_ && row->name != "plan")
            return refuse({fmt::format("a saved plan has no {}", name), "--dump plan shows what it has", 0});
        last_dump = std::max(last_dump, place_of(saved_ ? "fit" : row->stage));
        last_stage_ = stages[last_dump].name;
        emit_options_.llvm_text |= name == "llvm";
        emit_options_.assembly_text |= name == "bpf";
    }
    if (command_.has(Option::stop_after)) {
        last_stage_ = command_.text(Option::stop_after);
        const StageRow* row = find_row(stages, last_stage_);
        if (!row || !is_passed(*row, saved_.has_value()))
            return refuse({fmt::format("there is no stage `{}`", last_stage_),
                           "there are " + stage_names(saved_.has_value()), 0});
    }
    return true;
}

bool Pipeline::open_output() {
    if (command_.has(Option::live) && shared_.alone) {
        for (const Option other : {Option::output, Option::format, Option::folded})
            if (command_.has(other))
                return refuse({"--live shows results on the terminal, as text", "leave out -o, -f and --folded", 0});
        Result<std::unique_ptr<LiveView>> live = LiveView::open();
        if (!live) return refuse(live.error());
        live_ = *std::move(live);
    }
    Result<std::unique_ptr<Output>> output = Output::open(command_, live_ ? &live_->sink() : shared_.sink);
    if (!output) return refuse(output.error());
    output_ = std::move(*output);
    return true;
}

bool Pipeline::set_process() {
    resolve_options_.one_process = command_.has(Option::process) || command_.has(Option::command);
    const Result<Traced> traced = traced_of(command_);
    if (!traced) return refuse(traced.error());
    resolve_options_.traced = *traced;
    return true;
}

// After how long and after how many results the run ends by itself.
bool Pipeline::set_limits() {
    if (command_.has(Option::duration)) {
        const std::string text = command_.text(Option::duration);
        const Result<std::vector<uint8_t>> bytes = param_bytes("duration", duration_type(), text);
        int64_t ns = 0;
        if (bytes) std::memcpy(&ns, bytes->data(), sizeof ns);
        if (ns <= 0)
            return refuse({fmt::format("`{}` is no duration", text), "write one with its unit: --duration 30s", 0});
        duration_ns_ = static_cast<uint64_t>(ns);
    }
    if (!command_.has(Option::count)) return true;
    const std::string text = command_.text(Option::count);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), most_results_);
    if (error != std::errc{} || end != text.data() + text.size() || most_results_ == 0)
        return refuse({fmt::format("`{}` is no number of results", text), "write one: --count 10", 0});
    return true;
}

// A share of all CPUs' time, with its sign.
bool Pipeline::set_max_overhead() {
    if (!command_.has(Option::max_overhead)) return true;
    const std::string text = command_.text(Option::max_overhead);
    double percent = 0;
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, percent);
    const bool whole = error == std::errc{} && std::string_view(end, last) == "%";
    if (!whole || !(percent > 0) || !(percent <= 100))
        return refuse(
            {fmt::format("`{}` is no share of the CPUs", text), "write one in percent: --max-overhead 3%", 0});
    max_overhead_ = percent / 100;
    resolve_options_.sampled = resolve_options_.accounts = true;
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

bool Pipeline::shows_progress() const {
    return shared_.alone && shared_.messages == stderr && !command_.has(Option::quiet) && Progress::has_terminal();
}

bool Pipeline::work(bool (Pipeline::*stage)(), std::string_view doing) {
    const Progress progress(fmt::format(fmt::runtime(doing), planned_places()));
    return (this->*stage)();
}

bool Pipeline::run_stages() {
    for (const StageRow& stage : stages) {
        if (!is_passed(stage, saved_.has_value())) continue;
        const auto start = std::chrono::steady_clock::now();
        const bool fine = work(stage.work, shows_progress() ? stage.doing : "");
        timings_.push_back({stage.name, std::chrono::steady_clock::now() - start});
        if (!fine) return false;
        for (const std::string& name : command_.list(Option::dump)) {
            const DumpRow* row = find_row(dumps, name);
            if (row->stage == stage.name || stage.from == From::plan) fmt::print("{}", (this->*row->text)());
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
    diags_.fold(drawn_);
    for (; drawn_ < diags_.all().size(); drawn_++) {
        const Diag& diag = diags_.all()[drawn_];
        if (diag.severity == Severity::warning && command_.has(Option::no_warnings)) continue;
        fmt::print(shared_.messages, "{}", draw(source_, diag, colored()));
    }
}

bool Pipeline::parse() {
    load_imports(source_, diags_, command_.positional, command_.list(Option::header_folders));
    Invocation given{command_.positional, {}};
    for (const ParamSetting& p : command_.params) given.named.emplace_back(p.name, p.text);
    if (asks_for_command() && !start_command()) return false;
    tell_systemtap(command_, given);
    if (child_) given.target = child_->pid();
    given.keeps_options = is_saving(command_);
    program_ = lt::parse(source_, diags_, given);
    if (diags_.has_errors() || !params_fit()) return false;
    if (!command_.has(Option::probe_filter)) return true;
    const Status left = filter_probes(program_, command_.text(Option::probe_filter));
    return left ? true : refuse(left.error());
}

// SystemTap's target() is a number when the program is compiled.
bool Pipeline::asks_for_command() const {
    return grammar_of(source_.spoken()) == Grammar::stp && last_stage_ == stages.back().name;
}

// It waits until all is attached.
bool Pipeline::start_command() {
    if (!command_.has(Option::command) || child_) return true;
    const auto quotes = settings_of(source_.spoken()).quotes_stand ? Child::Quotes::stand : Child::Quotes::taken_off;
    Result<std::unique_ptr<Child>> child = Child::start(command_.text(Option::command), quotes);
    if (!child) return refuse(child.error());
    child_ = std::move(*child);
    return true;
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
    if (saved_) return params_help();
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
    if (!any && program_.options.empty() && command_.script_help) fmt::print("{} has no parameters\n", source_.name);
    for (const ast::ScriptOption& o : program_.options)
        fmt::print("  --{:<24}  {}{}\n", o.name, o.description,
                   o.otherwise.empty() ? "" : fmt::format(" [{}]", o.otherwise));
    return 0;
}

int Pipeline::list() {
    const bool found = options_fit() && (saved_ || (parse() && resolve()));
    if (saved_ && command_.has(Option::verbose) && !open_kernel_asked()) return draw_diags(), 1;
    std::vector<std::string> places = saved_ ? saved_places(saved_->plans.front()) : std::vector<std::string>{};
    for (const Body& body : typed_.bodies) {
        if (body.place.members.empty()) places.push_back(body.place.text);
        for (const SharedPlace& place : body.place.members) places.push_back(place.text);
    }
    for (const std::string& place : places) {
        if (command_.has(Option::bpftrace) && !is_listed_by_bpftrace(place)) continue;
        fmt::print("{}\n", place);
        if (command_.has(Option::verbose)) list_at_hand(*kernel_, place);
    }
    draw_diags();
    return found ? 0 : 1;
}

std::vector<std::string> debug_folders(const Command& command) {
    std::vector<std::string> folders;
    for (const std::string& some : command.list(Option::debug_folders)) {
        for (const std::string_view one : split(some, ':')) {
            if (one.empty()) continue;  // the folder of the file itself, which is looked through anyway
            std::error_code none;
            const std::filesystem::path here = std::filesystem::absolute(one);
            if (one.starts_with('/') || std::filesystem::is_directory(here, none)) folders.push_back(here.string());
            if (!one.starts_with('/')) folders.emplace_back(one);
        }
    }
    return folders;
}

KernelPlaces kernel_places(const Command& command) {
    return {command.text(Option::kernel), debug_folders(command), command.text(Option::traceable)};
}

Result<std::unique_ptr<Kernel>> kernel_asked(const Command& command) {
    if (!command.has(Option::kernel)) {
        if (const auto lacking = lacking_privilege()) return *lacking;
    }
    for (const std::string& folder : debug_folders(command))
        if (std::error_code none; folder.starts_with('/') && !std::filesystem::is_directory(folder, none))
            return Error{fmt::format("--debuginfo: {} is no folder", folder), "", 0};
    return open_kernel(kernel_places(command));
}

bool Pipeline::open_kernel_asked() {
    if (kernel_) return true;
    Result<std::unique_ptr<Kernel>> kernel = kernel_asked(command_);
    if (!kernel) return refuse(kernel.error());
    own_kernel_ = std::move(*kernel);
    kernel_ = own_kernel_.get();
    return true;
}

bool Pipeline::resolve() {
    if (!open_kernel_asked()) return false;
    take_files_of(program_, resolve_options_.traced.process);
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
    ir_ = lt::lower(program_, typed_, source_, diags_);
    if (diags_.has_errors()) return false;
    if (!program_.c_functions.empty() && c_code_.empty())  // however often the rest is compiled
        c_code_ = compile_c_functions(source_, program_, *kernel_, diags_);
    ir_.c_code = c_code_;
    if (command_.has(Option::warnings)) count_by_place(ir_, source_);
    return !diags_.has_errors();
}

bool Pipeline::emit() {
    Result<Emitted> emitted = lt::emit(ir_, source_, emit_options_, diags_);
    if (!emitted) return refuse(emitted.error());
    if (diags_.has_errors()) return false;
    emitted_ = std::move(*emitted);
    ir_.plan.object = std::move(emitted_.object);
    return true;
}

std::string Pipeline::ast_text() const { return ast::dump(program_); }
std::string Pipeline::typed_text() const { return lt::dump(program_, typed_); }
std::string Pipeline::ir_text() const { return ir::dump(ir_); }
std::string Pipeline::plan_text() const { return lt::dump(ir_.plan); }

}  // namespace lt
