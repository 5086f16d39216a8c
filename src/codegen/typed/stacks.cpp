#include "codegen/typed/stacks.h"

#include <array>

namespace lt {
namespace {

struct StackRow {
    Function function;
    Variable variable;
};
constexpr std::array stack_kinds{StackRow{Function::kstack, Variable::kstack},
                                 StackRow{Function::ustack, Variable::ustack}};

}  // namespace

std::optional<Variable> stack_variable(Function function) {
    for (const StackRow& row : stack_kinds) {
        if (row.function == function) return row.variable;
    }
    return {};
}

std::optional<uint32_t> frame_count(const ast::Expr& expr) {
    const auto* number = std::get_if<ast::Integer>(&expr.node);
    if (!number || number->value < 1 || number->value > stack_frames) return {};
    return static_cast<uint32_t>(number->value);
}

std::optional<StackForm> stack_form(const ast::Expr& expr) {
    const auto* word = std::get_if<ast::Name>(&expr.node);
    for (StackForm form : {StackForm::names, StackForm::perf, StackForm::raw}) {
        if (word && word->name == stack_form_name(form)) return form;
    }
    return {};
}

Type stack_of(const ast::Program& program, StackForm form) {
    Type type = stack_type(form);
    type.view = program.settings.plain_stacks ? View::plain : View::hex;
    return type;
}

StackRequest stack_request(const ast::Program& program, const ast::Call& call) {
    StackRequest request{stack_frames, program.settings.stack_form};
    for (ast::ExprId argument : call.arguments) {
        request.frames = frame_count(program[argument]).value_or(request.frames);
        request.form = stack_form(program[argument]).value_or(request.form);
    }
    return request;
}

}  // namespace lt
