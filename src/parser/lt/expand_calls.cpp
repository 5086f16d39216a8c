// Macros and functions: a call is replaced by a copy of the body. Locals of the copy get names that no script can
// write, so that neither side sees the other's.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "parser/lt/expand.h"
#include "stdlib/functions/builtins.h"

namespace lt {
namespace {

constexpr size_t most_exprs = 1 << 18;         // the largest size of an expanded program
constexpr uint32_t most_expanded_depth = 512;  // of a copy in copies: later stages walk the tree recursively

// The replacements for names in a copy.
struct Names {
    std::map<std::string, std::string> locals;
    std::map<std::string, std::string> maps;
    std::map<std::string, ast::ExprId> values;
    std::string mark;            // suffix for the names of the copy's own locals
    bool maps_as_given = false;  // functions see the program's maps, macros only their arguments
};

// By ExprId: the number of copied expressions and blocks around one. An argument of a function is not copied, and keeps
// its depth where it is moved to, so the tree is at most twice as deep.
using Depths = std::vector<uint32_t>;

class Copier {
  public:
    Copier(ast::Program& program, Names names, Diags& diags, Depths& depths, uint32_t depth)
        : program_(program), names_(std::move(names)), diags_(diags), depths_(depths), depth_(depth) {}

    // Copies of arguments, which belong to the caller.
    const std::vector<ast::ExprId>& foreign() const { return foreign_; }

    ast::ExprId expr(ast::ExprId id) {
        if (const auto* name = program_.get<ast::Name>(id)) {
            const auto value = names_.values.find(name->name);
            if (value != names_.values.end()) return argument(value->second);
        }
        const ast::Expr original = program_[id];
        if (depth_ >= most_expanded_depth) return too_deep(original.span);
        ast::ExprNode node = original.node;
        depth_++;
        std::visit([&](auto& n) { rename(original.span, n); }, node);
        depth_--;
        const ast::ExprId copy = program_.add(original.span, std::move(node));
        depths_.resize(program_.exprs.size(), depth_);
        return copy;
    }

    ast::Block block(const ast::Block& b) {
        ast::Block out;
        depth_++;
        for (ast::StmtId id : b.statements) {
            const ast::Stmt original = program_[id];
            ast::StmtNode node = original.node;
            std::visit([&](auto& n) { rename(original.span, n); }, node);
            out.statements.push_back(program_.add(original.span, std::move(node)));
        }
        depth_--;
        return out;
    }

    std::string local(const std::string& name) const {
        const auto found = names_.locals.find(name);
        return found == names_.locals.end() ? name + names_.mark : found->second;
    }

  private:
    ast::ExprId too_deep(Span span) {
        if (!diags_.has_errors())
            diags_.error(span, "this is nested too deeply after its macros and functions are expanded").hint =
                "let fewer of them call each other, or keep values in variables";
        return program_.add(span, ast::Integer{0});
    }

    // An argument is copied without replacing names; not once the program is too large, for which it is refused later.
    ast::ExprId argument(ast::ExprId id) {
        if (program_.exprs.size() > most_exprs) return program_.add(program_[id].span, ast::Integer{0});
        Names as_it_stands;
        as_it_stands.maps_as_given = true;
        const size_t before = program_.exprs.size();
        const ast::ExprId out = Copier(program_, as_it_stands, diags_, depths_, depth_).expr(id);
        for (size_t i = before; i < program_.exprs.size(); i++) foreign_.push_back(static_cast<ast::ExprId>(i));
        return out;
    }

    void all(std::vector<ast::ExprId>& ids) {
        for (ast::ExprId& id : ids) id = expr(id);
    }
    void maybe(std::optional<ast::ExprId>& id) {
        if (id) id = expr(*id);
    }

