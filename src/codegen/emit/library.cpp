#include "codegen/emit/module.h"

// The bitcode is compiled at build time and embedded, once for each kind of kernel.
#define LT_BITCODE(name, path)        \
    __asm__(                          \
        ".section .rodata\n"          \
        ".balign 8\n" name            \
        "_begin:\n"                   \
        ".incbin \"" path "\"\n" name \
        "_end:\n"                     \
        ".byte 0\n"                   \
        ".previous\n")

LT_BITCODE("lt_library", LT_LIBRARY_BITCODE);
LT_BITCODE("lt_old_library", LT_OLD_LIBRARY_BITCODE);

extern "C" const char lt_library_begin[], lt_library_end[];
extern "C" const char lt_old_library_begin[], lt_old_library_end[];

namespace lt::emitter {

llvm::StringRef library_bitcode(bool atomics) {
    const char* begin = atomics ? lt_library_begin : lt_old_library_begin;
    const char* end = atomics ? lt_library_end : lt_old_library_end;
    return {begin, static_cast<size_t>(end - begin)};
}

}  // namespace lt::emitter
