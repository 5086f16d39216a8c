// Names of C++, of Rust in both manglings, and what is none of them.
#include "runtime/programs/demangle.h"

#include <gtest/gtest.h>

#include <string>

namespace lt {
namespace {

TEST(Demangle, Cplusplus) {
    EXPECT_EQ(demangle("_ZN4shop6Basket5priceEPKc"), "shop::Basket::price(char const*)");
    EXPECT_EQ(demangle("_ZNSt6vectorIiSaIiEE9push_backEOi"), "std::vector<int, std::allocator<int>>::push_back(int&&)");
}

TEST(Demangle, OldRust) {
    EXPECT_EQ(demangle("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE"), "core::fmt::Write::write_fmt");
    EXPECT_EQ(demangle("_ZN41_$LT$demo..Ring$u20$as$u20$demo..Turn$GT$4turn17h0123456789abcdefE"),
              "<demo::Ring as demo::Turn>::turn");
    EXPECT_EQ(demangle("_ZN4demo28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE"), "demo::{{closure}}");
    EXPECT_EQ(demangle("_ZN15$RF$str$C$$SP$x4turn17h0123456789abcdefE"), "&str,@x::turn");
}

TEST(Demangle, NewRust) {
    EXPECT_EQ(demangle("_RNvNtCs1234_4demo4ring4turn"), "demo::ring::turn");
    EXPECT_EQ(demangle("_RNvNtCs1234_4demo4ring4tur"), "_RNvNtCs1234_4demo4ring4tur") << "damaged";
}

// f(void (*)(), void (*)(that, that), ...): each parameter is written with the one before it twice.
std::string doubling(size_t parameters) {
    std::string name = "_Z1fPFvvE";
    for (size_t i = 1; i < parameters; i++) {
        const size_t before = 2 * i - 2;  // the number of the pointer before, counted without the first substitution
        const char* const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
        const std::string number =
            before < 36 ? std::string(1, digits[before]) : std::string{digits[before / 36], digits[before % 36]};
        name += "PFvS" + number + "_S" + number + "_E";
    }
    return name;
}

TEST(Demangle, HostileNames) {
    EXPECT_EQ(demangle(doubling(3)),
              "f(void (*)(), void (*)(void (*)(), void (*)()), void (*)(void (*)(void (*)(), void (*)()), "
              "void (*)(void (*)(), void (*)())))");
    EXPECT_EQ(demangle(doubling(40)), doubling(40)) << "terabytes";
    EXPECT_FALSE(can_be_demangled(doubling(40)));
    const std::string deep = "_Z1f" + std::string(200000, 'P') + "v";
    EXPECT_EQ(demangle(deep), deep);
    EXPECT_FALSE(can_be_demangled(deep));
}

TEST(Demangle, OtherNames) {
    for (const char* name : {"", "main", "_Z", "_R", "_start", "_ZN4shop", "__libc_start_call_main", "_ZZZ"})
        EXPECT_EQ(demangle(name), name);
    EXPECT_EQ(demangle("_ZN1a17h0123456789ABCDEFE"), "a::h0123456789ABCDEF") << "no hash of Rust's";
}

}  // namespace
}  // namespace lt
