// Every value of SystemTap is a signed 64-bit number, so its tree is full of casts to that. Most do not change the
// value for any of its uses, and are removed. Addresses that are cast often get a name.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "stdlib/format.h"
#include "stdlib/functions/builtins.h"
#include "systemtap/port/steps.h"

namespace lt::port {
namespace {

// How a value is used: in any way, so its sign matters; as what is compared or divided, so its sign decides how; with
// the sign that it has itself, where one is printed or collected, or as an operand of something that is used so; in a
// way that does not depend on the sign; as a part of a key, where an address is a number like others.
enum class Use : uint8_t { any, ordered, carried, alike, key };

bool is_signed_use(ast::BinaryOp op) {
    using enum ast::BinaryOp;
    constexpr std::array ops{divide, modulo, shift_right, less, less_equal, greater, greater_equal};
    return std::ranges::find(ops, op) != ops.end();
}
bool has_sign_of_operands(ast::BinaryOp op) {
    using enum ast::BinaryOp;
    constexpr std::array ops{add, multiply, shift_left, bit_and, bit_or, bit_xor};
    return std::ranges::find(ops, op) != ops.end();
}

class Casts {
  public:
    Casts(Tree& tree, const Machine& machine) : tree_(tree), machine_(machine) {}

    void item(const ast::Item& item) {
        const auto condition = [&](const std::optional<ast::ExprId>& id) {
            if (id) expr(*id, Use::any);
        };
        if (const auto* action = std::get_if<ast::Action>(&item.node)) condition(action->predicate);
        if (const auto* span = std::get_if<ast::SpanAction>(&item.node)) condition(span->predicate);
        const ast::Block* body = Tree::body(item);
        if (body == nullptr) return;
        read_locals(*body);
        block(*body);
    }

  private:
    // A local that is assigned once, and whose uses do not depend on the sign, can have the type of its value.
    void read_locals(const ast::Block& body) {
        std::map<std::string, size_t> writes, reads;
        tree_.each_stmt(body, [&](ast::StmtId id) {
            if (const auto* target = tree_.target<ast::Local>(id))
                writes[target->name] += tree_.get<ast::Assign>(id)->op ? 2 : 1;
        });
        tree_.each_expr(body, [&](ast::ExprId id) {
            const auto* step = tree_.get<ast::Step>(id);
            const auto* target = step ? tree_.get<ast::Local>(step->target) : nullptr;
            if (target) writes[target->name] += 2;
            if (const auto* local = tree_.get<ast::Local>(id)) reads[local->name]++;
            each_operand(id, [&](ast::ExprId child, Use use) {
                const auto* local = tree_.get<ast::Local>(tree_.bare(child));
                if (local && (use == Use::alike || use == Use::key)) reads[local->name]--;
            });
        });
        for (const auto& [name, count] : writes) {
            if (count == 1 && reads[name] == 1) unsigned_.insert(name);
        }
    }

    static bool needs_sign(Use use) { return use == Use::any || use == Use::ordered; }

    // How an expression uses its operands.
    template <class Visit>
    void each_operand(ast::ExprId id, const Visit& visit) const {
        const ast::Expr e = tree_.program[id];
        const auto* call = std::get_if<ast::Call>(&e.node);
        size_t place = 0;
        ast::each_child(e, [&](ast::ExprId child) {
            const Use use = call ? argument(*call, place) : operand(e.node);
            visit(child, use);
            place++;
        });
    }
    static Use operand(const ast::ExprNode& node) {
        const auto* binary = std::get_if<ast::Binary>(&node);
        if (std::holds_alternative<ast::Map>(node)) return Use::key;
        if (!binary || binary->op == ast::BinaryOp::subtract) return Use::any;
        return is_signed_use(binary->op) ? Use::ordered : Use::alike;
    }
    // The body of a function may do anything with an argument.
    Use argument(const ast::Call& call, size_t place) const {
        const FunctionRow* row = find_function(call.name);
        if (row == nullptr || call.name == "sort") return Use::any;
        if (call.name == "ksym" || call.name == "usym") return Use::key;
        const bool keeps_sign = row->aggregation != Aggregation::none || call.name == "print";
        return keeps_sign || (has_format(*row) && shows_sign(call, place)) ? Use::carried : Use::alike;
    }

