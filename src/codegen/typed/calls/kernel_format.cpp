#include "codegen/typed/calls/kernel_format.h"

#include <fmt/format.h>

#include <cctype>
#include <utility>

#include "runtime/border/arguments.h"
#include "stdlib/format.h"

namespace lt {
namespace {

std::string kernel_arguments(const Type& type) {
    std::string out;
    for (const std::string& name : type.shape->names) out += fmt::format("{}{}=0x%llx", out.empty() ? "" : " ", name);
    return out;
}

PrintedBits printed_bits(const FormatPiece& piece, const Type& type) {
    const bool is_whole = piece.conversion == Conversion::string || piece.conversion == Conversion::character;
    if (type.kind != Kind::integer || is_whole) return {};
    return {printed_bytes(piece, type), piece.conversion == Conversion::decimal};
}

// The conversion in the kernel's format; empty if the kernel does not support it.
std::string kernel_conversion(const FormatPiece& piece, const Type& type) {
    const Conversion conversion = piece.conversion;
    if (holds_arguments(type) && conversion == Conversion::string && piece.width == 0 && !piece.precision)
        return kernel_arguments(type);
    std::string flags = "%";
    if (piece.left) flags += '-';
    if (piece.zero) flags += '0';
    if (piece.plus) flags += '+';
    if (piece.space) flags += ' ';
    if (piece.width > 0) flags += std::to_string(piece.width);
    if (type.naming == Naming::kernel_symbol && conversion == Conversion::string && !piece.precision)
        return flags + "ps";
    if (piece.precision || type.naming != Naming::none) return "";
    const bool text = type.kind == Kind::string;
    if (!text && type.kind != Kind::integer) return "";
    if (conversion == Conversion::string && text) return flags + "s";
    if (text) return "";
    const bool prefix = (conversion == Conversion::hex && piece.alternate) || conversion == Conversion::address;
    if (prefix && flags != "%") return "";
    if (conversion == Conversion::string) {
        if (type.view == View::hex) return flags == "%" ? "0x%llx" : "";
        if (type.view != View::plain) return "";  // printf() prints it with a unit or as a name
        return flags + (type.is_signed ? "lld" : "llu");
    }
    if (conversion == Conversion::decimal) return flags + "lld";
    if (conversion == Conversion::unsigned_) return flags + "llu";
    if (conversion == Conversion::hex || conversion == Conversion::address) return prefix ? "0x%llx" : flags + "llx";
    if (conversion == Conversion::upper_hex) return piece.alternate ? "" : flags + "llX";
    return conversion == Conversion::character ? flags + "c" : "";
}

// After %s the kernel refuses letters and digits (bpf_bprintf_prepare in kernel/bpf/helpers.c).
void append_plain(KernelFormat& out, const std::string& plain) {
    if (plain.empty()) return;
    const bool after_text = std::exchange(out.ends_with_text, false);
    if (!after_text || std::isalnum(static_cast<unsigned char>(plain[0])) == 0) {
        out.text += plain;
        return;
    }
    out.text += "%c" + plain.substr(1);
    out.parts.emplace_back(plain[0]);
}

}  // namespace

KernelFormat kernel_format(const std::string& format, const std::vector<Type>& types, const Conventions& conventions) {
    KernelFormat out;
    FormatReader reader(format);
    size_t value = 0;
    while (auto piece = reader.next()) {
        if (conventions.c_integers) take_size_of_c(*piece);
        const std::string plain = format.substr(piece->span.begin, piece->span.end - piece->span.begin);
        if (!piece->takes_value()) {
            append_plain(out, plain == "%" ? "%%" : plain);
            continue;
        }
        const std::string conversion = value < types.size() ? kernel_conversion(*piece, types[value]) : "";
        if (conversion.empty() && !out.bad) out.bad = value;
        append_plain(out, conversion);
        out.ends_with_text = conversion.ends_with('s');
        out.bits.push_back(value < types.size() ? printed_bits(*piece, types[value]) : PrintedBits{});
        out.parts.emplace_back(value++);
    }
    return out;
}

bool holds_arguments(const Type& type) { return type.shape && type.shape->name == arguments_shape; }

size_t argument_numbers(const Type& type) { return holds_arguments(type) ? type.size / 8 : 1; }

}  // namespace lt
