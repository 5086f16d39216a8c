// Puts together what the CPUs have collected by tseries(), and draws it.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "runtime/series.h"
#include "runtime/value.h"

namespace lt {

class SeriesFold {
  public:
    explicit SeriesFold(const Type& type) : type_(type), shape_(series_shape(type)) {}
    void add(uint64_t number, uint64_t value, uint64_t more);
    // From the first interval with a value, of the last `count`, to the last one.
    Series take() const;

  private:
    struct Folded {
        uint64_t value = 0, more = 0;
    };
    int64_t shown(const Folded& folded) const;
    const Type& type_;
    SeriesShape shape_;
    std::map<uint64_t, Folded> intervals_;  // by number
};

// As lines, one for each interval.
void append_series(std::string& out, const Series& series, const Type& type, bool plain);

// "2026-11-22T14:03:05.000123000", in the local time zone.
std::string interval_time(uint64_t begin);

}  // namespace lt
