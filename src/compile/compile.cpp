#include "compile/compile.h"

#include <array>
#include <utility>

#include "codegen/ir/loss_places.h"
#include "declarations/c_functions.h"

namespace lt {
namespace {

struct Compilation {
    const Source& source;
    Kernel& kernel;
    const CompileOptions& options;
    Diags& diags;
    Compiled out;
};

void resolve_probes(Compilation& c) { c.out.typed = resolve(c.out.program, c.kernel, c.options.resolve, c.diags); }

// The types and constants that the script declares in C.
void declare(Compilation& c) {
    if (!c.options.reads_c || !has_declarations(c.out.program, c.options.headers)) return;
    if (!c.out.declarations) {
        CDeclarations read = read_declarations(c.source, c.out.program, c.options.headers, c.kernel, c.diags);
        if (c.diags.has_errors()) return;
        c.kernel.declare(std::move(read.declared));
        if (c.options.warns_of_types) {
            for (const auto& [span, header] : read.absent)
                c.diags.warning(span, header + " is not installed; using the types that this kernel describes");
        }
        c.out.declarations = std::move(read);
    }
    place_macros(c.out.program, *c.out.declarations);
}

void check_program(Compilation& c) {
    declare(c);
    if (!c.diags.has_errors()) check(c.out.program, c.out.typed, c.kernel, c.diags);
}

void lower_program(Compilation& c) {
    Lowered lowered = lower(c.out.program, c.out.typed, c.source, c.diags);
    c.out.plan = std::move(lowered.plan);
    c.out.ir = std::move(lowered.program);
    if (c.diags.has_errors()) return;
    if (c.options.reads_c && !c.out.program.c_functions.empty() && c.out.c_code.empty())
        c.out.c_code = compile_c_functions(c.source, c.out.program, c.kernel, c.diags);
    c.out.ir.c_code = c.out.c_code;
    if (c.options.counts_by_place) count_by_place(c.out.ir, c.out.plan.losses, c.source);
}

void emit_program(Compilation& c) {
    Result<Emitted> emitted = emit(c.out.ir, c.out.plan, c.source, c.options.emit, c.diags);
    if (!emitted) c.diags.error({}, emitted.error().what).hint = emitted.error().hint;
    if (c.diags.has_errors()) return;
    c.out.emitted = *std::move(emitted);
    c.out.plan.object = std::move(c.out.emitted.object);
}

struct Step {
    Stage stage;
    void (*work)(Compilation& c);
};
constexpr std::array steps{Step{Stage::resolve, resolve_probes}, Step{Stage::check, check_program},
                           Step{Stage::lower, lower_program}, Step{Stage::emit, emit_program}};

}  // namespace

ast::Program read_program(Source& source, const CompileOptions& options, Diags& diags) {
    load_imports(source, diags, options.given.positional, options.headers.folders);
    return parse(source, diags, options.given);
}

Compiled compile(const Source& source, Compiled from, Kernel& kernel, const CompileOptions& options, Diags& diags) {
    Compiled begun{.program = std::move(from.program),
                   .declarations = std::move(from.declarations),
                   .c_code = std::move(from.c_code)};
    Compilation c{source, kernel, options, diags, std::move(begun)};
    for (const Step& step : steps) {
        if (step.stage > options.last || diags.has_errors()) break;
        const auto work = [&] { return step.work(c), !diags.has_errors(); };
        if (!(options.around ? options.around(step.stage, c.out, work) : work())) break;
    }
    return std::move(c.out);
}

Compiled compile(Source& source, Kernel& kernel, const CompileOptions& options, Diags& diags) {
    return compile(source, {.program = read_program(source, options, diags)}, kernel, options, diags);
}

}  // namespace lt
