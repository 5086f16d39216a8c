#include "stacks.h"

#include <array>

#include "runtime/plan.h"

namespace lt {
namespace {

struct StackRow {
    Function function;
    Variable variable;
};
constexpr std::array rows{StackRow{Function::kstack, Variable::kstack}, StackRow{Function::ustack, Variable::ustack}};

}  // namespace

std::optional<Variable> stack_variable(Function function) {
    for (const StackRow& row : rows) {
        if (row.function == function) return row.variable;
    }
    return {};
}

std::optional<uint32_t> frame_count(const ast::Expr& expr) {
    const auto* number = std::get_if<ast::Integer>(&expr.node);
    if (!number || number->value < 1 || number->value > stack_frames) return {};
    return static_cast<uint32_t>(number->value);
}

}  // namespace lt
