// The ideas that `help WORD` explains, beside the names of the language: a row each.
#pragma once

#include <span>
#include <string_view>

namespace lt {

struct TopicRow {
    std::string_view name;
    std::string_view sentence;
    std::string_view example;  // a whole script
};
std::span<const TopicRow> topic_rows();

}  // namespace lt
