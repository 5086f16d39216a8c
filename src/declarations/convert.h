// Converts clang's C types to types of the language. clang gives the layout; types that the text only names are taken
// from the kernel.
#pragma once

#include <functional>
#include <unordered_map>
#include <vector>

#include "declarations/libclang.h"
#include "runtime/border/kernel.h"

namespace lt {

// The member of a structure that stands for one of the kernel's: the text has only its size.
constexpr const char* kernel_mark = "lt_of_kernel";

class Converter {
  public:
    Converter(const LibClang& clang, Kernel& kernel, Declared& out) : clang_(clang), kernel_(kernel), out_(out) {}

    // Adds all types and enumerators that the text and its headers define at the top level.
    void take(CXTranslationUnit unit);

  private:
    struct Known {
        CXCursor declaration;
        uint32_t number;
    };

    void definition(CXCursor cursor);
    Type type_of(CXType type, int depth);
    Type composite(CXType type);
    Type enumeration(CXType type);
    Type list(CXType type, int depth);
    Shape named(CXType type) const;
    void visit_fields(CXType type, const std::function<void(CXCursor)>& visit) const;
    bool stands_for_kernel(CXType type) const;
    Known& known(CXCursor declaration);
    void fill_members(CXType type, uint64_t base, int depth, std::vector<Member>& out);
    void add_field(CXCursor field, uint64_t base, int depth, std::vector<Member>& out);
    uint32_t size_of(CXType type) const;

    const LibClang& clang_;
    Kernel& kernel_;
    Declared& out_;
    std::unordered_map<unsigned, std::vector<Known>> known_;  // by clang's hash
};

}  // namespace lt
