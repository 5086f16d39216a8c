// How the values of a distribution or histogram moved over time: a column for each look at it, a row for each range of
// values, darker where more fell.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>

#include "runtime/value.h"

namespace lt {

class HeatMap {
  public:
    // What the map holds now, all keys together; the difference to the last time becomes a column. Other maps than
    // those of dist() and hist() are not shown.
    void add(const MapContent& content);
    // Up to so many characters and lines, with the lowest values at the bottom; empty before there are two columns.
    std::string draw(size_t width, size_t height) const;

  private:
    using Counts = std::map<uint32_t, uint64_t>;  // by bucket of hist(); see hist_bound()

    Counts last_;
    bool begun_ = false;
    View view_ = View::plain;
    std::deque<Counts> columns_;
};

}  // namespace lt
