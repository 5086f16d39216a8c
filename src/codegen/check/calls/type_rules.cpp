#include "codegen/check/calls/type_rules.h"

#include <algorithm>

namespace lt {

const TypeRule* type_rule(Function id) {
    for (const std::span<const TypeRule> table :
         {own_type_rules(), address_type_rules(), text_type_rules(), runtime_type_rules(), kernel_type_rules(),
          whole_type_rules(), question_type_rules()}) {
        const auto row = std::ranges::find(table, id, &TypeRule::id);
        if (row != table.end()) return &*row;
    }
    return nullptr;
}

}  // namespace lt
