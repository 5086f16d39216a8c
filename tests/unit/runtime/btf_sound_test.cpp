// Type information that leads out of itself is refused, whatever is wrong with it; what clang made is taken.
#include "runtime/btf/btf_sound.h"

#include <gtest/gtest.h>
#include <linux/btf.h>

#include <cstring>
#include <initializer_list>
#include <vector>

namespace lt {
namespace {

using Words = std::vector<uint32_t>;

constexpr uint32_t info(uint32_t kind, uint32_t parts = 0) { return kind << 24 | parts; }

// Types as words: name, info, size or type, and what follows; the only name is "x", at 1.
std::vector<uint8_t> section(const Words& types) {
    const char names[] = "\0x";
    btf_header header{};
    header.magic = BTF_MAGIC;
    header.version = 1;
    header.hdr_len = sizeof header;
    header.type_len = static_cast<uint32_t>(types.size() * 4);
    header.str_off = header.type_len;
    header.str_len = sizeof names;
    std::vector<uint8_t> out(sizeof header + header.type_len + sizeof names);
    std::memcpy(out.data(), &header, sizeof header);
    std::memcpy(out.data() + sizeof header, types.data(), header.type_len);
    std::memcpy(out.data() + sizeof header + header.type_len, names, sizeof names);
    return out;
}

Words joined(std::initializer_list<Words> all) {
    Words out;
    for (const Words& each : all) out.insert(out.end(), each.begin(), each.end());
    return out;
}

const Words integer{1, info(BTF_KIND_INT), 4, 32};
Words pointer(uint32_t to) { return {0, info(BTF_KIND_PTR), to}; }
Words renamed(uint32_t to) { return {1, info(BTF_KIND_TYPEDEF), to}; }
Words structure(uint32_t member) { return {1, info(BTF_KIND_STRUCT, 1), 4, 1, member, 0}; }
Words array(uint32_t of) { return {0, info(BTF_KIND_ARRAY), 0, of, 1, 3}; }
Words variable(uint32_t of) { return {1, info(BTF_KIND_VAR), of, 0}; }
Words data(uint32_t entry) { return {1, info(BTF_KIND_DATASEC, 1), 4, entry, 0, 4}; }

bool good(const Words& types) { return bool(is_sound_btf(section(types))); }

TEST(BtfSound, TakesWhatIsWhole) {
    EXPECT_TRUE(good({}));
    EXPECT_TRUE(good(joined({integer, pointer(1), structure(2), array(3), variable(4), data(5), renamed(3)})));
    EXPECT_TRUE(good(joined({integer, pointer(3), structure(2)}))) << "a list: each points to the next";
    EXPECT_TRUE(good(joined({integer, pointer(0)}))) << "void *";
}

TEST(BtfSound, RefusesNumbersOfTypesThatAreNotThere) {
    for (const Words& last : {pointer(9), renamed(9), structure(9), array(9), variable(9), data(9)})
        EXPECT_FALSE(good(joined({integer, last})));
}

TEST(BtfSound, RefusesTypesThatContainThemselves) {
    EXPECT_FALSE(good(joined({integer, renamed(3), renamed(2)})));
    EXPECT_FALSE(good(joined({integer, structure(2)})));
    EXPECT_FALSE(good(joined({integer, array(2)})));
}

TEST(BtfSound, RefusesWhatIsNoVariableOrNoValue) {
    EXPECT_FALSE(good(joined({integer, data(1)}))) << "libbpf takes each entry of a section for a variable";
    EXPECT_FALSE(good(joined({integer, variable(1), structure(2)})));
    EXPECT_FALSE(good(joined({integer, variable(1), variable(2)})));
    EXPECT_FALSE(good(joined({integer, {1, info(BTF_KIND_FUNC), 1}}))) << "a function without a prototype";
}

TEST(BtfSound, RefusesWhatIsCutOff) {
    EXPECT_FALSE(good({1, info(BTF_KIND_INT), 4})) << "without the bits of an integer";
    EXPECT_FALSE(good({1, info(BTF_KIND_STRUCT, 1000), 4}));
    EXPECT_FALSE(good({7, info(BTF_KIND_INT), 4, 32})) << "a name that lies behind all names";
    EXPECT_FALSE(good({1, info(31), 4})) << "no such kind";
    const std::vector<uint8_t> whole = section(integer);
    for (size_t size = 0; size < whole.size(); size++) EXPECT_FALSE(is_sound_btf({whole.data(), size})) << size;
}

TEST(BtfSound, RefusesAnObjectThatIsNone) {
    EXPECT_FALSE(is_sound_object({}));
    EXPECT_FALSE(is_sound_object(std::vector<uint8_t>(4096)));
}

}  // namespace
}  // namespace lt
