// Functions of SystemTap's library that lt has under another name or as an expression.
#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>

#include "stdlib/functions/builtins.h"
#include "systemtap/port/steps.h"

namespace lt::port {
namespace {

constexpr size_t most_rounds = 16;  // library functions are not nested deeper

// Functions that lt can write with the argument once; their bodies name it several times.
struct SwapRow {
    std::string_view name;
    std::string_view type;
};
constexpr std::array swaps{SwapRow{"ntohs", "uint16"}, SwapRow{"htons", "uint16"},  SwapRow{"ntohl", "uint32"},
                           SwapRow{"htonl", "uint32"}, SwapRow{"ntohll", "uint64"}, SwapRow{"htonll", "uint64"}};

// Names that a function of lt cannot have.
constexpr std::array<std::string_view, 26> words{
    "if",     "else",  "return",  "for",     "while",  "unroll",   "break",  "continue", "let",
    "param",  "span",  "timeout", "config",  "macro",  "fn",       "import", "true",     "false",
    "struct", "union", "enum",    "typedef", "sizeof", "offsetof", "typeof", "defined"};

class Functions {
  public:
    Functions(Tree& tree, const Source& source, bool by_name) : tree_(tree), source_(source), by_name_(by_name) {
        for (const ast::Item& item : tree.program.items) {
            if (const auto* f = std::get_if<ast::FunctionItem>(&item.node)) functions_[f->name] = {*f, item.span};
        }
    }

    void run() {
        find_stored();
        for (size_t i = 0; i < tree_.program.exprs.size(); i++) now(static_cast<ast::ExprId>(i));
        for (size_t i = 0; i < most_rounds && round(); i++) {
        }
        drop_uncalled();
        rename();
    }

  private:
    struct Known {
        ast::FunctionItem item;
        Span span;
    };

    // Replaces all current calls; false if there were none.
    bool round() {
        bool any = false;
        for (size_t i = 0; i < tree_.program.exprs.size(); i++) {
            const auto id = static_cast<ast::ExprId>(i);
            const auto* call = tree_.get<ast::Call>(id);
            const auto found = call ? functions_.find(call->name) : functions_.end();
            if (found == functions_.end() || !is_library(found->second.span)) continue;
            const ast::Call copy = *call;
            any = swap(id, copy) || address(id, copy) || replace(id, copy, found->second.item) || any;
        }
        return any;
    }

    bool is_library(Span where) const { return !source_.parts.empty() && where.begin >= source_.parts.front().begin; }

    bool swap(ast::ExprId id, ast::Call call) {
        const auto* row = std::ranges::find_if(swaps, [&](const SwapRow& r) { return r.name == call.name; });
        if (row == swaps.end() || call.arguments.size() != 1) return false;
        const ast::ExprId value = tree_.bare(call.arguments[0]);
        const ast::ExprId typed = tree_.like(id, ast::Cast{{call.name_span, std::string(row->type), 0, {}}, value});
        tree_.put(id, ast::Call{"bswap", call.name_span, {typed}});
        return true;
    }

    // An address that lt prints by name is not a string, so it cannot be where a string must be.
    bool address(ast::ExprId id, const ast::Call& call) {
        if (!by_name_ || call.name != "ip_ntop" || call.arguments.size() != 1) return false;
        tree_.put(id, ast::Call{"ntop", call.name_span, call.arguments});
        return true;
    }

    // Values in keys, assigned, compared, or given to functions: there, times of one second must be the same.
    void find_stored() {
        std::set<std::string> names;
        const std::function<void(ast::ExprId)> note = [&](ast::ExprId id) {
            const ast::ExprId value = tree_.bare(id);
            stored_.insert(value);
            if (const auto* local = tree_.get<ast::Local>(value)) names.insert(local->name);
            if (const auto* choice = tree_.get<ast::Conditional>(value)) note(choice->yes), note(choice->no);
        };
        for (const ast::Expr& e : tree_.program.exprs) {
            if (const auto* map = std::get_if<ast::Map>(&e.node)) std::ranges::for_each(map->key, note);
            const auto* call = std::get_if<ast::Call>(&e.node);
            if (call && functions_.contains(call->name)) std::ranges::for_each(call->arguments, note);
            const auto* binary = std::get_if<ast::Binary>(&e.node);
            if (binary && binary->op != ast::BinaryOp::add) note(binary->left), note(binary->right);
        }
        for (size_t known = names.size() + 1; known != names.size();) {
            known = names.size();
            for (const ast::Stmt& s : tree_.program.stmts) {
                const auto* assign = std::get_if<ast::Assign>(&s.node);
                const auto* local = assign ? tree_.get<ast::Local>(assign->target) : nullptr;
                if (assign && (local == nullptr || names.contains(local->name))) note(assign->value);
                if (const auto* leave = std::get_if<ast::Return>(&s.node); leave && leave->value) note(*leave->value);
            }
        }
    }

