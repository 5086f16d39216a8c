// Reads a value from JSON, and says where it is damaged.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace lt {

// The members of an object in their order. A name may stand there several times: different stacks, or texts that are
// not UTF-8, can look the same.
template <class Key, class T, class Less, class Allocator>
struct AllMembers : nlohmann::ordered_map<Key, T, Less, Allocator> {
    using nlohmann::ordered_map<Key, T, Less, Allocator>::ordered_map;
    T& operator[](const Key& key) {
        this->emplace_back(key, T{});
        return this->back().second;
    }
};
using Json = nlohmann::basic_json<AllMembers>;

// One line of a file: exactly one value. The error ends with the place: "..., at column 17".
Result<Json> parse_line(std::string_view line);

// Null if there is no such member.
const Json* member_of(const Json& object, std::string_view name);

// The number, if it is an integer that fits.
std::optional<uint64_t> count_of(const Json* json);
std::optional<int64_t> integer_of(const Json* json);

std::optional<std::string> text_of(const Json* json);
std::optional<std::vector<std::string>> texts_of(const Json* json);

}  // namespace lt
