// Rules on operators that the checker and the lowering share.
#pragma once

#include <optional>

#include "codegen/typed/typed.h"

namespace lt {

// Is this operation on integers signed? If one side is, but a literal takes the signedness of the other side, since its
// value fits both. With Settings::unsigned_if_mixed a comparison or division is signed only if both sides are.
bool signed_operation(const ast::Program& program, const Body& body, const ast::Binary& node);
// The same for `target op= value`.
bool signed_operation(const ast::Program& program, const Body& body, const ast::Assign& node, const Type& target);

// The value of a literal number, with or without a minus sign; a duration in nanoseconds.
std::optional<int64_t> number_as_it_stands(const ast::Program& program, ast::ExprId id);

// Is an aggregation one number once it is added up over all CPUs?
bool is_folded(const Type& aggregation);

// Is this type, as a map's only key, the same as the key of several parts in @x[a, b]?
bool is_key_of_parts(const Type& key);

// The part of a tuple that corresponds to part `i` of another one: the part with the same name in a record, otherwise
// the i-th.
size_t same_part(const Type& tuple, const Type& other, size_t i);

// True if two types have no common type.
bool apart(const Type& a, const Type& b);

// Does lt print one of two numbers, or of two parts of tuples, by name, and the other not, or by other names?
bool names_differ(const Type& a, const Type& b);

// Is one of two integers a duration, and the other a plain number?
bool units_differ(const Type& a, const Type& b);

// Is a value of either type an address in user memory? An integer that is not a typed address can be in either memory.
bool user_memory_of(const Type& a, const Type& b);

// The common type of two that are not apart(). Records have their parts in the order of the first.
Type joined(const Type& a, const Type& b);

// The maximum number of characters of a string: one less than its size if it always ends with a zero byte.
uint32_t most_letters(const ast::Program& program, const Body& body, ast::ExprId id);

// Is it a string whose length is not in its type: one that follows a tracepoint's record, or a flexible array? By
// itself it is read up to the size of its type.
bool has_open_end(const ast::Program& program, const Body& body, ast::ExprId id);

// The number of bytes that `++` and `+ 1` add: the distance of the elements at an address or in an array or string; 1
// if the type has no elements.
int64_t element_size(const Type& type);

}  // namespace lt
