// How the values of a distribution or histogram change over time: a column for each sample, a row for each range of
// values, darker for more values.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>

#include "runtime/values/value.h"

namespace lt {

class HeatMap {
  public:
    // The map's current contents, all keys together; the difference to the last call becomes a column. Ignores maps
    // other than those of dist() and hist().
    void add(const MapContent& content);
    // At most `width` by `height` characters, with the lowest values at the bottom; empty before there are two columns.
    // The last line says how many rows of lower values have no room.
    std::string draw(size_t width, size_t height) const;

  private:
    using Counts = std::map<uint32_t, uint64_t>;  // by bucket of hist(); see hist_bound()

    std::map<std::string, Counts> last_;  // by key, some of which the script may have deleted
    bool begun_ = false;
    View view_ = View::plain;
    std::deque<Counts> columns_;
};

}  // namespace lt
