// What lt relies on for every processor, and what it knows of the one that it is built for.
#include "arch/arch.h"

#include <gtest/gtest.h>

#include "arch/arguments.h"

namespace lt::arch {
namespace {

TEST(Registers, AreFoundByName) {
    for (const std::string_view everywhere : {"ip", "pc", "sp"}) EXPECT_NE(find_register(everywhere), nullptr);
    EXPECT_EQ(find_register("pc")->offset, native.instruction_pointer.offset);
    EXPECT_EQ(find_register("sp")->offset, native.stack_pointer.offset);
    EXPECT_EQ(find_register("none"), nullptr);
    EXPECT_EQ(find_register(""), nullptr);
}

TEST(Registers, AreFoundByTheirNumber) {
    for (const Register& r : native.arguments)
        EXPECT_EQ(find_dwarf_register(static_cast<unsigned>(r.dwarf))->name, r.name);
    EXPECT_EQ(find_dwarf_register(1000), nullptr);
    EXPECT_EQ(find_dwarf_register(UINT32_MAX), nullptr);
}

TEST(Registers, HaveParts) {
    for (const Register& r : native.registers) {
        for (const std::string_view name : r.parts) {
            const auto part = find_register_part(name);
            if (name.empty()) {
                EXPECT_FALSE(part);
                continue;
            }
            ASSERT_TRUE(part) << name;
            EXPECT_EQ(part->whole->name, r.name) << name;
            EXPECT_LE(part->shift + part->bits, 64U) << name;
        }
    }
}

// Those that are too large, or find no register, lie on the stack; smaller ones after them still find one.
TEST(Arguments, FindTheirPositions) {
    const Shape word, two{.words = 2, .general = 2}, large{.words = 3, .general = 0, .on_stack = true};
    ArgumentPositions positions(false);
    for (uint32_t i = 0; i + 1 < native.arguments.size(); i++) EXPECT_EQ(positions.next(word).first, i);
    const Position no_room = positions.next(two), last = positions.next(word), on_stack = positions.next(large);
    EXPECT_FALSE(no_room.in_registers);
    EXPECT_EQ(no_room.first, 0U);
    EXPECT_TRUE(last.in_registers);
    EXPECT_EQ(last.first, native.arguments.size() - 1);
    EXPECT_FALSE(on_stack.in_registers);
    EXPECT_EQ(on_stack.first, 2U);
}

TEST(Arguments, AreSpreadByWhatIsInThem) {
    const Scalar pointer{0, 8, false}, number{8, 8, true}, small{12, 4, false};
    const Shape mixed = shape_of(16, std::array{pointer, number});
    EXPECT_EQ(mixed.general, 1U);
    EXPECT_EQ(mixed.vector, 1U);
    EXPECT_FALSE(mixed.on_stack);
    EXPECT_EQ(shape_of(16, std::array{pointer, number, small}).general, 2U);
    EXPECT_TRUE(shape_of(17, {}).on_stack);
}

TEST(Arguments, OfWideFloatingPointAreNotThoseOfResults) {
    const Scalar real{0, 8, true}, imaginary{8, 8, true}, quadruple{0, 16, true}, long_double{0, 16, true, true};
    const Scalar number{0, 8, false};
    EXPECT_TRUE(shape_of(17, {}).in_memory);
    EXPECT_EQ(shape_of(16, std::array{real, imaginary}).vector, 2U);
    EXPECT_EQ(shape_of(16, std::array{quadruple}).vector, 1U);
    EXPECT_FALSE(shape_of(16, std::array{quadruple}).on_stack);
    EXPECT_TRUE(shape_of(16, std::array{long_double}).on_stack);
    EXPECT_FALSE(shape_of(16, std::array{long_double}).in_memory);
    EXPECT_TRUE(shape_of(16, std::array{long_double, number}).in_memory);
    EXPECT_TRUE(shape_of(5, std::array{Scalar{0, 1, false}, Scalar{1, 4, false}}).in_memory) << "packed";
    const Shape apart = shape_of(16, std::array{quadruple, number});
    EXPECT_EQ(apart.general, 1U);
    EXPECT_EQ(apart.vector, 1U);
}

}  // namespace
}  // namespace lt::arch
