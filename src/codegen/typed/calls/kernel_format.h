// Formats for the kernel's formatting, which has fewer conversions than lt's printf(). Integers are passed as 64 bits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "codegen/typed/typed.h"
#include "stdlib/conventions.h"

namespace lt {

// The bits of a number that the kernel prints, which are those that printf() prints.
struct PrintedBits {
    uint32_t bytes = 8;
    bool is_signed = true;
};

// The format for the kernel. If a conversion is not supported, `bad` is the index of its value. `parts` are the
// format's arguments in order: the index of a value, or a letter.
struct KernelFormat {
    std::string text;
    std::optional<size_t> bad;
    std::vector<std::variant<size_t, char>> parts;
    bool ends_with_text = false;         // so far the text ends with %s
    std::vector<PrintedBits> bits = {};  // by value
};

KernelFormat kernel_format(const std::string& format, const std::vector<Type>& types, const Conventions& conventions);

// True for the value of all_args(), which becomes one number per argument: a=0x1 b=0x2.
bool holds_arguments(const Type& type);
// The number of arguments that a value becomes.
size_t argument_numbers(const Type& type);

}  // namespace lt