    static bool has_format(const FunctionRow& row) {
        return !row.wants().empty() && row.wants().front().want == Want::format;
    }
    // %s and those with a fraction print the sign of the value's type, all others what they say.
    bool shows_sign(const ast::Call& call, size_t place) const {
        const auto* format = tree_.get<ast::String>(call.arguments[0]);
        if (format == nullptr) return place > 0;
        FormatReader reader(format->value);
        size_t value = 0;
        while (const auto piece = reader.next()) {
            if (!piece->takes_value() || ++value != place) continue;
            using enum Conversion;
            constexpr std::array own{string, fixed, exponent, general, hex_float};
            return std::ranges::find(own, piece->conversion) != own.end();
        }
        return false;
    }

    void block(const ast::Block& b) {
        for (ast::StmtId id : b.statements) {
            const ast::Stmt s = tree_.program[id];
            const auto* evaluate = std::get_if<ast::Evaluate>(&s.node);
            const auto* assign = std::get_if<ast::Assign>(&s.node);
            const bool adds = assign && assign->op == ast::BinaryOp::add;
            const auto* local = assign ? tree_.get<ast::Local>(assign->target) : nullptr;
            const bool fits = evaluate || (local && (adds || unsigned_.contains(local->name)));
            const Use use = fits ? Use::alike : adds ? Use::carried : Use::any;  // a map takes its sign from that
            ast::each_expr(s, [&](ast::ExprId e) { expr(e, use); });
            ast::each_block(s, [&](const ast::Block& inner) { block(inner); });
        }
    }

    void expr(ast::ExprId id, Use use) {
        if (tree_.get<ast::Cast>(id)) drop(id, use);
        if (tree_.get<ast::Cast>(id)) drop_address(id);
        if (tree_.get<ast::Cast>(id)) drop_int(id);
        drop_width(id);
        const ast::Expr e = tree_.program[id];
        const auto* binary = std::get_if<ast::Binary>(&e.node);
        const bool is_compared = use == Use::ordered || use == Use::carried;
        const bool carries = is_compared && binary && has_sign_of_operands(binary->op);
        each_operand(id, [&](ast::ExprId child, Use below) { expr(child, carries ? Use::carried : below); });
        ast::each_block(e, [&](const ast::Block& b) { block(b); });
    }

    // bswap((uint16)x), if x has that size itself.
    void drop_width(ast::ExprId id) {
        const auto* call = tree_.call(id, {"bswap"});
        const auto* cast = call ? tree_.get<ast::Cast>(call->arguments[0]) : nullptr;
        if (!cast || cast->type.pointers > 0 || !cast->type.name.starts_with("uint")) return;
        const ast::ExprId value = tree_.bare(cast->value);
        const Known type = machine_.type(tree_.origin(value));
        const bool is_number = type == Known::small_unsigned || type == Known::large_unsigned;
        if (is_number && fmt::format("uint{}", machine_.size(tree_.origin(value)) * 8) == cast->type.name)
            tree_.become(call->arguments[0], value);
    }

    // (int32)x, if x is no wider.
    void drop_int(ast::ExprId id) {
        const auto* cast = tree_.get<ast::Cast>(id);
        const bool is_signed = cast->type.name == "int32";
        if (cast->type.pointers > 0 || (!is_signed && cast->type.name != "uint32")) return;
        const ast::ExprId value = tree_.bare(cast->value);
        const Known type = machine_.type(tree_.origin(cast->value)) == Known::nothing
                               ? machine_.type(tree_.origin(value))
                               : known(id, value);
        const uint32_t size = machine_.size(tree_.origin(value));
        constexpr uint32_t whole = 4;
        const bool fits =
            is_signed ? (type == Known::number && size <= whole) || (type == Known::small_unsigned && size < whole)
                      : type == Known::small_unsigned;
        if (fits) tree_.become(id, value);
    }

