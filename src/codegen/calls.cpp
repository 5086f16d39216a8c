#include "calls.h"

#include <algorithm>

namespace lt {

const CallRule* call_rule(Function id) {
    for (std::span<const CallRule> table :
         {text_rules(), format_rules(), address_rules(), runtime_rules(), kernel_rules(), samples_rules(), name_rules(),
          whole_rules(), type_rules(), part_rules()}) {
        const auto row = std::find_if(table.begin(), table.end(), [&](const CallRule& r) { return r.id == id; });
        if (row != table.end()) return &*row;
    }
    return nullptr;
}

}  // namespace lt
