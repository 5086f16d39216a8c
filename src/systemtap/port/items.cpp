// Items as a person writes them: short names of probes, conditions in front, one item where the text had one, and the
// settings that the rest needs.
#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "stdlib/probes.h"
#include "systemtap/port/steps.h"

namespace lt::port {
namespace {

// The names with which SystemTap's display of unread globals begins in the tree; no script can contain them.
bool is_display(const Tree& tree, const ast::Item& item, const Source& source) {
    const auto* action = std::get_if<ast::Action>(&item.node);
    if (!action || action->probes.front().parts.front().text != "END") return false;
    return !source.at(item.span).starts_with("probe") && !action->body.statements.empty() && tree.maps().size() > 0;
}

bool is_kernel_probe(const ast::Action& action) {
    return std::ranges::all_of(action.probes, [](const ast::ProbeSpec& p) {
        const ProbeRow* row = find_probe(p.parts.front().text);
        return row && !run_by_lt(row->place);
    });
}

// ---- conditions

class Conditions {
  public:
    explicit Conditions(Tree& tree) : tree_(tree) {}

    // Can it be evaluated before the block?
    bool is_early(ast::ExprId id) const {
        return !tree_.any_expr(id, [&](ast::ExprId e) {
            const bool is_known = !tree_.get<ast::Call>(e) || tree_.is_pure(e);
            return tree_.get<ast::Local>(e) || tree_.get<ast::BlockValue>(e) || tree_.get<ast::Step>(e) || !is_known;
        });
    }

    // Is its value the same at the return as at the entry? That holds for entry() and the arguments.
    bool is_lasting(ast::ExprId id) const {
        std::set<ast::ExprId> of_entry;
        tree_.each_expr(id, [&](ast::ExprId e) {
            const auto* member = tree_.get<ast::Member>(e);
            if (tree_.call(e, {"entry"}) || (member && tree_.is_name(member->base, "args")))
                tree_.each_expr(e, [&](ast::ExprId below) { of_entry.insert(below); });
        });
        return !tree_.any_expr(id, [&](ast::ExprId e) {
            if (of_entry.contains(e)) return false;
            const auto* name = tree_.get<ast::Name>(e);
            const bool lasts = name && (name->name == "pid" || name->name == "tid" || name->name == "target" ||
                                        name->name == "uid" || name->name == "comm");
            return !lasts && !tree_.is_plain(e);
        });
    }

    ast::ExprId negated(ast::ExprId id) {
        using enum ast::BinaryOp;
        constexpr std::array<std::pair<ast::BinaryOp, ast::BinaryOp>, 6> others{{{equal, not_equal},
                                                                                 {not_equal, equal},
                                                                                 {less, greater_equal},
                                                                                 {greater_equal, less},
                                                                                 {greater, less_equal},
                                                                                 {less_equal, greater}}};
        if (const auto* unary = tree_.get<ast::Unary>(id); unary && unary->op == ast::UnaryOp::logical_not)
            return unary->operand;
        if (const auto* binary = tree_.get<ast::Binary>(id)) {
            if (binary->op == logical_or) {
                const ast::Binary either = *binary;
                const ast::ExprId left = negated(either.left), right = negated(either.right);
                return tree_.like(id, ast::Binary{logical_and, left, right});
            }
            for (const auto& [op, other] : others) {
                if (binary->op == op) return tree_.like(id, ast::Binary{other, binary->left, binary->right});
            }
        }
        return tree_.like(id, ast::Unary{ast::UnaryOp::logical_not, id});
    }

    // !(a == b) is a != b.
    void turn(ast::ExprId id) {
        const auto* unary = tree_.get<ast::Unary>(id);
        const auto* binary =
            unary && unary->op == ast::UnaryOp::logical_not ? tree_.get<ast::Binary>(unary->operand) : nullptr;
        if (!binary || (binary->op != ast::BinaryOp::equal && binary->op != ast::BinaryOp::not_equal)) return;
        tree_.become(id, negated(unary->operand));
    }

