// LLVM's library of demanglers, which is small and self-contained, supports both languages. Rust's old mangling is that
// of C++ with a hash at the end and with names for the characters that C++ does not have.
#include "runtime/programs/demangle.h"

#include <llvm/Demangle/Demangle.h>
#include <llvm/Demangle/ItaniumDemangle.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <memory_resource>
#include <type_traits>
#include <unordered_map>
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

namespace itanium = llvm::itanium_demangle;

constexpr size_t longest_mangled = 4096;
constexpr uint64_t longest_demangled = 1 << 20;

// Where the library's parser puts its nodes.
class NameNodes {
  public:
    void reset() {}
    template <typename Node, typename... Arguments>
    Node* makeNode(Arguments&&... arguments) {
        return new (memory_.allocate(sizeof(Node), alignof(Node))) Node(std::forward<Arguments>(arguments)...);
    }
    void* allocateNodeArray(size_t count) {
        return memory_.allocate(count * sizeof(itanium::Node*), alignof(itanium::Node*));
    }

  private:
    std::pmr::monotonic_buffer_resource memory_;
};
using NameParser = itanium::ManglingParser<NameNodes>;

// An estimate of a name's length when it is printed: a part that is referred to again is printed again.
class NameLength {
  public:
    uint64_t of(const itanium::Node* node) {
        if (node == nullptr) return 0;
        const auto [known, is_new] = known_.try_emplace(node, 1);
        if (!is_new) return known->second;
        uint64_t sum = 8;
        node->visit([&](const auto* each) { sum += of_parts(*each); });
        return known_[node] = std::min(sum, longest_demangled + 1);
    }

  private:
    template <typename Each>
    uint64_t of_parts(const Each& each) {
        uint64_t sum = 0;
        if constexpr (std::is_same_v<Each, itanium::ForwardTemplateReference>)
            sum = of(each.Ref);
        else
            each.match([&](const auto&... part) { ((sum += of_part(part)), ...); });
        return std::is_same_v<Each, itanium::ParameterPackExpansion> ? sum * longest_pack_ : sum;
    }
    template <typename Part>
    uint64_t of_part(const Part& part) {
        uint64_t sum = 0;
        if constexpr (std::is_convertible_v<Part, const itanium::Node*>) {
            sum = of(part);
        } else if constexpr (std::is_same_v<Part, std::string_view>) {
            sum = part.size();
        } else if constexpr (std::is_same_v<Part, itanium::NodeArray>) {
            longest_pack_ = std::max<uint64_t>(longest_pack_, part.size());
            for (const itanium::Node* each : part) sum += of(each) + 2;
        }
        return sum;
    }

    std::unordered_map<const itanium::Node*, uint64_t> known_;
    uint64_t longest_pack_ = 1;
};

// Null: the name is not C++, or too long.
itanium::Node* parsed_name(NameParser& parser) {
    itanium::Node* const name = parser.parse();
    return name != nullptr && NameLength().of(name) <= longest_demangled ? name : nullptr;
}

std::string cpp_name(std::string_view mangled) {
    NameParser parser(mangled.data(), mangled.data() + mangled.size());
    const itanium::Node* const name = mangled.size() <= longest_mangled ? parsed_name(parser) : nullptr;
    if (name == nullptr) return std::string(mangled);
    itanium::OutputBuffer out;
    name->print(out);
    const Owned text(out.getBuffer(), &std::free);
    return {text.get(), out.getCurrentPosition()};
}

}  // namespace

bool can_be_demangled(std::string_view name) {
    NameParser parser(name.data(), name.data() + name.size());
    return name.size() <= longest_mangled && parsed_name(parser) != nullptr;
}

std::string demangle(std::string_view name) {
    if (name.starts_with("_R")) {
        const Owned rust(llvm::rustDemangle(name), &std::free);
        return std::string(rust ? std::string_view(rust.get()) : name);
    }
    if (!name.starts_with("_Z")) return std::string(name);
    std::string text = cpp_name(name);
    return ends_in_rust_hash(text) ? old_rust(text) : text;
}

}  // namespace lt
