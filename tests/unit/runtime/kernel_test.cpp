// The whole interface against the fake kernels that the build makes (LT_FAKE_KERNELS), and what of
// it holds on every running kernel.
#include "runtime/border/kernel.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "runtime/kernel/feature_tests.h"

namespace lt {
namespace {

class KernelTest : public testing::Test {
  protected:
    void SetUp() override {
        stock_ = opened(LT_FAKE_KERNELS "/stock");
        restricted_ = opened(LT_FAKE_KERNELS "/restricted");
    }
    static std::unique_ptr<Kernel> opened(const std::string& root) {
        Result<std::unique_ptr<Kernel>> kernel = open_kernel({root});
        EXPECT_TRUE(kernel) << kernel.error().what;
        return *std::move(kernel);
    }
    std::unique_ptr<Kernel> stock_, restricted_;
};

TEST_F(KernelTest, Functions) {
    const auto copy = stock_->function("_copy_to_user");
    ASSERT_TRUE(copy);
    EXPECT_TRUE(copy->in_btf);
    EXPECT_EQ(copy->parameters.size(), 3u);
    EXPECT_EQ(stock_->traceable("_copy_to_user"), false);
    EXPECT_EQ(stock_->traceable("vfs_read"), true);
    EXPECT_FALSE(stock_->blacklisted("_copy_to_user"));
    EXPECT_TRUE(stock_->blacklisted("do_user_addr_fault"));
    EXPECT_TRUE(stock_->function("state_show"));
    EXPECT_FALSE(stock_->function("copy_to_user"));
    EXPECT_FALSE(stock_->function("jiffies"));
}

TEST_F(KernelTest, FunctionsOfModules) {
    const auto read = stock_->function("ext4_file_read_iter");
    ASSERT_TRUE(read);
    EXPECT_EQ(read->module, "ext4");
    EXPECT_FALSE(read->in_btf);
    EXPECT_EQ(stock_->traceable("ext4_file_read_iter"), true);
    EXPECT_TRUE(stock_->function("ext4_file_read_iter", "ext4"));
    EXPECT_FALSE(stock_->function("ext4_file_read_iter", "xfs"));
}

TEST_F(KernelTest, FunctionsOfOneName) {
    EXPECT_TRUE(stock_->ambiguous("state_show"));
    EXPECT_EQ(stock_->named_code("state_show").size(), 2u);
    EXPECT_FALSE(stock_->ambiguous("vfs_read"));
    EXPECT_TRUE(stock_->named_code("no_such").empty());
    const std::vector<NamedCode> sync = stock_->named_code("ext4_sync_file");
    ASSERT_EQ(sync.size(), 1u);
    EXPECT_EQ(sync.front().module, "ext4");
    EXPECT_EQ(sync.front().size, 0x280u) << "up to the next symbol";
}

TEST_F(KernelTest, WhereTheListOfFunctionsIsHidden) {
    EXPECT_EQ(restricted_->traceable("vfs_read"), std::nullopt);
    EXPECT_FALSE(restricted_->can(Feature::kprobe).yes);
    EXPECT_EQ(restricted_->can(Feature::fentry).why, "the kernel refuses BPF trampolines even to root");
    EXPECT_TRUE(stock_->can(Feature::fentry).yes);
    EXPECT_EQ(stock_->release(), "6.12.0-test");
}

TEST_F(KernelTest, Tracepoints) {
    Result<Tracepoint> point = stock_->tracepoint("sched", "sched_switch");
    ASSERT_TRUE(point);
    EXPECT_EQ(point->id, 312u);
    EXPECT_EQ(point->fields.size(), 7u);
    EXPECT_EQ(stock_->tracepoint("sched", "nope").error().what, "no tracepoint sched:nope");
    EXPECT_FALSE(stock_->tracepoint("..", "events/sched"));
    EXPECT_EQ(stock_->tracepoints("block", "*"),
              (std::vector<std::string>{"block:block_rq_complete", "block:block_rq_issue"}));
    EXPECT_EQ(stock_->tracepoints("sys*", "sys_exit_r*"), std::vector<std::string>{"syscalls:sys_exit_read"});
}

TEST_F(KernelTest, Programs) {
    EXPECT_EQ(*stock_->machine().binary("program"), "/bin/program");
    EXPECT_EQ(*stock_->machine().binary("/bin/program"), "/bin/program");
    EXPECT_FALSE(stock_->machine().binary("sh"));
    EXPECT_EQ(stock_->programs().user_function("/bin/program", "main")->offset, 0x1400u);
    EXPECT_EQ(stock_->programs().user_functions("/bin/program", "h*"), std::vector<std::string>{"handle_request"});
    EXPECT_TRUE(stock_->programs().user_functions("/bin/absent", "*").empty());
}

TEST(Features, AsText) {
    Result<std::vector<Answer>> answers = parse_features("btf: yes\nkprobe: no (was (not) built)\n  uprobe:  no  \n");
    ASSERT_TRUE(answers);
    EXPECT_TRUE((*answers)[static_cast<size_t>(Feature::btf)].yes);
    EXPECT_EQ((*answers)[static_cast<size_t>(Feature::kprobe)].why, "was (not) built");
    EXPECT_FALSE((*answers)[static_cast<size_t>(Feature::uprobe)].yes);
    EXPECT_FALSE((*answers)[static_cast<size_t>(Feature::fentry)].yes) << "no line, no feature";
    for (const char* bad : {"fly: yes", "btf", "btf:", "btf: maybe", "btf: no (", "btf: no why"}) {
        EXPECT_FALSE(parse_features(bad)) << bad;
    }
}

TEST(RunningKernel, EveryAnswerHasAReasonAndStays) {
    Result<std::unique_ptr<Kernel>> kernel = open_kernel({});
    ASSERT_TRUE(kernel);
    EXPECT_NE((*kernel)->release(), "");
    for (size_t i = 0; i <= static_cast<size_t>(Feature::bpf_loop); i++) {
        const auto feature = static_cast<Feature>(i);
        const Answer answer = (*kernel)->can(feature);
        EXPECT_EQ(answer.yes, answer.why.empty()) << feature_name(feature);
        EXPECT_EQ(answer.why, (*kernel)->can(feature).why);
    }
}

TEST(OpenKernel, AFolderThatIsNone) {
    Result<std::unique_ptr<Kernel>> kernel = open_kernel({"/nowhere"});
    ASSERT_FALSE(kernel);
    EXPECT_EQ(kernel.error().what, "a kernel's folder: /nowhere/release: open: No such file or directory");
}

}  // namespace
}  // namespace lt
