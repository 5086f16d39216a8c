#include "codegen/resolve/params.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/literal.h"
#include "runtime/border/param_value.h"

namespace lt {
namespace {

// The literal value of a parameter.
struct Literal {
    Type type;
    std::vector<uint8_t> bytes;
};

// With the size of a number.
Type truth_number_type() {
    Type type = integer_type();
    type.view = View::boolean;
    return type;
}

Literal literal(const ast::Program& program, ast::ExprId id, bool is_negative = false) {
    const auto bytes = [&](int64_t size) { return number_bytes(is_negative ? negated(size) : size); };
    const ast::ExprNode& node = program[id].node;
    if (const auto* minus = std::get_if<ast::Unary>(&node)) return literal(program, minus->operand, !is_negative);
    if (const auto* text = std::get_if<ast::String>(&node)) return {string_type(param_text), text_bytes(text->value)};
    if (const auto* duration = std::get_if<ast::Duration>(&node))
        return {duration_type(), bytes(duration->nanoseconds)};
    if (const auto* truth = std::get_if<ast::Boolean>(&node))
        return {truth_number_type(), number_bytes(truth->value ? 1 : 0)};
    if (const auto* number = std::get_if<ast::Integer>(&node))
        return {integer_type(), bytes(static_cast<int64_t>(number->value))};
    return {};
}

}  // namespace

void read_params(const ast::Program& program, const ResolveOptions& options, Typed& typed, Diags& diags) {
    for (const ast::Item& item : program.items) {
        const auto* node = std::get_if<ast::Parameter>(&item.node);
        if (!node) continue;
        Literal value = literal(program, node->value);
        if (const auto* text = program.get<ast::String>(node->value); text && text->value.size() >= param_text) {
            diags.error(program[node->value].span,
                        fmt::format("the text of a parameter has at most {} bytes", param_text - 1));
        }
        for (const ParamSetting& setting : options.params) {
            if (setting.name != node->name) continue;
            auto given = param_bytes(node->name, value.type, setting.text);
            given ? void(value.bytes = *std::move(given))
                  : void(diags.error({}, given.error().what).hint = given.error().hint);
        }
        typed.params.push_back({node->name, node->name_span, value.type, std::move(value.bytes), node->help});
    }
}

uint32_t worst_of(Typed& typed, const ast::SpanAction& node) {
    const std::string name = node.name.empty() ? "worst" : node.name + "_worst";
    const auto known = std::ranges::find_if(typed.params, [&](const ParamInfo& p) { return p.name == name; });
    if (known != typed.params.end()) return static_cast<uint32_t>(known - typed.params.begin());
    typed.params.push_back(
        {name, node.name_span, duration_type(), number_bytes(0), "the longest latency reported so far"});
    return static_cast<uint32_t>(typed.params.size() - 1);
}

}  // namespace lt
