// How the values of a distribution or a histogram change over time: a column for each look, a row for each range of
// values.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "runtime/values/value.h"

namespace lt {

class Heat {
  public:
    using Clock = std::chrono::steady_clock;
    static constexpr size_t most_columns =
        240;  // beyond them neighbours are joined, and later looks as many to a column
    static_assert(most_columns % 2 == 0);

    static bool draws(const Type& value);  // dist() and hist()

    // The map is empty at `begin`, or what it holds then came earlier.
    explicit Heat(Clock::time_point begin) : begin_(begin) {}
    // The map's content at this moment, all keys together; the difference to the last look becomes a column. The map
    // may have been cleared, but no single key deleted.
    void look(const MapContent& content, Clock::time_point now);
    // A picture with both axes and its scale of shades, as HTML; empty before there are two columns with values.
    std::string html() const;

  private:
    friend class HeatDrawing;
    using Range = std::pair<int64_t, int64_t>;  // of values, both inclusive
    using Counts = std::map<Range, uint64_t>;
    struct Column {
        Clock::time_point end;
        Counts counts;
    };

    void add(Column column);
    void halve();

    Clock::time_point begin_;
    View view_ = View::plain;
    Counts last_;
    std::vector<Column> columns_;
    size_t per_column_ = 1, in_last_ = 1;  // looks
};

// CSS for the pictures.
std::string heat_style();

}  // namespace lt
