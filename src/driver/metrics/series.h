// Adding families of metrics, and bounding the number of their series.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "driver/exposition/metrics.h"

namespace lt::agent {

struct LabelsHash {
    size_t operator()(const Labels& labels) const;
};

// Adds counts, sums and buckets. False if the two are of different kinds.
bool add_point(Point& into, const Point& more);

// How two series with the same labels become one.
enum class Join : uint8_t { add, greater, smaller, last };
// Joins series with the same labels into one, at the place of the first: keys that differ may read the same, and a
// server would keep only one of their series.
void join_equal(std::vector<MetricSeries>& series, Join how, bool is_unsigned = false);

// Adds the series of a family that has ended to those of its successor, so that its counters do not go back. Does
// nothing if the two are not the same metric: another type, sign, unit, bounds or labels.
void add_family(Family& into, const Family& ended);

// Of each series the greater point of the two.
void keep_greater(Family& now, const Family& before);

// How much of a point there is, to find the greatest: a value, or the number of values.
double weight_of(const Point& point, bool is_unsigned);

// A family keeps the series that it has shown before; for the places left, the greatest come first. Those for which
// there is no place are added up in one series with the label lt_overflow="true", or are not shown if they cannot be
// added. Such a sum of a run before is added to that, too.
class SeriesLimit {
  public:
    explicit SeriesLimit(size_t most) : most_(most) {}
    void apply(Family& family, bool adds_up);
    size_t over() const { return over_; }  // the number of series without a place, the last time

  private:
    size_t most_;
    std::unordered_set<Labels, LabelsHash> shown_;
    size_t over_ = 0;
};

}  // namespace lt::agent
