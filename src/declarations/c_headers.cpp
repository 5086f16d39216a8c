// The headers are in lt's binary as text.
#include "declarations/c_headers.h"

#define LT_TEXT(name, file) \
    "lt_" name              \
    "_begin:\n"             \
    ".incbin \"" file       \
    "\"\n"                  \
    "lt_" name              \
    "_end:\n"               \
    ".byte 0\n"

__asm__(".section .rodata\n" LT_TEXT("c_types", LT_TYPES) LT_TEXT("c_helpers", LT_HELPERS)
            LT_TEXT("c_kernel", LT_KERNEL) ".previous\n");

extern "C" const char lt_c_types_begin[], lt_c_types_end[];
extern "C" const char lt_c_helpers_begin[], lt_c_helpers_end[];
extern "C" const char lt_c_kernel_begin[], lt_c_kernel_end[];

namespace lt {

std::string_view c_types_header() { return {lt_c_types_begin, lt_c_types_end}; }
std::string_view c_helpers_header() { return {lt_c_helpers_begin, lt_c_helpers_end}; }
std::string_view c_kernel_header() { return {lt_c_kernel_begin, lt_c_kernel_end}; }

}  // namespace lt
