// Formats must be known when the program is compiled. A format may also be a macro without statements, or a variable to
// which a block assigns one string and nothing else; both are replaced by that string.
#include <map>

#include "parser/lt/expand.h"
#include "stdlib/functions/builtins.h"

namespace lt {
namespace {

class Formats {
  public:
    explicit Formats(ast::Program& program) : program_(program) {}

    void block(const ast::Block& b) {
        ast::each_statement(program_, b, [&](ast::StmtId id) {
            if (const auto* let = program_.get<ast::Let>(id); let && let->value) assigned(let->name, *let->value);
            if (const auto* local = program_.target<ast::Local>(id))
                assigned(local->name, program_.get<ast::Assign>(id)->value);
        });
        ast::each_expr_in(program_, b, [&](ast::ExprId id) {
            if (const auto* call = program_.get<ast::Call>(id)) put(ast::Call(*call));
        });
    }

  private:
    void assigned(const std::string& name, ast::ExprId value) {
        const bool is_first = !values_.contains(name);
        values_[name] = is_first ? std::optional(value) : std::nullopt;
    }

    // The constant string of this expression.
    std::optional<std::string> constant(ast::ExprId id) const {
        const ast::ExprNode& node = program_[id].node;
        if (const auto* text = std::get_if<ast::String>(&node)) return text->value;
        const auto* inner = std::get_if<ast::BlockValue>(&node);
        if (inner && !inner->is_call && inner->block.statements.empty() && inner->value) return constant(*inner->value);
        const auto* local = std::get_if<ast::Local>(&node);
        const auto assigned = local ? values_.find(local->name) : values_.end();
        if (assigned == values_.end() || !assigned->second) return {};
        if (std::holds_alternative<ast::Local>(program_[*assigned->second].node)) return {};  // it may refer to itself
        return constant(*assigned->second);
    }

    void put(const ast::Call& call) {
        const FunctionRow* row = find_function(call.name);
        if (!row || call.arguments.empty() || row->wants().empty() || row->wants()[0].want != Want::format) return;
        if (auto text = constant(call.arguments[0])) program_.put(call.arguments[0], ast::String{*std::move(text)});
    }

    ast::Program& program_;
    std::map<std::string, std::optional<ast::ExprId>> values_;  // empty: assigned more than once
};

}  // namespace

void constant_formats(ast::Program& program) {
    for (const ast::Item& item : program.items) {
        if (const auto* action = std::get_if<ast::Action>(&item.node)) Formats(program).block(action->body);
        if (const auto* span = std::get_if<ast::SpanAction>(&item.node)) {
            Formats(program).block(span->body);
            if (span->timeout) Formats(program).block(span->timeout->body);
        }
    }
}

}  // namespace lt
