// Patterns against the standard library's, on all short texts and on random ones.
#include "base/matcher.h"

#include <fnmatch.h>
#include <gtest/gtest.h>

#include <random>
#include <regex>
#include <string>

namespace lt {
namespace {

std::string random_text(std::mt19937& random, std::string_view letters, size_t most) {
    std::string text;
    for (size_t n = random() % (most + 1); n > 0; n--) text += letters[random() % letters.size()];
    return text;
}

TEST(Matcher, AgreesWithTheLibraryOnRegularExpressions) {
    const std::regex_constants::syntax_option_type kind = std::regex::extended;
    for (const char* pattern : {"a",        "^a",           "a$",        "^$",       "^ab*c$",      "a|b|^c",
                                "(ab|ba)+", "a{2}",         "a{2,}b",    "^a{0,2}$", "[^ab]",       "[a-b]c?",
                                "b.b",      "(a|)b",        "((a*)*)*b", "a+b+c+$",  "^(a|b)*abb$", "[[:alpha:]]{3}",
                                "\\.",      "c(a|b){1,3}c", "",          "()",       "x*"}) {
        const auto matcher = regex_matcher(pattern);
        ASSERT_TRUE(matcher) << pattern << ": " << matcher.error().what;
        const std::regex known(pattern, kind);
        std::mt19937 random(7);
        for (int i = 0; i < 500; i++) {
            const std::string text = random_text(random, "abc.", 7);
            ASSERT_EQ(matches(*matcher, text), std::regex_search(text, known)) << pattern << " in " << text;
        }
    }
}

TEST(Matcher, AgreesWithTheLibraryOnRandomPatterns) {
    std::mt19937 random(11);
    int compared = 0;
    for (int i = 0; i < 3000; i++) {
        const std::string pattern = random_text(random, "ab()|*+?.^$[]", 8);
        const auto matcher = regex_matcher(pattern);
        // The library takes some anchors and empty parts for plain characters.
        if (!matcher || pattern.find_first_of("^$") != pattern.npos) continue;
        std::regex known;
        try {
            known.assign(pattern, std::regex::extended);
        } catch (const std::regex_error&) {
            continue;
        }
        compared++;
        for (int k = 0; k < 20; k++) {
            const std::string text = random_text(random, "ab", 6);
            ASSERT_EQ(matches(*matcher, text), std::regex_search(text, known)) << pattern << " in " << text;
        }
    }
    EXPECT_GT(compared, 300);
}

// As many turns as the numbers' product would never end.
TEST(Matcher, RepeatsAnEmptyPartOnce) {
    for (const char* pattern : {"(){255}{255}{255}{255}{255}{255}", "a(|){255}{255}{255}{255}",
                                "(){0,255}{0,255}{0,255}{0,255}", "((){255}){255,}{255}{255}{255}"}) {
        const auto matcher = regex_matcher(pattern);
        if (!matcher) continue;  // too large, which is soon found
        EXPECT_TRUE(matches(*matcher, "a")) << pattern;
    }
    const auto empty = regex_matcher("^(){255}{255}{255}{255}{255}{255}b$");
    ASSERT_TRUE(empty) << empty.error().what;
    EXPECT_TRUE(matches(*empty, "b"));
    EXPECT_FALSE(matches(*empty, "ab"));
}

TEST(Matcher, AgreesWithTheLibraryOnNamesOfFiles) {
    std::mt19937 random(3);
    for (int i = 0; i < 3000; i++) {
        const std::string pattern = random_text(random, "ab*?[!]-\\", 7);
        const auto matcher = glob_matcher(pattern);
        if (!matcher || pattern.find('[') != pattern.npos) continue;
        for (int k = 0; k < 20; k++) {
            const std::string text = random_text(random, "ab*", 6);
            ASSERT_EQ(matches(*matcher, text), fnmatch(pattern.c_str(), text.c_str(), 0) == 0)
                << pattern << " " << text;
        }
    }
    for (const char* pattern : {"*.so*", "[a-c]*", "[!a]?", "lib*[0-9].so", "\\*", "[]a]", "[a-]"}) {
        const auto matcher = glob_matcher(pattern);
        ASSERT_TRUE(matcher) << pattern;
        for (const char* text : {"", "a", "libc.so", "libc6.so", "libc.so.6", "*", "]", "-", "bb", "ab"})
            EXPECT_EQ(matches(*matcher, text), fnmatch(pattern, text, 0) == 0) << pattern << " " << text;
    }
}

TEST(Matcher, RefusesWhatIsWrong) {
    EXPECT_EQ(regex_matcher("a(b").error().what, "a `(` without a `)`");
    EXPECT_EQ(regex_matcher("a)b").error().what, "a `)` without a `(` before it");
    EXPECT_EQ(regex_matcher("[a").error().what, "a `[` without a `]`");
    EXPECT_EQ(regex_matcher("[[:x:]]").error().what.substr(0, 17), "`[: :]` takes one");
    EXPECT_EQ(regex_matcher("*a").error().what, "a `*` with nothing before it to repeat");
    EXPECT_EQ(regex_matcher("a\\").error().what, "a `\\` with nothing after it");
    EXPECT_EQ(regex_matcher("[b-a]").error().what, "a range in brackets that ends before it begins");
    EXPECT_FALSE(regex_matcher("a{3,2}"));
    EXPECT_FALSE(regex_matcher("a{"));
    EXPECT_FALSE(regex_matcher("(a{255}){255}"));
    EXPECT_FALSE(regex_matcher("(a|b)*a(a|b){12}"));  // 2^12 states
    EXPECT_FALSE(regex_matcher(std::string(5000, '(')));
    EXPECT_FALSE(regex_matcher("a" + std::string(5000, '*')));
}

}  // namespace
}  // namespace lt
