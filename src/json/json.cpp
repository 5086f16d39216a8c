#include "json/json.h"

#include <nlohmann/json.hpp>

namespace lt {
namespace {

constexpr auto replace = nlohmann::json::error_handler_t::replace;

}  // namespace

nlohmann::json parse_json(std::string_view text) { return nlohmann::json::parse(text, nullptr, false); }

nlohmann::ordered_json parse_ordered_json(std::string_view text) {
    return nlohmann::ordered_json::parse(text, nullptr, false);
}

std::string json_text(const nlohmann::json& json) { return json.dump(-1, ' ', false, replace); }

std::string json_text(const nlohmann::ordered_json& json, int indentation) {
    return json.dump(indentation, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string quoted_json(std::string_view text) { return nlohmann::json(text).dump(-1, ' ', true, replace); }

}  // namespace lt
