// Where arguments are at the first instruction of a function of tests/workload/passing.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "runtime/border/kernel.h"

namespace lt {
namespace {

class Passing : public testing::Test {
  protected:
    using Op = LocationStep::Op;

    Passing() : kernel_(*open_kernel({LT_FAKE_KERNELS "/stock"})) {}

    // The argument's location in a few words: "rdi", "rdi rsi", "*rdi" if its address is there, "stack+8", or why there
    // is none.
    std::string place(const std::string& function, const std::string& argument,
                      const std::string& path = "/bin/passing") {
        const std::vector<std::string> symbols = kernel_->programs().cpp_functions(path, "passing::" + function);
        if (symbols.size() != 1) return "no such function";
        const auto found = kernel_->programs().user_function(path, symbols[0]);
        const Result<ProgramScope>& scope = kernel_->programs().program_scope(*found);
        if (!scope) return scope.error().what;
        const auto v = std::ranges::find(scope->variables, argument, &ProgramVariable::name);
        if (v == scope->variables.end()) return "no such argument";
        if (!v->missing.empty()) return v->missing;
        return v->is_value ? registers(*v) : "*" + registers(*v);
    }

    static std::string registers(const ProgramVariable& v) {
        struct Row {
            int64_t offset;  // in struct pt_regs
            const char* name;
        };
        static constexpr Row rows[] = {{112, "rdi"}, {104, "rsi"}, {96, "rdx"}, {88, "rcx"},
                                       {72, "r8"},   {64, "r9"},   {152, "rsp"}};
        std::string out;
        for (const LocationStep& step : v.steps) {
            std::string text = step.op == Op::constant ? std::to_string(step.number) : step.op == Op::add ? "+" : "?";
            for (const Row& row : rows)
                if (step.op == Op::saved && step.number == row.offset) text = row.name;
            out += (out.empty() ? "" : " ") + text;
        }
        return out;
    }

    std::unique_ptr<Kernel> kernel_;
};

TEST_F(Passing, ResultsOfFloatingPointTakeNoGeneralRegister) {
    for (const char* function : {"extended", "complex_number", "quadruple", "vector"}) {
        EXPECT_EQ(place(function, "first"), "rdi") << function;
        EXPECT_EQ(place(function, "second"), "rsi") << function;
    }
}

TEST_F(Passing, RustOnlyKeepsToTheConventionForNumbersAndAddresses) {
    EXPECT_EQ(place("after_pair", "first"), "rdi");
    EXPECT_EQ(place("after_pair", "pair"), "rsi");
    EXPECT_EQ(place("after_pair", "last"), "rdx");
    EXPECT_EQ(place("pair_of", "first"), "rdi");
    const std::string rust = "/bin/passing-rust", refused = "is only described where the function stores it later";
    EXPECT_EQ(place("after_pair", "first", rust), "rdi");
    EXPECT_EQ(place("after_pair", "pair", rust), refused);
    EXPECT_EQ(place("after_pair", "last", rust), refused);
    EXPECT_EQ(place("pair_of", "first", rust), refused);
}

TEST_F(Passing, ValuesWithoutAWordOfTheirOwnHaveAReason) {
    EXPECT_EQ(place("after_empty", "empty"), "is empty, so that nothing is passed");
    EXPECT_EQ(place("after_empty", "last"), "rdi");
    EXPECT_EQ(place("after_padded", "padded"), "is passed without its padding");
    EXPECT_EQ(place("after_padded", "last"), "rsi");
    EXPECT_EQ(place("after_null", "null"), "rdi");
    EXPECT_EQ(place("after_null", "last"), "rsi");
}

TEST_F(Passing, PackedStructuresLieInMemory) {
    EXPECT_EQ(place("after_packed", "packed"), "*rsp 8 +");
    EXPECT_EQ(place("after_packed", "last"), "rdi");
    EXPECT_EQ(place("packed_of", "first"), "rsi");
    EXPECT_EQ(place("after_bits", "bits"), "rdi rsi") << "bit fields are not aligned";
    EXPECT_EQ(place("after_bits", "last"), "rdx");
}

TEST_F(Passing, ADeletedConstructorIsNoneThatTheClassWrote) {
    EXPECT_EQ(place("moved", "given"), "rdi");
    EXPECT_EQ(place("not_copied", "given"), "*rdi");
    EXPECT_EQ(place("not_copied", "last"), "rsi");
}

}  // namespace
}  // namespace lt
