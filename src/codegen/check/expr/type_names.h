// Type names in expressions and declarations: from the language, the script's C, the traced program and the kernel,
// and typeof(expression).
#pragma once

#include "codegen/check/context.h"

namespace lt {

// The type in a cast, in sizeof() or in offsetof(); no value after an error.
std::optional<Type> type_named(CheckContext& c, const ast::TypeName& written);

// The type in a declaration, where the language's own types come first; no value after an error.
std::optional<Type> declared_type(CheckContext& c, const ast::TypeName& written);

}  // namespace lt
