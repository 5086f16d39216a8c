// Simplifies blocks: removes needless nested blocks and declarations that only precede an assignment, and uses the pair
// of a loop instead of variables for its parts.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "systemtap/port/steps.h"

namespace lt::port {
namespace {

// The maps of one global become one, so only one removal is needed.
bool removes_again(const Tree& tree, ast::StmtId a, ast::StmtId b) {
    const auto* again = tree.get<ast::Evaluate>(b);
    return tree.call(a, {"delete", "clear"}) && again && tree.same(tree.get<ast::Evaluate>(a)->value, again->value);
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

// Removes the characters with which the tree's names of locals differ from any in a script.
std::string plain_name(std::string name) {
    const size_t mark = name.find('#');
    if (mark != std::string::npos)
        name = name.substr(0, mark) + (name.substr(mark + 1) == "1" ? "" : name.substr(mark + 1));
    for (char& c : name) {
        if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
    }
    return name;
}

// The plain names of a body's locals: those that the script itself has keep theirs, and no two become the same.
class PlainNames {
  public:
    PlainNames(const Tree& tree, const ast::Block& body) {
        std::set<std::string> all;
        const auto take = [&]<class Node>(const Node* node) {
            if (node != nullptr) all.insert(node->name);
        };
        tree.each_expr(body, [&](ast::ExprId id) { take(tree.get<ast::Local>(id)); });
        tree.each_stmt(body, [&](ast::StmtId id) {
            take(tree.get<ast::Let>(id));
            take(tree.get<ast::ForRange>(id));
        });
        std::set<std::string> taken;
        for (const std::string& name : all)
            if (plain_name(name) == name) taken.insert(name);
        for (const std::string& name : all) {
            std::string plain = plain_name(name);
            while (plain != name && !taken.insert(plain).second) plain += '_';
            names_[name] = plain;
        }
    }
    std::string of(const std::string& name) const { return names_.contains(name) ? names_.at(name) : name; }

  private:
    std::map<std::string, std::string> names_;
};

// Is the first use of a local in a block a plain assignment to it?
class FirstUse {
  public:
    FirstUse(const Tree& tree, const std::string& name) : tree_(tree), name_(name) {}
    bool is_assigned(const ast::Block& block) {
        for (ast::StmtId id : block.statements) {
            if (tree_.get<ast::Let>(id)) continue;
            if (const auto* assign = tree_.get<ast::Assign>(id)) {
                if (is_it(assign->target) && !assign->op && !mentions(assign->value)) return true;
            }
            if (!mentions({{id}})) continue;
            return is_last_mention(block, id) && begins_in_blocks(tree_.program[id]);
        }
        return true;
    }

  private:
    bool is_it(ast::ExprId id) const { return tree_.is<ast::Local>(id, name_); }
    bool is_last_mention(const ast::Block& block, ast::StmtId id) const {
        bool is_after = false, found = false;
        for (ast::StmtId other : block.statements) {
            found = found || (is_after && mentions({{other}}));
            is_after = is_after || other == id;
        }
        return !found;
    }
    bool begins_in_blocks(const ast::Stmt& stmt) {
        bool fine = true;
        ast::each_expr(stmt, [&](ast::ExprId e) { fine = fine && !mentions(e); });
        ast::each_block(stmt, [&](const ast::Block& b) { fine = fine && is_assigned(b); });
        return fine;
    }
    bool mentions(ast::ExprId id) const { return !tree_.uses(id, name_).empty(); }
    bool mentions(const ast::Block& block) const { return !tree_.uses(block, name_).empty(); }

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
        is_taken_ = !tree_.uses(body, "kv").empty() || !tree_.uses(body, "kv2").empty();
        for (ast::StmtId id : loops_) loop(id);
        for (ast::StmtId id : loops_) rename(id);
    }

  private:
    // The locals that a loop assigns first, with the parts of the pair.
    using Given = std::map<std::string, ast::ExprId>;
    Given given(const ast::ForMap& loop) const {
        Given out;
        for (ast::StmtId id : loop.body.statements) {
            const auto* local = tree_.target<ast::Local>(id);
            if (!local || !is_part(tree_.get<ast::Assign>(id)->value, loop.name)) break;
            out[local->name] = tree_.get<ast::Assign>(id)->value;
        }
        return out;
    }
    bool is_part(ast::ExprId id, const std::string& pair) const {
        const auto* member = tree_.get<ast::Member>(id);
        while (member && tree_.get<ast::Member>(member->base)) member = tree_.get<ast::Member>(member->base);
        return member && tree_.is<ast::Local>(member->base, pair);
    }

    // Is it only used in such loops, each of which assigns it once?
    bool is_of_loops(const std::string& name) const {
        size_t inside = 0;
        for (ast::StmtId id : loops_) {
            const auto* other = tree_.get<ast::ForMap>(id);
            if (!given(*other).contains(name)) continue;
            if (tree_.writes(other->body, name) != 1) return false;
            inside += tree_.uses(other->body, name).size();
        }
        return inside == tree_.uses(*body_, name).size();
    }

    void loop(ast::StmtId id) {
        auto loop = *tree_.get<ast::ForMap>(id);
        const Given parts = given(loop);
        for (const auto& [name, value] : parts) {
            if (!is_of_loops(name)) return;
        }
        replace_values(loop, parts);
        loop.body.statements.erase(loop.body.statements.begin(),
                                   loop.body.statements.begin() + static_cast<ptrdiff_t>(parts.size()));
        tree_.replace_locals(loop.body, parts);
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
            if (const auto* call = tree_.call(e, {"delete", "has_key", "print"})) kept.insert(call->arguments[0]);
        });
        if (written) return;
        const auto is_read = [&](ast::ExprId e) {
            return tree_.is<ast::Map>(e, name) && !kept.contains(e) && is_key(*tree_.get<ast::Map>(e), loop, parts);
        };
        for (ast::ExprId e : tree_.find(loop.body, is_read))
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

