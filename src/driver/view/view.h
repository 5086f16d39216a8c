// The current contents of maps, for a view that is redrawn: each with its number of values, values per second since the
// last time, and the change of that rate.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "driver/report/trace.h"
#include "driver/view/heat_map.h"
#include "driver/view/screen.h"

namespace lt {

// A map's text in this style without lines that have no room, and how many keys or lines these are. The largest values
// stay: they are at the end, or at the top of a table.
std::string text_within(MapContent content, Screen::Size room, const PrintStyle& style = {});

// How many maps have room: the first ones, at least one. If not all, a line is left. `least`: the lines that each
// needs.
size_t maps_within(const std::vector<size_t>& least, size_t lines);

class MapView {
  public:
    // Shows these maps, by the trace's number and the map's name; an empty name means all maps of the trace. With
    // `heat`, distributions and histograms are also shown over time.
    explicit MapView(std::vector<std::pair<int, std::string>> maps, bool heat = false)
        : wanted_(std::move(maps)), heat_(heat) {}

    std::string draw(Traces& traces, Screen::Size room);

  private:
    using Clock = std::chrono::steady_clock;
    struct Last {
        double total = 0;
        double rate = -1;  // negative: unknown
        Clock::time_point at{};
    };
    struct Shown {
        Trace* trace;
        MapContent content;
        size_t least;  // lines
    };
    std::vector<Shown> look(Traces& traces);
    std::string map_within(const Shown& map, Screen::Size room);
    bool wants(const Trace& trace, const std::string& map) const;
    std::string heading(int trace, const MapContent& content);

    std::vector<std::pair<int, std::string>> wanted_;
    const bool heat_;
    std::map<std::pair<int, std::string>, Last> last_;
    std::map<std::pair<int, std::string>, HeatMap> heat_maps_;
};

}  // namespace lt
