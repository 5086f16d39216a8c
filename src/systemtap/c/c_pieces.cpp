// Single pieces of C, types and variables.
#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "systemtap/c/c_value.h"

namespace lt::stp {
namespace {

// Number types that are one word.
struct NumberType {
    std::string_view name;
    uint32_t bits;
    bool is_unsigned = false;
};
constexpr std::array number_types{
    NumberType{"s8", 8},
    NumberType{"s16", 16},
    NumberType{"s32", 32},
    NumberType{"s64", 64},
    NumberType{"int8_t", 8},
    NumberType{"int16_t", 16},
    NumberType{"int32_t", 32},
    NumberType{"int64_t", 64},
    NumberType{"pid_t", 32},
    NumberType{"ssize_t", 64},
    NumberType{"loff_t", 64},
    NumberType{"ktime_t", 64},
    NumberType{"u8", 8, true},
    NumberType{"u16", 16, true},
    NumberType{"u32", 32, true},
    NumberType{"u64", 64, true},
    NumberType{"__u8", 8, true},
    NumberType{"__u16", 16, true},
    NumberType{"__u32", 32, true},
    NumberType{"__u64", 64, true},
    NumberType{"uint8_t", 8, true},
    NumberType{"uint16_t", 16, true},
    NumberType{"uint32_t", 32, true},
    NumberType{"uint64_t", 64, true},
    NumberType{"__be16", 16, true},
    NumberType{"__be32", 32, true},
    NumberType{"size_t", 64, true},
    NumberType{"uintptr_t", 64, true},
    NumberType{"sector_t", 64, true},
    NumberType{"dev_t", 32, true},
    NumberType{"gfp_t", 32, true},
    NumberType{"umode_t", 16, true},
    NumberType{"uint", 32, true},
    NumberType{"ulong", 64, true},
    NumberType{"ushort", 16, true},
};
// Words that combine to number types.
constexpr std::array<std::string_view, 6> number_words{"int", "long", "short", "char", "unsigned", "signed"};
constexpr std::array<std::string_view, 4> said_for_nothing{"const", "volatile", "register", "__user"};

bool is_number_type(std::string_view word) {
    return holds(number_words, word) ||
           std::ranges::any_of(number_types, [&](const NumberType& t) { return t.name == word; });
}

}  // namespace

// ---- pieces

CValue CValues::none() {
    refuse();
    return {};
}

// Of the first of these types that holds it: int, unsigned, long, unsigned long. Without a suffix, a number of base 10
// is never unsigned.
CValue CValues::literal() {
    Piece piece = next();
    const size_t digits = piece.text.find_last_not_of("uUlL") + 1;
    const bool says_unsigned = piece.text.find_first_of("uU", digits) != std::string::npos;
    const bool says_long = piece.text.find_first_of("lL", digits) != std::string::npos;
    piece.text.resize(digits);
    const bool is_hex = piece.text.starts_with("0x") || piece.text.starts_with("0X");
    const int base = is_hex ? 16 : piece.text.starts_with('0') ? 8 : 10;
    const auto value = parse_number<uint64_t>(std::string_view(piece.text).substr(is_hex ? 2 : 0), base);
    const bool may_be_unsigned = says_unsigned || base != 10;
    constexpr uint64_t most_int = INT32_MAX, most_unsigned = UINT32_MAX, most_long = INT64_MAX;
    if (!value || (*value > most_long && !may_be_unsigned)) return at_--, none();
    CValue out;
    out.bits = says_long || *value > (may_be_unsigned ? most_unsigned : most_int) ? long_bits : int_bits;
    out.is_unsigned = says_unsigned || *value > (out.bits == int_bits ? most_int : most_long);
    out.is_plain = true;
    out.text.push_back(std::move(piece));
    return out;
}

// ---- variables

bool CValues::begins_type() const {
    const Piece& piece = now();
    return piece.kind == PieceKind::word && (piece.text == "struct" || piece.text == "void" ||
                                             is_number_type(piece.text) || holds(said_for_nothing, piece.text));
}

std::optional<CValues::Type> CValues::type() {
    Type out;
    out.bits = int_bits;
    bool known = false;
    while (begins_type()) {
        const std::string word = next().text;
        if (holds(said_for_nothing, word)) continue;
        if (word == "struct") out.name = "struct " + next().text;
        if (word == "void") out.is_void = true;
        if (word == "unsigned") out.is_unsigned = true;
        if (word == "long") out.bits = long_bits;
        if (word == "short") out.bits = 16;
        if (word == "char") out.bits = 8;
        for (const NumberType& t : number_types) {
            if (t.name == word) out.bits = t.bits, out.is_unsigned = t.is_unsigned;
        }
        known = true;
    }
    while (take("*")) out.stars++;
    while (now().kind == PieceKind::word && holds(said_for_nothing, now().text)) at_++;
    const bool is_value = out.stars == 0 && out.name.empty() && !out.is_void;
    if (known && (is_value || out.stars == 1)) return out;
    refuse();
    return {};
}

void CValues::declaration(Pieces& out) {
    const auto first = type();
    if (!first) return;
    declare(*first, out);
    while (fine_ && take(",")) {
        Type more = *first;
        more.stars = 0;
        while (take("*")) more.stars++;
        if (more.stars > 1 || (more.stars == 0 && (!more.name.empty() || more.is_void))) refuse();
        declare(more, out);
    }
}

bool CValues::assigns_from(std::string_view function) const {
    return at_ + 2 < c_.size() && c_[at_ + 1].is("=") && c_[at_ + 2].is_word(function);
}

// An invalid descriptor gives no socket; other errors are only known when an option is set.
void CValues::look_up(Pieces& out) {
    constexpr const char* no_descriptor = "9";  // EBADF
    const auto variable = variables_.find(now().text);
    if (variable == variables_.end() || variable->second.points_to != "struct socket") return refuse();
    const std::string& name = variable->second.spelled;
    at_ += 3;
    const auto add = [&](PieceKind kind, const std::string& text) { out.push_back(made(kind, text)); };
    if (!take("(")) return refuse();
    add(PieceKind::word, name), add(PieceKind::mark, "=");
    const Pieces descriptor = fitted(value(), int_bits, false).text;
    out.insert(out.end(), descriptor.begin(), descriptor.end());
    add(PieceKind::mark, ";");
    const bool has_error = take(",") && take("&");
    const auto error = has_error ? target() : std::nullopt;
    if (!error || error->is_result || !take(")")) return refuse();
    variable->second.is_socket = true;
    // error = socket < 0 ? -EBADF : error
    add(PieceKind::word, error->name), add(PieceKind::mark, "="), add(PieceKind::word, name);
    add(PieceKind::mark, "<"), add(PieceKind::number, "0"), add(PieceKind::mark, "?");
    add(PieceKind::mark, "-"), add(PieceKind::number, no_descriptor), add(PieceKind::mark, ":");
    add(PieceKind::word, error->name);
}

void CValues::declare(const Type& type, Pieces& out) {
    if (now().kind != PieceKind::word || variables_.contains(now().text)) return refuse();
    const std::string name = next().text;
    Variable variable{fresh(name)};
    variable.is_address = type.stars > 0;
    if (variable.is_address) variable.points_to = type.name;
    if (!variable.is_address) variable.bits = type.bits, variable.is_unsigned = type.is_unsigned;
    variables_.emplace(name, variable);
    at_--;
    if (assigns_from("sockfd_lookup")) {
        look_up(out);
        return out.push_back(made(PieceKind::mark, ";"));
    }
    at_++;
    if (!take("=")) return;
    out.push_back(made(PieceKind::word, variable.spelled));
    out.push_back(made(PieceKind::mark, "="));
    const Pieces given = fitted(value(), variable.bits, variable.is_unsigned).text;
    out.insert(out.end(), given.begin(), given.end());
    out.push_back(made(PieceKind::mark, ";"));
}

// A name that is not used yet.
std::string CValues::fresh(std::string name) {
    while (facts_.taken.contains(name) || facts_.parameters.contains(name) || fresh_.contains(name)) name += '_';
    fresh_.insert(name);
    return name;
}

// STAP_ARG_x, THIS->x, THIS->l_x
std::optional<std::string> CValues::argument() {
    constexpr std::string_view prefix = "STAP_ARG_";
    const size_t from = at_;
    std::string name;
    if (now().kind == PieceKind::word && now().text.starts_with(prefix)) name = next().text.substr(prefix.size());
    if (take_word("THIS") && take("->")) {
        name = next().text;
        if (!facts_.parameters.contains(name) && name.starts_with("l_")) name = name.substr(2);
    }
    if (facts_.parameters.contains(name)) return name;
    at_ = from;
    return {};
}

std::optional<CValues::Target> CValues::target() {
    if (take_word("STAP_RETVALUE")) return Target{"", long_bits, true};
    const size_t from = at_;
    if (take_word("THIS") && take("->") && take_word("__retvalue")) return Target{"", long_bits, true};
    at_ = from;
    if (const auto given = argument()) return Target{*given, long_bits, false};
    const auto variable = variables_.find(now().text);
    if (now().kind != PieceKind::word || variable == variables_.end()) return {};
    at_++;
    return Target{variable->second.spelled, variable->second.bits, false, variable->second.is_unsigned,
                  variable->first};
}

std::string CValues::pointee_of(const std::string& name) const {
    const auto variable = variables_.find(name);
    return variable == variables_.end() ? "" : variable->second.points_to;
}

std::string CValues::spelled(const std::string& name) const {
    const auto variable = variables_.find(name);
    return variable == variables_.end() ? "" : variable->second.spelled;
}

bool CValues::is_lone_name() const {
    return now().kind == PieceKind::word && at_ + 1 < c_.size() && c_[at_ + 1].is(",");
}

bool CValues::only_counts(const Target& target) const {
    constexpr size_t most_digits = 6;
    if (target.in_c.empty() || target.bits < int_bits) return false;
    const auto is_step = [&](size_t i) { return i < c_.size() && (c_[i].is("++") || c_[i].is("--")); };
    const auto is_end = [&](size_t i) { return i >= c_.size() || c_[i].is(";") || c_[i].is(","); };
    for (size_t i = 0; i < c_.size(); i++) {
        if (!c_[i].is_word(target.in_c)) continue;
        if (i > 0 && c_[i - 1].is("&")) return false;
        if (i + 1 >= c_.size() || is_step(i + 1)) continue;
        const std::string& after = c_[i + 1].text;
        const bool changes = c_[i + 1].kind == PieceKind::mark && after.ends_with('=') && after != "==" &&
                             after != "!=" && after != "<=" && after != ">=";
        const bool small = i + 2 < c_.size() && c_[i + 2].kind == PieceKind::number &&
                           c_[i + 2].text.size() <= most_digits && is_end(i + 3);
        if (changes && !(after == "=" && small)) return false;
    }
    return true;
}

bool CValues::names_later(const std::string& name) const {
    return std::any_of(c_.begin() + static_cast<ptrdiff_t>(at_), c_.end(),
                       [&](const Piece& p) { return p.is_word(name); });
}

}  // namespace lt::stp
