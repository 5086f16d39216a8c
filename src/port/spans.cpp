// What an action at an entry leaves in maps by thread for the action at the return becomes one span: a time that is
// subtracted there is `latency`, anything else is what it was at the entry.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "span_value.h"
#include "stdlib/probes.h"
#include "steps.h"

namespace lt::port {
namespace {

// What a map is used for in one item.
struct MapUses {
    std::set<size_t> writers, readers;  // items
    std::vector<ast::StmtId> writes;
    bool other = false;  // something that a value handed over is not used for
};

// Which entry belongs to a return, as the parts of both probes.
struct ReturnRow {
    std::string_view entry, exit;
    size_t same;               // so many parts behind the kind are the same
    std::string_view leading;  // a part of the exit that the entry has not
    std::string_view prefix;   // of the name there
};
constexpr std::array returns{
    ReturnRow{"kprobe", "kretprobe", 1, "", ""},
    ReturnRow{"uprobe", "uretprobe", 1, "", ""},
    ReturnRow{"syscall", "tracepoint", 1, "syscalls", "sys_exit_"},
};

std::string joined(const ast::ProbeSpec& spec, size_t from) {
    std::string out;
    for (size_t i = from; i < spec.parts.size(); i++) out += ":" + spec.parts[i].text;
    return out;
}

// The entry that a return probe belongs to, as text; empty: it is none.
std::string entry_of(const ast::ProbeSpec& exit) {
    const auto& parts = exit.parts;
    for (const ReturnRow& row : returns) {
        if (parts.front().text != row.exit) continue;
        if (row.leading.empty()) return std::string(row.entry) + joined(exit, 1);
        if (parts.size() == 3 && parts[1].text == row.leading && parts[2].text.starts_with(row.prefix))
            return fmt::format("{}:{}", row.entry, parts[2].text.substr(row.prefix.size()));
    }
    return "";
}

class Folder {
  public:
    explicit Folder(Tree& tree) : tree_(tree) {}

    void run() {
        for (ast::Item& item : tree_.program.items) {
            if (ast::Block* body = Tree::body(item)) plain_keys(*body);
        }
        for (bool more = true; more;) {
            more = false;
            uses_.clear();
            for (size_t i = 0; i < tree_.program.items.size(); i++) look(i);
            for (const auto& [pair, maps] : pairs()) {
                if (!fold(pair.first, pair.second, maps)) continue;
                more = true;
                break;
            }
        }
        for (ast::Item& item : tree_.program.items) {
            auto* span = std::get_if<ast::SpanAction>(&item.node);
            if (!span) continue;
            SpanValues values(tree_, span->body);
            values.rewrite_clocks();
            span->body = values.body();
            drop_unread_locals(span->body);
        }
    }

  private:
    using Pair = std::pair<size_t, size_t>;

    // $p = pid; ... @begun[$p]: the key says who it is.
    void plain_keys(const ast::Block& body) {
        std::map<std::string, std::vector<ast::ExprId>> given;
        tree_.each_stmt(body, [&](ast::StmtId id) {
            const auto* assign = tree_.get<ast::Assign>(id);
            const auto* local = assign ? tree_.get<ast::Local>(assign->target) : nullptr;
            if (local) given[local->name].push_back(assign->value);
        });
        std::vector<std::pair<ast::ExprId, ast::ExprId>> found;
        tree_.each_expr(body, [&](ast::ExprId id) {
            const auto* map = tree_.get<ast::Map>(id);
            if (!map) return;
            for (ast::ExprId part : map->key) {
                const auto* local = tree_.get<ast::Local>(part);
                const auto values = local ? given.find(local->name) : given.end();
                if (values == given.end() || values->second.size() != 1) continue;
                const ast::ExprId value = values->second[0];
                if (tree_.is_name(value, "pid") || tree_.is_name(value, "tid")) found.emplace_back(part, value);
            }
        });
        for (const auto& [part, value] : found) tree_.put_copy(part, value);
    }

    // ---- which maps go from where to where

