// Makes a job's plan of a script: reads it, finds what its probes name, and compiles it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compile/compile.h"
#include "driver/cache/plan_cache.h"
#include "driver/run/job.h"
#include "recording/recording.h"
#include "runtime/plan/saved_plan.h"

namespace lt {

// The plans of one kernel, best first.
struct KernelPlans {
    std::string release;
    std::vector<Plan> plans;
};

class PlanCompiler final : public PlanMaker {
  public:
    // Changes a program once it is read, before it is compiled.
    using Amend = std::function<void(ast::Program&)>;
    explicit PlanCompiler(Amend amend = {}) : amend_(std::move(amend)) {}

    bool fits_saved() const override { return false; }
    Status read_recording(const Job& job, RunSettings& settings) override;  // --from
    bool read_options(Job& job, const RunSettings& settings) override;
    Status suits(const Job& job) const override;
    // Takes the plan from the cache, if this script ran before and nothing has changed since.
    bool make(Job& job) override;
    bool make_again(Job& job, const std::vector<RuledOut>& refused) override;
    // --save and --aot. Compiles the script once for each way in which a kernel may attach it. Without them, keeps the
    // plan in the cache.
    bool save(Job& job) override;
    bool find_places(Job& job, std::vector<std::string>& places) override;
    bool describe(Job& job, const std::string& place) override;
    int print_help(Job& job) override;
    const ast::Program& program() const { return compiled_.program; }  // of the script, once it is read

  private:
    bool make_anew(Job& job);
    bool read_again(Job& job);       // for a plan from the cache
    bool read_script(Job& job);      // the stage parse
    bool open_for_script(Job& job);  // opens the kernel, and finds the files that hold the probes
    // The stages from resolve on, for a script that was read. The plan is the job's then.
    bool compile_script(Job& job, Stage last = Stage::emit);
    bool compile_without(Job& job, const std::vector<RuledOut>& ruled_out);
    // The compiled plan comes first; then plans for kernels that lack the ways of those before.
    std::vector<Plan> plans_by_way(Job& job);
    bool add_plans(Job& job, std::vector<KernelPlans>& all);
    bool add_plans_for(Job& job, const std::string& folder, std::vector<KernelPlans>& all);
    bool can_be_saved(Job& job, Plan& plan) const;
    SavedPlan to_save(const Job& job) const;  // without plans

    // The cache (keep.cpp).
    bool may_keep(const Job& job) const;
    bool take_kept(Job& job);
    void note_imports(const Source& source);
    void keep(Job& job) const;

    const Amend amend_;
    std::optional<Recording> recording_;  // of --from: what the script reads instead of the kernel
    CompileOptions options_;
    Source as_given_;    // the script's text, before what it imports is added
    Diags read_diags_;   // diagnostics of reading the script, which hold however often it is compiled
    Compiled compiled_;  // without the plan, which the job has
    // Of a run whose plan is to be kept.
    struct Keeping {
        PlanCache cache;
        std::string key;
        int64_t began = 0;                                // nanoseconds since 1970
        std::map<std::string, std::string> imports = {};  // by path: FileState::text when they had been read
    };
    std::optional<Keeping> keeping_;
    bool is_kept_ = false;  // the job's plan is from the cache: nothing was compiled
};

// A job on a script. The command outlives it.
Job script_job(const Command& command, Source source, const Shared& shared = {});

// `lt build`, --for: the first of the kernels takes the place of the running one.
Status take_kernels(Command& command);

}  // namespace lt
