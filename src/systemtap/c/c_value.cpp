#include "systemtap/c/c_value.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.h"
#include "stdlib/header_constants.h"
#include "systemtap/c/c.h"

namespace lt::stp {
namespace {

using Kind = CValue::Kind;
constexpr int most_nested_values = 100;

constexpr std::array<std::array<std::string_view, 4>, 10> levels{{{"||"},
                                                                  {"&&"},
                                                                  {"|"},
                                                                  {"^"},
                                                                  {"&"},
                                                                  {"==", "!="},
                                                                  {"<", ">", "<=", ">="},
                                                                  {"<<", ">>"},
                                                                  {"+", "-"},
                                                                  {"*", "/", "%"}}};
constexpr int equality = 5, order = 6;

// Parts of a socket with a short name in the kernel's headers.
constexpr std::array<std::string_view, 12> socket_parts{"sk_family", "sk_state",        "sk_daddr", "sk_rcv_saddr",
                                                        "sk_dport",  "sk_num",          "sk_reuse", "sk_reuseport",
                                                        "sk_prot",   "sk_bound_dev_if", "sk_net",   "sk_cookie"};

// Functions that only change the type of an address.
struct Views {
    std::string_view name, type;
};
constexpr std::array views{Views{"inet_sk", "struct inet_sock"}, Views{"tcp_sk", "struct tcp_sock"},
                           Views{"udp_sk", "struct udp_sock"}, Views{"inet_csk", "struct inet_connection_sock"}};

// The kernel's table of bound ports: each network namespace has its own.
constexpr std::string_view hash_tables = "nsproxy->net_ns->ipv4->tcp_death_row->hashinfo";

void append(Pieces& to, const Pieces& more) { to.insert(to.end(), more.begin(), more.end()); }

}  // namespace

CValue CValues::value() {
    if (++depth_ > most_nested_values) refuse();
    CValue out = fine_ ? chain(0) : CValue{};
    if (fine_ && now().is("?")) {
        out = truth_of(std::move(out));
        out.text.push_back(next());
        const CValue yes = value();
        if (!now().is(":")) refuse();
        append(out.text, yes.text);
        out.text.push_back(next());
        const CValue no = value();
        append(out.text, no.text);
        const auto is_none = [](const CValue& v) { return v.kind == Kind::text || v.kind == Kind::socket; };
        const bool has_text = is_none(out) || is_none(yes) || is_none(no);
        const bool has_address = yes.kind == Kind::address || no.kind == Kind::address;
        if (has_text || (has_address && yes.kind != no.kind) || yes.points_to != no.points_to) refuse();
        out.kind = yes.kind == no.kind ? yes.kind : Kind::member, out.points_to = yes.points_to,
        out.bits = std::max(yes.bits, no.bits);
        out.is_unsigned = (yes.is_unsigned && yes.bits == out.bits) || (no.is_unsigned && no.bits == out.bits);
        if (out.is_unsigned && yes.is_unsigned != no.is_unsigned && !(yes.is_unsigned ? no : yes).is_plain) refuse();
        out.compares = out.is_negative = out.is_plain = out.is_null = false;
    }
    depth_--;
    return out;
}

// Operators of one precedence level and of all higher ones.
CValue CValues::chain(int level) {
    if (level == static_cast<int>(levels.size())) return unary();
    CValue left = chain(level + 1);
    while (fine_ && now().kind == PieceKind::mark && !now().text.empty() &&
           holds(levels[static_cast<size_t>(level)], now().text)) {
        const Piece op = next();
        left = joined(std::move(left), op, chain(level + 1));
        left.compares = level == equality || level == order;
    }
    return left;
}

// A socket that was looked up exists if its descriptor is one.
CValue CValues::truth_of(CValue value) {
    if (value.kind == Kind::text) return none();
    if (value.kind != Kind::socket) return value;
    value.text.insert(value.text.begin(), made(PieceKind::mark, "("));
    append(value.text, {made(PieceKind::mark, ">="), made(PieceKind::number, "0"), made(PieceKind::mark, ")")});
    value.kind = Kind::number, value.bits = int_bits;
    return value;
}

// socket == NULL, socket != NULL
std::optional<CValue> CValues::socket_or_null(const CValue& left, const Piece& op, const CValue& right) {
    if (op.text != "==" && op.text != "!=") return {};
    const bool first = left.kind == Kind::socket && right.is_null;
    if (!first && !(right.kind == Kind::socket && left.is_null)) return {};
    CValue out = truth_of(first ? left : right);
    if (op.text == "==") out.text.insert(out.text.begin(), made(PieceKind::mark, "!"));
    return out;
}

// C's arithmetic conversions: narrower types become int, and if one is unsigned, both are.
CValue CValues::number_of(CValue left, const Piece& op, CValue right) {
    const bool shifts = op.text == "<<" || op.text == ">>";
    const bool sensitive = holds(levels[order], op.text) || op.text == "/" || op.text == "%" || op.text == ">>";
    const bool grows = op.text == "+" || op.text == "-" || op.text == "*" || op.text == "<<";
    const auto bits_of = [](const CValue& v) { return std::max(v.bits, int_bits); };
    const auto is_unsigned = [&](const CValue& v, uint32_t bits) { return v.is_unsigned && v.bits == bits; };
    const uint32_t bits = shifts ? bits_of(left) : std::max(bits_of(left), bits_of(right));
    const bool no_sign = is_unsigned(left, bits) || (!shifts && is_unsigned(right, bits));
    const auto converted = [&](CValue v) {
        if (!no_sign) return v;
        if (bits == int_bits && !v.is_unsigned && !v.is_plain && v.kind == Kind::number) return narrowed(v, "uint32");
        if (bits == long_bits && sensitive) return narrowed(v, "uint64");
        return v;
    };
    constexpr size_t few_digits = 4;
    const auto is_small = [](const CValue& v) { return v.is_plain && v.text.front().text.size() <= few_digits; };
    const bool fits = is_small(left) && is_small(right) && !shifts;
    left = converted(std::move(left));
    if (!shifts) right = converted(std::move(right));
    left.text.push_back(op);
    append(left.text, right.text);
    left.bits = bits, left.is_unsigned = no_sign;
    left.kind = Kind::number;
    if (bits != int_bits || !grows || (!no_sign && fits)) return left;
    left.text.insert(left.text.begin(), made(PieceKind::mark, "("));
    left.text.push_back(made(PieceKind::mark, ")"));
    return narrowed(std::move(left), no_sign ? "uint32" : "int32");
}

CValue CValues::joined(CValue left, const Piece& op, CValue right) {
    const bool is_logical = op.text == "||" || op.text == "&&";
    const bool is_equality = op.text == "==" || op.text == "!=";
    const bool compares = is_equality || holds(levels[order], op.text);
    if (auto there = socket_or_null(left, op, right)) return *std::move(there);
    if (is_logical) left = truth_of(std::move(left)), right = truth_of(std::move(right));
    const bool numbers = left.kind == Kind::number && right.kind == Kind::number;
    const auto is_none = [](const CValue& v) { return v.kind == Kind::text || v.kind == Kind::socket; };
    const bool has_text = is_none(left) || is_none(right);
    const bool negative = left.is_negative || right.is_negative;
    const bool masks = op.text == "&" && !negative && (left.kind == Kind::number || right.kind == Kind::number) &&
                       left.kind != Kind::address && right.kind != Kind::address;
    // C and SystemTap both compare from left to right, but SystemTap has one level for both sorts
    const bool fine = is_logical ? !has_text
                      : compares ? !has_text && (numbers || !negative) && !(left.compares || right.compares)
                                 : numbers || masks;
    if (!fine) refuse();
    if (!is_logical && (numbers || compares)) {
        left = number_of(std::move(left), op, std::move(right));
    } else {
        left.bits = std::max(left.bits, right.bits);
        left.text.push_back(op);
        append(left.text, right.text);
    }
    if (is_logical || compares) left.bits = int_bits, left.is_unsigned = false;
    left.kind = Kind::number;
    left.is_negative = left.is_plain = left.is_null = false;
    left.points_to.clear();
    return left;
}

CValue CValues::changed(const Target& target, std::string_view operation, const CValue& by) {
    CValue before;
    before.bits = target.bits, before.is_unsigned = target.is_unsigned;
    before.text = {made(PieceKind::word, target.name)};
    CValue value = by;
    if (value.kind == Kind::number && value.text.size() > 1) {
        value.text.insert(value.text.begin(), made(PieceKind::mark, "("));
        value.text.push_back(made(PieceKind::mark, ")"));
    }
    return fitted(joined(std::move(before), made(PieceKind::mark, std::string(operation)), std::move(value)),
                  target.bits, target.is_unsigned);
}

CValue CValues::unary() {
    if (++depth_ > most_nested_values) return none();
    CValue out;
    if (now().is("!")) {
        const Piece mark = next();
        const CValue of = unary();
        if (of.kind == Kind::text) refuse();
        const bool is_socket = of.kind == Kind::socket;
        out.text = {made(PieceKind::mark, is_socket ? "(" : "!")};
        out.text.front().span = mark.span;
        append(out.text, of.text);
        if (is_socket)
            append(out.text, {made(PieceKind::mark, "<"), made(PieceKind::number, "0"), made(PieceKind::mark, ")")});
        out.bits = int_bits;
    } else if (now().is("-")) {
        out.text.push_back(next());
        if (now().kind != PieceKind::number) refuse();
        const CValue of = primary();
        if (of.is_unsigned && of.bits == int_bits) refuse();
        append(out.text, of.text);
        out.bits = of.bits, out.is_unsigned = of.is_unsigned, out.is_negative = true;
    } else if (now().is("&")) {
        out.text.push_back(next());
        const CValue of = unary();
        if (of.kind != Kind::member) refuse();
        append(out.text, of.text);
        out.kind = Kind::address;
    } else {
        out = primary();
    }
    depth_--;
    return out;
}

CValue CValues::in_brackets() {
    if (begins_type()) return cast_value();
    CValue out = value();
    if (!take(")")) refuse();
    out.text.insert(out.text.begin(), made(PieceKind::mark, "("));
    out.text.push_back(made(PieceKind::mark, ")"));
    out.compares = false;
    return with_members(std::move(out));
}

CValue CValues::cast_value() {
    const auto to = type();
    if (!to || !take(")")) return none();
    CValue out = unary();
    if (out.kind == Kind::text || out.kind == Kind::socket) return none();
    out.is_negative = false;
    if (to->stars > 0) {
        out.kind = Kind::address, out.points_to = to->name;
        return out;
    }
    if (to->bits < long_bits) return fitted(std::move(out), to->bits, to->is_unsigned);
    out.kind = Kind::number, out.bits = long_bits, out.is_unsigned = to->is_unsigned, out.points_to.clear();
    return out;
}

CValue CValues::primary() {
    if (take("(")) return in_brackets();
    CValue out;
    if (now().kind == PieceKind::number) return literal();
    if (now().kind == PieceKind::string) {
        out.kind = Kind::text;
        out.text.push_back(next());
        return out;
    }
    return named();
}

CValue CValues::named() {
    CValue out;
    if (const auto given = argument()) {
        out.text.push_back(made(PieceKind::word, *given));
        return out;
    }
    if (now().kind != PieceKind::word) return none();
    const std::string name = next().text;
    if (now().is("(")) return called(name);
    const auto variable = variables_.find(name);
    if (variable != variables_.end()) {
        const Variable& v = variable->second;
        out.kind = v.is_socket ? Kind::socket : v.is_address ? Kind::address : Kind::number;
        out.points_to = v.points_to, out.bits = v.bits, out.is_unsigned = v.is_unsigned;
        out.text.push_back(made(PieceKind::word, v.spelled));
        return with_members(std::move(out));
    }
    if (name == "NULL" || name == "false" || name == "true") {
        out.bits = int_bits, out.is_plain = true, out.is_null = name == "NULL";
        out.text.push_back(made(PieceKind::number, name == "true" ? "1" : "0"));
        return out;
    }
    if (header_constant(name)) {
        out.text = {made(PieceKind::at_word, "@lt"), made(PieceKind::mark, "("), made(PieceKind::string, name),
                    made(PieceKind::mark, ")")};
        out.bits = int_bits;
        return out;
    }
    if (name != "current" && name != "tcp_hashinfo") return at_--, none();
    out.kind = Kind::address, out.points_to = "struct task_struct";
    out.text = {made(PieceKind::word, "task_current"), made(PieceKind::mark, "("), made(PieceKind::mark, ")")};
    if (name == "current") return with_members(std::move(out));
    names_tables = true;
    out.text = cast_call(*this, out.text, out.points_to);
    for (std::string_view part : split(hash_tables, '-')) {
        out.text.push_back(made(PieceKind::mark, "->"));
        out.text.push_back(made(PieceKind::word, std::string(part.substr(part.starts_with('>') ? 1 : 0))));
    }
    out.kind = Kind::member, out.points_to.clear();
    return with_members(std::move(out));
}

CValue CValues::called(const std::string& name) {
    const auto* view = std::ranges::find_if(views, [&](const Views& v) { return v.name == name; });
    const bool turns = holds(c_calls, name);
    if (view == views.end() && !turns) return at_--, none();
    if (!take("(")) return none();
    CValue out = value();
    if (!take(")")) return none();
    if (!turns) {
        out.kind = Kind::address, out.points_to = view->type;
        return with_members(std::move(out));
    }
    if (out.kind != Kind::number && out.kind != Kind::member) return none();
    out.text.insert(out.text.begin(), {made(PieceKind::word, name), made(PieceKind::mark, "(")});
    out.text.push_back(made(PieceKind::mark, ")"));
    out.kind = Kind::number, out.bits = long_bits;
    return out;
}

CValue CValues::with_members(CValue value) {
    while (fine_ && (now().is("->") || now().is(".") || now().is("["))) {
        const bool arrow = now().is("->");
        const bool begins = arrow && value.kind == Kind::address && !value.points_to.empty();
        if (!begins && value.kind != Kind::member) return none();
        if (begins) value.text = cast_call(*this, value.text, value.points_to);
        value.kind = Kind::member, value.points_to.clear();
        if (now().is("[")) {
            value.text.push_back(next());
            append(value.text, this->value().text);
            if (!now().is("]")) return none();
            value.text.push_back(next());
            continue;
        }
        next();
        if (now().kind != PieceKind::word) return none();
        std::string name = next().text;
        value.text.push_back(made(PieceKind::mark, "->"));
        if (holds(socket_parts, name)) {
            value.text.push_back(made(PieceKind::word, "__sk_common"));
            value.text.push_back(made(PieceKind::mark, "->"));
            name = "skc" + name.substr(2);
        }
        value.text.push_back(made(PieceKind::word, std::move(name)));
    }
    return value;
}

Pieces cast_call(const CCursor& at, const Pieces& address, const std::string& type) {
    Pieces out{at.made(PieceKind::at_word, "@cast"), at.made(PieceKind::mark, "(")};
    append(out, address);
    append(out, {at.made(PieceKind::mark, ","), at.made(PieceKind::string, type), at.made(PieceKind::mark, ")")});
    return out;
}

Pieces container_call(const CCursor& at, const std::string& node, const std::string& type, const std::string& member) {
    Pieces out{at.made(PieceKind::at_word, "@lt"), at.made(PieceKind::mark, "("),
               at.made(PieceKind::string, "container_of"), at.made(PieceKind::mark, ","),
               at.made(PieceKind::word, node)};
    for (const std::string& text : {type, member})
        append(out, {at.made(PieceKind::mark, ","), at.made(PieceKind::string, text)});
    out.push_back(at.made(PieceKind::mark, ")"));
    return out;
}

// The list itself, for &list or for an address of one.
Pieces CValues::head_of_list() {
    CValue head = value();
    if (head.kind != Kind::address || head.text.empty()) return none().text;
    if (head.text.front().is("&")) {
        head.text.erase(head.text.begin());
        return head.text;
    }
    return head.points_to.empty() ? none().text : cast_call(*this, head.text, head.points_to);
}

// ---- options of sockets

bool CValues::sets_option() const { return now().is_word("sock_setsockopt") || now().is_word("kernel_setsockopt"); }

// sock_setsockopt(socket, level, option, (char *)&value, sizeof(value))
Pieces CValues::option() {
    names_tables = true;
    next();
    Pieces out{made(PieceKind::at_word, "@lt"), made(PieceKind::mark, "("), made(PieceKind::string, "setsockopt"),
               made(PieceKind::mark, ",")};
    if (!take("(")) return none().text;
    const CValue socket = value();
    if (socket.kind != Kind::socket) return none().text;
    append(out, socket.text);
    constexpr int numbers = 2;
    for (int i = 0; i < numbers && take(","); i++) {
        out.push_back(made(PieceKind::mark, ","));
        append(out, fitted(value(), int_bits, false).text);
    }
    out.push_back(made(PieceKind::mark, ","));
    append(out, option_value());
    out.push_back(made(PieceKind::mark, ")"));
    return take(")") ? out : none().text;
}

// Its address, which is a number of 4 bytes.
Pieces CValues::option_value() {
    if (!take(",")) return none().text;
    const bool wrapped = take_word("KERNEL_SOCKPTR");
    if (take("(") && !wrapped && (!type() || !take(")"))) return none().text;
    if (!take("&")) return none().text;
    const auto variable = target();
    const bool fits = variable && !variable->is_result && variable->bits == int_bits && (!wrapped || take(")"));
    if (!fits || !take(",")) return none().text;
    if (take_word("sizeof"))
        skip_brackets();
    else if (next().text != "4")
        return none().text;
    return {made(PieceKind::word, variable->name)};
}

// ---- widths

CValue CValues::narrowed(CValue value, std::string_view type) const {
    Pieces text{made(PieceKind::at_word, "@lt"), made(PieceKind::mark, "("), made(PieceKind::string, std::string(type)),
                made(PieceKind::mark, ",")};
    append(text, value.text);
    text.push_back(made(PieceKind::mark, ")"));
    value.text = std::move(text);
    return value;
}

// The value as a variable of this width holds it.
CValue CValues::fitted(CValue value, uint32_t bits, bool is_unsigned) {
    if (value.kind == Kind::text || value.kind == Kind::socket) return none();
    const bool narrower = value.bits < bits && (value.is_unsigned || !is_unsigned);
    const bool same = value.bits == bits && value.is_unsigned == is_unsigned;
    const bool plain = value.is_plain && bits >= int_bits && value.bits <= bits && (is_unsigned || !value.is_unsigned);
    const bool fits = bits == long_bits || (value.kind == Kind::number && (narrower || same || plain));
    value.is_plain = value.is_null = false;
    if (fits) return value;
    if (value.kind == Kind::address) return none();
    value = narrowed(std::move(value), (is_unsigned ? "uint" : "int") + std::to_string(bits));
    value.kind = Kind::number, value.bits = bits, value.is_unsigned = is_unsigned, value.is_negative = false;
    return value;
}

// "port=%d of %lu\n", ...: truncates values that are wider than the format says.
Pieces CValues::printed() {
    Piece format = next();
    if (format.kind != PieceKind::string) return none().text;
    while (now().kind == PieceKind::string) format.text += next().text;
    std::string plain;
    Pieces given;
    for (size_t i = 0; i < format.text.size() && fine_; i++) {
        plain += format.text[i];
        if (format.text[i] != '%') continue;
        size_t end = format.text.find_first_not_of("-+ #0123456789", i + 1);
        if (end == std::string::npos) return none().text;
        plain += format.text.substr(i + 1, end - i - 1);
        const bool is_long = format.text[end] == 'l' || format.text[end] == 'z';
        while (end + 1 < format.text.size() && (format.text[end] == 'l' || format.text[end] == 'z')) end++;
        const char letter = format.text[end];
        const bool is_letter_next = end + 1 < format.text.size() && std::isalnum(format.text[end + 1]) != 0;
        i = end;
        plain += letter;
        if (letter == '%') continue;
        if (!take(",")) return none().text;
        CValue value = this->value();
        const bool is_signed = letter == 'd' || letter == 'i';
        const bool is_number = is_signed || letter == 'u' || letter == 'x';
        const bool fine =
            is_number ? value.kind != Kind::text && value.kind != Kind::socket : letter == 'p' && !is_letter_next;
        if (!fine) return none().text;
        const bool fits = is_signed && value.kind == Kind::number && value.bits <= int_bits && !value.is_unsigned;
        if (is_number && !is_long && !fits) value = narrowed(std::move(value), is_signed ? "int32" : "uint32");
        given.push_back(made(PieceKind::mark, ","));
        append(given, value.text);
    }
    if (!now().is(")")) return none().text;
    format.text = plain;
    Pieces out{format};
    append(out, given);
    return out;
}

}  // namespace lt::stp
