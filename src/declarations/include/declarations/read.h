// C in a script: preprocessor lines and definitions of types. They are read by libclang, which is loaded only where a
// script has some, and become plain data: types of the script's own and values of macros.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/diag.h"
#include "parser/ast.h"
#include "runtime/kernel.h"

namespace lt {

// What the command line adds.
struct HeaderOptions {
    std::vector<std::string> folders;  // searched before the others
    std::vector<std::string> files;    // read before the script's own lines
};

struct MacroNumber {
    bool negative;
    uint64_t magnitude;
};

struct CDeclarations {
    Declared declared;
    std::map<std::string, std::variant<std::string, MacroNumber>, std::less<>>
        macros;  // of names that the program uses
    // Headers of the kernel that are not installed, for which the kernel's type information stands in.
    std::vector<std::pair<Span, std::string>> absent;
};

// Has the script, or the command line for it, anything in C?
bool has_declarations(const ast::Program& program, const HeaderOptions& options);

// What clang refuses is in `diags`, at its place in the script. Types that are only named there are taken from the
// kernel.
CDeclarations read_declarations(const Source& source, const ast::Program& program, const HeaderOptions& options,
                                Kernel& kernel, Diags& diags);

// Puts the values of macros where their names stand.
void place_macros(ast::Program& program, const CDeclarations& declarations);

// Why C in scripts cannot be read on this machine; none where it can.
std::optional<Error> lacking_libclang();

}  // namespace lt
