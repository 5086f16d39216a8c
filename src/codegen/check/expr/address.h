// Addresses: the type that they point to, and whether it is in user or kernel memory.
#pragma once

#include "codegen/check/context.h"

namespace lt {

// The type of a value that is read through an address: a value reached through user memory is in user memory, too.
Type reached(Type type, bool user);

// Can memory be read here? An error if not: lt runs the block of a timeout, where user memory is its own.
bool is_readable(CheckContext& c, ast::ExprId id, bool user);

// Where the value of an expression is: true in user memory, false in kernel memory, no value if it is in neither, such
// as a sum or a variable.
std::optional<bool> memory_of(CheckContext& c, ast::ExprId id);

// Is an integer of unknown origin an address in the traced program? Yes, unless the script uses it as an address of
// the kernel, or of a kernel structure.
bool is_supposed_of_user(CheckContext& c, ast::ExprId address, const Type& to);

// *x, where x was checked and has this type; an error if the type that it points to is not known.
Type dereferenced(CheckContext& c, ast::ExprId id, const Type& operand);

// &x, where x was checked and has this type; an error if it has no address.
Type address_of(CheckContext& c, ast::ExprId id, ast::ExprId operand, Type type);

}  // namespace lt
