#include "stp_later.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <vector>

#include "stdlib/stp.h"

namespace lt::stp {
namespace {

using Names = std::set<std::string>;
constexpr const char* exit_word = "exit()";  // among the globals: the order counts there, too

// Values that are the same whatever event asks for them.
constexpr std::array<std::string_view, 5> of_no_event{"jiffies", "get_cycles", "local_clock_ns", "target", "exit"};
constexpr std::array<std::string_view, 8> statistics{"@count", "@sum",      "@avg",      "@min",
                                                     "@max",   "@variance", "@hist_log", "@hist_linear"};
// What files of the library ask of lt itself.
constexpr std::array<std::string_view, 9> own_words{
    "nsecs", "strftime", "name_text", "errno_name", "signal_name", "syscall_name", "substr", "strstr", "ncpus"};

bool asks_event(StpForm form) {
    constexpr std::array harmless{StpForm::printf,    StpForm::print,     StpForm::println, StpForm::printd,
                                  StpForm::printdln,  StpForm::error,     StpForm::sprint,  StpForm::sprintln,
                                  StpForm::sprintd,   StpForm::sprintdln, StpForm::sprintf, StpForm::call,
                                  StpForm::text_call, StpForm::symbol,    StpForm::act};
    return std::ranges::find(harmless, form) == harmless.end();
}

class Search {
  public:
    Search(const ast::Program& program, const IsGlobal& is_global, const FunctionTable& functions)
        : program_(program), is_global_(is_global), functions_(functions) {}

    // Is the statement itself one that only lt can do?
    bool needs_lt(ast::StmtId id) {
        const ast::StmtNode& node = program_[id].node;
        if (const auto* loop = std::get_if<ast::ForMap>(&node); loop && (loop->order || loop->limit)) return true;
        const auto* evaluate = std::get_if<ast::Evaluate>(&node);
        const auto* call = evaluate ? std::get_if<ast::Call>(&program_[evaluate->value].node) : nullptr;
        const Function* function = call ? functions_.find(call->name, call->arguments.size()) : nullptr;
        return function != nullptr && entered_.insert(function).second &&
               leaves(function, needs_inside(function->body));
    }
    bool needs_inside(const ast::Block& block) {
        return std::ranges::any_of(block.statements, [&](ast::StmtId id) {
            bool found = needs_lt(id);
            ast::each_block(program_[id], [&](const ast::Block& b) { found = found || needs_inside(b); });
            return found;
        });
    }

    // Names of variables that are mentioned, those of globals or the others.
    Names names(const std::vector<ast::StmtId>& statements, bool globals) {
        Names out;
        for (ast::StmtId id : statements) collect(program_[id], globals, out);
        return out;
    }

    bool of_event(const std::vector<ast::StmtId>& statements) {
        return std::ranges::any_of(statements, [&](ast::StmtId id) { return of_event(program_[id]); });
    }

  private:
    bool leaves(const Function* function, bool value) {
        entered_.erase(function);
        return value;
    }

    void note(const std::string& name, bool globals, Names& out) const {
        if (is_global_(name) == globals) out.insert(name);
    }
    void collect(const ast::Stmt& stmt, bool globals, Names& out) {
        if (const auto* loop = std::get_if<ast::ForMap>(&stmt.node)) note(loop->name, globals, out);
        ast::each_expr(stmt, [&](ast::ExprId id) { collect(id, globals, out); });
        ast::each_block(stmt, [&](const ast::Block& b) {
            for (ast::StmtId id : b.statements) collect(program_[id], globals, out);
        });
    }
    void collect(ast::ExprId id, bool globals, Names& out) {
        const ast::Expr& e = program_[id];
        if (const auto* name = std::get_if<ast::Name>(&e.node)) note(name->name, globals, out);
        if (const auto* map = std::get_if<ast::Map>(&e.node)) note(map->name, globals, out);
        if (const auto* call = std::get_if<ast::Call>(&e.node)) collect(*call, globals, out);
        ast::each_child(e, [&](ast::ExprId child) { collect(child, globals, out); });
        ast::each_block(e, [&](const ast::Block& b) {
            for (ast::StmtId s : b.statements) collect(program_[s], globals, out);
        });
    }
    // A function has locals of its own.
    void collect(const ast::Call& call, bool globals, Names& out) {
        const Function* function = functions_.find(call.name, call.arguments.size());
        if (globals && call.name == "exit") out.emplace(exit_word);
        if (function == nullptr || !globals || !entered_.insert(function).second) return;
        for (ast::StmtId s : function->body.statements) collect(program_[s], globals, out);
        entered_.erase(function);
    }

