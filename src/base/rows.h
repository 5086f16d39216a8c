// Tables of rows: each an array of structures, one of whose members says what a row is for; and lists of values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <ranges>

namespace lt {

// Has each of the first `count` values of an enumeration its row, in their order? Then a value is the index of its row.
template <class Rows, class Row, class Enum>
constexpr bool in_enum_order(const Rows& rows, Enum Row::* member, size_t count) {
    for (size_t i = 0; i < count && i < std::size(rows); i++)
        if (static_cast<size_t>(rows[i].*member) != i) return false;
    return std::size(rows) == count;
}

// The first row whose member has this value, or null. The rows must live on.
template <class Rows, class Value, class Member>
constexpr auto* find_row(Rows& rows, const Value& value, Member member) {
    const auto found = std::ranges::find(rows, value, member);
    return found == std::ranges::end(rows) ? nullptr : &*found;
}

// Is it one of these values?
template <class Values, class Value>
constexpr bool contains(const Values& values, const Value& value) {
    return std::ranges::find(values, value) != std::ranges::end(values);
}

}  // namespace lt
