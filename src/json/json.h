// JSON as text: one way to read and to write it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace lt {

// A discarded value if the text is not JSON.
nlohmann::json parse_json(std::string_view text);
nlohmann::ordered_json parse_ordered_json(std::string_view text);

// One line without its end, or several with an indentation. What is not UTF-8 becomes U+FFFD.
std::string json_text(const nlohmann::json& json);
std::string json_text(const nlohmann::ordered_json& json, int indentation = -1);

// A string in quotes, in ASCII.
std::string quoted_json(std::string_view text);

}  // namespace lt
