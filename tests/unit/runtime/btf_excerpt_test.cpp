// The kernel's types that an object looks for, on the fake kernel of the build: what libbpf reads of the excerpt is
// what it reads of all types. The numbers that come out of it on real kernels are held by all live tests.
#include "runtime/btf/btf_excerpt.h"

#include <bpf/btf.h>
#include <gtest/gtest.h>

#include <memory>

#include "compile/compile.h"
#include "runtime/btf/btf_sound.h"
#include "runtime/os/file_bytes.h"

namespace lt {
namespace {

using Types = std::unique_ptr<btf, decltype(&btf__free)>;

std::vector<uint8_t> object_of(std::string text) {
    Result<std::unique_ptr<Kernel>> kernel = open_kernel({LT_FAKE_KERNELS "/stock"});
    Source source{"test", std::move(text)};
    Diags diags;
    return kernel ? compile(source, **kernel, {}, diags).plan.object : std::vector<uint8_t>();
}

Types parsed(std::span<const uint8_t> bytes) {
    return {btf__new(bytes.data(), static_cast<uint32_t>(bytes.size())), btf__free};
}

class BtfExcerpt : public testing::Test {
  protected:
    FileBytes file_ = *FileBytes::open(LT_FAKE_KERNELS "/stock/btf");
    std::vector<uint8_t> object_ = object_of("BEGIN { printf(\"%d\", ppid); }");
};

TEST_F(BtfExcerpt, HasTheStructureWithAllItsMembers) {
    const std::vector<uint8_t> bytes = btf_excerpt(object_, file_.bytes());
    ASSERT_FALSE(bytes.empty());
    EXPECT_TRUE(is_sound_btf(bytes));
    EXPECT_LT(bytes.size() * 4, file_.bytes().size());
    const Types all = parsed(file_.bytes()), few = parsed(bytes);
    ASSERT_TRUE(all && few);
    const auto structure = [](const Types& types) {
        return btf__type_by_id(types.get(), btf__find_by_name_kind(types.get(), "task_struct", BTF_KIND_STRUCT));
    };
    const btf_type *whole = structure(all), *copy = structure(few);
    ASSERT_TRUE(whole && copy);
    EXPECT_EQ(copy->size, whole->size);
    ASSERT_EQ(btf_vlen(copy), btf_vlen(whole));
    for (uint32_t i = 0; i < btf_vlen(whole); i++) {
        const btf_member &of_copy = btf_members(copy)[i], &of_whole = btf_members(whole)[i];
        const std::string name = btf__name_by_offset(all.get(), of_whole.name_off);
        EXPECT_EQ(btf__name_by_offset(few.get(), of_copy.name_off), name);
        EXPECT_EQ(of_copy.offset, of_whole.offset) << name;
        EXPECT_EQ(btf__resolve_size(few.get(), of_copy.type), btf__resolve_size(all.get(), of_whole.type)) << name;
        EXPECT_EQ(btf_kind(btf__type_by_id(few.get(), of_copy.type)),
                  btf_kind(btf__type_by_id(all.get(), of_whole.type)));
    }
}

TEST_F(BtfExcerpt, LeavesOutWhatAPointerPointsTo) {
    const Types few = parsed(btf_excerpt(object_, file_.bytes()));
    EXPECT_LT(btf__find_by_name_kind(few.get(), "mm_struct", BTF_KIND_STRUCT), 0);
    EXPECT_GT(btf__find_by_name_kind(few.get(), "load_weight", BTF_KIND_STRUCT), 0) << "a member that is no pointer";
}

TEST_F(BtfExcerpt, IsEmptyWithoutRelocations) {
    EXPECT_TRUE(btf_excerpt(object_of("BEGIN { @ = count(); }"), file_.bytes()).empty());
}

TEST_F(BtfExcerpt, IsEmptyIfATypeIsMissing) {
    const Types none(btf__new_empty(), btf__free);
    btf__add_int(none.get(), "int", 4, BTF_INT_SIGNED);
    uint32_t size = 0;
    const auto* bytes = static_cast<const uint8_t*>(btf__raw_data(none.get(), &size));
    EXPECT_TRUE(btf_excerpt(object_, {bytes, size}).empty());
}

// It may take what is damaged, if libbpf can read what it makes of it; it must not read outside.
TEST_F(BtfExcerpt, OfDamagedBytes) {
    const std::vector<uint8_t> whole(file_.bytes().begin(), file_.bytes().end());
    for (size_t size = 0; size < whole.size(); size += 97) {
        const std::vector<uint8_t> cut(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size));
        EXPECT_TRUE(btf_excerpt(object_, cut).empty());
    }
    for (size_t size = 0; size < object_.size(); size += 31) {
        const std::vector<uint8_t> cut(object_.begin(), object_.begin() + static_cast<ptrdiff_t>(size));
        const std::vector<uint8_t> bytes = btf_excerpt(cut, whole);
        if (!bytes.empty()) parsed(bytes);
    }
    for (size_t at = 0; at < whole.size(); at += 13) {
        std::vector<uint8_t> changed = whole;
        changed[at] ^= 0xFFU;
        const std::vector<uint8_t> bytes = btf_excerpt(object_, changed);
        if (!bytes.empty()) parsed(bytes);
    }
}

}  // namespace
}  // namespace lt
