// Blocks as lt has them: no blocks in blocks that are there for nothing, no declarations of what is assigned to first,
// pairs of a loop instead of variables for their parts.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "steps.h"

namespace lt::port {
namespace {

// The maps of one global are one: what is removed from it is removed once.
bool removes_again(const Tree& tree, ast::StmtId a, ast::StmtId b) {
    const auto* x = tree.get<ast::Evaluate>(a);
    const auto* y = tree.get<ast::Evaluate>(b);
    const auto* call = x && y ? tree.get<ast::Call>(x->value) : nullptr;
    return call && (call->name == "delete" || call->name == "clear") && tree.same(x->value, y->value);
}

void splice(Tree& tree, ast::StmtId id, std::vector<ast::StmtId>& out) {
    const ast::StmtNode node = tree.program[id].node;
    // a = b = c
    if (const auto* assign = std::get_if<ast::Assign>(&node)) {
        const auto* inner = tree.get<ast::BlockValue>(assign->value);
        const bool chained = inner && !inner->is_call && inner->value && tree.is_pure(*inner->value);
        if (!chained) return out.push_back(id);
        for (ast::StmtId each : ast::Block(inner->block).statements) splice(tree, each, out);
        tree.put(id, ast::Assign{assign->target, assign->op, *tree.get<ast::BlockValue>(assign->value)->value});
        return out.push_back(id);
    }
    const auto* evaluate = std::get_if<ast::Evaluate>(&node);
    const auto* value = evaluate ? tree.get<ast::BlockValue>(evaluate->value) : nullptr;
    const auto* scope = std::get_if<ast::Scope>(&node);
    const bool acts = value && !value->is_call && (!value->value || tree.is_pure(*value->value));
    if (!scope && !acts) return out.push_back(id);
    const ast::Block inside = scope ? scope->body : value->block;
    for (ast::StmtId each : inside.statements) splice(tree, each, out);
}

// What the tree's names of locals are made of that no script can write.
std::string plain_name(std::string name) {
    const size_t mark = name.find('#');
    if (mark != std::string::npos)
        name = name.substr(0, mark) + (name.substr(mark + 1) == "1" ? "" : name.substr(mark + 1));
    for (char& c : name) {
        if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
    }
    return name;
}

// Where a local first stands in a block: is it assigned to there, alone?
class FirstUse {
  public:
    FirstUse(const Tree& tree, const std::string& name) : tree_(tree), name_(name) {}
    bool is_assigned(const ast::Block& block) {
        for (ast::StmtId id : block.statements) {
            if (tree_.get<ast::Let>(id)) continue;
            if (const auto* assign = tree_.get<ast::Assign>(id)) {
                const auto* local = tree_.get<ast::Local>(assign->target);
                const bool is_it = local && local->name == name_ && !assign->op;
                if (is_it && !mentions(assign->value)) return true;
            }
            if (!mentions({{id}})) continue;
            return is_last_mention(block, id) && begins_in_blocks(tree_.program[id]);
        }
        return true;
    }

  private:
    bool is_it(ast::ExprId id) const {
        const auto* local = tree_.get<ast::Local>(id);
        return local && local->name == name_;
    }
    bool is_last_mention(const ast::Block& block, ast::StmtId id) const {
        bool behind = false, found = false;
        for (ast::StmtId other : block.statements) {
            found = found || (behind && mentions({{other}}));
            behind = behind || other == id;
        }
        return !found;
    }
    bool begins_in_blocks(const ast::Stmt& stmt) {
        bool fine = true;
        ast::each_expr(stmt, [&](ast::ExprId e) { fine = fine && !mentions(e); });
        ast::each_block(stmt, [&](const ast::Block& b) { fine = fine && is_assigned(b); });
        return fine;
    }
    bool mentions(ast::ExprId id) const {
        return tree_.any_expr(id, [&](ast::ExprId e) { return is_it(e); });
    }
    bool mentions(const ast::Block& block) const {
        return tree_.any_expr(block, [&](ast::ExprId e) { return is_it(e); });
    }

