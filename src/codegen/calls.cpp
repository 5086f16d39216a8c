#include "calls.h"

#include <fmt/format.h>

#include <algorithm>

namespace lt {

const CallRule* call_rule(Function id) {
    for (std::span<const CallRule> table : {text_rules(), format_rules(), address_rules(), runtime_rules(),
                                            kernel_rules(), samples_rules(), name_rules()}) {
        const auto row = std::find_if(table.begin(), table.end(), [&](const CallRule& r) { return r.id == id; });
        if (row != table.end()) return &*row;
    }
    return nullptr;
}

Type BodyChecker::call_by_rule(ast::ExprId id, const ast::Call& node, const FunctionRow& row) {
    const bool allowed = typed_.unsafe || (row.id == Function::system && program_.settings.runs_commands);
    if (row.unsafe && !allowed) {
        diags_.error(node.name_span, fmt::format("{}() changes what is traced or runs a command", row.name)).hint =
            "run lt with --unsafe to allow it";
        return nothing();
    }
    const size_t before = diags_.all().size();
    arguments(id, node, row);
    for (ast::ExprId argument : node.arguments) {
        const bool typed = slot(argument).kind != Kind::none ||
                           std::holds_alternative<ast::String>(expr(argument).node) ||
                           std::holds_alternative<ast::Name>(expr(argument).node);
        if (!typed) return nothing();
    }
    if (diags_.all().size() != before) return nothing();
    const CallRule& rule = *call_rule(row.id);
    return rule.check != nullptr ? rule.check(*this, id, node) : row.result;
}

}  // namespace lt