    void look(size_t i) {
        const ast::Item& item = tree_.program.items[i];
        const ast::Block* body = Tree::body(item);
        if (body == nullptr) return;
        std::set<ast::ExprId> targets;
        tree_.each_stmt(*body, [&](ast::StmtId id) {
            if (const auto* loop = tree_.get<ast::ForMap>(id)) {
                if (const auto* map = tree_.get<ast::Map>(loop->map)) uses_[map->name].other = true;
            }
            const auto* assign = tree_.get<ast::Assign>(id);
            const auto* map = assign ? tree_.get<ast::Map>(assign->target) : nullptr;
            if (!map) return;
            MapUses& uses = uses_[map->name];
            targets.insert(assign->target);
            uses.writers.insert(i);
            uses.writes.push_back(id);
            uses.other = uses.other || assign->op || !map->has_key;
        });
        const bool ends = is_end(item);
        tree_.each_expr(item, [&](ast::ExprId id) {
            if (const auto* step = tree_.get<ast::Step>(id)) {
                if (const auto* map = tree_.get<ast::Map>(step->target)) uses_[map->name].other = true;
            }
            const auto* map = tree_.get<ast::Map>(id);
            if (!map || targets.contains(id)) return;
            MapUses& uses = uses_[map->name];
            if (!map->has_key && !ends) uses.other = true;
            if (map->has_key) uses.readers.insert(i);
        });
    }

    // END may clear a map that nothing is left of.
    bool is_end(const ast::Item& item) const {
        const auto* action = std::get_if<ast::Action>(&item.node);
        return action && action->probes.front().parts.front().text == "END";
    }

    std::map<Pair, std::vector<std::string>> pairs() const {
        std::map<Pair, std::vector<std::string>> out;
        for (const auto& [name, uses] : uses_) {
            std::set<size_t> readers = uses.readers;
            for (size_t writer : uses.writers) readers.erase(writer);
            const bool one_way = uses.writers.size() == 1 && uses.writes.size() == 1 && readers.size() == 1;
            if (uses.other || !one_way) continue;
            const size_t from = *uses.writers.begin(), to = *readers.begin();
            if (from != to && belong_together(from, to)) out[{from, to}].push_back(name);
        }
        return out;
    }

    bool belong_together(size_t from, size_t to) const {
        const auto* entry = std::get_if<ast::Action>(&tree_.program.items[from].node);
        if (!entry) return false;
        std::set<std::string> entries, exits;
        for (const ast::ProbeSpec& p : entry->probes) entries.insert(joined(p, 0));
        if (const auto* action = std::get_if<ast::Action>(&tree_.program.items[to].node)) {
            for (const ast::ProbeSpec& p : action->probes) exits.insert(":" + entry_of(p));
        }
        if (const auto* span = std::get_if<ast::SpanAction>(&tree_.program.items[to].node)) {
            for (const ast::Endpoint& e : span->opens) exits.insert(joined(e.probe, 0));
        }
        return entries == exits;
    }

    // ---- one pair

    bool fold(size_t from, size_t to, const std::vector<std::string>& maps) {
        const ast::Program before = tree_.program;
        if (try_fold(from, to, maps)) return true;
        tree_.program = before;
        // one map that does not fit keeps the others from nothing
        if (maps.size() == 1) return false;
        for (const std::string& map : maps) {
            if (try_fold(from, to, {map})) return true;
            tree_.program = before;
        }
        return false;
    }

    bool try_fold(size_t from, size_t to, const std::vector<std::string>& maps) {
        auto entry = std::get<ast::Action>(tree_.program.items[from].node);
        ast::SpanAction span = span_of(entry, tree_.program.items[to]);
        if (span.opens.empty()) return false;
        if (!is_straight(entry.body)) return false;
        SpanValues values(tree_, span.body);
        for (const std::string& map : maps) {
            const auto value = values.take(entry.body, map);
            if (!value) return false;
        }
        const std::optional<ast::ExprId> asked = predicate_of(tree_.program.items[to]);
        if (!values.rewrite(asked, entry.predicate)) return false;
        span.body = values.body();
        span.predicate = entry.predicate;
        drop_unread_locals(entry.body);
        drop_unread_locals(span.body);
        for (ast::Item& item : tree_.program.items) {
            if (is_end(item)) drop_clears(std::get<ast::Action>(item.node).body, maps);
        }
        return put(from, to, std::move(entry), std::move(span));
    }