    void rename(Span, ast::Integer&) {}
    void rename(Span, ast::Boolean&) {}
    void rename(Span, ast::Duration&) {}
    void rename(Span, ast::SizeOf& n) { type(n.type); }
    void rename(Span, ast::OffsetOf& n) {
        type(n.type);
        const auto given = n.path.size() == 1 ? names_.values.find(n.path[0]) : names_.values.end();
        if (given == names_.values.end()) return;
        if (auto path = path_of(given->second); !path.empty()) n.path = std::move(path);
    }
    void rename(Span, ast::String&) {}
    void rename(Span, ast::Name&) {}
    void rename(Span, ast::Ellipsis&) {}
    void rename(Span, ast::Positional&) {}
    void rename(Span, ast::AnyPart&) {}
    void rename(Span, ast::Defined& n) { n.value = expr(n.value); }
    void rename(Span, ast::Local& n) { n.name = local(n.name); }
    void rename(Span span, ast::Map& n) {
        const auto found = names_.maps.find(n.name);
        if (found != names_.maps.end()) {
            n.name = found->second;
        } else if (!names_.maps_as_given) {
            diags_
                .error(span, fmt::format("a macro can only use maps that are its arguments, and `@{}` is not", n.name))
                .hint = fmt::format("add `@{}` to its parameters", n.name);
        }
        all(n.key);
    }
    void rename(Span, ast::Member& n) { n.base = expr(n.base); }
    void rename(Span, ast::Index& n) { n.base = expr(n.base), n.index = expr(n.index); }
    void rename(Span, ast::Tuple& n) { all(n.parts); }
    void rename(Span, ast::Cast& n) { type(n.type), n.value = expr(n.value); }
    void rename(Span, ast::Call& n) { all(n.arguments); }
    // The name of a type may be a parameter whose argument is a type.
    void type(ast::TypeName& t) {
        const auto value = names_.values.find(t.name);
        const auto* given = value == names_.values.end() ? nullptr : program_.get<ast::OffsetOf>(value->second);
        if (given == nullptr || !given->path.empty()) return maybe(t.like);
        const uint32_t pointers = t.pointers + given->type.pointers;
        const auto count = t.count;
        t = given->type;
        t.pointers = pointers;
        if (count) t.count = count;
        if (t.like) t.like = argument(*t.like);
    }
    // a.b.c, if it consists only of names
    std::vector<std::string> path_of(ast::ExprId id) const {
        const ast::ExprNode& node = program_[id].node;
        if (const auto* name = std::get_if<ast::Name>(&node)) return {name->name};
        const auto* member = std::get_if<ast::Member>(&node);
        std::vector<std::string> path = member ? path_of(member->base) : std::vector<std::string>{};
        if (!path.empty()) path.push_back(member->field);
        return path;
    }
    void rename(Span, ast::Unary& n) { n.operand = expr(n.operand); }
    void rename(Span, ast::Binary& n) { n.left = expr(n.left), n.right = expr(n.right); }
    void rename(Span, ast::Conditional& n) {
        const bool same = n.yes == n.condition;
        n.condition = expr(n.condition);
        n.yes = same ? n.condition : expr(n.yes);
        n.no = expr(n.no);
    }
    void rename(Span, ast::Step& n) { n.target = expr(n.target); }
    void rename(Span, ast::BlockValue& n) { n.block = block(n.block), maybe(n.value); }

    void rename(Span, ast::Evaluate& n) { n.value = expr(n.value); }
    void rename(Span, ast::Assign& n) { n.target = expr(n.target), n.value = expr(n.value); }
    void rename(Span, ast::If& n) { n.condition = expr(n.condition), n.yes = block(n.yes), n.no = block(n.no); }
    void rename(Span, ast::Return& n) { maybe(n.value); }
    void rename(Span, ast::Let& n) {
        if (n.type) type(*n.type);
        maybe(n.value);
        n.name = local(n.name);
    }
    void rename(Span, ast::Scope& n) { n.body = block(n.body); }
    void rename(Span, ast::While& n) { n.condition = expr(n.condition), n.body = block(n.body); }
    void rename(Span, ast::ForRange& n) {
        n.name = local(n.name), n.from = expr(n.from), n.to = expr(n.to), n.body = block(n.body);
    }
    void rename(Span, ast::ForMap& n) {
        n.name = local(n.name), n.map = expr(n.map), maybe(n.limit), n.body = block(n.body);
    }
    void rename(Span, ast::Unroll& n) { n.count = expr(n.count), n.body = block(n.body); }
    void rename(Span, ast::Jump&) {}
    void rename(Span, ast::Attempt& n) {
        n.body = block(n.body);
        if (!n.name.empty()) n.name = local(n.name);
        n.handler = block(n.handler);
    }
    void rename(Span, ast::Raise& n) { n.message = expr(n.message); }

    ast::Program& program_;
    Names names_;
    Diags& diags_;
    Depths& depths_;
    uint32_t depth_;
    std::vector<ast::ExprId> foreign_;
};

class Expander {
  public:
    Expander(ast::Program& program, Diags& diags) : program_(program), diags_(diags) {
        for (const ast::Item& item : program.items) {
            if (const auto* m = std::get_if<ast::Macro>(&item.node)) {
                macros_.push_back(*m);
                templates(m->body);
                if (m->value) templates(*m->value);
                for (ast::ExprId p : m->parameters) templates(p);
            }
            if (const auto* f = std::get_if<ast::FunctionItem>(&item.node)) {
                functions_.push_back(*f);
                // without a type, the result has the type of the value
                std::optional<ast::TypeName>& result = functions_.back().result;
                if (!result && gives_value(f->body)) result = ast::TypeName{};
                if (result && result->name == "void" && result->pointers == 0) result.reset();
                templates(f->body);
            }
        }
    }

