// Texts of names that are stored as numbers: errors, signals, and system calls.
#pragma once

#include <string>

#include "codegen/typed/typed.h"

namespace lt {

struct NameRow {
    Naming naming;
    int64_t count;  // the numbers are 0 to count - 1
    std::string (*name)(int64_t number);
    bool any_sign;
};

// Null if only the runtime knows the texts.
const NameRow* find_names(const Type& type);

// The size of the longest text of such names, with the zero byte; 0 if only the runtime knows the texts.
uint32_t name_size(const Type& named);

}  // namespace lt