    bool put(size_t from, size_t to, ast::Action entry, ast::SpanAction span) {
        auto& items = tree_.program.items;
        const bool is_over = entry.body.statements.empty();
        if (!is_over && entry.predicate) span.predicate = tree_.copy(*entry.predicate);
        items[to].node = std::move(span);
        if (!is_over) {
            items[from].node = std::move(entry);
            return true;
        }
        tree_.absorbed.emplace_back(items[from].span, items[to].span);
        // the span stands where the first of both stood
        if (from < to) std::swap(items[from].node, items[to].node), std::swap(items[from].span, items[to].span);
        items.erase(items.begin() + static_cast<ptrdiff_t>(std::max(from, to)));
        return true;
    }

    static std::optional<ast::ExprId> predicate_of(const ast::Item& item) {
        if (const auto* action = std::get_if<ast::Action>(&item.node)) return action->predicate;
        return std::get<ast::SpanAction>(item.node).predicate;
    }

    // Without control flow out of it, so that what is handed over is handed over each time.
    bool is_straight(const ast::Block& block) const {
        bool leaves = false;
        tree_.each_stmt(block, [&](ast::StmtId id) { leaves = leaves || tree_.get<ast::Return>(id); });
        return !leaves;
    }

    ast::SpanAction span_of(const ast::Action& entry, const ast::Item& exit) {
        ast::SpanAction span;
        if (const auto* action = std::get_if<ast::Action>(&exit.node)) {
            span.body = action->body;
            const bool is_tracepoint = action->probes.front().parts.front().text == "tracepoint";
            bool names_place = false;
            tree_.each_expr(span.body,
                            [&](ast::ExprId id) { names_place = names_place || tree_.is_name(id, "probe"); });
            if (names_place) return {};
            if (is_tracepoint) use_retval(span.body);
            if (is_tracepoint && action->predicate)
                use_retval({{tree_.program.add({}, ast::Evaluate{*action->predicate})}});
        } else {
            span.body = std::get<ast::SpanAction>(exit.node).body;
        }
        for (const ast::ProbeSpec& p : entry.probes) span.opens.push_back({p, {}, std::nullopt, {}});
        return span;
    }

    // args.ret of a system call's exit is retval in a span.
    void use_retval(const ast::Block& block) {
        tree_.each_expr(block, [&](ast::ExprId id) {
            const auto* member = tree_.get<ast::Member>(id);
            if (member && member->field == "ret" && tree_.is_name(member->base, "args"))
                tree_.put(id, ast::Name{"retval"});
        });
    }

    // What END clears of maps that are gone.
    void drop_clears(ast::Block& body, const std::vector<std::string>& maps) const {
        std::erase_if(body.statements, [&](ast::StmtId id) {
            const auto* evaluate = tree_.get<ast::Evaluate>(id);
            const auto* call = evaluate ? tree_.get<ast::Call>(evaluate->value) : nullptr;
            const auto* map = call && call->name == "clear" ? tree_.get<ast::Map>(call->arguments[0]) : nullptr;
            return map && std::find(maps.begin(), maps.end(), map->name) != maps.end();
        });
    }

    // What was computed for the span alone.
    void drop_unread_locals(ast::Block& body) {
        std::map<std::string, size_t> uses;
        tree_.each_expr(body, [&](ast::ExprId id) {
            if (const auto* local = tree_.get<ast::Local>(id)) uses[local->name]++;
        });
        std::erase_if(body.statements, [&](ast::StmtId id) {
            if (const auto* let = tree_.get<ast::Let>(id)) return uses[let->name] <= 1 && !let->value;
            const auto* assign = tree_.get<ast::Assign>(id);
            const auto* local = assign ? tree_.get<ast::Local>(assign->target) : nullptr;
            return local && uses[local->name] == 1 && tree_.is_pure(assign->value);
        });
        const bool only_lets = std::all_of(body.statements.begin(), body.statements.end(),
                                           [&](ast::StmtId id) { return tree_.get<ast::Let>(id) != nullptr; });
        if (only_lets) body.statements.clear();
    }

    Tree& tree_;
    std::map<std::string, MapUses> uses_;
};

}  // namespace

void fold_spans(Tree& tree) { Folder(tree).run(); }

}  // namespace lt::port
