// Makes families of metrics about the agent itself.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "driver/exposition/metrics.h"

namespace lt::agent {

// Collects series under the names of their families, which are made when they are first named.
class FamilyList {
  public:
    FamilyList& counter(std::string_view name, std::string_view help) { return open(name, help, MetricType::counter); }
    FamilyList& gauge(std::string_view name, std::string_view help) { return open(name, help, MetricType::gauge); }
    FamilyList& in_nanoseconds() {
        all_.back().divisor = 1'000'000'000;
        return *this;
    }
    FamilyList& add(Labels labels, Point point) {
        all_.back().series.push_back({std::move(labels), std::move(point)});
        return *this;
    }
    std::vector<Family> take() { return std::move(all_); }

  private:
    FamilyList& open(std::string_view name, std::string_view help, MetricType type) {
        Family& family = all_.emplace_back(std::string(name), std::string(help), type);
        for (const std::string_view unit : {"seconds", "bytes"})
            if (name.ends_with(unit)) family.unit = unit;
        return *this;
    }
    std::vector<Family> all_;
};

}  // namespace lt::agent
