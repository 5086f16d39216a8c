// How calls of the language's functions are lowered: one row for each function that runs in a program. The checker has
// already found the type of each call.
#pragma once

#include <span>

#include "codegen/lower/context.h"
#include "stdlib/functions/builtins.h"

namespace lt {

struct CodeRule {
    Function id;
    ir::Value (*integer)(Lowering&, ast::ExprId, const ast::Call&) = nullptr;  // its value, if it is a number
    void (*bytes)(Lowering&, ast::ExprId, const ast::Call&,
                  ir::Value to) = nullptr;               // its value, if it is in memory (which is zero)
    void (*run)(Lowering&, const ast::Call&) = nullptr;  // the call as a statement
};

// Null: a call of this function generates no code.
const CodeRule* code_rule(Function id);

// Calls of the script's C functions. `to` receives a text result; it is not used for other results.
ir::Value call_c(Lowering& l, const ast::Call& node, uint32_t index, ir::Value to);

// The value of a call that equals its first argument, or is a constant that the checker has found.
ir::Value first_argument(Lowering& l, ast::ExprId id, const ast::Call& node);
ir::Value known_number(Lowering& l, ast::ExprId id, const ast::Call& node);

// The number of bytes that a script asks for: none if it is negative, as the result of a failed read is.
ir::Value length_given(Lowering& l, ast::ExprId id);

std::span<const CodeRule> address_code();
std::span<const CodeRule> format_code();
std::span<const CodeRule> kernel_code();
std::span<const CodeRule> map_code();
std::span<const CodeRule> part_code();
std::span<const CodeRule> path_code();
std::span<const CodeRule> runtime_code();
std::span<const CodeRule> text_code();
std::span<const CodeRule> value_code();

}  // namespace lt
