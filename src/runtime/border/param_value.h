// The values of parameters, from their text: those of a script, and durations on the command line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "stdlib/types.h"

namespace lt {

// A parameter's value as given on the command line.
struct ParamSetting {
    std::string name;
    std::string text;
};

// The bytes of a parameter's value from its text: "50ms", "7", any text for a string. The error says which text fits.
Result<std::vector<uint8_t>> param_bytes(const std::string& name, const Type& type, std::string_view text);

constexpr uint32_t param_text = 64;  // the size of a text, with the byte that ends it
// The bytes of a value that is known already.
std::vector<uint8_t> number_bytes(int64_t n);
std::vector<uint8_t> text_bytes(std::string_view text);

}  // namespace lt