    const Tree& tree_;
    const std::string& name_;
};

class Pairs {
  public:
    explicit Pairs(Tree& tree) : tree_(tree) {}

    void item(ast::Block& body) {
        body_ = &body;
        tree_.each_stmt(body, [&](ast::StmtId id) {
            if (tree_.get<ast::ForMap>(id)) loops_.push_back(id);
        });
        for (ast::StmtId id : loops_) loop(id);
        for (ast::StmtId id : loops_) rename(id);
    }

  private:
    // The locals that a loop begins by assigning to, with the parts of the pair.
    using Given = std::map<std::string, ast::ExprId>;
    Given given(const ast::ForMap& loop) const {
        Given out;
        for (ast::StmtId id : loop.body.statements) {
            const auto* assign = tree_.get<ast::Assign>(id);
            const auto* local = assign ? tree_.get<ast::Local>(assign->target) : nullptr;
            if (!local || !is_part(assign->value, loop.name)) break;
            out[local->name] = assign->value;
        }
        return out;
    }
    bool is_part(ast::ExprId id, const std::string& pair) const {
        const auto* member = tree_.get<ast::Member>(id);
        while (member && tree_.get<ast::Member>(member->base)) member = tree_.get<ast::Member>(member->base);
        const auto* local = member ? tree_.get<ast::Local>(member->base) : nullptr;
        return local && local->name == pair;
    }

    size_t uses(const ast::Block& block, const std::string& name) const {
        size_t n = 0;
        tree_.each_expr(block, [&](ast::ExprId id) {
            const auto* local = tree_.get<ast::Local>(id);
            n += local && local->name == name;
        });
        return n;
    }
    // Is it used in such loops only, in which it is assigned to once?
    bool is_of_loops(const std::string& name) const {
        size_t inside = 0;
        for (ast::StmtId id : loops_) {
            const auto* other = tree_.get<ast::ForMap>(id);
            if (!given(*other).contains(name)) continue;
            if (tree_.writes(other->body, name) != 1) return false;
            inside += uses(other->body, name);
        }
        return inside == uses(*body_, name);
    }

    void loop(ast::StmtId id) {
        auto loop = *tree_.get<ast::ForMap>(id);
        const Given parts = given(loop);
        for (const auto& [name, value] : parts) {
            if (!is_of_loops(name)) return;
        }
        replace_values(loop, parts);
        std::vector<std::pair<ast::ExprId, ast::ExprId>> found;
        tree_.each_expr(loop.body, [&](ast::ExprId e) {
            const auto* local = tree_.get<ast::Local>(e);
            const auto part = local ? parts.find(local->name) : parts.end();
            if (part != parts.end()) found.emplace_back(e, part->second);
        });
        loop.body.statements.erase(loop.body.statements.begin(),
                                   loop.body.statements.begin() + static_cast<ptrdiff_t>(parts.size()));
        for (const auto& [to, from] : found) tree_.put_copy(to, from);
        tree_.put(id, loop);
    }

    // @map[keys of the pair] is its value, as long as the loop does not write to the map.
    void replace_values(const ast::ForMap& loop, const Given& parts) {
        const auto* walked = tree_.get<ast::Map>(loop.map);
        if (walked == nullptr) return;
        const std::string name = walked->name;
        bool written = false;
        std::set<ast::ExprId> kept;
        tree_.each_stmt(loop.body, [&](ast::StmtId s) {
            const auto* assign = tree_.get<ast::Assign>(s);
            written = written || (assign && tree_.is_map(assign->target, name));
        });
        tree_.each_expr(loop.body, [&](ast::ExprId e) {
            const auto* step = tree_.get<ast::Step>(e);
            written = written || (step && tree_.is_map(step->target, name));
            const auto* call = tree_.get<ast::Call>(e);
            const bool names_it = call && (call->name == "delete" || call->name == "has_key" || call->name == "print");
            if (names_it) kept.insert(call->arguments[0]);
        });
        if (written) return;
        std::vector<ast::ExprId> found;
        tree_.each_expr(loop.body, [&](ast::ExprId e) {
            const auto* map = tree_.get<ast::Map>(e);
            if (map && map->name == name && !kept.contains(e) && is_key(*map, loop, parts)) found.push_back(e);
        });
        for (ast::ExprId e : found)
            tree_.put(e, ast::Member{tree_.like(e, ast::Local{loop.name}), "1", tree_.program[e].span});
    }

