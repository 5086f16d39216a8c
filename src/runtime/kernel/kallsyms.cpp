// One pass over the text fills a compact table. It is sorted only for address lookups, because the few other queries
// that depend on order (sizes, lists) are faster as a scan.
#include "runtime/kernel/kallsyms.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>

#include "base/text.h"
#include "runtime/border/kernel.h"

namespace lt {

namespace {

constexpr std::string_view function_types = "tTwW";

// Symbols in code that are not functions: padding that the compiler puts before each function for call depth tracking
// and CFI.
constexpr std::array<std::string_view, 2> padding_prefixes{"__pfx_", "__cfi_"};

bool is_part(std::string_view name) {
    const bool padding = std::any_of(padding_prefixes.begin(), padding_prefixes.end(),
                                     [&](std::string_view prefix) { return name.starts_with(prefix); });
    return padding || name.find(".cold") != std::string_view::npos;
}

// "[ext4]"; without brackets it is not a module.
std::string_view unbracketed(std::string_view text) {
    if (text.size() < 2 || text.front() != '[' || text.back() != ']') return {};
    return text.substr(1, text.size() - 2);
}

// The kernel lists BPF programs and the trampolines of ftrace and kprobes as if they belonged to modules with these
// names.
bool is_generated(std::string_view module) { return module == "bpf" || module.starts_with("__builtin__"); }

}  // namespace

Kallsyms::Kallsyms(std::string_view text) {
    // A line has some 40 bytes, and half of it is the name. What is not used is never touched.
    names_.reserve(text.size() / 2);
    entries_.reserve(text.size() / 40);
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        add(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

// "ffffffff81000000 T name" or "ffffffffc0000000 t name\t[module]"
void Kallsyms::add(std::string_view line) {
    const size_t type = line.find(' ') + 1;
    if (type >= line.size() || function_types.find(line[type]) == std::string_view::npos) return;
    Entry entry{};
    const auto [end, failure] = std::from_chars(line.data(), line.data() + line.size(), entry.address, 16);
    const std::string_view rest = line.substr(static_cast<size_t>(end - line.data()));
    if (failure != std::errc() || rest.size() < 4 || rest[0] != ' ' || rest[2] != ' ') return;
    const size_t tab = std::min(rest.find('\t'), rest.size());
    const std::string_view name = rest.substr(3, tab - 3);
    const std::string_view module = unbracketed(trim(rest.substr(tab)));
    constexpr size_t longest = 1 << 15;
    if (name.empty() || name.size() > longest) return;
    entry.name = static_cast<uint32_t>(names_.size());
    entry.length = static_cast<uint16_t>(name.size());
    entry.module = module_number(module);
    entry.generated = is_generated(module);
    names_ += name;
    entries_.push_back(entry);
}

// The symbols of a module are adjacent, so it is nearly always the last one.
uint16_t Kallsyms::module_number(std::string_view name) {
    if (name.empty()) return 0;
    const auto at = std::find(modules_.rbegin(), modules_.rend(), name);
    if (at != modules_.rend()) return static_cast<uint16_t>(modules_.rend() - at - 1);
    modules_.emplace_back(name);
    return static_cast<uint16_t>(modules_.size() - 1);
}

std::vector<bool> Kallsyms::modules_that_match(std::string_view pattern) const {
    std::vector<bool> matching;
    for (const std::string& module : modules_)
        matching.push_back(pattern == "*" || glob_match(pattern, module.empty() ? "vmlinux" : module));
    return matching;
}

std::vector<Symbol> Kallsyms::find(std::string_view name, std::string_view module) const {
    std::vector<Symbol> found;
    const std::vector<bool> matching_modules = modules_that_match(module.empty() ? "*" : module);
    const auto by_position = [this](uint32_t i) { return name_of(entries_[i]); };
    if (!index_) index_.emplace(entries_.size(), by_position);
    index_->each(name, by_position, [&](uint32_t i) {
        const Entry& e = entries_[i];
        if (e.generated) return true;
        if (matching_modules[e.module]) found.push_back({name_of(e), modules_[e.module], e.address});
        return true;
    });
    return found;
}

std::vector<NamedCode> Kallsyms::named_code(std::string_view name) const {
    std::vector<NamedCode> found;
    for (const Symbol& symbol : find(name)) {
        const std::optional<Symbol> whole = at(symbol.address);
        found.push_back({std::string(symbol.module), whole ? whole->size : 0});
    }
    return found;
}

// Of several symbols at one address, the first in the file, as in the kernel. Ends are unknown: an address farther from
// its symbol than any function is long belongs to none. What kprobes and ftrace have made lies in pages of its own.
std::optional<Symbol> Kallsyms::at(uint64_t address) const {
    constexpr uint64_t longest = 1 << 16;
    if (by_address_.empty()) {
        by_address_.resize(entries_.size());
        std::iota(by_address_.begin(), by_address_.end(), 0U);
        std::stable_sort(by_address_.begin(), by_address_.end(),
                         [this](uint32_t a, uint32_t b) { return entries_[a].address < entries_[b].address; });
    }
    const auto address_of = [this](uint32_t i) { return entries_[i].address; };
    const auto after = std::ranges::upper_bound(by_address_, address, {}, address_of);
    if (after == by_address_.begin()) return {};
    const uint64_t begin = address_of(*std::prev(after));
    if (begin == 0 || address - begin >= longest) return {};
    const Entry& e = entries_[*std::ranges::lower_bound(by_address_, begin, {}, address_of)];
    const Symbol symbol{name_of(e), modules_[e.module], e.address,
                        after == by_address_.end() ? 0 : address_of(*after) - begin, e.generated};
    const bool is_program = symbol.module == "bpf";
    return !e.generated || is_program || symbol.on_its_page(address) ? std::optional(symbol) : std::nullopt;
}

std::vector<std::string> Kallsyms::names(std::string_view pattern, std::string_view module) const {
    const std::vector<bool> matching_modules = modules_that_match(module);
    const bool everything = pattern == "*";
    std::vector<std::string> found;
    for (const Entry& e : entries_) {
        const std::string_view name = name_of(e);
        if (!e.generated && matching_modules[e.module] && (everything || glob_match(pattern, name)) && !is_part(name))
            found.emplace_back(name);
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

}  // namespace lt
