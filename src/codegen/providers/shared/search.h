// The search for the locations of one probe, and functions that all providers share.
#pragma once

#include <charconv>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/diag.h"
#include "codegen/providers/shared/options.h"
#include "codegen/typed/typed.h"
#include "parser/tree/ast.h"
#include "runtime/border/kernel.h"

namespace lt {

constexpr size_t most_members = 50000;  // locations that one program may serve

// How the item uses the locations of a probe.
struct Asked {
    Role role = Role::action;
    bool by_fields = false;             // the item uses `args`, which differs between locations
    std::set<std::string> fields = {};  // the members of `args` that it names
    bool whole = false;                 // it uses all arguments at once, or their address
    bool context = false;               // it uses their address
    uint32_t words = 0;                 // so many of arg0, arg1 ...
    bool result = false;                // it uses `retval`
    bool needs_registers = false;       // the context of a kprobe or kretprobe must be the registers
    bool registers = false;             // where a function does not have these, their registers are read
};

using Part = ast::ProbeSpec::Part;
using Places = std::vector<ResolvedPlace>;

// A provider's input: the probe to look for, the kernel, and the diagnostics.
struct Search {
    Kernel& kernel;
    const ResolveOptions& options;
    size_t most_matches;  // limit for one wildcard: locations with their own program
    Diags& diags;
    const ast::ProbeSpec& spec;
    const Asked& asked;

    const Part& last() const { return spec.parts.back(); }
};

// Does the kernel support it? Reports an error if not.
bool offered(const Search& s, Feature feature, std::string_view what);

// Reports that the probe has too few or too many parts; returns no location.
Places incomplete(const Search& s);

// Is `n` from 1 to the limit (default: most_matches)? Reports an error if not.
bool count_fits(const Search& s, size_t n, std::optional<size_t> limit = {});

// The hint for a name that the kernel has, but not in the module that the probe names.
std::string in_another_module(std::string_view name);

// The probe as typed, with `last` for its last part.
std::string text_of(const Search& s, ProbeKind kind, std::string_view last);

// Reports why each rung of the location is refused; returns no location.
Places no_way(const Search& s, const ResolvedPlace& place);

// Is the probe at the return of functions, or at both entry and return?
bool at_return(const Search& s, const ResolvedPlace& place);

// The whole text as a number.
template <class T>
std::optional<T> number(std::string_view text, int base = 10) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return {};
    return value;
}
std::optional<uint64_t> any_number(std::string_view text);  // "4096", "4_096", "0x1000" or "1e6"

inline std::vector<std::string_view> views(const std::vector<std::string>& names) {
    return {names.begin(), names.end()};
}

}  // namespace lt
