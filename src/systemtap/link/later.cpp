#include "systemtap/link/later.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <vector>

#include "systemtap/names/names.h"
#include "systemtap/tables/stp.h"

namespace lt::stp {
namespace {

using NameSet = std::set<std::string>;
constexpr const char* exit_word = "exit()";  // treated as a global, because its order matters, too

// Values that do not depend on the event.
constexpr std::array<std::string_view, 5> of_no_event{"jiffies", "get_cycles", "local_clock_ns", "target", "exit"};
constexpr std::array<std::string_view, 8> statistics{"@count", "@sum",      "@avg",      "@min",
                                                     "@max",   "@variance", "@hist_log", "@hist_linear"};
// Requests of library files to lt itself.
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

    // Can only lt run this statement?
    bool needs_lt(ast::StmtId id) {
        if (const auto* loop = program_.get<ast::ForMap>(id); loop && (loop->order || loop->limit)) return true;
        const auto* call = program_.call(id);
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

    // Names of the variables used, either globals or the others.
    NameSet names(const std::vector<ast::StmtId>& statements, bool globals) {
        NameSet out;
        collect({statements}, globals, out);
        return out;
    }

    bool of_event(const std::vector<ast::StmtId>& statements) {
        return ast::any_expr_in(program_, ast::Block{statements}, [&](ast::ExprId id) {
            const auto* name = program_.get<ast::Name>(id);
            const auto* call = program_.get<ast::Call>(id);
            return (name && name->name.starts_with("$")) || (call && of_event(*call));
        });
    }

  private:
    bool leaves(const Function* function, bool value) {
        entered_.erase(function);
        return value;
    }

    void note(const std::string& name, bool globals, NameSet& out) const {
        if (is_global_(name) == globals) out.insert(name);
    }
    void collect(const ast::Block& block, bool globals, NameSet& out) {
        ast::each_statement(program_, block, [&](ast::StmtId id) {
            if (const auto* loop = program_.get<ast::ForMap>(id)) note(loop->name, globals, out);
        });
        ast::each_expr_in(program_, block, [&](ast::ExprId id) {
            if (const auto* name = program_.get<ast::Name>(id)) note(name->name, globals, out);
            if (const auto* map = program_.get<ast::Map>(id)) note(map->name, globals, out);
            if (const auto* call = program_.get<ast::Call>(id)) collect(*call, globals, out);
        });
    }
    // A function has its own locals.
    void collect(const ast::Call& call, bool globals, NameSet& out) {
        const Function* function = functions_.find(call.name, call.arguments.size());
        if (globals && call.name == "exit") out.emplace(exit_word);
        if (function == nullptr || !globals || !entered_.insert(function).second) return;
        collect(function->body, globals, out);
        entered_.erase(function);
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
            const auto* word = program_.get<ast::String>(call.arguments[0]);
            return word == nullptr || !in(own_words, word->value);
        }
        if (call.name.starts_with("@")) return !in(statistics, call.name);
        const StpFunction* row = find_stp_function(call.name);
        return row != nullptr && asks_event(row->form) && !in(of_no_event, call.name);
    }

    const ast::Program& program_;
    const IsGlobal& is_global_;
    const FunctionTable& functions_;
    std::set<const Function*> entered_;  // they may be recursive
};

bool common(const NameSet& a, const NameSet& b) {
    return std::ranges::any_of(a, [&](const std::string& name) { return b.contains(name); });
}

// `name` += or -= 1
ast::StmtId change_by_one(ast::Program& program, Span where, const std::string& name, ast::BinaryOp op) {
    const ast::ExprId to = program.add(where, ast::Name{name}), one = program.add(where, ast::Integer{1});
    return program.add(where, ast::Assign{to, op, one});
}

class Taker {
  public:
    Taker(ast::Program& program, const std::string& mark, const IsGlobal& is_global, const FunctionTable& functions)
        : program_(program), mark_(mark), search_(program, is_global, functions) {}

