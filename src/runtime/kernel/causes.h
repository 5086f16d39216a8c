// Explains the kernel's refusals: tables of errno values, one per operation.
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "base/rows.h"

namespace lt {

struct ErrnoCause {
    int code;  // an errno
    const char* text;
    const char* hint = "";
};

constexpr int kernel_not_supported = 524;  // ENOTSUPP; the kernel returns it, but no user-space header defines it
constexpr const char* needs_root = "run as root, outside of a container";

// Null if the table does not have the code.
inline const ErrnoCause* cause_of(std::span<const ErrnoCause> causes, int code) {
    return find_row(causes, code, &ErrnoCause::code);
}

inline Error refusal(const std::string& what, std::span<const ErrnoCause> causes, int code) {
    const ErrnoCause* const cause = cause_of(causes, code);
    return cause != nullptr ? Error{what + ": " + cause->text, cause->hint, code} : system_error(what, code);
}

}  // namespace lt
