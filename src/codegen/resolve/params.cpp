#include "codegen/resolve/params.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "base/text.h"
#include "parser/tree/literal.h"

namespace lt {
namespace {

// The literal value of a parameter.
struct Literal {
    Type type;
    std::vector<uint8_t> bytes;
};

std::vector<uint8_t> number_bytes(int64_t n) {
    std::vector<uint8_t> out;
    for (int shift = 0; shift < 64; shift += 8) out.push_back(static_cast<uint8_t>(static_cast<uint64_t>(n) >> shift));
    return out;
}

// With the size of a number.
Type truth_number_type() {
    Type type = integer_type();
    type.view = View::boolean;
    return type;
}

// As in bpftrace, upper and lower case are the same, and an option without a value is true.
std::optional<bool> truth_named(std::string_view text) {
    std::string word(text);
    for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (word.empty() || word == "true" || word == "1") return true;
    return word == "false" || word == "0" ? std::optional(false) : std::nullopt;
}

std::vector<uint8_t> text_bytes(std::string_view text) {
    std::vector<uint8_t> out(text.begin(), text.end());
    out.resize(param_text, 0);
    return out;
}

Literal literal(const ast::Program& program, ast::ExprId id, int64_t sign = 1) {
    const ast::ExprNode& node = program[id].node;
    if (const auto* minus = std::get_if<ast::Unary>(&node)) return literal(program, minus->operand, -sign);
    if (const auto* text = std::get_if<ast::String>(&node)) return {string_type(param_text), text_bytes(text->value)};
    if (const auto* duration = std::get_if<ast::Duration>(&node))
        return {duration_type(), number_bytes(sign * duration->nanoseconds)};
    if (const auto* truth = std::get_if<ast::Boolean>(&node))
        return {truth_number_type(), number_bytes(truth->value ? 1 : 0)};
    if (const auto* number = std::get_if<ast::Integer>(&node))
        return {integer_type(), number_bytes(sign * static_cast<int64_t>(number->value))};
    return {};
}

Error unfit_value(const std::string& name, const Type& type, std::string_view text) {
    const std::string_view example = type.kind == Kind::string     ? "text"
                                     : type.view == View::duration ? "50ms"
                                     : type.view == View::boolean  ? "true"
                                                                   : "7";
    return {fmt::format("`{}` is not a value for `{}`, which is {}", text, name, type_name(type)),
            fmt::format("for example `--{} {}`", name, example), 0};
}

}  // namespace

// Numbers take every form that a script can use.
Result<std::vector<uint8_t>> param_bytes(const std::string& name, const Type& type, std::string_view text) {
    if (type.kind == Kind::string) {
        if (text.size() >= param_text || text.find('\0') != text.npos)
            return Error{fmt::format("`{}` takes up to {} bytes", name, param_text - 1), "", 0};
        return text_bytes(text);
    }
    if (type.view == View::boolean) {
        const auto truth = truth_named(text);
        return truth ? number_bytes(*truth ? 1 : 0) : Result<std::vector<uint8_t>>(unfit_value(name, type, text));
    }
    const auto number = number_word(trim(text));
    if (!number || number->is_duration != (type.view == View::duration)) return unfit_value(name, type, text);
    return number_bytes(static_cast<int64_t>(number->is_negative ? 0 - number->size : number->size));
}

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
