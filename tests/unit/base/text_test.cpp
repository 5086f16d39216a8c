// Patterns of names.
#include "base/text.h"

#include <fnmatch.h>
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>

namespace lt {
namespace {

TEST(GlobMatch, StarsAndOthers) {
    EXPECT_TRUE(glob_match("vfs_*", "vfs_read"));
    EXPECT_FALSE(glob_match("vfs_*", "do_vfs_read"));
    EXPECT_TRUE(glob_match("*.*", "x.isra.0"));
    EXPECT_FALSE(glob_match("*aba*ab", "aba"));
    EXPECT_FALSE(glob_match("ab*ba", "aba"));
    EXPECT_TRUE(glob_match("vfs_rea?", "vfs_read"));
    EXPECT_TRUE(glob_match("*[rw]*", "vfs_read"));
    EXPECT_TRUE(glob_match("a\\*", "a*"));
    EXPECT_FALSE(glob_match("a\\*", "ab"));
}

// As the C library has it, whatever is compared without it.
TEST(GlobMatch, LikeFnmatch) {
    constexpr std::array letters{'a', 'b', '.', '*', '*'};
    std::mt19937 random(1);
    const auto word = [&](unsigned longest, unsigned kinds) {
        std::string out;
        for (auto left = random() % (longest + 1); left > 0; left--) out += letters[random() % kinds];
        return out;
    };
    for (int turn = 0; turn < 20000; turn++) {
        const std::string pattern = word(7, 5), text = word(9, 3);
        EXPECT_EQ(glob_match(pattern, text), fnmatch(pattern.c_str(), text.c_str(), 0) == 0) << pattern << " " << text;
    }
}

}  // namespace
}  // namespace lt
