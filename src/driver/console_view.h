// Maps as they are now, for a view that is drawn again and again: each with how many values it has got, how many per
// second since the last time, and how that changed.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "console_screen.h"
#include "heat_map.h"
#include "trace.h"

namespace lt {

class MapView {
  public:
    // These maps, by the number of the trace and the map's name; all of the trace where that is empty.
    // With `heat` distributions and histograms are shown over time, too.
    explicit MapView(std::vector<std::pair<int, std::string>> maps, bool heat = false)
        : wanted_(std::move(maps)), heat_(heat) {}

    std::string draw(Traces& traces, Screen::Size room);

  private:
    using Clock = std::chrono::steady_clock;
    struct Last {
        double total = 0;
        double rate = -1;  // negative: not known
        Clock::time_point at{};
    };
    bool wants(const Trace& trace, const std::string& map) const;
    std::string heading(int trace, const MapContent& content);

    std::vector<std::pair<int, std::string>> wanted_;
    const bool heat_;
    std::map<std::pair<int, std::string>, Last> last_;
    std::map<std::pair<int, std::string>, HeatMap> heat_maps_;
};

}  // namespace lt
