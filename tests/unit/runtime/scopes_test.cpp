// The same names in several scopes and files of tests/workload/scopes.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "runtime/border/kernel.h"

namespace lt {
namespace {

class Scopes : public testing::Test {
  protected:
    Scopes() : kernel_(*open_kernel({LT_FAKE_KERNELS "/stock"})) {}

    UserFunction both() { return of_program("both"); }

    UserFunction of_program(const std::string& name) {
        const std::vector<std::string> symbols = kernel_->programs().cpp_functions(path_, name);
        EXPECT_EQ(symbols.size(), 1U);
        return *kernel_->programs().user_function(path_, symbols.at(0));
    }

    // The first member of what an argument leads to.
    std::string first_member(const std::string& function, const std::string& argument) {
        const Result<ProgramScope>& scope = kernel_->programs().program_scope(of_program(function));
        if (!scope) return scope.error().what;
        const auto v = std::ranges::find(scope->variables, argument, &ProgramVariable::name);
        const Type* to = v == scope->variables.end() ? nullptr : pointee(v->type);
        if (to == nullptr) return "no such argument";
        const std::vector<Member> members = kernel_->members(*to);
        return members.empty() ? "nothing" : members[0].name;
    }

    // Where they are after the start of the file; 0: nowhere.
    uint64_t by_debug_information(const std::string& variable, uint64_t code) {
        const auto found = kernel_->programs().program_global(path_, code, variable);
        return found && found->steps.size() == 1 ? code + static_cast<uint64_t>(found->steps[0].number) : 0;
    }
    uint64_t by_symbol(const std::string& variable, uint64_t code) {
        const auto found = kernel_->programs().user_symbol(path_, variable, code);
        return found ? code + static_cast<uint64_t>(found->distance) : 0;
    }

    const std::string path_ = "/bin/scopes";
    std::unique_ptr<Kernel> kernel_;
};

TEST_F(Scopes, TypesThatOnlyDifferInTheirScopeAreTwo) {
    EXPECT_EQ(first_member("both", "one"), "in_left");
    EXPECT_EQ(first_member("both", "two"), "in_right");
}

TEST_F(Scopes, DeclaredTypesAreCompletedInTheirOwnNamespace) {
    EXPECT_EQ(first_member("unknown", "top"), "at_top");
    EXPECT_EQ(first_member("unknown", "nested"), "in_deep");
    EXPECT_EQ(first_member("unknown", "declared"), "declared");
}

TEST_F(Scopes, TypesAreThoseOfTheOwnFile) {
    Programs& programs = kernel_->programs();
    for (const auto& [function, member] :
         {std::pair("both", "of_part_0"), std::pair("use_1", "of_part_1"), std::pair("use_2", "of_part_2")}) {
        const auto type = programs.program_type(path_, of_program(function).offset, "struct Several");
        ASSERT_TRUE(type) << function;
        EXPECT_EQ(kernel_->members(*type).at(0).name, member) << function;
    }
}

TEST_F(Scopes, AStatementCanBeginAfterTheFirstRowOfItsLine) {
    const auto places = kernel_->programs().source_places(path_, {"late_statement", "scopes.cpp", 1000, 1000});
    ASSERT_TRUE(places) << places.error().what;
    ASSERT_EQ(places->size(), 1U);
    EXPECT_EQ(places->front().text, "late_statement@scopes.cpp:1000");
}

TEST_F(Scopes, FunctionsAndInlinedCopiesInNamespacesAreFound) {
    const auto functions = kernel_->programs().source_places("/bin/spaces", {"half", "scopes.cpp", 0, 0});
    ASSERT_TRUE(functions) << functions.error().what;
    EXPECT_EQ(functions->front().text, "half@scopes.cpp");
    const auto copies = kernel_->programs().source_places("/bin/spaces", {"halved", "*", 0, 0, false, true});
    ASSERT_TRUE(copies) << copies.error().what;
    EXPECT_EQ(copies->size(), 1U);
}

TEST_F(Scopes, VariablesOfOtherFilesAreOnlyFoundIfItIsClearWhich) {
    const uint64_t code = both().offset, local_code = of_program("local").offset;
    for (const char* name : {"lonely", "global_or_local"}) {
        EXPECT_NE(by_debug_information(name, code), 0U) << name;
        EXPECT_EQ(by_debug_information(name, code), by_symbol(name, code)) << name;
    }
    EXPECT_EQ(kernel_->programs().program_global(path_, code, "twice")->missing,
              "is local to several source files, and the probe's is not one of them");
    EXPECT_EQ(by_symbol("twice", code), 0U);
    EXPECT_EQ(by_debug_information("own_or_global", code), by_symbol("own_or_global", local_code));
    // the symbol of a global function does not tell which file has it
    EXPECT_NE(by_symbol("own_or_global", code), by_symbol("own_or_global", local_code));
}

}  // namespace
}  // namespace lt
