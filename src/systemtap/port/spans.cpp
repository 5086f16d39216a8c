// An action at an entry that passes values in maps by thread to the action at the return becomes one span: a time that
// is subtracted there becomes `latency`, any other value the one at the entry.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "stdlib/probes.h"
#include "systemtap/port/span_value.h"
#include "systemtap/port/steps.h"

namespace lt::port {
namespace {

// How an item uses a map.
struct MapUses {
    std::set<size_t> writers, readers;  // items
    std::vector<ast::StmtId> writes;
    bool other = false;  // a use that does not fit a passed value
};

// Which entry belongs to a return, as parts of both probes.
struct ReturnRow {
    std::string_view entry, exit;
    size_t same;               // number of equal parts after the kind
    std::string_view leading;  // a part of the exit that the entry does not have
    std::string_view prefix;   // of the name in that part
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

// The entry that a return probe belongs to, as text; empty: it is not a return.
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
        tree_.each_body([&](ast::Block& body) { plain_keys(body); });
        split();
        for (bool more = true; more;) {
            more = false;
            uses_.clear();
            for (size_t i = 0; i < tree_.program.items.size(); i++) look(i);
            for (const auto& [group, maps] : pairs()) {
                if (!fold(group, maps)) continue;
                more = true;
                break;
            }
        }
        for (ast::Item& item : tree_.program.items) {
            auto* span = std::get_if<ast::SpanAction>(&item.node);
            if (!span || !span->closes.empty()) continue;
            SpanValues values(tree_, span->body, true);
            values.rewrite_clocks();
            span->body = values.body();
            drop_unread_locals(span->body);
        }
    }

  private:
    using Pair = std::pair<size_t, size_t>;

