#include <array>

#include "base/rows.h"
#include "codegen/emit/module.h"

// The bitcode is compiled at build time and embedded, once for each kind of kernel.
#define LT_BITCODE(name, path)                                            \
    __asm__(                                                              \
        ".section .rodata\n"                                              \
        ".balign 8\nlt_bitcode_" name                                     \
        "_begin:\n"                                                       \
        ".incbin \"" LT_BITCODE_FOLDER "/" path ".bc\"\nlt_bitcode_" name \
        "_end:\n"                                                         \
        ".byte 0\n"                                                       \
        ".previous\n")
#define LT_LIBRARY_FILE(file)                                                     \
    LT_BITCODE(#file, #file);                                                     \
    LT_BITCODE("old_" #file, "old/" #file);                                       \
    extern "C" const char lt_bitcode_##file##_begin[], lt_bitcode_##file##_end[]; \
    extern "C" const char lt_bitcode_old_##file##_begin[], lt_bitcode_old_##file##_end[]

LT_LIBRARY_FILE(aggregate);
LT_LIBRARY_FILE(iterator);
LT_LIBRARY_FILE(keep);
LT_LIBRARY_FILE(scratch);
LT_LIBRARY_FILE(span);
LT_LIBRARY_FILE(stack);
LT_LIBRARY_FILE(string);
LT_LIBRARY_FILE(traced);
LT_LIBRARY_FILE(why);

namespace lt::emitter {
namespace {

struct Bitcode {
    ir::LibraryFile file;
    const char *begin, *end;
    const char *old_begin, *old_end;
};

#define LT_LIBRARY_ROW(file)                                                                                      \
    Bitcode {                                                                                                     \
        ir::LibraryFile::file, lt_bitcode_##file##_begin, lt_bitcode_##file##_end, lt_bitcode_old_##file##_begin, \
            lt_bitcode_old_##file##_end                                                                           \
    }
constexpr std::array bitcodes{LT_LIBRARY_ROW(aggregate), LT_LIBRARY_ROW(iterator), LT_LIBRARY_ROW(keep),
                              LT_LIBRARY_ROW(scratch),   LT_LIBRARY_ROW(span),     LT_LIBRARY_ROW(stack),
                              LT_LIBRARY_ROW(string),    LT_LIBRARY_ROW(traced),   LT_LIBRARY_ROW(why)};
static_assert(in_enum_order(bitcodes, &Bitcode::file, ir::library_files));

}  // namespace

llvm::StringRef library_bitcode(ir::LibraryFile file, bool atomics) {
    const Bitcode& all = bitcodes[static_cast<size_t>(file)];
    const char* begin = atomics ? all.begin : all.old_begin;
    const char* end = atomics ? all.end : all.old_end;
    return {begin, static_cast<size_t>(end - begin)};
}

}  // namespace lt::emitter