    void run() {
        check_names();
        if ((macros_.empty() && functions_.empty()) || diags_.has_errors()) return;
        from_.assign(program_.exprs.size(), none);
        depths_.assign(program_.exprs.size(), 0);
        for (size_t i = 0; i < program_.exprs.size() && !diags_.has_errors(); i++) {
            const auto id = static_cast<ast::ExprId>(i);
            if (templates_.contains(id)) continue;
            const ast::ExprNode node = program_[id].node;
            if (const auto* call = std::get_if<ast::Call>(&node)) expand(id, call->name, call->arguments);
            if (const auto* name = std::get_if<ast::Name>(&node)) expand(id, name->name, {});
            if (program_.exprs.size() > most_exprs)
                diags_.error(program_[id].span,
                             "this program is too large after its macros and functions are expanded");
        }
    }

  private:
    using Ids = std::vector<ast::ExprId>;
    static constexpr uint32_t none = ~0u;
    struct Expansion {
        std::string name;
        uint32_t inside;  // the surrounding expansion, or none
    };

    bool gives_value(const ast::Block& block) const {
        bool found = false;
        for (ast::StmtId id : block.statements) {
            const auto* leave = program_.get<ast::Return>(id);
            found = found || (leave && leave->value);
            ast::each_block(program_[id], [&](const ast::Block& b) { found = found || gives_value(b); });
        }
        return found;
    }

    template <class Part>
    void templates(const Part& part) {
        ast::each_expr_in(program_, part, [&](ast::ExprId id) { templates_.insert(id); });
    }

    void check_names() {
        std::set<std::string> defined;
        for (const ast::FunctionItem& f : functions_) {
            if (find_function(f.name) != nullptr || find_variable(f.name) != nullptr) {
                diags_.error(f.name_span, fmt::format("`{}` already has a meaning", f.name)).hint = "use another name";
            } else if (!defined.insert(f.name).second) {
                diags_.error(f.name_span, fmt::format("the function `{}` already exists", f.name)).hint =
                    "use another name";
            }
        }
    }

    void expand(ast::ExprId id, const std::string& name, const Ids& arguments) {
        const bool is_call = std::holds_alternative<ast::Call>(program_[id].node);
        const auto is_named = [&](const auto& item) { return item.name == name; };
        if (const auto f = std::ranges::find_if(functions_, is_named); is_call && f != functions_.end()) {
            if (!recurs(id, name)) call_function(id, *f, arguments);
            return;
        }
        const auto fits = [&](const ast::Macro& m) { return m.name == name && fit(m, arguments); };
        const auto m = std::ranges::find_if(macros_, fits);
        if (m != macros_.end()) {
            if (!recurs(id, name)) call_macro(id, *m, arguments);
        } else if (const auto other = std::ranges::find_if(macros_, is_named);
                   other != macros_.end() && is_call && find_function(name) == nullptr) {
            refuse(id, *other);
        }
    }

    bool fit(const ast::Macro& m, const Ids& arguments) const {
        if (m.parameters.size() != arguments.size()) return false;
        for (size_t i = 0; i < arguments.size(); i++) {
            const ast::ExprNode &wants = program_[m.parameters[i]].node, &has = program_[arguments[i]].node;
            const auto* map = std::get_if<ast::Map>(&has);
            if (std::holds_alternative<ast::Local>(wants) && !std::holds_alternative<ast::Local>(has)) return false;
            if (std::holds_alternative<ast::Map>(wants) && (map == nullptr || map->has_key)) return false;
        }
        return true;
    }

    void refuse(ast::ExprId id, const ast::Macro& m) {
        Diag& d = diags_.error(program_[id].span, fmt::format("no macro `{}` accepts these arguments", m.name));
        d.notes.push_back({m.name_span, "this one exists"});
        d.hint = "pass a local for `$local` and a map for `@map`";
        const auto& arguments = std::get<ast::Call>(program_[id].node).arguments;
        for (size_t i = 0; i < arguments.size() && arguments.size() == m.parameters.size(); i++) {
            const auto* local = program_.get<ast::Local>(m.parameters[i]);
            if (local == nullptr || program_.get<ast::Local>(arguments[i])) continue;
            d.hint = fmt::format("pass a variable for `${0}`, or name the parameter `{0}`, which takes any expression",
                                 local->name);
            return;
        }
    }

