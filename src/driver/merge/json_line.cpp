#include "driver/merge/json_line.h"

#include <fmt/format.h>

namespace lt {
namespace {

// Builds the value, and keeps the place of the first mistake instead of throwing.
class LineReader : public nlohmann::detail::json_sax_dom_parser<Json> {
  public:
    explicit LineReader(Json& json) : json_sax_dom_parser(json, false) {}
    template <class Exception>
    bool parse_error(std::size_t position, const std::string&, const Exception&) {
        place_ = position;
        return false;
    }
    size_t place() const { return place_; }

  private:
    size_t place_ = 0;
};

}  // namespace

Result<Json> parse_line(std::string_view line) {
    Json json;
    LineReader reader(json);
    if (Json::sax_parse(line.begin(), line.end(), &reader)) return json;
    return Error{fmt::format("this is not JSON, from column {} on", reader.place()), "", 0};
}

const Json* member_of(const Json& object, std::string_view name) {
    if (!object.is_object()) return nullptr;
    const auto found = object.find(name);
    return found == object.end() ? nullptr : &*found;
}

std::optional<uint64_t> count_of(const Json* json) {
    if (!json || !json->is_number_unsigned()) return {};
    return json->get<uint64_t>();
}

std::optional<int64_t> integer_of(const Json* json) {
    if (!json || !json->is_number_integer()) return {};
    if (json->is_number_unsigned() && json->get<uint64_t>() > INT64_MAX) return {};
    return json->get<int64_t>();
}

std::optional<std::string> text_of(const Json* json) {
    if (!json || !json->is_string()) return {};
    return json->get<std::string>();
}

std::optional<std::vector<std::string>> texts_of(const Json* json) {
    if (!json || !json->is_array()) return {};
    std::vector<std::string> out;
    for (const Json& each : *json) {
        if (!each.is_string()) return {};
        out.push_back(each.get<std::string>());
    }
    return out;
}

}  // namespace lt
