// sprintf(): the kernel's own formatting, which knows fewer conversions than printf() of lt. What it does not know is
// refused; whole numbers are printed with their 64 bits.
#include <fmt/format.h>

#include <algorithm>

#include "calls.h"
#include "operators.h"
#include "stdlib/format.h"

namespace lt {
namespace {

constexpr int helper_snprintf = 165;
constexpr size_t most_values = 12;

// As the kernel's formatting writes it; empty: it cannot.
std::string kernel_conversion(const FormatPiece& piece, const Type& type) {
    std::string flags = "%";
    if (piece.left) flags += '-';
    if (piece.zero) flags += '0';
    if (piece.plus) flags += '+';
    if (piece.space) flags += ' ';
    if (piece.width > 0) flags += std::to_string(piece.width);
    if (type.naming == Naming::kernel_symbol && piece.conversion == Conversion::string && !piece.precision)
        return flags + "ps";
    if (piece.precision || type.naming != Naming::none) return "";
    const bool text = type.kind == Kind::string;
    if (!text && type.kind != Kind::integer) return "";
    if (piece.conversion == Conversion::string && text) return flags + "s";
    if (text) return "";
    const bool prefix =
        (piece.conversion == Conversion::hex && piece.alternate) || piece.conversion == Conversion::address;
    if (prefix && flags != "%") return "";
    switch (piece.conversion) {
        case Conversion::string:
            return flags + (type.is_signed ? "lld" : "llu");
        case Conversion::decimal:
            return flags + "lld";
        case Conversion::unsigned_:
            return flags + "llu";
        case Conversion::hex:
        case Conversion::address:
            return prefix ? "0x%llx" : flags + "llx";
        case Conversion::upper_hex:
            return piece.alternate ? "" : flags + "llX";
        case Conversion::character:
            return flags + "c";
        case Conversion::text:
        case Conversion::octal:
        case Conversion::bytes:
        case Conversion::hex_bytes:
        case Conversion::hex_digits:
        case Conversion::raw_bytes:
        case Conversion::binary:
        case Conversion::fixed:
        case Conversion::exponent:
        case Conversion::general:
        case Conversion::gfp_flags:
        case Conversion::hex_float:
        case Conversion::unknown:
        case Conversion::too_wide:
        case Conversion::cut_short:
            return "";
    }
    return "";
}

// The format for the kernel; where a conversion has none, `bad` says which value it is of.
struct KernelFormat {
    std::string text;
    std::optional<size_t> bad;
};

KernelFormat kernel_format(const std::string& format, const std::vector<Type>& types) {
    KernelFormat out;
    FormatReader reader(format);
    size_t value = 0;
    while (const auto piece = reader.next()) {
        const std::string plain = format.substr(piece->span.begin, piece->span.end - piece->span.begin);
        if (!piece->takes_value()) {
            out.text += plain == "%" ? "%%" : plain;
            continue;
        }
        const std::string conversion = value < types.size() ? kernel_conversion(*piece, types[value]) : "";
        if (conversion.empty() && !out.bad) out.bad = value;
        out.text += conversion;
        value++;
    }
    return out;
}

const std::string& format_of(const ast::Expr& expr) { return std::get<ast::String>(expr.node).value; }

Type formatted(BodyChecker& c, ast::ExprId id, const ast::Call& node) {
    if (node.arguments.size() > most_values + 1) {
        c.error(id, fmt::format("sprintf() takes up to {} values", most_values));
        return nothing();
    }
    std::vector<Type> types;
    for (size_t i = 1; i < node.arguments.size(); i++) types.push_back(c.checked(node.arguments[i]));
    const KernelFormat format = kernel_format(format_of(c.expr(node.arguments[0])), types);
    const auto is_plain = [](unsigned char b) { return b >= 9 && b < 127 && (b >= 32 || b <= 13); };
    if (!std::all_of(format.text.begin(), format.text.end(), is_plain)) {
        c.error(node.arguments[0], "the kernel formats texts of ASCII only").hint = "use printf() for others";
        return nothing();
    }
    if (format.bad) {
        c.error(node.arguments[std::min(*format.bad + 1, node.arguments.size() - 1)],
                "the kernel cannot format this value in this way")
            .hint = "sprintf() knows %d %u %x %#x %c and %s, with a width; printf() knows more";
        return nothing();
    }
    return string_type(c.longest_string());
}

void format_into(BodyLowering& l, ast::ExprId id, const ast::Call& node, ir::Value to) {
    Builder& b = l.builder();
    std::vector<Type> types;
    for (size_t i = 1; i < node.arguments.size(); i++) types.push_back(l.type_of(node.arguments[i]));
    const std::string format = kernel_format(format_of(l.expr(node.arguments[0])), types).text;
    const size_t bytes = 8 * types.size();
    const ir::Value data = bytes == 0 ? b.constant(0) : b.buffer(static_cast<uint32_t>(bytes));
    for (size_t i = 0; i < types.size(); i++) {
        const ast::ExprId value = node.arguments[i + 1];
        const bool text = types[i].kind == Kind::string;
        b.store(data, static_cast<uint32_t>(8 * i), text ? l.text(value, padded(types[i].size) + 8) : l.number(value));
    }
    const ir::Value kept = b.text(l.unit().text(format, static_cast<uint32_t>(format.size() + 1)));
    b.helper(helper_snprintf,
             {to, b.constant(l.type_of(id).size), kept, data, b.constant(static_cast<int64_t>(bytes))});
}

constexpr CallRule rules[] = {
    {Function::sprintf_, formatted, nullptr, format_into},
};

}  // namespace

std::span<const CallRule> format_rules() { return rules; }

}  // namespace lt
