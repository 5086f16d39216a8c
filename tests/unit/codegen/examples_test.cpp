// Every row of the tables has an example; each compiles, for a kernel like a stock one, to an object.
#include <gtest/gtest.h>

#include "compile/compile.h"
#include "runtime/border/kernel.h"
#include "stdlib/functions/builtins.h"
#include "stdlib/functions/topics.h"
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
    Source source{"example", std::string(example)};
    Diags diags;
    CompileOptions options;
    options.resolve.unsafe = true;
    options.resolve.one_process = true;  // that watchpoints have memory to watch
    const Compiled compiled = compile(source, **kernel, options, diags);
    ASSERT_FALSE(diags.has_errors()) << drawn(source, diags);
    EXPECT_FALSE(compiled.plan.object.empty());
    EXPECT_FALSE(compiled.plan.probes.empty());
}

// They are found by their number.
TEST(Rows, OfFunctionsAndProbesStandInTheOrderOfTheirEnumerators) {
    for (size_t i = 0; i < function_rows().size(); i++)
        EXPECT_EQ(static_cast<size_t>(function_rows()[i].id), i) << function_rows()[i].name;
    for (size_t i = 0; i < probe_rows().size(); i++)
        EXPECT_EQ(static_cast<size_t>(probe_rows()[i].kind), i) << probe_rows()[i].name;
}

TEST(Examples, OfProbesCompile) {
    for (const ProbeRow& row : probe_rows()) compiles(row.example);
}

TEST(Examples, OfTopicsCompile) {
    for (const TopicRow& row : topic_rows()) compiles(row.example);
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