    // ctime(gettimeofday_s()) is the current time.
    void now(ast::ExprId id) {
        const auto* found = tree_.get<ast::Call>(id);
        if (found == nullptr || stored_.contains(id)) return;
        const ast::Call call = *found;
        const auto* seconds = call.arguments.size() == 1 ? tree_.get<ast::Call>(call.arguments[0]) : nullptr;
        const bool is_time = call.name == "ctime" || call.name == "tz_ctime";
        if (!is_time || !seconds || seconds->name != "gettimeofday_s") return;
        const ast::ExprId format = tree_.like(id, ast::String{"%a %b %e %H:%M:%S %Y"});
        const ast::ExprId time = tree_.like(id, ast::Name{"nsecs"});
        ast::Call text{"strftime", call.name_span, {format, time}};
        if (call.name == "ctime") text.arguments.push_back(tree_.like(id, ast::Name{"utc"}));
        tree_.put(id, std::move(text));
    }

    bool replace(ast::ExprId id, const ast::Call& call, const ast::FunctionItem& f) {
        if (f.body.statements.size() != 1) return false;
        const auto* result = tree_.get<ast::Return>(f.body.statements[0]);
        const auto* act = tree_.get<ast::Evaluate>(f.body.statements[0]);
        const std::optional<ast::ExprId> value = result ? result->value
                                                 : act  ? std::optional(act->value)
                                                        : std::nullopt;
        if (!value || call.arguments.size() != f.parameters.size()) return false;
        std::map<std::string, ast::ExprId> given;
        for (size_t i = 0; i < f.parameters.size(); i++) {
            const bool once = tree_.uses(*value, f.parameters[i].name).size() <= 1;
            if (!once && !is_short(call.arguments[i])) return false;
            given[f.parameters[i].name] = call.arguments[i];
        }
        const ast::ExprId copy = tree_.copy(*value);
        place(copy, given);
        tree_.become(id, copy);
        return true;
    }

    bool is_short(ast::ExprId id) const {
        const ast::ExprNode& node = tree_.node(tree_.bare(id));
        const auto* member = std::get_if<ast::Member>(&node);
        if (member && tree_.is_name(member->base, "args")) return true;
        return std::holds_alternative<ast::Name>(node) || std::holds_alternative<ast::Local>(node) ||
               std::holds_alternative<ast::Integer>(node) || std::holds_alternative<ast::String>(node);
    }

    void place(ast::ExprId id, const std::map<std::string, ast::ExprId>& given) {
        std::vector<std::pair<ast::ExprId, ast::ExprId>> found;
        tree_.each_expr(id, [&](ast::ExprId e) {
            const auto* local = tree_.get<ast::Local>(e);
            const auto value = local ? given.find(local->name) : given.end();
            if (value != given.end()) found.emplace_back(e, value->second);
        });
        for (const auto& [to, from] : found) {
            const ast::ExprId copy = tree_.copy(from);
            tree_.program.exprs[static_cast<size_t>(to)] = tree_.program[copy];
        }
    }

    // Removes functions that no probe reaches.
    void drop_uncalled() {
        std::set<std::string> called;
        std::vector<const ast::Item*> open;
        for (const ast::Item& item : tree_.program.items) {
            if (!std::holds_alternative<ast::FunctionItem>(item.node)) open.push_back(&item);
        }
        while (!open.empty()) {
            const ast::Item* item = open.back();
            open.pop_back();
            tree_.each_expr(*item, [&](ast::ExprId id) {
                const auto* call = tree_.get<ast::Call>(id);
                if (!call || !functions_.contains(call->name) || !called.insert(call->name).second) return;
                for (const ast::Item& f : tree_.program.items) {
                    const auto* function = std::get_if<ast::FunctionItem>(&f.node);
                    if (function && function->name == call->name) open.push_back(&f);
                }
            });
        }
        std::erase_if(tree_.program.items, [&](const ast::Item& item) {
            const auto* f = std::get_if<ast::FunctionItem>(&item.node);
            return f && !called.contains(f->name);
        });
    }

    // Renames functions whose name has a mark or is taken in lt.
    void rename() {
        for (ast::Item& item : tree_.program.items) {
            auto* f = std::get_if<ast::FunctionItem>(&item.node);
            if (f == nullptr) continue;
            std::string name = f->name;
            std::ranges::replace(name, '/', '_');
            const auto taken = [&] {
                return find_function(name) || find_variable(name) || std::ranges::find(words, name) != words.end() ||
                       (name != f->name && functions_.contains(name));
            };
            while (taken()) name += '_';
            if (name == f->name) continue;
            for (ast::Expr& e : tree_.program.exprs) {
                auto* call = std::get_if<ast::Call>(&e.node);
                if (call && call->name == f->name) call->name = name;
            }
            f->name = name;
        }
    }

    Tree& tree_;
    const Source& source_;
    const bool by_name_;
    std::map<std::string, Known> functions_;
    std::set<ast::ExprId> stored_ = {};
};

}  // namespace

void shorten_functions(Tree& tree, const Source& source, bool by_name) { Functions(tree, source, by_name).run(); }

}  // namespace lt::port