    // $kv, and $kv2 in a nested loop.
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
        const std::string name =
            fmt::format("{}kv{}", is_taken_ ? "pair_" : "", around == 0 ? "" : std::to_string(around + 1));
        for (ast::ExprId e : tree_.uses(loop.body, loop.name)) tree_.put(e, ast::Local{name});
        loop.name = name;
        tree_.put(id, loop);
    }

    Tree& tree_;
    ast::Block* body_ = nullptr;
    std::vector<ast::StmtId> loops_;
    bool is_taken_ = false;  // has the script variables of these names?
};

}  // namespace

void plain_blocks(Tree& tree) {
    tree.each_body([&](ast::Block& body) {
        tree.change_blocks(body, [&](std::vector<ast::StmtId>& statements) {
            std::vector<ast::StmtId> out;
            for (ast::StmtId id : statements) splice(tree, id, out);
            const auto twice = [&](ast::StmtId a, ast::StmtId b) { return removes_again(tree, a, b); };
            out.erase(std::unique(out.begin(), out.end(), twice), out.end());
            statements = out;
        });
    });
}

void use_pairs(Tree& tree) {
    tree.each_body([&](ast::Block& body) { Pairs(tree).item(body); });
}

void plain_locals(Tree& tree) {
    tree.each_body([&](ast::Block& body) {
        std::erase_if(body.statements, [&](ast::StmtId id) {
            const auto* let = tree.get<ast::Let>(id);
            const auto* text = let && let->value ? tree.get<ast::String>(*let->value) : nullptr;
            return let && (!let->value || (text && text->value.empty())) && FirstUse(tree, let->name).is_assigned(body);
        });
        const PlainNames names(tree, body);
        const auto rename = [&]<class Node>(auto id, const Node* node) {
            if (node == nullptr) return;
            Node renamed = *node;
            renamed.name = names.of(renamed.name);
            tree.put(id, renamed);
        };
        tree.each_expr(body, [&](ast::ExprId id) { rename(id, tree.get<ast::Local>(id)); });
        tree.each_stmt(body, [&](ast::StmtId id) {
            rename(id, tree.get<ast::Let>(id));
            rename(id, tree.get<ast::ForRange>(id));
        });
    });
}

}  // namespace lt::port