    // `then`: the probe's statements after the block, `before`: those before it.
    std::optional<Later> block(ast::Block& b, const std::vector<ast::StmtId>& before,
                               const std::vector<ast::StmtId>& then) {
        for (size_t i = 0; i < b.statements.size(); i++) {
            const auto at = b.statements.begin() + static_cast<ptrdiff_t>(i);
            std::vector<ast::StmtId> ahead = before, following(at + 1, b.statements.end());
            ahead.insert(ahead.end(), b.statements.begin(), at);
            following.insert(following.end(), then.begin(), then.end());
            if (!search_.needs_lt(*at)) {
                if (!search_.needs_inside({{*at}})) continue;
                if (auto taken = inside(*at, ahead, following)) return taken;
            }
            return rest(b, i, ahead, then);
        }
        return std::nullopt;
    }

  private:
    std::optional<Later> inside(ast::StmtId id, const std::vector<ast::StmtId>& before,
                                const std::vector<ast::StmtId>& then) {
        ast::StmtNode node = program_[id].node;  // a copy, because taking adds statements
        std::optional<Later> taken;
        if (auto* scope = std::get_if<ast::Scope>(&node)) taken = block(scope->body, before, then);
        if (auto* choice = std::get_if<ast::If>(&node)) {
            taken = block(choice->yes, before, then);
            if (!taken) taken = block(choice->no, before, then);
        }
        if (taken) program_.put(id, node);
        return taken;
    }

    std::optional<Later> rest(ast::Block& b, size_t first, const std::vector<ast::StmtId>& before,
                              const std::vector<ast::StmtId>& then) {
        const auto at = b.statements.begin() + static_cast<ptrdiff_t>(first);
        const std::vector<ast::StmtId> tail(at, b.statements.end());
        const NameSet touched = search_.names(tail, true);
        if (search_.of_event(tail) || common(search_.names(tail, false), search_.names(before, false)) ||
            common(touched, search_.names(then, true)))
            return std::nullopt;
        const ast::Stmt last = program_[tail.back()];
        const bool leaves = is_next(program_, tail.back());
        if (!leaves && !then.empty() && says_next(program_, {tail})) return std::nullopt;
        const Span where = program_[tail.front()].span;
        b.statements.erase(at, b.statements.end());
        b.statements.push_back(change_by_one(program_, where, mark_, ast::BinaryOp::add));
        if (leaves && !then.empty()) b.statements.push_back(program_.add(last.span, last.node));
        Later later;
        later.rest.name = mark_;
        later.rest.span = where;
        later.rest.body = {tail};
        later.exits = touched.contains(exit_word);
        return later;
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

const StpPoint* row_of_later() {
    constexpr std::string_view timer = "timer.ms(n)";
    return &*std::ranges::find(stp_points(), timer, &StpPoint::shape);
}

ast::Block run_later(ast::Program& program, const Later& later, bool at_end) {
    constexpr const char* left_out =
        "events came faster than a sorted foreach could follow: it did not run for the last %d";
    constexpr uint64_t most = 100;  // at once, so that lt answers between them even if events are more frequent
    const Span where = later.rest.span;
    const std::string& mark = later.rest.name;
    const std::string left = "left#";
    const auto name = [&](const std::string& of) { return program.add(where, ast::Name{of}); };
    const auto give = [&](ast::ExprId value) {
        return program.add(where, ast::Assign{name(left), std::nullopt, value});
    };
    const auto number = [&](uint64_t n) { return program.add(where, ast::Integer{n}); };
    const ast::ExprId called = program.add(where, ast::Call{mark, where, {}});
    ast::Block turn{
        {change_by_one(program, where, mark, ast::BinaryOp::subtract), program.add(where, ast::Evaluate{called})}};
    if (later.exits) return {{program.add(where, ast::If{name(mark), turn, {}})}};
    turn.statements.insert(turn.statements.begin(), change_by_one(program, where, left, ast::BinaryOp::subtract));
    const ast::ExprId too_many = program.add(where, ast::Binary{ast::BinaryOp::greater, name(left), number(most)});
    ast::Block all{{give(name(mark)), program.add(where, ast::If{too_many, {{give(number(most))}}, {}}),
                    program.add(where, ast::While{name(left), turn})}};
    if (!at_end) return all;
    const ast::ExprId format = program.add(where, ast::String{left_out}), count = name(mark);
    const ast::ExprId text = program.add(where, ast::Call{"sprintf", where, {format, count}});
    const ast::ExprId warned = program.add(where, ast::Call{"warn", where, {text}});
    all.statements.push_back(
        program.add(where, ast::If{name(mark), {{program.add(where, ast::Evaluate{warned})}}, {}}));
    return all;
}

}  // namespace lt::stp
