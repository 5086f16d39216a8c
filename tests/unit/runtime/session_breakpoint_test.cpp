// What the places of breakpoints need of the kernel's symbols, from a list like the kernel's.
#include "runtime/attach/attach_breakpoint.h"

#include <gtest/gtest.h>

#include <sstream>

namespace lt {
namespace {

const char* const kallsyms =
    "0000000000000000 A fixed_percpu_data\n"
    "ffffffff81000000 T _text\n"
    "ffffffff81000040 T _copy_to_user\n"
    "ffffffff81000040 T an_alias\n"
    "ffffffff81000080 t same\n"
    "ffffffff810000a0 t same\n"
    "ffffffff810000c0 T __x86_return_thunk\n"
    "ffffffff82000000 D data\n"
    "not a line\n"
    "ffffffffc0000000 t last\t[module]\n";

CodeSymbols symbols() {
    std::istringstream in(kallsyms);
    return parse_code_symbols(in, std::vector<std::string>{"_copy_to_user", "same", "absent", "data", "last"});
}

std::string refusal(const std::string& function) {
    auto addresses = breakpoint_addresses(symbols(), function, false);
    return addresses ? "none" : addresses.error().what;
}

TEST(BreakpointPlaces, SizeIsUpToTheNextAddress) {
    const CodeSymbol symbol = symbols().functions.at("_copy_to_user");
    EXPECT_EQ(symbol.address, 0xffffffff81000040);
    EXPECT_EQ(symbol.size, 0x40u);
    EXPECT_EQ(symbol.count, 1u);
}

TEST(BreakpointPlaces, ReturnThunks) { EXPECT_EQ(symbols().return_thunks, std::vector<uint64_t>{0xffffffff810000c0}); }

TEST(BreakpointPlaces, Entry) {
    auto addresses = breakpoint_addresses(symbols(), "_copy_to_user", false);
    ASSERT_TRUE(addresses);
    EXPECT_EQ(*addresses, std::vector<uint64_t>{0xffffffff81000040});
}

TEST(BreakpointPlaces, Refusals) {
    EXPECT_EQ(refusal("absent"), "the kernel has no function of this name");
    EXPECT_EQ(refusal("data"), "the kernel has no function of this name");
    EXPECT_EQ(refusal("same"), "the kernel has 2 functions of this name");
    EXPECT_EQ(refusal("last"), "the end of the function is unknown");
}

TEST(BreakpointPlaces, HiddenAddresses) {
    std::istringstream in("0000000000000000 T f\n0000000000000000 T g\n");
    auto hidden = parse_code_symbols(in, std::vector<std::string>{"f"});
    auto addresses = breakpoint_addresses(hidden, "f", false);
    ASSERT_FALSE(addresses);
    EXPECT_EQ(addresses.error().what, "the kernel hides its addresses");
}

}  // namespace
}  // namespace lt
