// C in a script: preprocessor lines and type definitions. libclang, which is only loaded if a script has some, reads
// them and turns them into plain data: the script's types and the values of its macros.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/diag.h"
#include "parser/tree/ast.h"
#include "runtime/border/kernel.h"

namespace lt {

// Additions from the command line.
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
    std::map<std::string, std::variant<std::string, MacroNumber>, std::less<>> macros;  // of names that the script uses
    // Kernel headers that are not installed and that the kernel's type information replaces.
    std::vector<std::pair<Span, std::string>> absent;
};

// Does the script, or the command line for it, contain any C?
bool has_declarations(const ast::Program& program, const HeaderOptions& options);

// Does the script's C read files, such as headers?
bool reads_files(const ast::Program& program);

// clang's errors are in `diags`, at their place in the script. Types that the script only names are taken from the
// kernel.
CDeclarations read_declarations(const Source& source, const ast::Program& program, const HeaderOptions& options,
                                Kernel& kernel, Diags& diags);

// Replaces the names of macros by their values.
void place_macros(ast::Program& program, const CDeclarations& declarations);

// The reason why this machine cannot read C in scripts; empty if it can.
std::optional<Error> lacking_libclang();

}  // namespace lt