    bool of_event(const ast::Stmt& stmt) {
        bool found = false;
        ast::each_expr(stmt, [&](ast::ExprId id) { found = found || of_event(id); });
        ast::each_block(stmt, [&](const ast::Block& b) { found = found || of_event(b.statements); });
        return found;
    }
    bool of_event(ast::ExprId id) {
        const ast::Expr& e = program_[id];
        const auto* name = std::get_if<ast::Name>(&e.node);
        if (name != nullptr && name->name.starts_with("$")) return true;
        bool found = false;
        if (const auto* call = std::get_if<ast::Call>(&e.node)) found = of_event(*call);
        ast::each_child(e, [&](ast::ExprId child) { found = found || of_event(child); });
        ast::each_block(e, [&](const ast::Block& b) { found = found || of_event(b.statements); });
        return found;
    }
    bool of_event(const ast::Call& call) {
        if (const Function* function = functions_.find(call.name, call.arguments.size())) {
            if (function->embedded) return true;
            return entered_.insert(function).second && leaves(function, of_event(function->body.statements));
        }
        const auto in = [&](const auto& list, std::string_view word) {
            return std::ranges::find(list, word) != list.end();
        };
        if (call.name == "@lt" || call.name == "@lt_number") {
            const auto* word = std::get_if<ast::String>(&program_[call.arguments[0]].node);
            return word == nullptr || !in(own_words, word->value);
        }
        if (call.name.starts_with("@")) return !in(statistics, call.name);
        const StpFunction* row = find_stp_function(call.name);
        return row != nullptr && asks_event(row->form) && !in(of_no_event, call.name);
    }

    const ast::Program& program_;
    const IsGlobal& is_global_;
    const FunctionTable& functions_;
    std::set<const Function*> entered_;  // which may call themselves
};

bool common(const Names& a, const Names& b) {
    return std::ranges::any_of(a, [&](const std::string& name) { return b.contains(name); });
}

class Taker {
  public:
    Taker(ast::Program& program, const std::string& mark, const IsGlobal& is_global, const FunctionTable& functions)
        : program_(program), mark_(mark), search_(program, is_global, functions) {}

    // `then`: what the probe does behind the block, `before`: in front of it.
    std::optional<Later> block(ast::Block& b, const std::vector<ast::StmtId>& before,
                               const std::vector<ast::StmtId>& then) {
        for (size_t i = 0; i < b.statements.size(); i++) {
            const auto at = b.statements.begin() + static_cast<ptrdiff_t>(i);
            std::vector<ast::StmtId> ahead = before, behind(at + 1, b.statements.end());
            ahead.insert(ahead.end(), b.statements.begin(), at);
            behind.insert(behind.end(), then.begin(), then.end());
            if (!search_.needs_lt(*at)) {
                if (!search_.needs_inside({{*at}})) continue;
                if (auto taken = inside(*at, ahead, behind)) return taken;
            }
            return rest(b, i, ahead, then);
        }
        return std::nullopt;
    }

  private:
    std::optional<Later> inside(ast::StmtId id, const std::vector<ast::StmtId>& before,
                                const std::vector<ast::StmtId>& then) {
        ast::StmtNode node = program_[id].node;  // a copy: taking adds statements
        std::optional<Later> taken;
        if (auto* scope = std::get_if<ast::Scope>(&node)) taken = block(scope->body, before, then);
        if (auto* choice = std::get_if<ast::If>(&node)) {
            taken = block(choice->yes, before, then);
            if (!taken) taken = block(choice->no, before, then);
        }
        if (taken) program_.stmts[static_cast<size_t>(id)].node = node;
        return taken;
    }

    std::optional<Later> rest(ast::Block& b, size_t first, const std::vector<ast::StmtId>& before,
                              const std::vector<ast::StmtId>& then) {
        const auto at = b.statements.begin() + static_cast<ptrdiff_t>(first);
        const std::vector<ast::StmtId> tail(at, b.statements.end());
        const Names touched = search_.names(tail, true);
        if (search_.of_event(tail) || common(search_.names(tail, false), search_.names(before, false)) ||
            common(touched, search_.names(then, true)))
            return std::nullopt;
        const Span where = program_[tail.front()].span;
        b.statements.erase(at, b.statements.end());
        const ast::ExprId to = program_.add(where, ast::Name{mark_}), one = program_.add(where, ast::Integer{1});
        b.statements.push_back(program_.add(where, ast::Assign{to, std::nullopt, one}));
        return Later{{tail}, touched.contains(exit_word)};
    }

    ast::Program& program_;
    const std::string& mark_;
    Search search_;
};

}  // namespace

std::optional<Later> take_later(ast::Program& program, ast::Block& body, const std::string& mark,
                                const IsGlobal& is_global, const FunctionTable& functions) {
    return Taker(program, mark, is_global, functions).block(body, {}, {});
}

}  // namespace lt::stp
