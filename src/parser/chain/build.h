// Short constructors for the parts of a tree that a chain becomes. All parts have the span of what they stand for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parser/tree/ast.h"

namespace lt {

using Statements = std::vector<ast::StmtId>;

class ChainBuilder {
  public:
    explicit ChainBuilder(ast::Program& program) : program_(program) {}

    void at(Span span) { span_ = span; }
    ast::Program& program() { return program_; }

    ast::ExprId number(uint64_t value);  // an unsigned integer of 64 bits
    ast::ExprId duration(int64_t ns) { return add(ast::Duration{ns}); }
    ast::ExprId text(std::string value) { return add(ast::String{std::move(value)}); }
    ast::ExprId name(std::string_view name) { return add(ast::Name{std::string(name)}); }
    // A variable whose name no script can write.
    ast::ExprId local(std::string_view name) { return add(ast::Local{own(name)}); }
    ast::ExprId map(const std::string& name, ast::ExprId key) { return map(name, std::vector{key}); }
    ast::ExprId map(const std::string& name, std::vector<ast::ExprId> key) {
        return add(ast::Map{name, std::move(key), true});
    }
    ast::ExprId member(ast::ExprId base, size_t part) { return add(ast::Member{base, std::to_string(part), span_}); }
    ast::ExprId tuple(std::vector<ast::ExprId> parts) { return add(ast::Tuple{std::move(parts)}); }
    ast::ExprId binary(ast::BinaryOp op, ast::ExprId left, ast::ExprId right) {
        return add(ast::Binary{op, left, right});
    }
    ast::ExprId call(std::string_view name, std::vector<ast::ExprId> arguments) {
        return add(ast::Call{std::string(name), span_, std::move(arguments)});
    }
    ast::ExprId clone(ast::ExprId id);

    ast::StmtId evaluate(ast::ExprId value) { return add(ast::Evaluate{value}); }
    ast::StmtId assign(ast::ExprId target, ast::ExprId value) { return add(ast::Assign{target, {}, value}); }
    ast::StmtId let(std::string_view name, ast::ExprId value) { return add(ast::Let{own(name), span_, {}, value}); }
    ast::StmtId when(ast::ExprId condition, Statements yes, Statements no = {}) {
        return add(ast::If{condition, {std::move(yes)}, {std::move(no)}});
    }
    ast::StmtId scope(Statements body) { return add(ast::Scope{{std::move(body)}}); }
    ast::StmtId leave() { return add(ast::Return{}); }

  private:
    static std::string own(std::string_view name) { return "chain." + std::string(name); }
    ast::ExprId add(ast::ExprNode node) { return program_.add(span_, std::move(node)); }
    ast::StmtId add(ast::StmtNode node) { return program_.add(span_, std::move(node)); }

    ast::Program& program_;
    Span span_;
};

}  // namespace lt
