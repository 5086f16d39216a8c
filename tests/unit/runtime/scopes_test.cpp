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

    UserFunction both() {
        const std::vector<std::string> symbols = kernel_->programs().cpp_functions(path_, "both");
        EXPECT_EQ(symbols.size(), 1U);
        return *kernel_->programs().user_function(path_, symbols.at(0));
    }

    // The first member of what an argument of both() leads to.
    std::string first_member(const std::string& argument) {
        const Result<ProgramScope>& scope = kernel_->programs().program_scope(both());
        if (!scope) return scope.error().what;
        const auto v = std::ranges::find(scope->variables, argument, &ProgramVariable::name);
        const Type* to = v == scope->variables.end() ? nullptr : pointee(v->type);
        if (to == nullptr) return "no such argument";
        const std::vector<Member> members = kernel_->members(*to);
        return members.empty() ? "nothing" : members[0].name;
    }

    const std::string path_ = "/bin/scopes";
    std::unique_ptr<Kernel> kernel_;
};

TEST_F(Scopes, TypesThatOnlyDifferInTheirScopeAreTwo) {
    EXPECT_EQ(first_member("one"), "in_left");
    EXPECT_EQ(first_member("two"), "in_right");
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

}  // namespace
}  // namespace lt
