// The last minutes and hours of a map of distributions or histograms, for --history. The past is kept as
// segments of time, each with what came in it. The older they are, the longer they get: neighbours are merged while
// both together are not longer than a twelfth of their age. So a day has fewer than 200 segments, and a period that
// ends now is known to about a twelfth of its length.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "runtime/values/value.h"

namespace lt {

class History {
  public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::seconds step{5};     // between looks
    static constexpr size_t most_bytes = 48ull << 20;  // of all histories of a trace; beyond it the oldest is forgotten

    // Only values whose differences have a meaning, and of maps that the script never clears and takes no keys from.
    static bool keeps(const PlannedMap& map);

    // The map is empty at `start`.
    History(Clock::time_point start, size_t bytes) : start_(start), bytes_allowed_(bytes) {}

    // The map's content at this moment, which is not before the last one. `paused` is the time of all pauses until now.
    void look(const MapContent& content, Clock::time_point now, Clock::duration paused = {});
    void cleared() { held_.clear(), left_out_ = 0; }  // right after a look

    // From a boundary of segments to the last look: of those, the one that makes it nearest to `wanted`.
    struct Period {
        MapContent content;
        double seconds = 0;
        double traced_seconds = 0;  // without pauses: rates are per second of these
        bool is_all = false;        // `wanted` is longer than what is kept
    };
    Period last(std::chrono::nanoseconds wanted) const;

    size_t bytes() const;  // used, about
    size_t segments() const { return segments_.size(); }

  private:
    // A Distribution or a Histogram, with its buckets that are not zero: for each, as LEB128, the distance from the one
    // before it, then the count.
    struct Packed {
        std::string buckets;
        uint64_t count = 0;
        int64_t sum = 0, least = 0, greatest = 0;
    };
    struct Segment {
        Clock::time_point begin, end;
        std::map<uint32_t, Packed> values;  // by the key's place in keys_
        uint64_t left_out = 0;              // events, by sampling
        Clock::duration paused{};
    };

    static Packed pack(const Data& data);
    Data unpack(const Packed& packed) const;
    void merge_next(size_t at);
    void thin(Clock::time_point now);
    uint32_t key_of(const MapEntry& entry, std::string exact);

    Clock::time_point start_;
    size_t bytes_allowed_;
    MapContent shape_;                 // the map's name and type, without entries
    size_t buckets_ = 0;               // of a Histogram; 0: they are distributions
    std::deque<Segment> segments_;     // oldest first, without gaps
    std::map<uint32_t, Packed> held_;  // at the last look
    uint64_t left_out_ = 0;            // likewise
    Clock::duration paused_{};         // likewise
    std::vector<std::vector<Value>> keys_;
    std::map<std::string, uint32_t> places_;  // by exact_key()
};

// "45s", "4m58s", "2h10m"
std::string show_length(double seconds);

}  // namespace lt
