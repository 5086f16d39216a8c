// Values as decoded from maps and events, ready to be printed in any form.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/plan.h"
#include "runtime/samples.h"

namespace lt {

struct Histogram {
    std::vector<uint64_t> buckets;  // hist_buckets of them
    bool operator==(const Histogram&) const = default;
};

struct Average {  // of avg() and stats()
    int64_t sum = 0;
    uint64_t count = 0;
    int64_t value() const { return count == 0 ? 0 : sum / static_cast<int64_t>(count); }
    bool operator==(const Average&) const = default;
};

struct Distribution {  // runtime/distribution.h says what can be asked of it
    uint64_t count = 0;
    int64_t sum = 0;
    int64_t least = std::numeric_limits<int64_t>::max();  // so that nothing changes what it is merged with
    int64_t greatest = std::numeric_limits<int64_t>::min();
    std::vector<uint64_t> buckets = std::vector<uint64_t>(dist_buckets);
    int64_t average() const { return count == 0 ? 0 : sum / static_cast<int64_t>(count); }
    bool operator==(const Distribution&) const = default;
};

struct Samples {  // what is not collected is zero or empty
    uint64_t count = 0;
    int64_t sum = 0;
    bool has_extremes = false;
    int64_t least = 0, greatest = 0;
    uint64_t squares_low = 0, squares_high = 0;
    std::vector<uint64_t> log, linear;  // buckets, see runtime/samples.h
    int64_t average() const { return count == 0 ? 0 : sum / static_cast<int64_t>(count); }
    uint64_t variance() const { return sample_variance(count, sum, squares_low, squares_high); }
    bool operator==(const Samples&) const = default;
};

struct Series {  // of tseries()
    struct Point {
        uint64_t begin = 0;  // of the interval, by the monotonic clock
        std::optional<int64_t> value = {};
        bool operator==(const Point&) const = default;
    };
    int64_t interval = 1;       // nanoseconds
    std::vector<Point> points;  // one for each interval, in their order; the first and the last have values
    std::optional<int64_t> last() const { return points.empty() ? std::nullopt : points.back().value; }
    bool operator==(const Series&) const = default;
};

struct Missing {  // a percentile of nothing
    bool operator==(const Missing&) const = default;
};

struct Extreme {  // of min() and max()
    int64_t value = 0;
    bool seen = false;
    bool operator==(const Extreme&) const = default;
};

// A function that is under way, and where in it.
struct Frame {
    uint64_t address = 0;
    std::string function = {};  // empty: not known
    uint64_t offset = 0;        // in the function; without one, the address as the object itself counts
    std::string object = {};    // the file, "[vdso]", or of the kernel a module in brackets; may be empty
    std::string place = {};     // "dir/file.c:12"; may be empty
    bool user = false;          // of a program
    bool inlined = false;       // into the frame below
    bool operator==(const Frame&) const = default;
};

struct Stack {
    uint64_t id = 0;                 // stack_none, stack_lost, or of the frames
    uint64_t process = 0;            // whose; 0: the kernel's
    std::vector<Frame> frames = {};  // innermost first; not known to decode
    bool operator==(const Stack&) const = default;
};

// The elements of an array, the parts of a tuple, the members of a structure; the Type says what they are.
struct Value;
struct Group {
    std::vector<Value> parts;
    bool operator==(const Group& other) const;
};

// int64_t holds every integer; the Type beside it says how wide, whether signed and how to show it.
using Data = std::variant<int64_t, std::string, Average, Extreme, Histogram, Distribution, Samples, Series, Missing,
                          Stack, Group>;

struct Value {
    Type type;
    Data data;
    bool operator==(const Value&) const = default;
};
inline bool Group::operator==(const Group& other) const { return parts == other.parts; }

struct MapEntry {
    std::vector<Value> key;  // empty for a scalar
    Value value;
};

// What a map holds. An entry is made when it is asked for, so that a million of them do not lie in memory at once.
class Entries {
  public:
    using At = std::function<MapEntry(size_t)>;
    using Change = std::function<void(MapEntry&)>;

    Entries() = default;
    Entries(std::vector<MapEntry> list);
    Entries(std::initializer_list<MapEntry> list) : Entries(std::vector<MapEntry>(list)) {}
    Entries(size_t size, At at) : size_(size), at_(std::move(at)) {}

    size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    MapEntry operator[](size_t index) const;
    // Without what finish() puts there: enough to order them.
    MapEntry plain(size_t index) const { return at_(index); }
    std::vector<MapEntry> all() const;

    // What is to happen to each entry: before they are ordered, or only for whoever reads it. What the function refers
    // to outlives this and its copies.
    void change(const Change& change);
    void finish(Change change) { finish_ = std::move(change); }

  private:
    size_t size_ = 0;
    At at_;
    Change finish_;
};

// Not all events are in a map, for tracing cost too much.
struct Sampled {
    uint64_t left_out = 0;  // since the map was last emptied
    bool detached = false;  // and none is added any more
};

struct MapContent {
    std::string name;  // "@ns"
    Entries entries;
    size_t most = 0;      // how many of the largest are shown; 0: all
    bool at_end = false;  // printed because the run has ended, and not by print()
    Type value = {};      // what the map holds, also where there is no entry
    std::optional<Sampled> sampled = {};
};

// A span that is open now: who opened it, how long ago, and where its thread is.
struct OpenSpanLine {
    int64_t age = 0;  // nanoseconds
    uint32_t pid = 0;
    uint32_t tid = 0;
    std::string comm;          // as the thread is named now; empty where it has gone
    std::vector<Value> key;    // of a span between two events
    std::vector<Frame> stack;  // of the kernel, innermost first; may be empty
};

struct OpenSpans {
    std::string name;
    std::vector<OpenSpanLine> spans;  // oldest first
    uint64_t left_out = 0;            // openings, by sampling: they may be open too
};

}  // namespace lt
