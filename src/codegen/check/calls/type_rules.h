// Functions whose result type or arguments need more than their row says: one rule each.
#pragma once

#include <span>

#include "codegen/check/context.h"

namespace lt {

struct TypeRule {
    Function id;
    // The type of the result; kind none for statements, and after an error.
    Type (*type)(CheckContext&, ast::ExprId, const ast::Call&);
    // True if the rule checks the arguments itself. Other rules run only after all arguments fit the function's row
    // and have a type.
    bool checks_arguments = false;
};

// Null if the result has the type in the function's row.
const TypeRule* type_rule(Function id);

std::span<const TypeRule> own_type_rules();
std::span<const TypeRule> address_type_rules();
std::span<const TypeRule> text_type_rules();
std::span<const TypeRule> runtime_type_rules();
std::span<const TypeRule> kernel_type_rules();
std::span<const TypeRule> whole_type_rules();
std::span<const TypeRule> question_type_rules();

}  // namespace lt
