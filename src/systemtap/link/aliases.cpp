#include "systemtap/link/aliases.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "parser/tree/rewrite.h"
#include "systemtap/tables/stp.h"

namespace lt::stp {
namespace {

// Where a local is read, and how often it is written.
struct Uses {
    std::vector<ast::ExprId> reads;
    size_t writes = 0;
};

Uses uses_of(const std::string& local, const ast::Program& program, const ast::Block& body) {
    Uses out;
    std::set<ast::ExprId> written;
    ast::each_statement(program, body, [&](ast::StmtId id) {
        const auto* assign = program.get<ast::Assign>(id);
        if (assign && program.is<ast::Name>(assign->target, local)) out.writes++, written.insert(assign->target);
    });
    ast::each_expr_in(program, body, [&](ast::ExprId id) {
        const auto* step = program.get<ast::Step>(id);
        out.writes += step && program.is<ast::Name>(step->target, local);
        if (program.is<ast::Name>(id, local) && !written.contains(id)) out.reads.push_back(id);
    });
    return out;
}

using Reads = std::set<std::string>;

// An assignment does not read its target.
Reads reads_in(const ast::Program& program, const ast::Block& body) {
    std::set<ast::ExprId> written;
    ast::each_statement(program, body, [&](ast::StmtId id) {
        const auto* assign = program.get<ast::Assign>(id);
        if (assign && !assign->op && program.get<ast::Name>(assign->target)) written.insert(assign->target);
    });
    Reads reads;
    ast::each_expr_in(program, body, [&](ast::ExprId id) {
        const auto* name = program.get<ast::Name>(id);
        if (name && !written.contains(id)) reads.insert(name->name);
    });
    return reads;
}

bool is_empty(const ast::Program& program, const ast::Block& block) {
    for (ast::StmtId id : block.statements) {
        const auto* scope = program.get<ast::Scope>(id);
        if (scope == nullptr || !is_empty(program, scope->body)) return false;
    }
    return true;
}

// The effect of an evaluation. `varies`: later, its value may be another one.
enum class Effect : uint8_t { none, varies, acts };

constexpr std::array acting{StpForm::act,    StpForm::printf,   StpForm::print, StpForm::println,
                            StpForm::printd, StpForm::printdln, StpForm::show,  StpForm::format,
                            StpForm::delay,  StpForm::error,    StpForm::abort};
constexpr std::array<std::string_view, 3> acting_calls{delete_call, collect_call, "setsockopt"};
constexpr std::array<std::string_view, 4> clocks{"jiffies", "get_cycles", "local_clock_ns", "@perf"};
constexpr std::array<std::string_view, 3> changing_words{"nsecs", "rand", "counter"};  // of library files, to lt

class Effects {
  public:
    Effects(const ast::Program& program, const Script& script) : program_(program), script_(script) {}

    template <class Part>
    Effect of(const Part& part) {
        Effect most = Effect::none;
        ast::each_expr_in(program_, part, [&](ast::ExprId id) { most = std::max(most, of_one(id)); });
        return most;
    }

  private:
    Effect of_one(ast::ExprId id) {
        if (const auto* name = program_.get<ast::Name>(id)) return reading(name->name);
        if (const auto* map = program_.get<ast::Map>(id)) return reading(map->name);
        if (const auto* step = program_.get<ast::Step>(id)) return writing(step->target);
        if (program_.get<ast::BlockValue>(id)) return entered_.empty() ? Effect::acts : Effect::none;
        const auto* call = program_.get<ast::Call>(id);
        return call ? of_call(*call) : Effect::none;
    }

    Effect reading(const std::string& name) const { return script_.is_global(name) ? Effect::varies : Effect::none; }

    // A function's own locals do not matter.
    Effect writing(ast::ExprId target) const {
        const auto* name = program_.get<ast::Name>(target);
        const bool of_function = name && !entered_.empty() && !script_.is_global(name->name);
        return of_function ? Effect::none : Effect::acts;
    }

    Effect of_call(const ast::Call& call) {
        const auto functions = script_.functions.overloads(call.name, call.arguments.size());
        Effect most = Effect::none;
        for (const Function* f : functions) most = std::max(most, of_function(*f));
        if (!functions.empty()) return most;
        const auto in = [](const auto& list, const auto& what) { return std::ranges::find(list, what) != list.end(); };
        const auto* word = call.arguments.empty() ? nullptr : program_.get<ast::String>(call.arguments[0]);
        if (call.name == embedded_call) return word ? of_c(word->value) : Effect::acts;
        if (in(acting_calls, call.name)) return Effect::acts;
        const StpFunction* row = find_stp_function(call.name);
        if (row && in(acting, row->form)) return Effect::acts;
        const bool asks_lt = call.name == "@lt" || call.name == "@lt_number";
        const bool changes = asks_lt ? word && in(changing_words, word->value) : in(clocks, call.name);
        return changes ? Effect::varies : Effect::none;
    }

