// The cache of plans: the second run of a script is not compiled.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "driver/cache/kept_plan.h"
#include "driver/cache/run_key.h"
#include "driver/pipeline/plan_compiler.h"
#include "driver/run/saved.h"
#include "runtime/os/file_state.h"
#include "runtime/os/timestamps.h"

namespace lt {
namespace {

// They show what the compiler does, or read files that the key does not know.
constexpr std::array compiling{Option::no_cache,  Option::verbose,     Option::dump,           Option::emit_elf,
                               Option::kernel,    Option::from,        Option::header_folders, Option::headers,
                               Option::traceable, Option::for_kernels, Option::debug_folders};

constexpr size_t longest_text = 1 << 20;

// A file that changes while it is read may get its new times before or after that.
constexpr int64_t settles_ns = 2'000'000'000;

bool still_holds(const KeptPlan& kept) {
    return std::ranges::all_of(kept.files, [](const auto& file) {
        const auto state = file_state(file.first);
        return (state ? state->text : "") == file.second;
    });
}

bool still_found(const KeptPlan& kept, Machine& machine) {
    return std::ranges::all_of(kept.names, [&](const auto& name) {
        const Result<std::string> path = machine.binary(name.first);
        return path && *path == name.second;
    });
}

// Not if another file has taken its place: the path may lead through a link that was changed.
bool add_file(KeptPlan& kept, const std::string& path, const std::string& before, int64_t began) {
    const auto state = file_state(path);
    if (!state || state->text != before || state->changed > began - settles_ns) return false;
    kept.files.emplace(path, state->text);
    return true;
}

// Where a package with debug information puts that of a program: with it there may be more functions and places.
bool add_debug_file(KeptPlan& kept, Programs& programs, const std::string& program, int64_t began) {
    const Result<std::string> build = programs.build(program);
    if (!build || build->size() < 3) return true;
    const std::string path = fmt::format("/usr/lib/debug/.build-id/{}/{}.debug", build->substr(0, 2), build->substr(2));
    if (const auto state = file_state(path)) return add_file(kept, path, state->text, began);
    kept.files.emplace(path, "");
    return true;
}

// The number of a loaded program of BPF stands for another one later.
bool names_bpf_program(const Plan& plan) {
    return std::ranges::any_of(plan.probes, [](const PlannedProbe& probe) {
        return std::ranges::any_of(probe.rungs, [](const Rung& rung) {
            return std::ranges::any_of(rung.attachments, [](const Attachment& a) {
                const auto* site = std::get_if<KernelSite>(&a.site);
                return site != nullptr && bpf_function(site->function);
            });
        });
    });
}

}  // namespace

bool PlanCompiler::may_keep(const Job& job) const {
    const Command& command = job.command;
    if (amend_ || recording_ || !job.run || !job.shared.alone || job.shared.kernel || is_saving(command)) return false;
    if (job.stages.last() < Stage::load || grammar_of(job.source.spoken()) != Grammar::lt) return false;
    if (job.source.text.size() > longest_text) return false;
    return std::ranges::none_of(compiling, [&](Option option) { return command.has(option); }) &&
           std::ranges::none_of(command.options,
                                [](const auto& given) { return option_row(given.first).phase == Phase::bound; });
}

bool PlanCompiler::take_kept(Job& job) {
    if (!may_keep(job)) return false;
    std::optional<PlanCache> cache = PlanCache::open();
    if (!cache) return false;
    const Keeping& keeping = keeping_.emplace(*std::move(cache), run_key(job.command, job.source), unix_now());
    const std::optional<std::string> bytes = keeping.cache.find(keeping.key);
    std::optional<KeptPlan> kept = bytes ? kept_plan(*bytes, LT_VERSION) : std::nullopt;
    if (!kept || !still_holds(*kept)) return false;
    job.run->prepare(kept->saved.plans.front());
    Diags said = std::exchange(job.diags, {});
    is_kept_ = job.stages.pass(Stage::fit, planned_places(kept->saved.plans.front()), [&] {
        if (!open_chosen_kernel(job) || !still_found(*kept, job.kernel->machine())) return false;
        job.plan = std::move(kept->saved.plans.front());
        return static_cast<bool>(fit(job.plan, kept->saved, 0, *job.kernel, KernelTypes::same));
    });
    job.diags = std::move(said);
    if (!is_kept_) return false;
    as_given_ = std::exchange(job.source, std::move(kept->saved.source));
    job.diags.take(std::move(kept->diags));
    return true;
}

// The kernel refused a way of the kept plan.
bool PlanCompiler::read_again(Job& job) {
    is_kept_ = false;
    job.source = as_given_;
    job.diags = {};
    return read_script(job);
}

void PlanCompiler::note_imports(const Source& source) {
    if (!keeping_) return;
    for (const Source::Part& part : source.parts)
        if (!part.is_library) keeping_->imports.emplace(part.name, file_state(part.name).value_or(FileState{}).text);
}

void PlanCompiler::keep(Job& job) const {
    if (!keeping_ || is_kept_ || job.has_c || job.diags.has_errors() || names_bpf_program(job.plan)) return;
    if (reads_files(compiled_.program)) return;
    const Machine::Asked asked = job.kernel->machine().asked();
    if (asked.changing) return;
    KeptPlan kept{.names = asked.files, .diags = job.diags, .saved = to_save(job)};
    kept.saved.plans = {job.plan};
    kept.saved.releases = {job.kernel->release()};
    const Diags said = job.diags;
    const bool can_be = can_be_saved(job, kept.saved.plans.front());  // reads the build of each program once more
    job.diags = said;
    if (!can_be) return;
    for (const auto& [path, before] : asked.states)
        if (!add_file(kept, path, before, keeping_->began) ||
            !add_debug_file(kept, job.kernel->programs(), path, keeping_->began))
            return;
    for (const auto& [path, before] : keeping_->imports)
        if (!add_file(kept, path, before, keeping_->began)) return;
    if (const std::optional<std::string> bytes = to_bytes(kept)) keeping_->cache.keep(keeping_->key, *bytes);
}

}  // namespace lt
