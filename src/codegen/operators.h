// Rules on operators that the checker and the lowering share.
#pragma once

#include <optional>

#include "codegen/typed.h"

namespace lt {

// Is this operation on integers a signed one? As in C at 64 bits, but a literal takes the sign of the other side, since
// its value fits both.
bool signed_operation(const ast::Program& program, const Body& body, const ast::Binary& node);

// A number as it is written, with or without a minus; a duration is its nanoseconds.
std::optional<int64_t> number_as_it_stands(const ast::Program& program, ast::ExprId id);

// Is what an aggregation collects one number, when it is added up over all CPUs?
bool is_folded(const Type& aggregation);

// As a map's only key, is it the key of several parts that @x[a, b] has, too?
bool is_key_of_parts(const Type& key);

// The part of a tuple that stands for part `i` of another one: that of the same name in a record, else the i-th.
size_t same_part(const Type& tuple, const Type& other, size_t i);

// Do two types have no common one?
bool apart(const Type& a, const Type& b);

// Is what is one or the other an address of user memory? An integer that is no typed address may be either.
bool user_memory_of(const Type& a, const Type& b);

// The type that holds both, for two that are not apart. Its records have their parts in the first one's order.
Type joined(const Type& a, const Type& b);

// How many letters a string can have at most: one less than its size where it surely ends with a zero.
uint32_t most_letters(const ast::Program& program, const Body& body, ast::ExprId id);

// How far the elements are apart to which an address points or of which an array or a string is made; 1 where the type
// has none: what `++` and `+ 1` add.
int64_t element_size(const Type& type);

constexpr uint32_t padded(uint32_t size) { return (size + 7) / 8 * 8; }

}  // namespace lt
