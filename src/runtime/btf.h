// The kernel's type information: what the parameters and the result of a function are, as types of the language.
// Wraps libbpf's parser; loading a whole kernel takes some milliseconds and ten megabytes, so do it when asked first.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "btf_types.h"
#include "name_index.h"
#include "runtime/kernel.h"

struct btf;

namespace lt {

struct Prototype {
    std::vector<Field> parameters;
    Type result;  // kind none: void, or nothing that the language can hold
};

class Btf {
  public:
    // A file of raw BTF, or an ELF file with a section of it.
    static Result<Btf> load(const std::string& path);
    // A module's, which continues the kernel's; `kernel` must outlive it.
    static Result<Btf> load_module(const std::string& path, const Btf& kernel, const std::string& module);

    // The number of the type; 0 where there is no function of that name.
    uint32_t function_id(std::string_view name);
    std::optional<Prototype> function(std::string_view name);

    // What a tracepoint hands over to raw tracepoints, and the names of those; sorted.
    std::optional<Prototype> raw_tracepoint(std::string_view name);
    std::vector<std::string> raw_tracepoints(std::string_view pattern) const;
    // What follows the prefix in the names of structures; sorted.
    std::vector<std::string> structures(std::string_view prefix) const;
    // "struct NAME", "union NAME", "enum NAME" that match a pattern, sorted.
    std::vector<std::string> tagged(std::string_view pattern) const;

    TypeFile file() const { return {types_.get(), first_, module_}; }

  private:
    struct Free {
        void operator()(btf* b) const;
    };
    Btf(btf* types, uint32_t first, std::string module);
    std::string_view name_of(uint32_t function) const;
    std::optional<Prototype> prototype(uint32_t id) const;

    std::unique_ptr<btf, Free> types_;
    uint32_t first_;  // the first type that is not of the kernel below
    std::string module_;
    std::vector<uint32_t> functions_;
    NameIndex index_;
    bool indexed_ = false;
    int lookups_ = 0;
};

}  // namespace lt
