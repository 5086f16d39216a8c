// One run of lt from text to results. The stages stand in one table; --dump, --stop-after and --time are driven by it.
#pragma once

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
#include "declarations/read.h"
#include "output.h"
#include "report.h"
#include "runtime/session.h"

namespace lt {

class Pipeline {
  public:
    Pipeline(const Command& command, Source source);
    ~Pipeline();
    int run();   // the exit status
    int tell();  // compiles, and prints what would be attached
    int help();  // prints the script's parameters
    int list();  // prints the places of the script's probes

    bool parse();
    bool resolve();
    bool check();
    bool lower();
    bool emit();
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
    bool set_max_keys();
    bool declare();
    bool set_process();
    bool watch_process();
    bool run_stages();
    bool compile_again(const std::vector<Refusal>& refusals);
    void draw_diags();
    bool params_fit();
    bool listen();
    Status set(std::string_view setting);
    bool release_child();
    size_t own_probes() const;
    void tell_ways();
    void tell_skipped();
    void tell_end();
    bool refuse(const Error& error);

    const Command& command_;
    Source source_;
    Diags diags_;
    size_t drawn_ = 0;
    ast::Program program_;
    std::unique_ptr<Kernel> kernel_;
    ResolveOptions resolve_options_;
    Typed typed_;
    std::optional<CDeclarations> declarations_;
    ir::Program ir_;
    EmitOptions emit_options_;
    Emitted emitted_;
    std::string last_stage_;
    int exit_status_ = 0;
    bool announced_ = false;
    std::unique_ptr<Output> output_;
    std::unique_ptr<Session> session_;
    std::unique_ptr<Child> child_;
    int process_ = -1;  // a descriptor of that of -p
    std::unique_ptr<Control> control_;
    std::vector<Timing> timings_;
};

}  // namespace lt
