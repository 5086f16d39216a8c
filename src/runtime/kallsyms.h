// The kernel's symbols as /proc/kallsyms lists them, reduced to functions. A name may stand for several (each file
// of the kernel can have a static function of that name); addresses are all zero where the kernel hides them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "name_index.h"

namespace lt {

struct Symbol {
    std::string_view name;
    std::string_view module;  // empty: the kernel itself
    uint64_t address = 0;
};

class Kallsyms {
  public:
    // The text of the whole file; lines of another form are skipped.
    explicit Kallsyms(std::string_view text);

    // All functions of that name, in the order of the file; of the modules that match a pattern where one is given. The
    // kernel itself is vmlinux.
    std::vector<Symbol> find(std::string_view name, std::string_view module = {}) const;
    // The function around an address, also a BPF program (module "bpf") or a trampoline, which have no other use here.
    std::optional<Symbol> at(uint64_t address) const;
    // Names that match a glob pattern, in modules that match another one, sorted, each once. Parts of functions
    // (x.cold, the padding before x) are left out.
    std::vector<std::string> names(std::string_view pattern, std::string_view module = "*") const;

  private:
    struct Entry {
        uint64_t address;
        uint32_t name;  // where in names_
        uint16_t length;
        uint16_t module;  // position in modules_
        bool generated;   // made while the kernel runs: only known by its address
    };
    void add(std::string_view line);
    std::vector<bool> modules_that_match(std::string_view pattern) const;  // indexed as modules_
    uint16_t module_number(std::string_view name);
    std::string_view name_of(const Entry& e) const { return std::string_view(names_).substr(e.name, e.length); }

    std::string names_;
    std::vector<std::string> modules_{""};
    std::vector<Entry> entries_;
    NameIndex index_;
    mutable std::vector<uint32_t> by_address_;  // positions in entries_; made when first asked for
};

}  // namespace lt