    ast::ExprId both(const std::optional<ast::ExprId>& first, ast::ExprId second) {
        if (!first) return second;
        return tree_.like(second, ast::Binary{ast::BinaryOp::logical_and, *first, second});
    }

    // The first statement that does more than name a value that does not change.
    std::vector<ast::StmtId>::iterator first_of(ast::Block& body) {
        named_.clear();
        return std::ranges::find_if(body.statements, [&](ast::StmtId id) {
            const auto* let = tree_.get<ast::Let>(id);
            return let ? let->value.has_value() : !names_value(body, id);
        });
    }
    bool names_value(const ast::Block& body, ast::StmtId id) {
        const auto* assign = tree_.get<ast::Assign>(id);
        const auto* local = assign && !assign->op ? tree_.get<ast::Local>(assign->target) : nullptr;
        const bool is_plain = local && tree_.is_pure(assign->value) && is_early(assign->value) &&
                              !tree_.any_expr(assign->value, [&](ast::ExprId e) { return tree_.get<ast::Map>(e); });
        if (!is_plain || tree_.writes(body, local->name) != 1) return false;
        if (!changes(assign->value)) named_[local->name] = assign->value;
        return true;
    }
    // Can its value change between two evaluations?
    bool changes(ast::ExprId id) const {
        constexpr std::array<std::string_view, 4> names{"nsecs", "elapsed", "rand", "jiffies"};
        return tree_.any_expr(id, [&](ast::ExprId e) {
            const auto* call = tree_.get<ast::Call>(e);
            const auto* name = tree_.get<ast::Name>(e);
            const std::string queried = call ? call->name : name ? name->name : "";
            return std::ranges::find(names, queried) != names.end();
        });
    }

    // The condition with the values of names that were assigned before it.
    ast::ExprId unnamed(ast::ExprId condition) {
        const ast::ExprId copy = tree_.copy(condition);
        tree_.replace_locals(copy, named_);
        return copy;
    }

    // At the entry itself, entry() is not needed.
    void without_entry(ast::ExprId id) {
        tree_.each_expr(id, [&](ast::ExprId e) {
            if (const auto* call = tree_.call(e, {"entry"})) tree_.become(e, call->arguments[0]);
        });
    }

    void move_out(std::optional<ast::ExprId>& predicate, ast::Block& body, bool at_entry) {
        take_conditions(predicate, body, at_entry);
        if (at_entry && predicate) without_entry(*predicate);
    }
    void take_conditions(std::optional<ast::ExprId>& predicate, ast::Block& body, bool at_entry) {
        const auto fits = [&](ast::ExprId id) { return is_early(id) && (!at_entry || is_lasting(id)); };
        for (auto first = first_of(body); first != body.statements.end(); first = first_of(body)) {
            const auto* branch = tree_.get<ast::If>(*first);
            if (!branch || !branch->no.statements.empty()) return;
            ast::If n = *branch;
            n.condition = unnamed(n.condition);
            if (!fits(n.condition)) return;
            if (tree_.leaves(n.yes)) {
                predicate = both(predicate, negated(n.condition));
                body.statements.erase(first);
            } else if (first + 1 == body.statements.end()) {
                predicate = both(predicate, n.condition);
                body.statements.erase(first);
                body.statements.insert(body.statements.end(), n.yes.statements.begin(), n.yes.statements.end());
            } else {
                return;
            }
        }
    }

  private:
    Tree& tree_;
    std::map<std::string, ast::ExprId> named_ = {};  // locals assigned before anything else runs
};

}  // namespace

std::set<std::string> take_display(Tree& tree, const Source& source) {
    std::set<std::string> out;
    auto& items = tree.program.items;
    for (const ast::Item& item : items) {
        if (!is_display(tree, item, source)) continue;
        for (const std::string& map : tree.maps(item)) out.insert(map.substr(0, map.rfind('.')));
    }
    std::erase_if(items, [&](const ast::Item& item) { return is_display(tree, item, source); });
    return out;
}

namespace {

// Which optional probes exist, and which of several alternatives.
class Settler {
  public:
    explicit Settler(const Machine& machine) : machine_(machine) {}

