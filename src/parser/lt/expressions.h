// Grammar actions for expressions that need more than a new node: those that are refused, and those that are rewritten.
#pragma once

#include <string>
#include <vector>

#include "parser/tree/growing_tree.h"

namespace lt {

using Exprs = std::vector<ast::ExprId>;

// A name. A name for members of the task, such as `ppid`, becomes an access to them.
ast::ExprId add_name(GrowingTree& tree, Span span, std::string name);
ast::ExprId add_map(GrowingTree& tree, Span span, std::string name, Exprs key);
ast::ExprId add_record(GrowingTree& tree, Span span, ast::Tuple fields);
// The span reaches from the start of the left operand to the end of the right one.
ast::ExprId add_binary(GrowingTree& tree, ast::BinaryOp op, ast::ExprId left, ast::ExprId right);
// &, | and ^. Warns of `a & b == c`, which is `a & (b == c)`. The spans of the operands have their parentheses.
ast::ExprId add_bitwise(GrowingTree& tree, ast::BinaryOp op, ast::ExprId left, Span left_span, ast::ExprId right,
                        Span right_span);
// ++ and --
ast::ExprId add_step(GrowingTree& tree, Span span, ast::ExprId target, ast::BinaryOp op, bool before);

// name(arguments), and everything else with the syntax of a call: a variable, find(), offsetof(), container_of() and so
// on.
ast::ExprId add_call(GrowingTree& tree, Span span, std::string name, Span name_span, Exprs arguments);
// name(type), for sizeof() and typeinfo()
ast::ExprId add_type_call(GrowingTree& tree, Span span, const std::string& name, ast::TypeName type);
// container_of(address, type, path): the structure that contains the member.
ast::ExprId add_container(GrowingTree& tree, Span span, const std::string& name, Span name_span, const Exprs& arguments,
                          ast::TypeName type, std::vector<std::string> path);
ast::TypeName address_type(Span span, ast::TypeName to);
ast::TypeName array_type(GrowingTree& tree, Span span, ast::TypeName of, uint64_t count);

}  // namespace lt
