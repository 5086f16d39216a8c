// One run of lt from text to results. The stages stand in one table; --dump, --stop-after and --time are driven by it.
#pragma once

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diag.h"
#include "child.h"
#include "codegen/compile.h"
#include "command.h"
#include "control.h"
#include "declarations/c_functions.h"
#include "declarations/read.h"
#include "live_view.h"
#include "output.h"
#include "report.h"
#include "runtime/saved_plan.h"
#include "runtime/session.h"
#include "script_input.h"
#include "trace.h"

namespace lt {

// What a run shares with others in one process: the console's. It outlives them.
struct Shared {
    Kernel* kernel = nullptr;  // null: the run opens its own
    Sink* sink = nullptr;      // null: results go where the command line says
    std::FILE* messages = stderr;
    bool alone = true;  // else signals, announcements and the control socket are not the run's affair
};

// The running one, if this process may trace, or that of --kernel.
Result<std::unique_ptr<Kernel>> kernel_asked(const Command& command);
KernelPlaces kernel_places(const Command& command);
std::vector<std::string> debug_folders(const Command& command);  // of --debuginfo, absolute

class Pipeline {
  public:
    Pipeline(const Command& command, Source source, Shared shared = {});
    // One that was compiled before: it begins at the stage `fit`.
    Pipeline(const Command& command, SavedPlan saved, Shared shared = {});
    ~Pipeline();
    int run();  // the exit status
    // A run in parts: everything up to where every probe is attached; then the session is turned by somebody else; then
    // what there is to tell at the end. False with diagnostics drawn.
    bool start();
    bool end(Ended how);
    const Plan& plan() const { return ir_.plan; }
    Session& session() { return *session_; }
    size_t places() const;    // that are traced
    size_t attached() const;  // probes, as bpftrace counts them
    int tell();               // compiles, and prints what would be attached
    int help();               // prints the script's parameters
    int list();               // prints the places of the script's probes

    bool parse();
    bool resolve();
    bool check();
    bool lower();
    bool emit();
    bool fit();
    bool load();
    bool attach();
    bool collect();

    std::string ast_text() const;
    std::string typed_text() const;
    std::string ir_text() const;
    std::string llvm_text() const { return emitted_.llvm; }
    std::string assembly_text() const { return emitted_.assembly; }
    std::string plan_text() const;

  private:
    bool options_fit();
    bool stages_fit();
    bool open_kernel_asked();
    int params_help() const;
    bool save();
    bool write_files();
    bool write_object();
    std::vector<Plan> by_each_way();
    bool compile_with(const std::vector<RuledOut>& ruled_out);
    bool can_be_saved(Plan& plan);
    bool set_saved_params();
    bool set_max_keys();
    bool set_max_overhead();
    OverheadOptions overhead();
    std::FILE* messages() const;
    bool asks_for_command() const;
    bool start_command();
    bool declare();
    bool set_process();
    bool set_limits();
    bool open_output();
    bool watch_process();
    void tell_wait(Ended how);
    bool begin();
    bool run_stages();
    bool work(bool (Pipeline::*stage)(), std::string_view doing);
    bool shows_progress() const;
    bool compile_again(const std::vector<Refusal>& refusals);
    void draw_diags();
    bool params_fit();
    void listen();
    bool release_child();
    size_t own_probes() const;
    size_t planned_places() const;
    void tell_ways();
    void tell_skipped();
    void tell_end();
    bool refuse(const Error& error);

    const Command& command_;
    Source source_;
    const Shared shared_;
    Diags diags_;
    size_t drawn_ = 0;
    ast::Program program_;
    std::unique_ptr<Kernel> own_kernel_;
    Kernel* kernel_ = nullptr;
    ResolveOptions resolve_options_;
    Typed typed_;
    std::optional<CDeclarations> declarations_;
    std::vector<uint8_t> c_code_;  // of the functions in C
    ir::Program ir_;
    std::optional<SavedPlan> saved_;
    std::vector<RuledOut> refused_;  // of a saved plan: ways that the kernel did not take
    EmitOptions emit_options_;
    Emitted emitted_;
    std::string last_stage_;
    int exit_status_ = 0;
    uint64_t most_results_ = 0;           // 0: no limit
    uint64_t duration_ns_ = 0;            // 0: no limit
    std::optional<double> max_overhead_;  // of all CPUs' time
    std::unique_ptr<LiveView> live_;      // of --live
    std::unique_ptr<Output> output_;
    std::unique_ptr<Session> session_;
    std::unique_ptr<Child> child_;
    int process_ = -1;  // a descriptor of that of -p
    std::unique_ptr<Trace> trace_;
    std::unique_ptr<Traces> traces_;
    std::unique_ptr<Control> control_;
    std::unique_ptr<ScriptInput> input_;
    std::vector<Timing> timings_;
};

}  // namespace lt