    // $p = pid; ... @begun[$p]: the key identifies the thread.
    void plain_keys(const ast::Block& body) {
        std::map<std::string, std::vector<ast::ExprId>> given;
        tree_.each_stmt(body, [&](ast::StmtId id) {
            if (const auto* local = tree_.target<ast::Local>(id))
                given[local->name].push_back(tree_.get<ast::Assign>(id)->value);
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
            const auto* map = tree_.target<ast::Map>(id);
            if (!map) return;
            const ast::Assign& assign = *tree_.get<ast::Assign>(id);
            MapUses& uses = uses_[map->name];
            targets.insert(assign.target);
            uses.writers.insert(i);
            uses.writes.push_back(id);
            uses.other = uses.other || assign.op || !map->has_key;
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

    // END may clear a map that nothing else uses. An action that became part of a span has no probes.
    bool is_end(const ast::Item& item) const {
        const auto* action = std::get_if<ast::Action>(&item.node);
        return action && !action->probes.empty() && action->probes.front().parts.front().text == "END";
    }

    // The pairs of items connected by maps, with all their maps.
    std::map<std::vector<Pair>, std::vector<std::string>> pairs() const {
        std::map<std::vector<Pair>, std::vector<std::string>> out;
        for (const auto& [name, uses] : uses_) {
            std::set<size_t> readers = uses.readers;
            for (size_t writer : uses.writers) readers.erase(writer);
            const bool once = !readers.empty() && uses.writes.size() == uses.writers.size();
            if (uses.other || !once || readers.size() != uses.writers.size()) continue;
            std::vector<Pair> found;
            for (size_t from : uses.writers) {
                for (size_t to : readers) {
                    if (belong_together(from, to)) found.emplace_back(from, to);
                }
            }
            const bool events =
                readers.size() == 1 && found.empty() && are_events(*uses.writers.begin(), *readers.begin());
            if (events) found.emplace_back(*uses.writers.begin(), *readers.begin());
            if (found.size() == readers.size()) out[found].push_back(name);
        }
        return out;
    }

    std::set<std::string> entries_of(size_t i) const {
        std::set<std::string> out;
        const auto* action = std::get_if<ast::Action>(&tree_.program.items[i].node);
        if (action == nullptr) return out;
        for (const ast::ProbeSpec& p : action->probes) out.insert(joined(p, 0));
        return out;
    }
    std::set<std::string> exits_of(size_t i) const {
        std::set<std::string> out;
        const ast::ItemNode& node = tree_.program.items[i].node;
        if (const auto* action = std::get_if<ast::Action>(&node)) {
            for (const ast::ProbeSpec& p : action->probes) out.insert(":" + entry_of(p));
        }
        if (const auto* span = std::get_if<ast::SpanAction>(&node)) {
            for (const ast::Endpoint& e : span->opens) out.insert(joined(e.probe, 0));
        }
        return out;
    }
    bool belong_together(size_t from, size_t to) const {
        const std::set<std::string> entries = entries_of(from);
        return !entries.empty() && entries == exits_of(to);
    }

    // Two actions in the kernel, between which a span is possible.
    bool are_events(size_t from, size_t to) const {
        const auto is_event = [&](size_t i) {
            const auto* action = std::get_if<ast::Action>(&tree_.program.items[i].node);
            return action && std::ranges::all_of(action->probes, [](const ast::ProbeSpec& p) {
                       const ProbeRow* row = find_probe(p.parts.front().text);
                       return row && !run_by_lt(row->place) && row->place != Place::clock;
                   });
        };
        return is_event(from) && is_event(to);
    }

    // Splits an action at several entries whose returns have their own actions.
    void split() {
        auto& items = tree_.program.items;
        for (size_t from = 0; from < items.size(); from++) {
            const std::set<std::string> entries = entries_of(from);
            if (entries.size() < 2 || !Tree::body(items[from])) continue;
            std::vector<std::set<std::string>> parts;
            size_t all = 0;
            for (size_t to = 0; to < items.size(); to++) {
                const std::set<std::string> exits = exits_of(to);
                const bool fits = !exits.empty() && exits != entries && shares_map(from, to) &&
                                  std::includes(entries.begin(), entries.end(), exits.begin(), exits.end());
                if (fits) parts.push_back(exits), all += exits.size();
            }
            if (parts.size() < 2 || all != entries.size()) continue;
            const ast::Item whole = items[from];
            items.erase(items.begin() + static_cast<ptrdiff_t>(from));
            std::ranges::reverse(parts);
            for (const auto& part : parts) {
                ast::Item copy = whole;
                auto& action = std::get<ast::Action>(copy.node);
                action.body = tree_.copy(action.body);
                if (action.predicate) action.predicate = tree_.copy(*action.predicate);
                std::erase_if(action.probes, [&](const ast::ProbeSpec& p) { return !part.contains(joined(p, 0)); });
                items.insert(items.begin() + static_cast<ptrdiff_t>(from), copy);
            }
        }
    }
    bool shares_map(size_t from, size_t to) const {
        const std::set<std::string> maps = tree_.maps(tree_.program.items[from]);
        return std::ranges::any_of(tree_.maps(tree_.program.items[to]),
                                   [&](const std::string& name) { return maps.contains(name); });
    }

    // ---- one pair

    bool fold(const std::vector<Pair>& group, const std::vector<std::string>& maps) {
        if (fold_all(group, maps)) return true;
        // one map that does not fit does not affect the others
        for (const std::string& map : maps) {
            if (maps.size() > 1 && fold_all(group, {map})) return true;
        }
        return false;
    }

    // All pairs or none.
    bool fold_all(const std::vector<Pair>& group, const std::vector<std::string>& maps) {
        const ast::Program before = tree_.program;
        const auto absorbed = tree_.absorbed;
        const bool fits =
            std::ranges::all_of(group, [&](const Pair& pair) { return try_fold(pair.first, pair.second, maps); });
        if (!fits) {
            tree_.program = before;
            tree_.absorbed = absorbed;
            return false;
        }
        std::erase_if(tree_.program.items, [](const ast::Item& item) {
            const auto* action = std::get_if<ast::Action>(&item.node);
            return action && action->probes.empty();
        });
        return true;
    }

    bool try_fold(size_t from, size_t to, const std::vector<std::string>& maps) {
        auto entry = std::get<ast::Action>(tree_.program.items[from].node);
        const bool is_call = belong_together(from, to);
        if (!is_straight(entry.body)) return false;
        SpanValues values(tree_, *Tree::body(tree_.program.items[to]), is_call);
        for (const std::string& map : maps) {
            if (!values.take(entry.body, map)) return false;
        }
        const std::optional<ast::ExprId> predicate = predicate_of(tree_.program.items[to]);
        std::optional<ast::SpanAction> span = is_call ? span_of(entry, tree_.program.items[to])
                                                      : span_between(entry, tree_.program.items[to], values, predicate);
        if (!span || !values.rewrite(predicate, entry.predicate)) return false;
        span->body = values.body();
        span->predicate = entry.predicate;
        drop_unread_locals(entry.body);
        drop_unread_locals(span->body);
        for (ast::Item& item : tree_.program.items) {
            if (is_end(item)) drop_clears(std::get<ast::Action>(item.node).body, maps);
        }
        put(from, to, std::move(entry), std::move(*span));
        return true;
    }

    // Puts the span at the earlier of both places; the other item is left without probes.
    void put(size_t from, size_t to, ast::Action entry, ast::SpanAction span) {
        auto& items = tree_.program.items;
        const bool is_over = entry.body.statements.empty();
        if (!is_over && entry.predicate) span.predicate = tree_.copy(*entry.predicate);
        items[to].node = std::move(span);
        if (is_over) entry.probes.clear();
        items[from].node = std::move(entry);
        if (!is_over) return;
        tree_.absorbed.emplace_back(items[from].span, items[to].span);
        if (from < to) std::swap(items[from], items[to]);
    }

    // Between two events with the same key; a value that the second one does not delete could be read again.
    std::optional<ast::SpanAction> span_between(const ast::Action& entry, const ast::Item& exit, SpanValues& values,
                                                const std::optional<ast::ExprId>& predicate) {
        const auto keys = values.keys_of(predicate);
        const auto* closing = std::get_if<ast::Action>(&exit.node);
        if (!keys || !closing) return {};
        const auto bare = [&](const std::vector<ast::ExprId>& key) {
            std::vector<ast::ExprId> out;
            for (ast::ExprId part : key) out.push_back(tree_.copy(tree_.bare(part)));
            return out;
        };
        ast::SpanAction span;
        const bool by_thread =
            keys->first.size() == 1 && tree_.is_name(keys->first[0], "tid") && tree_.is_name(keys->second[0], "tid");
        for (const ast::ProbeSpec& p : entry.probes) {
            span.opens.push_back({p, by_thread ? std::vector<ast::ExprId>{} : bare(keys->first), std::nullopt, {}});
        }
        for (const ast::ProbeSpec& p : closing->probes) {
            span.closes.push_back({p, by_thread ? std::vector<ast::ExprId>{} : bare(keys->second), std::nullopt, {}});
        }
        return span;
    }

    static std::optional<ast::ExprId> predicate_of(const ast::Item& item) {
        if (const auto* action = std::get_if<ast::Action>(&item.node)) return action->predicate;
        return std::get<ast::SpanAction>(item.node).predicate;
    }

    // Without jumps out of it, so that the value is always passed.
    bool is_straight(const ast::Block& block) const {
        bool leaves = false;
        tree_.each_stmt(block, [&](ast::StmtId id) { leaves = leaves || tree_.get<ast::Return>(id); });
        return !leaves;
    }

    std::optional<ast::SpanAction> span_of(const ast::Action& entry, const ast::Item& exit) {
        ast::SpanAction span;
        if (const auto* action = std::get_if<ast::Action>(&exit.node)) {
            span.body = action->body;
            const bool is_tracepoint = action->probes.front().parts.front().text == "tracepoint";
            if (tree_.any_expr(span.body, [&](ast::ExprId id) { return tree_.is_name(id, "probe"); })) return {};
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

    // Removes END's clears of maps that are gone.
    void drop_clears(ast::Block& body, const std::vector<std::string>& maps) const {
        std::erase_if(body.statements, [&](ast::StmtId id) {
            const auto* call = tree_.call(id, {"clear"});
            const auto* map = call ? tree_.get<ast::Map>(call->arguments[0]) : nullptr;
            return map && std::ranges::find(maps, map->name) != maps.end();
        });
    }

    // Removes locals that were only computed for the span.
    void drop_unread_locals(ast::Block& body) {
        std::map<std::string, size_t> uses;
        tree_.each_expr(body, [&](ast::ExprId id) {
            if (const auto* local = tree_.get<ast::Local>(id)) uses[local->name]++;
        });
        std::erase_if(body.statements, [&](ast::StmtId id) {
            if (const auto* let = tree_.get<ast::Let>(id)) return uses[let->name] <= 1 && !let->value;
            const auto* local = tree_.target<ast::Local>(id);
            return local && uses[local->name] == 1 && tree_.is_pure(tree_.get<ast::Assign>(id)->value);
        });
        const bool only_lets =
            std::ranges::all_of(body.statements, [&](ast::StmtId id) { return tree_.get<ast::Let>(id) != nullptr; });
        if (only_lets) body.statements.clear();
    }

    Tree& tree_;
    std::map<std::string, MapUses> uses_;
};

}  // namespace

void fold_spans(Tree& tree) { Folder(tree).run(); }

}  // namespace lt::port