    bool is_key(const ast::Map& map, const ast::ForMap& loop, const Given& parts) const {
        for (size_t i = 0; i < map.key.size(); i++) {
            const auto* local = tree_.get<ast::Local>(tree_.bare(map.key[i]));
            const auto part = local ? parts.find(local->name) : parts.end();
            if (part == parts.end()) return false;
            const auto* member = tree_.get<ast::Member>(part->second);
            const bool is_whole = tree_.get<ast::Local>(member->base) != nullptr;
            if (is_whole ? member->field != "0" || map.key.size() != 1 : member->field != std::to_string(i))
                return false;
        }
        return !map.key.empty() && loop.map != ast::ExprId{};
    }

    // $kv, and $kv2 in a loop in it.
    void rename(ast::StmtId id) {
        auto loop = *tree_.get<ast::ForMap>(id);
        if (loop.name.find('#') == std::string::npos) return;
        size_t around = 0;
        for (ast::StmtId other : loops_) {
            bool inside = false;
            const auto* outer = tree_.get<ast::ForMap>(other);
            tree_.each_stmt(outer->body, [&](ast::StmtId s) { inside = inside || s == id; });
            around += inside;
        }
        const std::string name = around == 0 ? "kv" : fmt::format("kv{}", around + 1);
        std::vector<ast::ExprId> found;
        tree_.each_expr(loop.body, [&](ast::ExprId e) {
            const auto* local = tree_.get<ast::Local>(e);
            if (local && local->name == loop.name) found.push_back(e);
        });
        for (ast::ExprId e : found) tree_.put(e, ast::Local{name});
        loop.name = name;
        tree_.put(id, loop);
    }

    Tree& tree_;
    ast::Block* body_ = nullptr;
    std::vector<ast::StmtId> loops_;
};

}  // namespace

void plain_blocks(Tree& tree) {
    for (ast::Item& item : tree.program.items) {
        ast::Block* body = Tree::body(item);
        if (body == nullptr) continue;
        tree.change_blocks(*body, [&](std::vector<ast::StmtId>& statements) {
            std::vector<ast::StmtId> out;
            for (ast::StmtId id : statements) splice(tree, id, out);
            const auto twice = [&](ast::StmtId a, ast::StmtId b) { return removes_again(tree, a, b); };
            out.erase(std::unique(out.begin(), out.end(), twice), out.end());
            statements = out;
        });
    }
}

void use_pairs(Tree& tree) {
    for (ast::Item& item : tree.program.items) {
        if (ast::Block* body = Tree::body(item)) Pairs(tree).item(*body);
    }
}

void plain_locals(Tree& tree) {
    for (ast::Item& item : tree.program.items) {
        ast::Block* body = Tree::body(item);
        if (body == nullptr) continue;
        std::erase_if(body->statements, [&](ast::StmtId id) {
            const auto* let = tree.get<ast::Let>(id);
            return let && !let->value && FirstUse(tree, let->name).is_assigned(*body);
        });
        const auto fix = [&](std::string& name) { name = plain_name(name); };
        tree.each_expr(*body, [&](ast::ExprId id) {
            if (auto local = tree.get<ast::Local>(id)) {
                ast::Local renamed = *local;
                fix(renamed.name);
                tree.put(id, renamed);
            }
        });
        tree.each_stmt(*body, [&](ast::StmtId id) {
            if (auto let = tree.get<ast::Let>(id)) {
                ast::Let renamed = *let;
                fix(renamed.name);
                tree.put(id, renamed);
            }
            if (auto range = tree.get<ast::ForRange>(id)) {
                ast::ForRange renamed = *range;
                fix(renamed.name);
                tree.put(id, renamed);
            }
        });
    }
}

}  // namespace lt::port
