// Finds functions by their C++ names.
#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "base/text.h"
#include "runtime/programs/demangle.h"
#include "runtime/programs/elf_file.h"

namespace lt {
namespace {

std::string demangled(std::string_view symbol) {
    if (!symbol.starts_with("_Z") || !can_be_demangled(symbol)) return {};
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> name(
        abi::__cxa_demangle(std::string(symbol).c_str(), nullptr, nullptr, &status), &std::free);
    return status == 0 && name ? name.get() : "";
}

// Without the parameters, which begin at the parenthesis that matches the last one: "a::b(int)::c(char)" is
// "a::b(int)::c".
std::string_view without_parameters(std::string_view name) {
    size_t depth = 0;
    const size_t last = name.rfind(')');
    for (size_t i = last == name.npos ? 0 : last + 1; i-- > 0;) {
        depth += name[i] == ')' ? 1 : 0;
        if (name[i] == '(' && --depth == 0) return name.substr(0, i);
    }
    return name;
}

}  // namespace

std::string ElfFile::spoken_name(std::string_view symbol) { return std::string(without_parameters(demangled(symbol))); }

std::vector<std::string> ElfFile::cpp_functions(std::string_view pattern) const {
    std::vector<std::string> found;
    for (const Symbol& s : symbols_) {
        const bool again = !found.empty() && found.back() == s.name;
        if (again || s.is_resolver) continue;
        const std::string name = demangled(s.name);
        if (name.empty()) continue;
        const bool same = name == pattern || without_parameters(name) == pattern;
        const bool matches =
            is_glob(pattern) && (glob_match(pattern, name) || glob_match(pattern, without_parameters(name)));
        if (same || matches) found.emplace_back(s.name);
    }
    return found;
}

}  // namespace lt