    void drop(ast::ExprId id, Use use) {
        const ast::ExprId inner = tree_.bare(id);
        if (inner != id && changes_nothing(id, inner, use)) tree_.become(id, inner);
    }

    // (struct sock *)(int64)args.sk, if that already has the type.
    void drop_address(ast::ExprId id) {
        ast::Cast cast = *tree_.get<ast::Cast>(id);
        if (cast.type.pointers == 0) return;
        const std::string name = machine_.pointee(tree_.origin(tree_.bare(cast.value)));
        cast.value = tree_.bare(cast.value);
        if (cast.type.any_tag && needs_tag(cast.type.name)) cast.type.name.insert(0, "struct ");
        const bool same =
            cast.type.pointers == 1 && !name.empty() && (cast.type.name == name || name == "struct " + cast.type.name);
        if (!same) return tree_.put(id, cast);
        tree_.become(id, cast.value);
        if (tree_.get<ast::Cast>(id)) drop_address(id);
    }

    // SystemTap omits the `struct` of a type.
    static bool needs_tag(const std::string& name) {
        constexpr std::array<std::string_view, 15> words{"char",  "short",    "int",    "long",   "void",
                                                         "bool",  "unsigned", "signed", "int8",   "int16",
                                                         "int32", "int64",    "uint8",  "uint16", "uint32"};
        const bool is_plain = std::ranges::find(words, name) != words.end() || name == "uint64";
        return !is_plain && name.find(' ') == std::string::npos && !name.ends_with("_t");
    }

    bool changes_nothing(ast::ExprId cast, ast::ExprId inner, Use use) const {
        const ast::ExprNode& node = tree_.node(inner);
        if (std::holds_alternative<ast::Map>(node) || std::holds_alternative<ast::Local>(node)) return true;
        if (std::holds_alternative<ast::Integer>(node)) return true;
        if (const auto* name = std::get_if<ast::Name>(&node); name && is_count(name->name)) return true;
        if (const auto* call = std::get_if<ast::Call>(&node)) return gives_number(call->name);
        const auto* unary = std::get_if<ast::Unary>(&node);
        if (unary && unary->op == ast::UnaryOp::minus) return true;
        if (is_value_of_pair(inner)) return true;
        const Known type = known(cast, inner);
        if (type == Known::number) return true;
        if (type == Known::small_unsigned) return !needs_sign(use);
        if (type == Known::large_unsigned) return use == Use::alike || use == Use::key;
        return type == Known::address && use == Use::key;
    }

    // The types come from the tree before any changes.
    Known known(ast::ExprId cast, ast::ExprId inner) const {
        const auto* outer = tree_.get<ast::Cast>(cast);
        const Known found = outer ? machine_.type(tree_.origin(outer->value)) : Known::nothing;
        return found == Known::nothing ? machine_.type(tree_.origin(inner)) : found;
    }

    // Numbers that are never negative and far below 2^63.
    static bool is_count(const std::string& name) {
        constexpr std::array<std::string_view, 13> names{"pid",  "tid",      "ppid",    "uid",   "gid",
                                                         "cpu",  "nsecs",    "elapsed", "ncpus", "jiffies",
                                                         "rand", "usermode", "cgroup"};
        return std::ranges::find(names, name) != names.end();
    }
    static bool gives_number(const std::string& name) {
        const FunctionRow* row = find_function(name);
        return row == nullptr || row->id == Function::nsecs || name == "bswap" || name == "strlen" ||
               name == "strtol" || name == "strcontains" || name.ends_with("_of");
    }
    bool is_value_of_pair(ast::ExprId id) const {
        const auto* member = tree_.get<ast::Member>(id);
        while (member && tree_.get<ast::Member>(member->base)) member = tree_.get<ast::Member>(member->base);
        return member && tree_.get<ast::Local>(member->base) != nullptr;
    }