    Effect of_function(const Function& f) {
        if (f.embedded) return of_c(*f.embedded);
        if (!entered_.insert(&f).second) return Effect::none;
        Effect most = of(f.body);
        ast::each_statement(program_, f.body, [&](ast::StmtId id) {
            if (const auto* assign = program_.get<ast::Assign>(id)) most = std::max(most, writing(assign->target));
        });
        entered_.erase(&f);
        return most;
    }

    // As SystemTap reads C.
    static Effect of_c(std::string_view text) {
        return text.find("/* pure */") == text.npos ? Effect::acts : Effect::varies;
    }

    const ast::Program& program_;
    const Script& script_;
    std::set<const Function*> entered_;  // they may be recursive
};

class Shortener {
  public:
    Shortener(ast::Program& program, ast::Block& body, size_t first, const Script& script)
        : program_(program), body_(body), first_(first), script_(script), effects_(program, script) {}

    void inline_texts() {
        for (size_t i = 0; i < first_; i++) {
            const auto* assign = program_.get<ast::Assign>(body_.statements[i]);
            const auto* name = assign ? program_.get<ast::Name>(assign->target) : nullptr;
            const auto* call = assign ? program_.get<ast::Call>(assign->value) : nullptr;
            if (name == nullptr || assign->op || call == nullptr || call->name != "sprintf") continue;
            const std::string local = name->name;
            const ast::ExprId value = assign->value;
            const Uses uses = uses_of(local, program_, body_);
            if (uses.writes != 1 || script_.is_global(local) || !stays_same(value, i)) continue;
            for (ast::ExprId read : uses.reads) {
                const ast::ExprId copy = ast::clone(program_, value);
                program_.put(read, ast::ExprNode(program_[copy].node));
            }
            program_.put(body_.statements[i], ast::Scope{});
        }
    }

    void drop_unused() {
        for (bool changed = first_ > 0; changed;) {
            changed = false;
            const Reads reads = reads_in(program_, body_);
            for (size_t i = 0; i < first_; i++) changed = drop(body_.statements[i], reads) || changed;
        }
        std::erase_if(body_.statements, [&](ast::StmtId id) { return is_empty(program_, {{id}}); });
    }

  private:
    // Has the expression one value from this statement on?
    bool stays_same(ast::ExprId value, size_t statement) {
        const auto from = body_.statements.begin() + static_cast<ptrdiff_t>(statement);
        const ast::Block rest{std::vector<ast::StmtId>(from, body_.statements.end())};
        const bool is_written = ast::any_expr_in(program_, value, [&](ast::ExprId id) {
            const auto* name = program_.get<ast::Name>(id);
            return name && uses_of(name->name, program_, rest).writes > 0;
        });
        return !is_written && effects_.of(value) == Effect::none;
    }

    bool acts(ast::ExprId id) { return effects_.of(id) == Effect::acts; }

    bool drop(ast::StmtId id, const Reads& reads) {
        const ast::StmtNode node = program_[id].node;
        bool useless = false, changed = false;
        if (const auto* assign = std::get_if<ast::Assign>(&node)) {
            const auto* name = program_.get<ast::Name>(assign->target);
            useless = name && !assign->op && !reads.contains(name->name) &&
                      !script_.writes_global(name->name, program_[id].span) && !acts(assign->value);
        } else if (const auto* choice = std::get_if<ast::If>(&node)) {
            for (ast::StmtId s : choice->yes.statements) changed = drop(s, reads) || changed;
            for (ast::StmtId s : choice->no.statements) changed = drop(s, reads) || changed;
            useless = is_empty(program_, choice->yes) && is_empty(program_, choice->no) && !acts(choice->condition);
        } else if (const auto* scope = std::get_if<ast::Scope>(&node)) {
            for (ast::StmtId s : scope->body.statements) changed = drop(s, reads) || changed;
        }
        if (useless) program_.put(id, ast::Scope{});
        return useless || changed;
    }

    ast::Program& program_;
    ast::Block& body_;
    size_t first_;
    const Script& script_;
    Effects effects_;
};

}  // namespace

void shorten(ast::Program& program, ast::Block& body, size_t first, const Script& script) {
    Shortener shortener(program, body, first, script);
    shortener.inline_texts();
    shortener.drop_unused();
}

}  // namespace lt::stp
