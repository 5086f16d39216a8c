#include "stdlib/types.h"

#include <gtest/gtest.h>

#include <cstddef>

namespace lt {
namespace {

// What stood behind it would be read after it was freed, and would mostly still be right there.
static_assert(offsetof(Type, shape) + sizeof(Type::shape) == sizeof(Type), "the shape is the last member");

// As for the field of a tracepoint that `*args.x` reads: the address's type becomes that of its target.
TEST(Types, ATypeBecomesAPartOfItself) {
    const Type target = named(array_type(stack_type(StackForm::raw), 3), Naming::time_utc);
    Type type = pointer_type(target);
    type = *pointee(type);
    EXPECT_EQ(type, target);
    type = type.shape->parts.front();
    EXPECT_EQ(type, stack_type(StackForm::raw));
}

TEST(Types, ABitFieldInNineBytesHasNoType) {
    Member eight{"eight", integer_type(8, false)}, nine{"nine", integer_type(8, false)};
    place_bit_field(eight, 7, 57);
    EXPECT_EQ(eight.type, integer_type(8, false));
    EXPECT_EQ(eight.bit_size, 57);
    place_bit_field(nine, 7, 60);
    EXPECT_EQ(nine.type, nothing());
    EXPECT_EQ(nine.bit_size, 0);
}

}  // namespace
}  // namespace lt
