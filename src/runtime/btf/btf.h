// The kernel's type information: parameters and results of functions as types of the language. Wraps libbpf's parser.
// Loading a whole kernel takes some milliseconds and 10 MB, so load it only when needed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/name_index.h"
#include "base/result.h"
#include "runtime/border/kernel.h"
#include "runtime/btf/btf_types.h"

struct btf;

namespace lt {

struct Prototype {
    std::vector<Field> parameters;
    Type result;  // kind none: void, or not representable in the language
};

class Btf {
  public:
    // A raw BTF file, or an ELF file with a BTF section.
    static Result<Btf> load(const std::string& path);
    // A module's BTF, which extends the kernel's; `kernel` must outlive it.
    static Result<Btf> load_module(const std::string& path, const Btf& kernel, const std::string& module);

    // By the id of what is loaded in the kernel, for a BPF program.
    static Result<Btf> load_loaded(uint32_t id, const std::string& module);

    // The type id; 0 if there is no function of that name.
    uint32_t function_id(std::string_view name);
    std::optional<Prototype> function(std::string_view name);
    // The name of the function with this type id; empty if it is not one.
    std::string_view function_name(uint32_t id) const;

    // The arguments of a raw tracepoint, and the names of all; sorted.
    std::optional<Prototype> raw_tracepoint(std::string_view name);
    std::vector<std::string> raw_tracepoints(std::string_view pattern) const;
    // The rest of each structure name that starts with the prefix; sorted.
    std::vector<std::string> structures(std::string_view prefix) const;
    // "struct NAME", "union NAME", "enum NAME" that match a pattern, sorted.
    std::vector<std::string> tagged(std::string_view pattern) const;

    TypeFile file() const { return {types_.get(), first_, module_}; }

  private:
    struct Free {
        void operator()(btf* b) const;
    };
    Btf(btf* types, uint32_t first, std::string module);
    void list();
    std::string_view name_of(uint32_t function) const;
    bool is_named(uint32_t id, std::string_view name) const;
    std::optional<Prototype> prototype(uint32_t id) const;

    std::unique_ptr<btf, Free> types_;
    uint32_t first_;  // the first type that is not the kernel's
    std::string module_;
    std::vector<uint32_t> functions_, typedefs_;  // type ids, once they are listed
    NameIndex index_;                             // of functions_, once there were many lookups
    bool listed_ = false;
    int lookups_ = 0;
};

}  // namespace lt
