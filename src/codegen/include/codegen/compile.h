// The compiler's stages after the parser, in the order in which they run. Each takes the border before it and gives the
// next one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/diag.h"
#include "base/result.h"
#include "codegen/ir.h"
#include "codegen/typed.h"
#include "parser/ast.h"
#include "runtime/kernel.h"
#include "runtime/plan.h"

namespace lt {

// A way that was tried and refused, or that the user ruled out: the next compilation leaves it out and says why.
struct RuledOut {
    std::string function;  // empty: every function
    Way way = Way::run;
    std::string why;
};

// A parameter's value as given on the command line.
struct ParamSetting {
    std::string name;
    std::string text;
};

struct ResolveOptions {
    std::vector<RuledOut> ruled_out;
    std::vector<ParamSetting> params;
    bool unsafe = false;               // may it change what is traced, and run commands?
    bool only_listed = false;          // are no functions of the kernel but those in the list given to be traced?
    Traced traced;                     // whose events are collected
    bool one_process = false;          // is there one whose memory can be watched?
    bool accounts = false;             // is the account of spans asked for at the end?
    bool timestamps = false;           // is it to be printed when things happened?
    bool sampled = false;              // may the session have events left out?
    std::optional<uint32_t> max_keys;  // of each map and span that has keys; see Typed
};

// Finds every probe's place, and reads the parameters. From here every probe names one existing place and knows the
// ways there.
Typed resolve(const ast::Program& program, Kernel& kernel, const ResolveOptions& options, Diags& diags);

// Gives every expression its type and every map its layout. Call only when resolve() found no errors.
void check(const ast::Program& program, Typed& typed, Kernel& kernel, Diags& diags);

// The bytes of a parameter's value from its text: "50ms", "7", any text for a string. The error says what is wanted.
Result<std::vector<uint8_t>> param_bytes(const std::string& name, const Type& type, std::string_view text);

// To IR and plan; only diagnoses what does not fit into BPF. The text tells where an error of the run was raised.
ir::Program lower(const ast::Program& program, const Typed& typed, const Source& source, Diags& diags);

// What the emitter makes; LLVM stays behind this border.
struct Emitted {
    std::vector<uint8_t> object;  // ELF
    std::string llvm;             // the module's text, where asked for
    std::string assembly;         // BPF assembly, where asked for
};
struct EmitOptions {
    bool llvm_text = false;
    bool assembly_text = false;
};
// What of the script's C the kernel could not run is told in `diags`; the result then holds nothing.
Result<Emitted> emit(const ir::Program& program, const Source& source, const EmitOptions& options, Diags& diags);

}  // namespace lt
