// try and catch in a tree that people will read. lt's own language cannot catch errors: a division by zero and
// unreadable memory give 0 there. The handler of error() runs at the place of the call, in a loop that is left after
// it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "parser/tree/rewrite.h"
#include "systemtap/names/calls.h"
#include "systemtap/names/names.h"
#include "systemtap/names/scope.h"

namespace lt::stp {
namespace {

// The calls of error() in a block, as far as a `break` leaves the block from there.
class Raises {
  public:
    Raises(const ast::Program& program, const ast::Block& block) : program_(program) { find(block, false); }

    std::vector<ast::StmtId> found;
    bool can_leave = true;  // and no other statement leaves a loop around the block

  private:
    void find(const ast::Block& block, bool in_loop) {
        for (ast::StmtId id : block.statements) {
            const ast::Stmt& s = program_[id];
            const auto* call = program_.call(id);
            if (call && call->name == "error" && call->arguments.size() == 1) {
                found.push_back(id);
                can_leave = can_leave && !in_loop;
            }
            if (std::holds_alternative<ast::Jump>(s.node) || std::holds_alternative<ast::Attempt>(s.node))
                can_leave = can_leave && in_loop;
            const bool is_loop =
                std::holds_alternative<ast::While>(s.node) || std::holds_alternative<ast::ForMap>(s.node);
            ast::each_block(s, [&](const ast::Block& inner) { find(inner, in_loop || is_loop); });
        }
    }

    const ast::Program& program_;
};

// A function that a block calls and that can end in an error().
class Raiser {
  public:
    explicit Raiser(const Names& scope) : scope_(scope) {}

    // Its call, directly in the block; nullptr: there is none.
    const ast::Call* find(const ast::Block& block) {
        for (ast::StmtId id : block.statements) {
            if (const ast::Call* call = find(scope_.program[id])) return call;
        }
        return nullptr;
    }

  private:
    const ast::Call* find(const ast::Stmt& s) {
        if (const auto* inner = std::get_if<ast::Attempt>(&s.node)) return find(inner->handler);
        const ast::Call* found = nullptr;
        const auto take = [&](ast::ExprId id) {
            const auto* call = scope_.program.get<ast::Call>(id);
            if (found == nullptr && call != nullptr && raises(*call)) found = call;
        };
        ast::each_expr(s, [&](ast::ExprId id) { ast::each_expr_in(scope_.program, id, take); });
        ast::each_block(s, [&](const ast::Block& inner) {
            if (found == nullptr) found = find(inner);
        });
        return found;
    }
    bool raises(const ast::Call& call) {
        const auto own = scope_.functions.overloads(call.name, call.arguments.size());
        if (own.empty()) return depth_ > 0 && call.name == "error";
        depth_++;
        const bool found = std::ranges::any_of(
            own, [&](const Function* f) { return seen_.insert(f).second && find(f->body) != nullptr; });
        depth_--;
        return found;
    }

    const Names& scope_;
    std::set<const Function*> seen_ = {};
    size_t depth_ = 0;  // of calls
};

// Can it read memory that cannot be read, or divide by zero? A function of the script or the library may.
bool can_fail(const Names& scope, const ast::Block& block) {
    using enum StpForm;
    constexpr std::array reading{memory, bytes, memory_bytes, memory_quoted, kernel_number, user_number_or_error};
    return ast::any_expr_in(scope.program, block, [&](ast::ExprId id) {
        if (const auto* name = scope.get<ast::Name>(id)) return name->name.starts_with("$");
        if (const auto* binary = scope.get<ast::Binary>(id))
            return binary->op == ast::BinaryOp::divide || binary->op == ast::BinaryOp::modulo;
        const auto* call = scope.get<ast::Call>(id);
        if (call == nullptr) return scope.get<ast::Member>(id) != nullptr;
        const StpFunction* row = find_stp_function(call->name);
        return scope.functions.has(call->name) || (row && std::ranges::find(reading, row->form) != reading.end());
    });
}

// while (1) { body; break }, where error(text) is { name = text; handler; break }.
void handle_in_place(Names& scope, ast::StmtId id, const ast::Attempt& node, const std::vector<ast::StmtId>& raises) {
    for (ast::StmtId raise : raises) {
        const Span where = scope.program[raise].span;
        const ast::ExprId message = scope.program.call(raise)->arguments[0];
        ast::Block handler = ast::clone(scope.program, node.handler);
        if (!node.name.empty()) {
            const size_t given = static_cast<size_t>(handler.statements.front());
            std::get<ast::Assign>(scope.program.stmts[given].node).value = message;
        }
        handler.statements.push_back(scope.program.add(where, ast::Jump{false}));
        scope.program.put(raise, ast::Scope{std::move(handler)});
    }
    const Span where = scope.program[id].span;
    ast::Block body = node.body;
    body.statements.push_back(scope.program.add(where, ast::Jump{false}));
    const ast::ExprId always = scope.program.add(where, ast::Integer{1});
    scope.program.put(id, ast::While{always, std::move(body)});
}

}  // namespace

void resolve_attempt(Names& scope, ast::StmtId id) {
    const auto node = std::get<ast::Attempt>(scope.program[id].node);
    if (const ast::Call* call = Raiser(scope).find(node.body)) {
        scope.diags.error(call->name_span, fmt::format("the port cannot catch the error() in {}()", call->name)).hint =
            "let the function return a value instead and use an `if`, or run the script as it is";
        return scope.program.put(id, ast::Scope{});
    }
    const Span where = scope.program[id].span;
    const Span word{where.begin, where.begin + 3};
    if (can_fail(scope, node.body)) scope.uncaught.push_back(word);
    const Raises raises(scope.program, node.body), handles(scope.program, node.handler);
    if (!raises.found.empty() && raises.can_leave && handles.can_leave && handles.found.empty()) {
        handle_in_place(scope, id, node, raises.found);
        return resolve_statement(scope, id);
    }
    const size_t before = scope.errors;
    resolve_block(scope, node.body);
    if (scope.errors != before) scope.diags.error(word, "lt does not catch an error()").hint = "use an `if` instead";
    scope.program.put(id, ast::Scope{node.body});
}

void warn_of_uncaught(const Names& scope, const Source& source) {
    if (scope.diags.has_errors()) return;
    for (const Span word : scope.uncaught) {
        if (source.is_library(word.begin)) continue;
        scope.diags
            .warning(word,
                     "in .lt, a read that fails gives 0 and the block continues: this `catch` does not run for it")
            .hint = "check addresses with an `if` before they are followed";
    }
}

}  // namespace lt::stp
