// A format is read when the program is compiled. What a macro without statements says, or a variable to which a block
// assigns one string and nothing else, is that string.
#include <map>

#include "expand.h"
#include "stdlib/builtins.h"

namespace lt {
namespace {

class Formats {
  public:
    explicit Formats(ast::Program& program) : program_(program) {}

    void block(const ast::Block& b) {
        walk(b);
        for (ast::ExprId id : calls_) put(std::get<ast::Call>(program_[id].node));
    }

  private:
    void walk(const ast::Block& b) {
        for (ast::StmtId id : b.statements) {
            const ast::Stmt& stmt = program_[id];
            if (const auto* let = std::get_if<ast::Let>(&stmt.node); let && let->value)
                assigned(let->name, *let->value);
            if (const auto* assign = std::get_if<ast::Assign>(&stmt.node)) {
                const auto* local = std::get_if<ast::Local>(&program_[assign->target].node);
                if (local) assigned(local->name, assign->value);
            }
            ast::each_expr(stmt, [this](ast::ExprId child) { expr(child); });
            ast::each_block(stmt, [this](const ast::Block& inner) { walk(inner); });
        }
    }

    void expr(ast::ExprId id) {
        if (std::holds_alternative<ast::Call>(program_[id].node)) calls_.push_back(id);
        ast::each_child(program_[id], [this](ast::ExprId child) { expr(child); });
        ast::each_block(program_[id], [this](const ast::Block& inner) { walk(inner); });
    }

    void assigned(const std::string& name, ast::ExprId value) {
        const bool is_first = !values_.contains(name);
        values_[name] = is_first ? std::optional(value) : std::nullopt;
    }

    // The string that this is whenever it is read.
    std::optional<std::string> constant(ast::ExprId id) const {
        const ast::ExprNode& node = program_[id].node;
        if (const auto* text = std::get_if<ast::String>(&node)) return text->value;
        const auto* inner = std::get_if<ast::BlockValue>(&node);
        if (inner && !inner->is_call && inner->block.statements.empty() && inner->value) return constant(*inner->value);
        const auto* local = std::get_if<ast::Local>(&node);
        const auto known = local ? values_.find(local->name) : values_.end();
        if (known == values_.end() || !known->second) return {};
        if (std::holds_alternative<ast::Local>(program_[*known->second].node)) return {};  // it may be itself
        return constant(*known->second);
    }

    void put(const ast::Call& call) {
        const FunctionRow* row = find_function(call.name);
        if (!row || call.arguments.empty() || row->wants().empty() || row->wants()[0].want != Want::format) return;
        if (auto text = constant(call.arguments[0]))
            program_.exprs[static_cast<size_t>(call.arguments[0])].node = ast::String{*std::move(text)};
    }

    ast::Program& program_;
    std::map<std::string, std::optional<ast::ExprId>> values_;  // none: it is assigned more than once
    std::vector<ast::ExprId> calls_;
};

}  // namespace

void constant_formats(ast::Program& program) {
    for (const ast::Item& item : program.items) {
        if (const auto* action = std::get_if<ast::Action>(&item.node)) Formats(program).block(action->body);
        if (const auto* span = std::get_if<ast::SpanAction>(&item.node)) Formats(program).block(span->body);
    }
}

}  // namespace lt
