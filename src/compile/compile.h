// The one way from a script's text to a plan. Runs, `lt check`, `lt -l`, `lt port`, the console, the machine tests and
// the fuzzer all use it; they differ in their options and in the stage after which they stop.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/diag.h"
#include "base/stage.h"
#include "codegen/compile.h"
#include "declarations/read.h"
#include "parser/parse.h"

namespace lt {

// The result of each stage, up to the last one that ran.
struct Compiled {
    ast::Program program = {};                       // with the values of C macros in place of their names
    std::optional<CDeclarations> declarations = {};  // empty: the script has no C
    std::vector<uint8_t> c_code = {};                // of the functions in C
    Typed typed = {};
    ir::Program ir = {};
    Plan plan = {};  // complete after `emit`
    Emitted emitted = {};
};

// Runs a stage and returns its result. A caller can time it, show progress, or print the result.
using Around = std::function<bool(Stage stage, const Compiled& compiled, const std::function<bool()>& work)>;

struct CompileOptions {
    Invocation given = {};
    HeaderOptions headers = {};
    ResolveOptions resolve = {};
    EmitOptions emit = {};
    bool reads_c = true;          // the fuzzer skips the work of libclang
    bool warns_of_types = false;  // the note about kernel types that replace headers that are not installed
    bool counts_by_place = false;
    Stage last = Stage::emit;
    Around around = {};
};

// The first stage: parses the text and everything it imports.
ast::Program read_program(Source& source, const CompileOptions& options, Diags& diags);

// The remaining stages, up to the last one or the first that has errors. The script's C is only read if `from` does not
// have it yet, so a script can be compiled again with other options.
Compiled compile(const Source& source, Compiled from, Kernel& kernel, const CompileOptions& options, Diags& diags);

// All stages.
Compiled compile(Source& source, Kernel& kernel, const CompileOptions& options, Diags& diags);

}  // namespace lt
