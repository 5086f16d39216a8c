// Calls of the script's own functions that are written in C: what they are given and what they give. The functions
// themselves are compiled by clang (src/declarations) and linked by the emitter.
#include <fmt/format.h>

#include <algorithm>

#include "check.h"
#include "lower.h"
#include "operators.h"

namespace lt {

Type BodyChecker::c_call(const ast::Call& node, uint32_t index) {
    const ast::CFunction& f = program_.c_functions[index];
    if (!typed_.unsafe) {
        diags_.error(f.span, fmt::format("{} is written in C, which is compiled only with -g", f.shown)).hint =
            "run it with -g (guru mode) if you trust the program";
        return nothing();
    }
    for (size_t i = 0; i < node.arguments.size(); i++) {
        const ast::CFunction::Parameter& p = f.parameters[i];
        const Type t = value(node.arguments[i]);
        if (t.kind == Kind::none || (p.is_text ? t.kind == Kind::string : t.kind == Kind::integer)) continue;
        diags_
            .error(span(node.arguments[i]), fmt::format("{} of {} is {}, not {}", p.name, f.shown,
                                                        p.is_text ? "a string" : "a number", type_name(t)))
            .notes.push_back({f.span, p.is_text ? "here it is" : "a parameter without a type is a number"});
    }
    return f.result == ast::CFunction::Result::text ? string_type(program_.settings.max_strlen) : integer_type();
}

ir::Value BodyLowering::c_called(const ast::Call& node, uint32_t index, ir::Value to) {
    const ast::CFunction& f = program_.c_functions[index];
    std::vector<ir::Value> given;
    for (size_t i = 0; i < node.arguments.size(); i++) {
        const ast::ExprId argument = node.arguments[i];
        // C may look at all that a string can have, and a zero follows whatever it holds
        const uint32_t room = padded(std::max(type(argument).size + 8, program_.settings.max_strlen));
        given.push_back(f.parameters[i].is_text ? string(argument, room) : integer(argument));
    }
    if (f.result == ast::CFunction::Result::text)
        given.push_back(to != ir::no_value ? to : b_->buffer(padded(program_.settings.max_strlen)));
    return b_->c_call(index, given, unit_.loss(LossKind::failed_read, 0));
}

}  // namespace lt