    // False: drop it.
    bool settle(ast::ProbeSpec& spec) {
        const ast::Alternative a = std::exchange(spec.alternative, {});
        if (!a.optional && a.choices.empty()) return true;
        if (is_superfluous(a)) return false;
        if (!machine_.exists(spec)) return !a.optional;  // the last of several alternatives is required
        for (const auto& c : a.choices)
            if (c.sufficient) enough_.emplace(c.group, c.position);
        return true;
    }
    bool is_superfluous(const ast::Alternative& a) const {
        return std::ranges::any_of(a.choices, [&](const auto& c) {
            return std::ranges::any_of(enough_,
                                       [&](const auto& e) { return e.first == c.group && e.second < c.position; });
        });
    }

    // Drops probes that do not exist. If none is left, reports the first one, unless another one replaces it.
    template <class Event, class Spec>
    std::optional<ast::ProbeSpec> leave(std::vector<Event>& events, const Spec& spec_of) {
        if (events.empty()) return {};
        const ast::ProbeSpec first = spec_of(events.front());
        std::erase_if(events, [&](Event& e) { return !settle(spec_of(e)); });
        const bool is_gone = events.empty() && !is_superfluous(first.alternative);
        return is_gone ? std::optional(first) : std::nullopt;
    }

  private:
    const Machine& machine_;
    std::set<std::pair<uint32_t, uint32_t>> enough_;  // group, position
};

}  // namespace

std::vector<ast::ProbeSpec> settle_alternatives(Tree& tree, const Machine& machine) {
    Settler settler(machine);
    std::vector<std::pair<Span, ast::ProbeSpec>> gone;
    for (ast::Item& item : tree.program.items) {
        std::optional<ast::ProbeSpec> first;
        if (auto* action = std::get_if<ast::Action>(&item.node))
            first = settler.leave(action->probes, [](ast::ProbeSpec& p) -> ast::ProbeSpec& { return p; });
        if (auto* span = std::get_if<ast::SpanAction>(&item.node))
            first = settler.leave(span->opens, [](ast::Endpoint& e) -> ast::ProbeSpec& { return e.probe; });
        if (first) gone.emplace_back(item.span, *first);
    }
    std::erase_if(tree.program.items, [](const ast::Item& item) {
        const auto* action = std::get_if<ast::Action>(&item.node);
        const auto* span = std::get_if<ast::SpanAction>(&item.node);
        return (action && action->probes.empty()) || (span && span->opens.empty());
    });
    std::vector<ast::ProbeSpec> out;
    for (const auto& [place, spec] : gone) {
        const bool has_sibling =
            std::ranges::any_of(tree.program.items, [&](const ast::Item& item) { return item.span == place; });
        if (!has_sibling) out.push_back(spec);
    }
    return out;
}

void make_predicates(Tree& tree) {
    Conditions conditions(tree);
    for (size_t i = 0; i < tree.program.exprs.size(); i++) conditions.turn(static_cast<ast::ExprId>(i));
    for (ast::Item& item : tree.program.items) {
        if (auto* action = std::get_if<ast::Action>(&item.node); action && is_kernel_probe(*action))
            conditions.move_out(action->predicate, action->body, false);
        if (auto* span = std::get_if<ast::SpanAction>(&item.node))
            conditions.move_out(span->predicate, span->body, true);
    }
}

// ---- probes

namespace {

// interval:s:1 is interval:1s.
void join_period(std::vector<ast::ProbeSpec::Part>& parts) {
    constexpr std::array<std::string_view, 4> units{"ns", "us", "ms", "s"};
    if (parts.size() != 3 || std::ranges::find(units, parts[1].text) == units.end()) return;
    parts[1].text = parts[2].text + parts[1].text;
    parts.pop_back();
}

void shorten(ast::ProbeSpec& spec) {
    const ProbeRow* row = find_probe(spec.parts.front().text);
    if (row == nullptr) return;
    if (row->place == Place::period || row->place == Place::clock) join_period(spec.parts);
    if (!row->brief.empty() && row->kind != ProbeKind::interval) spec.parts.front().text = std::string(row->brief);
}

}  // namespace

void short_probes(Tree& tree) {
    for (ast::Item& item : tree.program.items) {
        if (auto* action = std::get_if<ast::Action>(&item.node))
            for (ast::ProbeSpec& p : action->probes) shorten(p);
        if (auto* span = std::get_if<ast::SpanAction>(&item.node))
            for (ast::Endpoint& e : span->opens) shorten(e.probe);
        if (auto* span = std::get_if<ast::SpanAction>(&item.node))
            for (ast::Endpoint& e : span->closes) shorten(e.probe);
    }
}

void join_items(Tree& tree) {
    auto& items = tree.program.items;
    for (size_t i = 1; i < items.size();) {
        auto* a = std::get_if<ast::Action>(&items[i - 1].node);
        auto* b = std::get_if<ast::Action>(&items[i].node);
        const bool alike = a && b && items[i - 1].span == items[i].span &&
                           a->predicate.has_value() == b->predicate.has_value() &&
                           (!a->predicate || tree.same(*a->predicate, *b->predicate)) && tree.same(a->body, b->body);
        if (!alike) {
            i++;
            continue;
        }
        a->probes.insert(a->probes.end(), b->probes.begin(), b->probes.end());
        items.erase(items.begin() + static_cast<ptrdiff_t>(i));
    }
}

// ---- settings

namespace {

// The maps that an END block prints, if it does nothing else.
std::optional<std::set<std::string>> printed_by(const Tree& tree, const ast::Item& item) {
    const auto* action = std::get_if<ast::Action>(&item.node);
    if (!action || action->probes.front().parts.front().text != "END" || action->predicate) return {};
    std::set<std::string> out;
    for (ast::StmtId id : action->body.statements) {
        const auto* call = tree.call(id, {"print"});
        const auto* map = call ? tree.get<ast::Map>(call->arguments[0]) : nullptr;
        if (!map || map->has_key) return {};
        out.insert(map->name);
    }
    return out;
}

bool names_target(const Tree& tree) {
    const auto is_it = [&](ast::ExprId id) { return tree.is_name(id, "target"); };
    return std::ranges::any_of(tree.program.items, [&](const ast::Item& item) { return tree.any_expr(item, is_it); });
}

}  // namespace

void add_settings(Tree& tree, const std::set<std::string>& only_written, const Machine& machine) {
    auto& items = tree.program.items;
    const std::set<std::string> maps = tree.maps();
    std::set<std::string> shown = only_written;
    for (const ast::Item& item : items) {
        if (const auto printed = printed_by(tree, item)) shown.insert(printed->begin(), printed->end());
    }
    const bool all_shown = std::includes(shown.begin(), shown.end(), maps.begin(), maps.end());
    ast::Config config;
    if (has_long_texts(tree, machine)) config.settings.push_back({"max_strlen", {}, "512", {}});
    if (all_shown) {
        std::erase_if(items, [&](const ast::Item& item) { return printed_by(tree, item).has_value(); });
    } else {
        config.settings.push_back({"print_maps_on_exit", {}, "false", {}});
        ast::Block end;
        for (const std::string& name : only_written) {
            if (!maps.contains(name)) continue;
            const ast::ExprId map = tree.program.add({}, ast::Map{name, {}, false});
            const ast::ExprId print = tree.program.add({}, ast::Call{"print", {}, {map}});
            end.statements.push_back(tree.program.add({}, ast::Evaluate{print}));
        }
        const ast::ProbeSpec probe{{}, {{{}, "END"}}, "", {}};
        if (!end.statements.empty()) items.push_back({{}, ast::Action{{probe}, std::nullopt, std::move(end)}});
    }
    if (names_target(tree)) {
        const ast::ExprId none = tree.program.add({}, ast::Integer{0});
        items.insert(items.begin(), {{}, ast::Parameter{"target", {}, none, "the process to look at"}});
    }
    if (!config.settings.empty()) items.insert(items.begin(), {{}, config});
}

}  // namespace lt::port
