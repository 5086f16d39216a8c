// Every row of the tables has an example; each compiles, for a kernel like a stock one, to an object.
#include <gtest/gtest.h>

#include "codegen/compile.h"
#include "parser/parse.h"
#include "runtime/kernel.h"
#include "stdlib/builtins.h"
#include "stdlib/probes.h"

namespace lt {
namespace {

std::string drawn(const Source& source, const Diags& diags) {
    std::string out;
    for (const Diag& d : diags.all()) out += draw(source, d, false);
    return out;
}

void compiles(std::string_view example) {
    SCOPED_TRACE(example);
    Result<std::unique_ptr<Kernel>> kernel = open_kernel({LT_FAKE_KERNELS "/stock"});
    ASSERT_TRUE(kernel) << kernel.error().what;
    const Source source{"example", std::string(example)};
    Diags diags;
    const ast::Program program = parse(source, diags);
    ASSERT_FALSE(diags.has_errors()) << drawn(source, diags);
    ResolveOptions options;
    options.unsafe = true;
    options.one_process = true;  // that watchpoints have memory to watch
    Typed typed = resolve(program, **kernel, options, diags);
    ASSERT_FALSE(diags.has_errors()) << drawn(source, diags);
    check(program, typed, **kernel, diags);
    ASSERT_FALSE(diags.has_errors()) << drawn(source, diags);
    const ir::Program lowered = lower(program, typed, source, diags);
    ASSERT_FALSE(diags.has_errors()) << drawn(source, diags);
    const Result<Emitted> emitted = emit(lowered, source, {}, diags);
    ASSERT_TRUE(emitted) << emitted.error().what;
    EXPECT_FALSE(emitted->object.empty());
    EXPECT_FALSE(lowered.plan.probes.empty());
}

TEST(Examples, OfProbesCompile) {
    for (const ProbeRow& row : probe_rows()) compiles(row.example);
}

TEST(Examples, OfVariablesCompileAndUseTheirRow) {
    for (const VariableRow& row : variable_rows()) {
        compiles(row.example);
        const bool shown = row.example.find(row.name) != std::string_view::npos ||
                           (row.id == Variable::latency && row.example.find("...") != std::string_view::npos);
        EXPECT_TRUE(shown) << row.name << " is not in its example " << row.example;
    }
}

TEST(Examples, OfFunctionsCompileAndUseTheirRow) {
    for (const FunctionRow& row : function_rows()) {
        if (row.id == Function::fail) continue;  // no program with it compiles
        compiles(row.example);
        EXPECT_NE(row.example.find(std::string(row.name) + "("), std::string_view::npos) << row.example;
    }
}

}  // namespace
}  // namespace lt
