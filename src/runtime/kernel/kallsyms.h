// The kernel's symbols from /proc/kallsyms, reduced to functions. A name can have several functions (each file of the
// kernel can have a static one with that name); all addresses are zero if the kernel hides them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/name_index.h"

namespace lt {

struct NamedCode;  // runtime/border/kernel.h

struct Symbol {
    std::string_view name;
    std::string_view module;  // empty: the kernel itself
    uint64_t address = 0;
    uint64_t size = 0;       // up to the next one; 0: unknown
    bool generated = false;  // code that the kernel made while it runs: of BPF, kprobes or ftrace

    // Code that was made rarely fills more than the page where it begins.
    bool on_its_page(uint64_t other) const { return other / 4096 == address / 4096; }
};

class Kallsyms {
  public:
    // The text of the whole file; lines in another format are skipped.
    explicit Kallsyms(std::string_view text);

    // All functions with that name, in file order, optionally in modules that match a pattern. The kernel itself is
    // vmlinux.
    std::vector<Symbol> find(std::string_view name, std::string_view module = {}) const;
    std::vector<NamedCode> named_code(std::string_view name) const;  // the same, with sizes
    // The function around an address. Also finds BPF programs (module "bpf") and trampolines, which are not listed
    // otherwise.
    std::optional<Symbol> at(uint64_t address) const;
    // Names that match a glob pattern, in modules that match another one; sorted and unique. Parts of functions
    // (x.cold, the padding before x) are left out.
    std::vector<std::string> names(std::string_view pattern, std::string_view module = "*") const;

  private:
    struct Entry {
        uint64_t address;
        uint32_t name;  // offset in names_
        uint16_t length;
        uint16_t module;  // index in modules_
        bool generated;   // created while the kernel runs: found only by address
    };
    void add(std::string_view line);
    std::vector<bool> modules_that_match(std::string_view pattern) const;  // indexed like modules_
    uint16_t module_number(std::string_view name);
    std::string_view name_of(const Entry& e) const { return std::string_view(names_).substr(e.name, e.length); }

    std::string names_;
    std::vector<std::string> modules_{""};
    std::vector<Entry> entries_;
    // Made when they are first needed: few ask for names and for addresses.
    mutable std::optional<NameIndex> index_;
    mutable std::vector<uint32_t> by_address_;  // indices in entries_
};

// Asks the kernel whether at most one symbol has the name, which is faster than to read all. False: there are several,
// or the kernel does not say (before Linux 6.7, without kprobes, without the right to ask), or many names were tried.
bool names_one_symbol(const std::string& name);

}  // namespace lt
