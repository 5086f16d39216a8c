#include "module.h"

// The bitcode lies in the program as it was compiled at build time.
__asm__(
    ".section .rodata\n"
    ".balign 8\n"
    "lt_library_begin:\n"
    ".incbin \"" LT_LIBRARY_BITCODE
    "\"\n"
    "lt_library_end:\n"
    ".byte 0\n"
    ".previous\n");

extern "C" const char lt_library_begin[];
extern "C" const char lt_library_end[];

namespace lt::emitter {

llvm::StringRef library_bitcode() { return {lt_library_begin, static_cast<size_t>(lt_library_end - lt_library_begin)}; }

}  // namespace lt::emitter
