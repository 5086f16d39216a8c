#include "systemtap/port/span_value.h"

#include <algorithm>
#include <array>

#include "base/rows.h"
#include "stdlib/functions/builtins.h"

namespace lt::port {
namespace {

constexpr std::array<std::string_view, 3> thread_names{"tid", "pid", "curtask"};
// Other values that are the same at the entry and the return.
constexpr std::array<std::string_view, 5> lasting_names{"comm", "uid", "gid", "ppid", "func"};

}  // namespace

// ---- values passed from the entry to the return

bool SpanValues::is_by_thread(const ast::Map& map) const {
    bool thread = false, lasting = true;
    for (ast::ExprId part : map.key) {
        const auto* name = tree_.get<ast::Name>(tree_.bare(part));
        thread = thread || (name && contains(thread_names, name->name));
        const bool is_literal = tree_.get<ast::Integer>(part) || tree_.get<ast::String>(part);
        lasting = lasting &&
                  (is_literal || (name && (contains(thread_names, name->name) || contains(lasting_names, name->name))));
    }
    return thread && lasting;
}

// Can the key be evaluated at the event, whatever the block does?
bool SpanValues::is_plain_key(const ast::Map& map) const {
    return std::ranges::all_of(map.key, [&](ast::ExprId part) {
        return tree_.is_pure(part) &&
               !tree_.any_expr(part, [&](ast::ExprId e) { return tree_.get<ast::Local>(e) || tree_.get<ast::Map>(e); });
    });
}

std::optional<SpanValues::Keys> SpanValues::keys_of(const std::optional<ast::ExprId>& predicate) {
    std::optional<Keys> out;
    const auto look = [&](ast::ExprId id) {
        const auto* map = tree_.get<ast::Map>(id);
        const auto found = map ? values_.find(map->name) : values_.end();
        if (found == values_.end()) return;
        if (!out) out = Keys{tree_.get<ast::Map>(found->second.key)->key, map->key};
    };
    if (predicate) tree_.each_expr(*predicate, look);
    tree_.each_expr(body_, look);
    for (auto& [name, value] : values_) {
        const auto written = *tree_.get<ast::Map>(value.key);
        const auto same = [&](ast::ExprId a, ast::ExprId b) { return tree_.same(a, b); };
        const bool fits =
            out && written.key.size() == out->second.size() &&
            std::equal(written.key.begin(), written.key.end(), out->first.begin(), out->first.end(), same);
        const ast::Map read{name, fits ? out->second : written.key, true};
        if (!fits || !is_plain_key(read)) return {};
        value.key = tree_.like(value.key, read);
    }
    const bool always = (!predicate || !rest_of(*predicate)) && deletes_all();
    return always ? out : std::nullopt;
}

// Does the block remove all that was passed, on every path?
bool SpanValues::deletes_all() const {
    size_t leaves = 0, fine = 0;
    std::set<std::string> deleted;
    const auto note = [&](const ast::Block& b) {
        for (ast::StmtId id : b.statements) {
            if (drops(id)) deleted.insert(tree_.get<ast::Map>(removed_by(id))->name);
        }
    };
    note(body_);
    for (ast::StmtId id : body_.statements) {
        const auto* branch = tree_.get<ast::If>(id);
        if (!branch || !branch->no.statements.empty()) continue;
        const Truth t = truth(branch->condition);
        if (t == Truth::always) note(branch->yes);
        if (t == Truth::never && branch->yes.statements.size() == 1) fine++;
    }
    tree_.each_stmt(body_, [&](ast::StmtId id) { leaves += tree_.get<ast::Return>(id) != nullptr; });
    return leaves <= fine && deleted.size() == values_.size();
}

// Can entry() provide it?
bool SpanValues::is_kept(ast::ExprId id) const {
    return tree_.is_pure(id) && !tree_.any_expr(id, [&](ast::ExprId e) {
        const auto* name = tree_.get<ast::Name>(e);
        return tree_.get<ast::Local>(e) || tree_.get<ast::Map>(e) || (name && name->name == "retval");
    });
}

// Replaces locals that are assigned once before by their values.
ast::ExprId SpanValues::without_locals(const ast::Block& block, ast::ExprId value) const {
    const ast::ExprId copy = tree_.copy(value);
    for (size_t round = 0; round < 8; round++) {
        std::map<std::string, ast::ExprId> found;
        tree_.each_expr(copy, [&](ast::ExprId e) {
            const auto* local = tree_.get<ast::Local>(e);
            if (!local) return;
            std::vector<ast::ExprId> given;
            bool changed = false;
            tree_.each_stmt(block, [&](ast::StmtId id) {
                const auto* target = tree_.target<ast::Local>(id);
                if (!target || target->name != local->name) return;
                given.push_back(tree_.get<ast::Assign>(id)->value);
                changed = changed || tree_.get<ast::Assign>(id)->op;
            });
            if (given.size() == 1 && !changed && tree_.is_pure(given[0])) found.emplace(local->name, given[0]);
        });
        if (found.empty()) break;
        tree_.replace_locals(copy, found);
    }
    return copy;
}

// For `nsecs`, `nsecs(realtime)` and these divided by a number: the unit in nanoseconds.
std::optional<int64_t> SpanValues::unit_of(ast::ExprId id) const {
    id = tree_.bare(id);
    if (tree_.is_name(id, "nsecs")) return 1;
    if (tree_.call(id, {"nsecs"})) return 1;
    const auto* divided = tree_.get<ast::Binary>(id);
    if (!divided || divided->op != ast::BinaryOp::divide) return {};
    const auto* by = tree_.get<ast::Integer>(tree_.bare(divided->right));
    const auto whole = unit_of(divided->left);
    if (!by || !whole || by->value == 0 || by->value > 1'000'000'000) return {};
    return *whole * static_cast<int64_t>(by->value);
}

std::optional<ast::ExprId> SpanValues::take(ast::Block& entry, const std::string& map) {
    for (auto at = entry.statements.begin(); at != entry.statements.end(); ++at) {
        const auto* target = tree_.target<ast::Map>(*at);
        if (!target || target->name != map) continue;
        const ast::Assign found = *tree_.get<ast::Assign>(*at);
        if (is_call_ ? !is_by_thread(*target) : !is_plain_key(*target)) return {};
        const ast::ExprId value = without_locals(entry, found.value);
        const auto unit = unit_of(value);
        if (!unit && !is_kept(value)) return {};
        values_[map] = {found.target, value, unit};
        entry.statements.erase(at);
        if (!replace_in_entry(entry, map)) return {};
        return value;
    }
    return {};  // not every time
}

// A read of the map at the entry itself returns what it has just written.
bool SpanValues::replace_in_entry(const ast::Block& entry, const std::string& map) {
    const auto found = tree_.find(entry, [&](ast::ExprId id) { return tree_.is<ast::Map>(id, map); });
    const bool asked = tree_.any_expr(entry, [&](ast::ExprId id) {
        const auto* call = tree_.call(id, {"delete", "has_key"});
        return call && tree_.is_map(call->arguments[0], map);
    });
    if (asked || !std::ranges::all_of(found, [&](ast::ExprId id) { return read(id); })) return false;
    for (ast::ExprId id : found) tree_.put_copy(id, values_[map].value);
    return true;
}

// ---- the block at the return

const SpanValues::Value* SpanValues::read(ast::ExprId id) const {
    id = tree_.bare(id);
    const auto* map = tree_.get<ast::Map>(id);
    const auto found = map ? values_.find(map->name) : values_.end();
    return found != values_.end() && tree_.same(id, found->second.key) ? &found->second : nullptr;
}

bool SpanValues::has_wrong_key() const {
    return tree_.any_expr(body_, [&](ast::ExprId id) {
        const auto* map = tree_.get<ast::Map>(id);
        return map && values_.contains(map->name) && !read(id);
    });
}

bool SpanValues::rewrite(const std::optional<ast::ExprId>& predicate, const std::optional<ast::ExprId>& filter) {
    filter_ = filter;
    if (has_wrong_key()) return false;
    inline_reads();
    const bool guarded = !filter;
    if (predicate) {
        const ast::StmtId all = tree_.program.add({}, ast::If{*predicate, body_, {}});
        body_ = {{all}};
    }
    if (!block(body_, guarded)) return false;
    tree_.each_expr(body_, [&](ast::ExprId id) { replace_reads(id); });
    shorten_latencies();
    return !is_left();
}

// @entry() of a clock is also meant for subtraction.
void SpanValues::rewrite_clocks() {
    tree_.each_expr(body_, [&](ast::ExprId id) { replace_clock(id); });
    shorten_latencies();
}

void SpanValues::shorten_latencies() {
    tree_.each_expr(body_, [&](ast::ExprId id) { divide_latency(id); });
    inline_differences();
    tree_.each_expr(body_, [&](ast::ExprId id) { compare_latency(id); });
}

void SpanValues::replace_clock(ast::ExprId id) {
    const auto* n = tree_.get<ast::Binary>(id);
    const auto* entry = n && n->op == ast::BinaryOp::subtract ? tree_.call(tree_.bare(n->right), {"entry"}) : nullptr;
    if (!entry) return;
    const auto unit = unit_of(entry->arguments[0]);
    if (!unit || unit_of(without_locals(body_, n->left)) != unit) return;
    const ast::ExprId latency = tree_.like(id, ast::Name{"latency"});
    tree_.put(id, ast::Binary{ast::BinaryOp::divide, latency, tree_.like(id, ast::Duration{*unit})});
}

// $t = @begun[tid]: replaces $t by the map's value.
void SpanValues::inline_reads() {
    replace_locals([&](const ast::Assign& assign, const std::string&) { return read(assign.value) != nullptr; });
}

// Removes locals that are assigned once from the block: those for which `fits` is true of the assignment.
void SpanValues::replace_locals(const std::function<bool(const ast::Assign&, const std::string& local)>& fits) {
    std::map<std::string, size_t> writes;
    std::vector<ast::StmtId> found;
    tree_.each_stmt(body_, [&](ast::StmtId id) {
        const auto* local = tree_.target<ast::Local>(id);
        if (!local) return;
        writes[local->name]++;
        const ast::Assign& assign = *tree_.get<ast::Assign>(id);
        if (!assign.op && fits(assign, local->name)) found.push_back(id);
    });
    for (ast::StmtId at : found) {
        const ast::Assign assign = *tree_.get<ast::Assign>(at);
        const std::string name = tree_.get<ast::Local>(assign.target)->name;
        if (writes[name] != 1) continue;
        for (ast::ExprId id : tree_.uses(body_, name)) {
            if (id != assign.target) tree_.put_copy(id, assign.value);
        }
        tree_.change_blocks(body_, [&](std::vector<ast::StmtId>& statements) {
            std::erase_if(statements, [&](ast::StmtId id) { return id == at || tree_.declares(id, name); });
        });
    }
}

// $d = latency / 1us: replaces $d by its value if it is used once.
void SpanValues::inline_differences() {
    replace_locals([&](const ast::Assign& assign, const std::string& local) {
        const auto* divided = tree_.get<ast::Binary>(tree_.bare(assign.value));
        return divided && tree_.is_name(divided->left, "latency") && tree_.uses(body_, local).size() <= 3;
    });
}

// Does the condition ask whether the entry was seen? In a span it always was.
SpanValues::Truth SpanValues::truth(ast::ExprId condition) const {
    condition = tree_.bare(condition);
    if (const auto* call = tree_.get<ast::Call>(condition))
        return call->name == "has_key" && read(call->arguments[0]) ? Truth::always : Truth::unknown;
    if (const Value* value = read(condition)) return value->unit ? Truth::always : Truth::unknown;
    if (const auto* unary = tree_.get<ast::Unary>(condition); unary && unary->op == ast::UnaryOp::logical_not) {
        const Truth t = truth(unary->operand);
        return t == Truth::always ? Truth::never : t == Truth::never ? Truth::always : t;
    }
    const auto* binary = tree_.get<ast::Binary>(condition);
    const auto* zero = binary ? tree_.get<ast::Integer>(tree_.bare(binary->right)) : nullptr;
    const Value* value = binary ? read(binary->left) : nullptr;
    if (!zero || zero->value != 0 || !value || !value->unit) return Truth::unknown;
    if (binary->op == ast::BinaryOp::not_equal || binary->op == ast::BinaryOp::greater) return Truth::always;
    return binary->op == ast::BinaryOp::equal || binary->op == ast::BinaryOp::less_equal ? Truth::never
                                                                                         : Truth::unknown;
}

// The rest of the condition; empty: nothing else.
std::optional<ast::ExprId> SpanValues::rest_of(ast::ExprId condition) {
    const auto* binary = tree_.get<ast::Binary>(condition);
    if (!binary || binary->op != ast::BinaryOp::logical_and)
        return truth(condition) == Truth::always || is_filter(condition) ? std::nullopt : std::optional(condition);
    const ast::Binary both = *binary;
    const auto left = rest_of(both.left), right = rest_of(both.right);
    if (!left || !right) return left ? left : right;
    return tree_.like(condition, ast::Binary{ast::BinaryOp::logical_and, *left, *right});
}

// Is it a part of the entry's predicate that is the same at the return?
bool SpanValues::is_filter(ast::ExprId condition) const {
    const auto is_part = [&](auto&& self, ast::ExprId whole) -> bool {
        const auto* both = tree_.get<ast::Binary>(whole);
        if (both && both->op == ast::BinaryOp::logical_and) return self(self, both->left) || self(self, both->right);
        return tree_.same(whole, condition);
    };
    const bool lasts = !tree_.any_expr(condition, [&](ast::ExprId e) {
        const auto* name = tree_.get<ast::Name>(e);
        return name ? !contains(thread_names, name->name) && !contains(lasting_names, name->name) &&
                          name->name != "target"
                    : !tree_.is_plain(e);
    });
    return filter_ && lasts && is_part(is_part, *filter_);
}

ast::ExprId SpanValues::removed_by(ast::StmtId id) const {
    return tree_.get<ast::Call>(tree_.get<ast::Evaluate>(id)->value)->arguments[0];
}

bool SpanValues::drops(ast::StmtId id) const { return tree_.call(id, {"delete"}) && read(removed_by(id)); }

bool SpanValues::block(ast::Block& b, bool guarded) {
    std::vector<ast::StmtId> out;
    for (ast::StmtId id : b.statements) {
        const auto* branch = tree_.get<ast::If>(id);
        const bool leaves = branch && branch->no.statements.empty() && tree_.leaves(branch->yes);
        if (leaves && truth(branch->condition) == Truth::never) {
            guarded = true;
            continue;
        }
        if (!statement(id, guarded, out)) return false;
    }
    b.statements = out;
    return true;
}

bool SpanValues::statement(ast::StmtId id, bool guarded, std::vector<ast::StmtId>& out) {
    if (drops(id)) return true;
    if (tree_.get<ast::If>(id)) return branch(id, guarded, out);
    const auto* assign = tree_.get<ast::Assign>(id);
    const bool is_local =
        tree_.get<ast::Let>(id) || tree_.get<ast::Return>(id) || (assign && tree_.get<ast::Local>(assign->target));
    if (!guarded && !is_local) return false;
    out.push_back(id);
    return true;
}

bool SpanValues::branch(ast::StmtId id, bool guarded, std::vector<ast::StmtId>& out) {
    ast::If n = *tree_.get<ast::If>(id);
    const Truth t = truth(n.condition);
    if (t == Truth::never && n.yes.statements.empty()) return block(n.no, true);
    if (t == Truth::never) return false;
    const auto rest = rest_of(n.condition);
    const bool asks = tree_.any_expr(n.condition, [&](ast::ExprId e) { return truth(e) == Truth::always; }) &&
                      (!rest || *rest != n.condition);
    if (asks && !n.no.statements.empty()) return false;
    if (!block(n.yes, guarded || asks) || !block(n.no, guarded)) return false;
    if (n.yes.statements.empty() && n.no.statements.empty()) return true;
    if (!rest) {
        out.insert(out.end(), n.yes.statements.begin(), n.yes.statements.end());
        return true;
    }
    n.condition = *rest;
    tree_.put(id, n);
    out.push_back(id);
    return true;
}

// now - @begun[tid] is the latency.
std::optional<ast::ExprNode> SpanValues::difference(const ast::Binary& n, Span span) {
    const Value* begun = n.op == ast::BinaryOp::subtract ? read(n.right) : nullptr;
    if (!begun || !begun->unit) return {};
    const ast::ExprId now = without_locals(body_, n.left);
    if (unit_of(now) != begun->unit) return {};
    const ast::ExprId latency = tree_.program.add(span, ast::Name{"latency"});
    return ast::Binary{ast::BinaryOp::divide, latency, tree_.program.add(span, ast::Duration{*begun->unit})};
}

void SpanValues::replace_reads(ast::ExprId id) {
    if (const auto* cast = tree_.get<ast::Cast>(id); cast && read(id)) {
        tree_.become(id, tree_.bare(id));
    }
    if (const auto* binary = tree_.get<ast::Binary>(id)) {
        if (const auto found = difference(*binary, tree_.program[id].span)) return tree_.put(id, *found);
    }
    const Value* value = tree_.get<ast::Map>(id) ? read(id) : nullptr;
    if (!value || value->unit) return;
    const ast::ExprId inner = tree_.bare(value->value);
    const auto* member = tree_.get<ast::Member>(inner);
    const auto* name = tree_.get<ast::Name>(inner);
    const bool is_thread = name && contains(thread_names, name->name);
    const bool frozen = tree_.get<ast::Integer>(inner) || tree_.get<ast::String>(inner) ||
                        (is_call_ && ((member && tree_.is_name(member->base, "args")) || is_thread ||
                                      (name && name->name.starts_with("arg"))));
    const ast::ExprId copy = tree_.copy(frozen ? value->value : inner);
    tree_.put(id, frozen ? ast::ExprNode(tree_.node(copy)) : ast::ExprNode(ast::Call{"entry", {}, {copy}}));
}

// latency / 1ns / 1000 is latency / 1us.
void SpanValues::divide_latency(ast::ExprId id) {
    const auto* outer = tree_.get<ast::Binary>(id);
    if (!outer || outer->op != ast::BinaryOp::divide) return;
    const auto* by = tree_.get<ast::Integer>(tree_.bare(outer->right));
    const auto* inner = tree_.get<ast::Binary>(tree_.bare(outer->left));
    const auto* unit =
        inner && tree_.is_name(inner->left, "latency") ? tree_.get<ast::Duration>(inner->right) : nullptr;
    if (!by || !unit || by->value == 0 || by->value > 1'000'000'000) return;
    const ast::ExprId latency = inner->left;
    const int64_t ns = unit->nanoseconds * static_cast<int64_t>(by->value);
    tree_.put(id, ast::Binary{ast::BinaryOp::divide, latency, tree_.like(id, ast::Duration{ns})});
}

// latency / 1us < 100 is latency < 100us; not with >, where the fraction that the division drops would matter.
void SpanValues::compare_latency(ast::ExprId id) {
    const auto* compared = tree_.get<ast::Binary>(id);
    const auto* inner = compared ? tree_.get<ast::Binary>(tree_.bare(compared->left)) : nullptr;
    const auto* unit =
        inner && tree_.is_name(inner->left, "latency") ? tree_.get<ast::Duration>(inner->right) : nullptr;
    const auto* number = unit ? tree_.get<ast::Integer>(tree_.bare(compared->right)) : nullptr;
    if (!number || inner->op != ast::BinaryOp::divide || number->value > 1'000'000'000) return;
    using enum ast::BinaryOp;
    const bool is_order = compared->op == greater || compared->op == less_equal;
    const bool is_exact = compared->op == less || compared->op == greater_equal || (is_order && unit->nanoseconds == 1);
    if (!is_exact) return;
    const ast::BinaryOp op = compared->op;
    const ast::ExprId latency = inner->left;
    const int64_t ns = unit->nanoseconds * static_cast<int64_t>(number->value);
    tree_.put(id, ast::Binary{op, latency, tree_.like(id, ast::Duration{ns})});
}

// Is any use of the maps left that has no other form?
bool SpanValues::is_left() const {
    return tree_.any_expr(body_, [&](ast::ExprId id) {
        const auto* map = tree_.get<ast::Map>(id);
        return map && values_.contains(map->name);
    });
}

}  // namespace lt::port
