// Pieces of C one by one, types and variables.
#include <algorithm>
#include <array>

#include "stp_c_value.h"

namespace lt::stp {
namespace {

// Types of numbers that are one word.
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
// Those that several words make together.
constexpr std::array<std::string_view, 6> number_words{"int", "long", "short", "char", "unsigned", "signed"};
constexpr std::array<std::string_view, 4> said_for_nothing{"const", "volatile", "register", "__user"};

bool holds(const auto& rows, std::string_view word) { return std::ranges::find(rows, word) != rows.end(); }

bool is_number_type(std::string_view word) {
    return holds(number_words, word) ||
           std::ranges::any_of(number_types, [&](const NumberType& t) { return t.name == word; });
}

}  // namespace

// ---- pieces

Piece CValues::next() {
    if (!at_end()) return c_[at_++];
    refuse();
    return end_;
}

void CValues::refuse() {
    if (fine_ && !c_.empty()) refused_ = c_[std::min(at_, c_.size() - 1)].span;
    fine_ = false;
}

bool CValues::take(std::string_view mark) {
    if (!now().is(mark)) return false;
    at_++;
    return true;
}

bool CValues::take_word(std::string_view word) {
    if (!now().is_word(word)) return false;
    at_++;
    return true;
}

void CValues::skip_brackets() {
    size_t open = 0;
    do {
        const Piece piece = next();
        open += piece.is("(");
        open -= piece.is(")") && open > 0;
    } while (open > 0 && fine_);
}

Piece CValues::made(PieceKind kind, std::string text) const {
    return {kind, c_.empty() ? Span{} : c_[std::min(at_, c_.size() - 1)].span, std::move(text)};
}

CValue CValues::none() {
    refuse();
    return {};
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

// A descriptor that is none gives no socket; more is known only when an option is set.
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

// A name that means nothing else.
std::string CValues::fresh(std::string name) {
    while (facts_.taken.contains(name) || facts_.parameters.contains(name) || fresh_.contains(name)) name += '_';
    fresh_.insert(name);
    return name;
}

// STAP_ARG_x, THIS->x
std::optional<std::string> CValues::argument() {
    constexpr std::string_view prefix = "STAP_ARG_";
    const size_t from = at_;
    std::string name;
    if (now().kind == PieceKind::word && now().text.starts_with(prefix)) name = next().text.substr(prefix.size());
    if (take_word("THIS") && take("->")) name = next().text;
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
    return Target{variable->second.spelled, variable->second.bits, false, variable->second.is_unsigned};
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

bool CValues::names_behind(const std::string& name) const {
    return std::any_of(c_.begin() + static_cast<ptrdiff_t>(at_), c_.end(),
                       [&](const Piece& p) { return p.is_word(name); });
}

}  // namespace lt::stp