    Tree& tree_;
    const Machine& machine_;
    std::set<std::string> unsigned_ = {};  // locals that can be unsigned
};

// An address that a block casts more than once gets a name: $tcphdr = (struct tcphdr *)args.skb->data.
class Addresses {
  public:
    Addresses(Tree& tree, ast::Block& body) : tree_(tree), body_(body) {}

    void run() {
        for (Group group = next(); !group.empty(); group = next()) name(group);
    }

  private:
    using Group = std::vector<ast::ExprId>;

    // The shortest that occurs more than once, so that longer ones can use its name.
    Group next() const {
        std::vector<Group> groups;
        tree_.each_expr(body_, [&](ast::ExprId id) {
            if (!is_address(id)) return;
            const auto same = [&](const Group& group) { return tree_.same(group.front(), id); };
            const auto group = std::ranges::find_if(groups, same);
            if (group == groups.end())
                groups.push_back({id});
            else
                group->push_back(id);
        });
        constexpr size_t worth_a_line = 12;  // total size of the expressions to replace
        std::erase_if(groups, [&](const Group& group) {
            return group.size() == 1 || group.size() * tree_.size(group.front()) < worth_a_line;
        });
        const auto longer = [&](const Group& a, const Group& b) {
            return tree_.size(a.front()) < tree_.size(b.front());
        };
        const auto found = std::ranges::min_element(groups, longer);
        return found == groups.end() ? Group{} : *found;
    }

    // Does it have the same value everywhere in the block?
    bool is_address(ast::ExprId id) const {
        const auto* cast = tree_.get<ast::Cast>(id);
        if (!cast || cast->type.pointers != 1 || !cast->type.name.starts_with("struct ")) return false;
        return tree_.is_pure(id) && !tree_.any_expr(id, [&](ast::ExprId e) {
            const auto* local = tree_.get<ast::Local>(e);
            return tree_.get<ast::Map>(e) || (local && !names_.contains(local->name));
        });
    }

    void name(const Group& group) {
        const ast::ExprNode cast = tree_.node(group.front());
        std::string name = std::get<ast::Cast>(cast).type.name.substr(std::string_view("struct ").size());
        while (!tree_.uses(body_, name).empty()) name += '_';
        const ast::ExprId value = tree_.like(group.front(), cast);
        const ast::ExprId target = tree_.like(group.front(), ast::Local{name});
        for (ast::ExprId id : group) tree_.put(id, ast::Local{name});
        body_.statements.insert(body_.statements.begin() + static_cast<ptrdiff_t>(names_.size()),
                                tree_.program.add({}, ast::Assign{target, std::nullopt, value}));
        names_.insert(name);
    }

    Tree& tree_;
    ast::Block& body_;
    std::set<std::string> names_ = {};
};

// In a span over a call, its arguments are those of the entry.
void plain_arguments(Tree& tree, const ast::Item& item) {
    tree.each_expr(item, [&](ast::ExprId id) {
        const auto* call = tree.call(id, {"entry"});
        const auto* member = call ? tree.get<ast::Member>(call->arguments[0]) : nullptr;
        if (member && tree.is_name(member->base, "args")) tree.put(id, ast::ExprNode(*member));
    });
}

}  // namespace

void drop_casts(Tree& tree, const Machine& machine) {
    for (const ast::Item& item : tree.program.items) {
        const auto* span = std::get_if<ast::SpanAction>(&item.node);
        if (span && span->closes.empty()) plain_arguments(tree, item);
        Casts(tree, machine).item(item);
    }
}

void name_addresses(Tree& tree) {
    for (ast::Item& item : tree.program.items) {
        if (auto* action = std::get_if<ast::Action>(&item.node)) Addresses(tree, action->body).run();
    }
}

}  // namespace lt::port
