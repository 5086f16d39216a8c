// Expressions as text: operator precedence, and operators that need parentheses because a span's block or a threshold
// would otherwise end at them.
#pragma once

#include <string>

#include "base/source.h"
#include "parser/tree/ast.h"

namespace lt::ast {

// Operators that are not allowed outside of brackets.
enum class Bare : uint8_t { anything, no_greater, no_less };

class ExprPrinter {
  public:
    ExprPrinter(const Program& program, const Source* source) : program_(program), source_(source) {}
    virtual ~ExprPrinter() = default;

    // An operator that binds less tightly than `least` is put in parentheses.
    std::string expr(ExprId id, int least = 0, Bare bare = Bare::anything);
    std::string list(const std::vector<ExprId>& ids);
    std::string type(const TypeName& type);

  protected:
    virtual std::string block_value(const BlockValue& node) = 0;
    const Program& program_;

  private:
    template <class Node>
    std::string text(const Node& node, Bare bare);
    std::string container(const Cast& cast);
    std::string tuple(const Tuple& tuple);
    std::string integer(const Expr& expr) const;

    const Source* source_;
};

}  // namespace lt::ast
