// Types by name as a script writes them: the language's own integers and C's, then what the kernel describes.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "parser/ast.h"
#include "runtime/kernel.h"

namespace lt {

// Who knows types by their names.
using TypeLookup = std::function<std::optional<Type>(std::string_view name)>;

// The type without its stars and count; no value where there is none of this name. `void` is of kind none.
std::optional<Type> named_type(const std::string& name, const TypeLookup& lookup);

// With them; kind none for void itself. No value where the name means nothing.
std::optional<Type> written_type(const ast::TypeName& written, const TypeLookup& lookup);

// What an address points to, from the text of its type in C, as tracepoints give it: "struct task_struct *".
Type address_from_text(const Field& field, Kernel& kernel);

}  // namespace lt
