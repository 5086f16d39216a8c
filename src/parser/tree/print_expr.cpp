#include "parser/tree/print_expr.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.h"

namespace lt::ast {
namespace {

// From loose to tight.
constexpr int choice = 1, prefix = 12, suffix = 13;
struct OperatorRow {
    BinaryOp op;
    int binds;
    Bare bare;  // where it needs parentheses
};
constexpr std::array operators{
    OperatorRow{BinaryOp::logical_or, 2, Bare::anything},      OperatorRow{BinaryOp::logical_and, 3, Bare::anything},
    OperatorRow{BinaryOp::bit_or, 4, Bare::anything},          OperatorRow{BinaryOp::bit_xor, 5, Bare::anything},
    OperatorRow{BinaryOp::bit_and, 6, Bare::anything},         OperatorRow{BinaryOp::equal, 7, Bare::anything},
    OperatorRow{BinaryOp::not_equal, 7, Bare::anything},       OperatorRow{BinaryOp::less, 8, Bare::no_less},
    OperatorRow{BinaryOp::less_equal, 8, Bare::no_less},       OperatorRow{BinaryOp::greater, 8, Bare::no_greater},
    OperatorRow{BinaryOp::greater_equal, 8, Bare::no_greater}, OperatorRow{BinaryOp::shift_left, 9, Bare::no_less},
    OperatorRow{BinaryOp::shift_right, 9, Bare::no_greater},   OperatorRow{BinaryOp::add, 10, Bare::anything},
    OperatorRow{BinaryOp::subtract, 10, Bare::anything},       OperatorRow{BinaryOp::multiply, 11, Bare::anything},
    OperatorRow{BinaryOp::divide, 11, Bare::anything},         OperatorRow{BinaryOp::modulo, 11, Bare::anything},
};

const OperatorRow& row_of(BinaryOp op) {
    return *std::ranges::find_if(operators, [&](const OperatorRow& r) { return r.op == op; });
}

std::string duration(int64_t ns) {
    struct Unit {
        std::string_view name;
        int64_t ns;
    };
    constexpr std::array units{Unit{"h", 3'600'000'000'000}, Unit{"m", 60'000'000'000}, Unit{"s", 1'000'000'000},
                               Unit{"ms", 1'000'000}, Unit{"us", 1000}};
    for (const Unit& u : units) {
        if (ns != 0 && ns % u.ns == 0) return fmt::format("{}{}", ns / u.ns, u.name);
    }
    return fmt::format("{}ns", ns);
}

int binds(const ExprNode& node) {
    if (const auto* binary = std::get_if<Binary>(&node)) return row_of(binary->op).binds;
    if (std::holds_alternative<Conditional>(node)) return choice;
    if (std::holds_alternative<Unary>(node) || std::holds_alternative<Cast>(node)) return prefix;
    if (const auto* step = std::get_if<Step>(&node)) return step->before ? prefix : suffix;
    return suffix;
}

constexpr bool is_comparison(int binds) { return binds == 7 || binds == 8; }

// The least that an operand of the operator must bind: a comparison under `&`, `^` or `|` gets parentheses, since many
// expect them to be evaluated in the other order.
int least_of_operand(BinaryOp op, const ExprNode& operand, int least) {
    const int tight = row_of(op).binds;
    return tight >= 4 && tight <= 6 && is_comparison(binds(operand)) ? 9 : least;
}

// Would a prefix operator before it form a different operator?
bool begins_with_operator(std::string_view text) {
    return !text.empty() && std::string_view("-+&*").find(text[0]) != std::string_view::npos;
}

bool is_number(std::string_view text) { return std::isdigit(static_cast<unsigned char>(text[0])) != 0; }

}  // namespace

std::string ExprPrinter::list(const std::vector<ExprId>& ids) {
    std::vector<std::string> parts;
    for (ExprId id : ids) parts.push_back(expr(id));
    return join(parts, ", ");
}

std::string ExprPrinter::tuple(const Tuple& tuple) {
    if (tuple.names.empty()) return fmt::format("({}{})", list(tuple.parts), tuple.parts.size() == 1 ? "," : "");
    std::vector<std::string> fields;
    for (size_t i = 0; i < tuple.parts.size(); i++) fields.push_back(tuple.names[i] + " = " + expr(tuple.parts[i]));
    return fmt::format("({})", join(fields, ", "));
}

std::string ExprPrinter::type(const TypeName& type) {
    if (!type.like) return ast::text(type);
    const std::string stars(type.pointers, '*');
    return fmt::format("typeof({}){}{}", expr(*type.like), stars.empty() ? "" : " ", stars);
}

std::string ExprPrinter::integer(const Expr& expr) const {
    const uint64_t value = std::get<Integer>(expr.node).value;
    if (source_ == nullptr || expr.span.empty() || expr.span.end > source_->text.size()) return std::to_string(value);
    const std::string_view written = source_->at(expr.span);
    const bool is_hex = written.starts_with("0x") && written.size() <= 18;
    const auto is_digit = [](char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; };
    const bool same = is_hex && std::all_of(written.begin() + 2, written.end(), is_digit) &&
                      std::stoull(std::string(written), nullptr, 16) == value;
    return same ? std::string(written) : std::to_string(value);
}

std::string ExprPrinter::expr(ExprId id, int least, Bare bare) {
    const Expr& e = program_[id];
    const auto* binary = std::get_if<Binary>(&e.node);
    const bool ends_it = binary && bare != Bare::anything && row_of(binary->op).bare == bare;
    const bool in_parens = ends_it || binds(e.node) < least;
    const Bare inside = in_parens ? Bare::anything : bare;
    const bool is_integer = std::holds_alternative<Integer>(e.node);
    const std::string written =
        is_integer ? integer(e) : std::visit([&](const auto& node) { return text(node, inside); }, e.node);
    return in_parens ? "(" + written + ")" : written;
}

// container_of(address, struct NAME, member), as the grammar reads it.
std::string ExprPrinter::container(const Cast& n) {
    const auto* begin = std::get_if<Binary>(&program_[n.value].node);
    if (n.type.pointers != 1 || begin == nullptr || begin->op != BinaryOp::subtract) return "";
    const auto* number = std::get_if<Cast>(&program_[begin->left].node);
    const auto* offset = std::get_if<OffsetOf>(&program_[begin->right].node);
    const bool fits = number && offset && number->type.name == "uint64" && number->type.pointers == 0 &&
                      offset->type.name == n.type.name && offset->type.pointers == 0;
    if (!fits) return "";
    return fmt::format("container_of({}, {}, {})", expr(number->value), type(offset->type), join(offset->path, "."));
}

template <class Node>
std::string ExprPrinter::text(const Node& n, Bare bare) {
    using T = Node;
    if constexpr (std::is_same_v<T, Boolean>) return n.value ? "true" : "false";
    if constexpr (std::is_same_v<T, Duration>) return duration(n.nanoseconds);
    if constexpr (std::is_same_v<T, String>) return quoted(n.value);
    if constexpr (std::is_same_v<T, Name>) return n.name;
    if constexpr (std::is_same_v<T, Ellipsis>) return "...";
    if constexpr (std::is_same_v<T, Local>) return "$" + n.name;
    if constexpr (std::is_same_v<T, AnyPart>) return "*";
    if constexpr (std::is_same_v<T, Positional>) return n.number == 0 ? "$#" : "$" + std::to_string(n.number);
    if constexpr (std::is_same_v<T, Map>) return "@" + n.name + (n.has_key ? "[" + list(n.key) + "]" : "");
    if constexpr (std::is_same_v<T, Member>) {
        const auto* name = std::get_if<Name>(&program_[n.base].node);
        const bool dot = is_number(n.field) || (name && name->name == "args");
        return expr(n.base, suffix, bare) + (dot ? "." : "->") + n.field;
    }
    if constexpr (std::is_same_v<T, Index>) {
        // @x[1] is an element of a map
        const bool is_map =
            std::holds_alternative<Map>(program_[n.base].node) && !std::get<Map>(program_[n.base].node).has_key;
        const std::string base = expr(n.base, suffix, bare);
        return fmt::format(fmt::runtime(is_map ? "({})[{}]" : "{}[{}]"), base, expr(n.index));
    }
    if constexpr (std::is_same_v<T, Tuple>) return tuple(n);
    if constexpr (std::is_same_v<T, Cast>) {
        if (const std::string made = container(n); !made.empty()) return made;
        const std::string value = expr(n.value, prefix, bare);
        return fmt::format(fmt::runtime(begins_with_operator(value) ? "({})({})" : "({}){}"), type(n.type), value);
    }
    if constexpr (std::is_same_v<T, SizeOf>) return fmt::format("sizeof({})", type(n.type));
    if constexpr (std::is_same_v<T, OffsetOf>) {
        const std::string of = n.type.like ? expr(*n.type.like) : type(n.type);
        if (n.path.empty()) return fmt::format("typeof({})", of);
        return fmt::format("offsetof({}, {})", of, join(n.path, "."));
    }
    if constexpr (std::is_same_v<T, Call>) return fmt::format("{}({})", n.name, list(n.arguments));
    if constexpr (std::is_same_v<T, Unary>) {
        const std::string operand = expr(n.operand, prefix, bare);
        return fmt::format(fmt::runtime(begins_with_operator(operand) ? "{}({})" : "{}{}"), spelling(n.op), operand);
    }
    if constexpr (std::is_same_v<T, Binary>) {
        const int tight = row_of(n.op).binds;
        const int left = least_of_operand(n.op, program_[n.left].node, tight);
        const int right = least_of_operand(n.op, program_[n.right].node, tight + 1);
        return fmt::format("{} {} {}", expr(n.left, left, bare), spelling(n.op), expr(n.right, right, bare));
    }
    if constexpr (std::is_same_v<T, Conditional>) {
        const std::string condition = expr(n.condition, choice + 1, bare), no = expr(n.no, choice, bare);
        if (n.yes == n.condition) return fmt::format("{} ?: {}", condition, no);
        return fmt::format("{} ? {} : {}", condition, expr(n.yes, choice, bare), no);
    }
    if constexpr (std::is_same_v<T, Step>) {
        const std::string target = expr(n.target, suffix), twice = fmt::format("{0}{0}", spelling(n.op));
        return n.before ? twice + target : target + twice;
    }
    if constexpr (std::is_same_v<T, BlockValue>) return block_value(n);
    if constexpr (std::is_same_v<T, Defined>)
        return fmt::format("{}({})", n.is_value ? "comptime " : "defined", expr(n.value));
    return {};
}

}  // namespace lt::ast
