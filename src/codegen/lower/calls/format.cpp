// sprintf(), with the kernel's own formatting.
#include <linux/bpf.h>

#include "codegen/lower/calls/code.h"
#include "codegen/lower/context.h"
#include "codegen/lower/values/memory.h"
#include "codegen/lower/values/text.h"
#include "codegen/lower/values/value.h"
#include "codegen/typed/calls/facts.h"
#include "codegen/typed/calls/kernel_format.h"

namespace lt {
namespace {

uint32_t bytes_of(const std::variant<size_t, char>& part, const std::vector<Type>& types) {
    const size_t* i = std::get_if<size_t>(&part);
    return static_cast<uint32_t>(8 * (i ? argument_numbers(types[*i]) : 1));
}

void format_into(Lowering& l, ast::ExprId id, const ast::Call& node, ir::Value to) {
    Builder& b = l.b;
    std::vector<Type> types;
    for (size_t i = 1; i < node.arguments.size(); i++) types.push_back(l.type(node.arguments[i]));
    const auto [format, bad, parts, ends_with_text, bits] =
        kernel_format(text_literal(l.expr(node.arguments[0])), types, l.program.settings.conventions);
    uint32_t bytes = 0;
    for (const std::variant<size_t, char>& part : parts) bytes += bytes_of(part, types);
    const ir::Value data = bytes == 0 ? b.constant(0) : b.buffer(bytes);
    for (uint32_t at = 0; const std::variant<size_t, char>& part : parts) {
        const size_t* i = std::get_if<size_t>(&part);
        const ast::ExprId value = node.arguments[i ? *i + 1 : 0];
        if (!i) {
            b.store(data, at, b.constant(std::get<char>(part)));
        } else if (holds_arguments(types[*i])) {
            const ir::Value all = b.buffer(types[*i].size);
            text_into(l, value, all, 0, types[*i].size);
            b.copy(data, at, all, types[*i].size);
        } else if (types[*i].kind == Kind::string) {
            b.store_address(data, at, text_of(l, value, padded_size(types[*i].size) + 8));
        } else {
            const auto [size, is_signed] = bits[*i];
            b.store(data, at, b.extend(integer_of(l, value), static_cast<uint8_t>(size), is_signed));
        }
        at += bytes_of(part, types);
    }
    const ir::Value format_text = b.text(l.unit.text(format, static_cast<uint32_t>(format.size() + 1)));
    count_failure(l,
                  b.helper(BPF_FUNC_snprintf, {to, b.constant(l.type(id).size), format_text, data, b.constant(bytes)}));
}

// function, number, bytes, statement
constexpr CodeRule format_rules[] = {
    {Function::sprintf_, nullptr, format_into},
};

}  // namespace

std::span<const CodeRule> format_code() { return format_rules; }

}  // namespace lt
