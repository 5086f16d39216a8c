// LLVM's library of demanglers, which is small and self-contained, supports both languages. Rust's old mangling is that
// of C++ with a hash at the end and with names for the characters that C++ does not have.
#include "runtime/programs/demangle.h"

#include <llvm/Demangle/Demangle.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <utility>

namespace lt {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 10> rust_names{{
    {"$SP$", "@"},
    {"$BP$", "*"},
    {"$RF$", "&"},
    {"$LT$", "<"},
    {"$GT$", ">"},
    {"$LP$", "("},
    {"$RP$", ")"},
    {"$C$", ","},
    {"$u20$", " "},
    {"..", "::"},
}};
// Characters by their hexadecimal number; these are in use.
constexpr std::string_view rust_numbers = "'+;=[]{}~";

bool is_lower_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

// "::h" and 16 digits, which are hardly ever all the same kind.
bool ends_in_rust_hash(std::string_view name) {
    constexpr size_t length = 19;
    if (name.size() <= length) return false;
    const std::string_view end = name.substr(name.size() - length);
    return end.starts_with("::h") && std::all_of(end.begin() + 3, end.end(), is_lower_hex);
}

// Replaces one of the character names at the front: removes it from `text` and appends its character to `out`.
bool take_rust_name(std::string_view& text, std::string& out) {
    for (const auto& [name, meaning] : rust_names) {
        if (!text.starts_with(name)) continue;
        out += meaning;
        text.remove_prefix(name.size());
        return true;
    }
    if (text.size() < 5 || !text.starts_with("$u") || text[4] != '$') return false;
    const std::string digits(text.substr(2, 2));
    const char c = static_cast<char>(std::strtoul(digits.c_str(), nullptr, 16));
    if (rust_numbers.find(c) == rust_numbers.npos) return false;
    out += c;
    text.remove_prefix(5);
    return true;
}

std::string old_rust(std::string_view text) {
    text.remove_suffix(19);
    std::string out;
    while (!text.empty()) {
        // A part that begins with a character name has an underscore in front, because C++ needs a letter there.
        const bool begins = out.empty() || out.ends_with("::");
        if (begins && text.starts_with("_$")) text.remove_prefix(1);
        if (take_rust_name(text, out)) continue;
        out += text.front();
        text.remove_prefix(1);
    }
    return out;
}

using Owned = std::unique_ptr<char, decltype(&std::free)>;

}  // namespace

std::string demangle(std::string_view name) {
    if (name.starts_with("_R")) {
        const Owned rust(llvm::rustDemangle(name), &std::free);
        return std::string(rust ? std::string_view(rust.get()) : name);
    }
    if (!name.starts_with("_Z")) return std::string(name);
    const Owned text(llvm::itaniumDemangle(name), &std::free);
    if (!text) return std::string(name);
    return ends_in_rust_hash(text.get()) ? old_rust(text.get()) : text.get();
}

}  // namespace lt
