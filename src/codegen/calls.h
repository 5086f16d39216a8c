// The functions of the language that need no more than their arguments: one row each says what a call's type is and how
// it is lowered. A row's example in the table of functions (stdlib/builtins.h) is its first test.
#pragma once

#include <span>

#include "check.h"
#include "lower.h"

namespace lt {

struct CallRule {
    Function id;
    // The type of the result, once the arguments fit the row of the function; none after an error. Null: the row's.
    Type (*check)(BodyChecker&, ast::ExprId, const ast::Call&) = nullptr;
    ir::Value (*integer)(BodyLowering&, ast::ExprId, const ast::Call&) = nullptr;         // a number
    void (*bytes)(BodyLowering&, ast::ExprId, const ast::Call&, ir::Value to) = nullptr;  // what lies in memory
    void (*run)(BodyLowering&, const ast::Call&) = nullptr;                               // a statement
};

// Null: another function, which check and lower know by themselves.
const CallRule* call_rule(Function id);

// The bytes of the longest text that a name can stand for, with the zero; 0 where only the runtime knows it.
uint32_t name_size(const Type& named);
// Writes the text of such a name.
void name_into(BodyLowering& l, ast::ExprId value, ir::Value to);

std::span<const CallRule> text_rules();
std::span<const CallRule> format_rules();
std::span<const CallRule> address_rules();
std::span<const CallRule> runtime_rules();
std::span<const CallRule> kernel_rules();
std::span<const CallRule> samples_rules();
std::span<const CallRule> name_rules();
std::span<const CallRule> whole_rules();
std::span<const CallRule> type_rules();
std::span<const CallRule> part_rules();

}  // namespace lt
