// Types by the names that a script uses: the language's and C's integers, then the types of a lookup.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "parser/tree/ast.h"
#include "runtime/border/kernel.h"

namespace lt {

// Finds a type by its name.
using TypeLookup = std::function<std::optional<Type>(std::string_view name)>;

// The type without asterisks and count; no value if there is no such type. `void` has kind none.
std::optional<Type> named_type(const std::string& name, const TypeLookup& lookup);

// The type with asterisks and count; kind none for plain void. No value if there is no such type.
std::optional<Type> written_type(const ast::TypeName& written, const TypeLookup& lookup);

// The type of an address from the text of its C type, as tracepoints have it: "struct task_struct *".
Type address_from_text(const Field& field, Kernel& kernel);

}  // namespace lt