    // Is this inside a copy of the body that it calls?
    bool recurs(ast::ExprId id, const std::string& name) {
        const auto at = static_cast<size_t>(id);
        for (uint32_t e = at < from_.size() ? from_[at] : none; e != none; e = expansions_[e].inside) {
            if (expansions_[e].name != name) continue;
            diags_.error(program_[id].span, fmt::format("`{}` calls itself", name)).hint =
                "BPF programs do not support recursion: write a loop";
            return true;
        }
        return false;
    }

    // Copies made by `work` belong to this expansion, except those that existed before.
    template <class Work>
    void as_expansion(ast::ExprId id, const std::string& name, const Work& work) {
        const auto at = static_cast<size_t>(id);
        expansions_.push_back({name, from_[at]});
        const auto number = static_cast<uint32_t>(expansions_.size() - 1);
        ast::BlockValue node = work(fmt::format("#{}", expansions_.size()));
        from_.resize(program_.exprs.size(), number);
        depths_.resize(program_.exprs.size(), depths_[at]);
        for (ast::ExprId f : foreign_) from_[static_cast<size_t>(f)] = expansions_[number].inside;
        foreign_.clear();
        program_.exprs[at].node = std::move(node);
    }

    // The depth of what takes the place of a call.
    uint32_t inside(ast::ExprId call) const { return depths_[static_cast<size_t>(call)] + 1; }

    // A type without a name is the type of the value.
    static std::optional<ast::TypeName> type_or_none(const ast::TypeName& type) {
        return type.name.empty() ? std::nullopt : std::optional(type);
    }

    void call_function(ast::ExprId id, const ast::FunctionItem& f, const Ids& arguments) {
        const Span where = program_[id].span;
        if (arguments.size() != f.parameters.size()) {
            Diag& d = diags_.error(where, fmt::format("`{}()` takes {}, not {}", f.name,
                                                      plural(f.parameters.size(), "argument"), arguments.size()));
            d.notes.push_back({f.name_span, "it is defined here"});
            return;
        }
        as_expansion(id, f.name, [&](const std::string& mark) {
            Names names;
            names.mark = mark;
            names.maps_as_given = true;
            Copier copier(program_, names, diags_, depths_, inside(id));
            ast::BlockValue out;
            out.is_call = true;
            const std::string result = f.name + "()" + mark;  // a name that no body can contain
            if (f.result) {
                out.block.statements.push_back(
                    program_.add(where, ast::Let{result, where, type_or_none(*f.result), std::nullopt}));
                out.value = program_.add(where, ast::Local{result});
            }
            for (size_t i = 0; i < arguments.size(); i++) {
                const ast::FunctionItem::Parameter& p = f.parameters[i];
                out.block.statements.push_back(
                    program_.add(where, ast::Let{copier.local(p.name), p.span, type_or_none(p.type), arguments[i]}));
            }
            const ast::Block body = copier.block(f.body);
            out.block.statements.insert(out.block.statements.end(), body.statements.begin(), body.statements.end());
            return out;
        });
    }

    void call_macro(ast::ExprId id, const ast::Macro& m, const Ids& arguments) {
        as_expansion(id, m.name, [&](const std::string& mark) {
            Names names;
            names.mark = mark;
            for (size_t i = 0; i < arguments.size(); i++) {
                const ast::ExprNode &wants = program_[m.parameters[i]].node, &has = program_[arguments[i]].node;
                if (const auto* local = std::get_if<ast::Local>(&wants))
                    names.locals[local->name] = std::get<ast::Local>(has).name;
                if (const auto* map = std::get_if<ast::Map>(&wants))
                    names.maps[map->name] = std::get<ast::Map>(has).name;
                if (const auto* name = std::get_if<ast::Name>(&wants)) names.values[name->name] = arguments[i];
            }
            Copier copier(program_, names, diags_, depths_, inside(id));
            ast::BlockValue out;
            out.block = copier.block(m.body);
            if (m.value) out.value = copier.expr(*m.value);
            foreign_ = copier.foreign();
            return out;
        });
    }

    ast::Program& program_;
    Diags& diags_;
    std::vector<ast::Macro> macros_;
    std::vector<ast::FunctionItem> functions_;
    std::set<ast::ExprId> templates_;
    std::vector<Expansion> expansions_;
    std::vector<ast::ExprId> foreign_;
    std::vector<uint32_t> from_;  // by ExprId: the expansion that made it
    Depths depths_;
};

}  // namespace

void expand_calls(ast::Program& program, Diags& diags) { Expander(program, diags).run(); }

}  // namespace lt
