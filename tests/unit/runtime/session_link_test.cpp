// Several files of a pattern, of which some are not linked.
#include "runtime/attach/attach.h"

#include <gtest/gtest.h>

namespace lt {
namespace {

constexpr const char* here = "/proc/self/exe";

// Opened when the file was another one.
Hook of_replaced(std::vector<std::pair<uint64_t, std::string>> functions) {
    Hook hook;
    hook.way = Way::uprobe_multi;
    hook.file = "as it was";
    for (auto& [cookie, name] : functions)
        hook.places.push_back({.program = "p", .cookie = cookie, .site = ProgramSite{here, std::move(name)}});
    return hook;
}

TEST(LinkHooks, PlacesInReplacedFilesAreReported) {
    std::vector<Hook> hooks;
    hooks.push_back(of_replaced({{0, "one"}, {1, "two"}}));
    hooks.push_back(of_replaced({{2, "three"}}));
    std::vector<Skipped> skipped{{1, "two: refused at its return"}};
    EXPECT_FALSE(link_hooks(hooks, skipped));
    EXPECT_TRUE(hooks.empty());
    std::vector<std::string> why;
    for (const Skipped& each : skipped) why.push_back(each.why);
    const std::string replaced = ": /proc/self/exe is another file now, in which functions have other places";
    EXPECT_EQ(why, (std::vector<std::string>{"two: refused at its return", "one" + replaced, "three" + replaced}));
}

}  // namespace
}  // namespace lt
