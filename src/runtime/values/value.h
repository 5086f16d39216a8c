// Values decoded from maps and events, ready to be printed in any form.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/visible.h"
#include "runtime/border/layouts/samples.h"
#include "runtime/border/plan.h"
#include "stdlib/causes.h"

namespace lt {

struct Histogram {
    std::vector<uint64_t> buckets;  // hist_buckets of them
    bool operator==(const Histogram&) const = default;
};

struct Average {  // of avg() and stats()
    int64_t sum = 0;
    uint64_t count = 0;
    int64_t value(bool is_signed) const {
        if (count == 0) return 0;
        return is_signed ? sum / static_cast<int64_t>(count) : static_cast<int64_t>(static_cast<uint64_t>(sum) / count);
    }
    bool operator==(const Average&) const = default;
};

struct Distribution {  // runtime/values/distribution.h computes figures from it
    uint64_t count = 0;
    int64_t sum = 0;
    int64_t least = std::numeric_limits<int64_t>::max();  // neutral when merged
    int64_t greatest = std::numeric_limits<int64_t>::min();
    std::vector<uint64_t> buckets = std::vector<uint64_t>(dist_buckets);
    int64_t average() const { return count == 0 ? 0 : sum / static_cast<int64_t>(count); }
    bool operator==(const Distribution&) const = default;
};

struct Samples {  // parts that are not collected are zero or empty
    uint64_t count = 0;
    int64_t sum = 0;
    bool has_extremes = false;
    int64_t least = 0, greatest = 0;
    uint64_t squares_low = 0, squares_high = 0;
    std::vector<uint64_t> log, linear;  // buckets, see runtime/border/layouts/samples.h
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
    std::vector<Point> points;  // one for each interval, in order; the first and the last have values
    std::optional<int64_t> last() const { return points.empty() ? std::nullopt : points.back().value; }
    bool operator==(const Series&) const = default;
};

struct Causes {  // of why(), or a value of `why`
    uint64_t count = 0;
    std::array<int64_t, cause_count + 1> times = {};  // nanoseconds, by Cause
    int64_t total() const { return std::accumulate(times.begin(), times.end(), int64_t{0}); }
    bool operator==(const Causes&) const = default;
};

struct Missing {  // a percentile of nothing
    bool operator==(const Missing&) const = default;
};

struct Extreme {  // of min() and max()
    int64_t value = 0;
    bool seen = false;
    bool operator==(const Extreme&) const = default;
};

// An active function, and the current position in it.
struct Frame {
    uint64_t address = 0;
    std::string function = {};  // empty: unknown
    uint64_t offset = 0;        // in the function; without one, the address in the object's file
    std::string object = {};    // the file, "[vdso]", or for the kernel a module in brackets; may be empty
    std::string place = {};     // "dir/file.c:12"; may be empty
    bool user = false;          // of a program
    bool inlined = false;       // into the frame below
    bool operator==(const Frame&) const = default;
};

struct Stack {
    uint64_t id = 0;                 // stack_none, stack_lost, or that of the frames
    uint64_t process = 0;            // the process; 0: the kernel's
    std::vector<Frame> frames = {};  // innermost first; decode does not fill it in
    bool operator==(const Stack&) const = default;
};

// The elements of an array, the parts of a tuple, the members of a structure; the Type says which.
struct Value;
struct Group {
    std::vector<Value> parts;
    bool operator==(const Group& other) const;
};

// int64_t holds every integer; the Type next to it gives its width, sign and view.
using Data = std::variant<int64_t, std::string, Average, Extreme, Histogram, Distribution, Samples, Series, Causes,
                          Missing, Stack, Group>;

struct Value {
    Type type;
    Data data;
    bool operator==(const Value&) const = default;
};

struct MapEntry {
    std::vector<Value> key;  // empty for a scalar
    Value value;
};

// The entries of a map. Each is made on demand, so that a million of them are not in memory at once.
class Entries {
  public:
    using At = std::function<MapEntry(size_t)>;
    using Change = std::function<void(MapEntry&)>;

    Entries() = default;
    Entries(std::vector<MapEntry> list);
    Entries(std::initializer_list<MapEntry> list);
    Entries(size_t size, At at) : size_(size), at_(std::move(at)) {}

    size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    MapEntry operator[](size_t index) const;
    // Without the changes of finish(): enough to sort by.
    MapEntry plain(size_t index) const { return at_(index); }
    // As it was collected, also after settle(): two keys that differ may read the same.
    MapEntry collected(size_t index) const { return collected_ ? collected_(index) : at_(index); }
    std::vector<MapEntry> all() const;

    // A change to each entry: before sorting, or only when it is read. Objects that the function refers to outlive this
    // and its copies.
    void change(const Change& change);
    void finish(Change change) { finish_ = std::move(change); }
    // Makes all entries now, so that they can be sorted by what finish() makes of them, and need nothing else.
    void settle();

  private:
    size_t size_ = 0;
    At at_, collected_;
    Change finish_;
};

// The map does not have all events, because tracing cost too much.
struct Sampled {
    uint64_t left_out = 0;  // since the map was last cleared
    bool detached = false;  // and no more events are added
};

// How values become text.
struct ValueStyle {
    ValueStyle(bool is_plain, Keep keeps = Keep::nothing) : plain(is_plain), kept(keeps) {}
    ValueStyle(bool is_plain, bool lines) : ValueStyle(is_plain, lines ? Keep::lines : Keep::nothing) {}
    bool plain;  // durations are bare integers, statistics are records
    Keep kept;   // in strings; other control characters are escaped (Plan::keeps_newlines)
};

struct MapContent {
    std::string name;  // "@ns"
    Entries entries;
    size_t most = 0;      // number of the largest to print; 0: all
    bool at_end = false;  // printed because the run has ended, not by print()
    Type value = {};      // the type of the map's values, even if it has no entries
    std::optional<Sampled> sampled = {};
    bool has_overflowed = false;  // a sum over all CPUs does not fit into 64 bits
};

// An open span: the thread that opened it, its age, and that thread's stack.
struct OpenSpanLine {
    int64_t age = 0;  // nanoseconds
    uint32_t pid = 0;
    uint32_t tid = 0;
    std::string comm;          // the thread's current name; empty if it has ended
    std::vector<Value> key;    // of a span between two events
    std::vector<Frame> stack;  // of the kernel, innermost first; may be empty
};

struct OpenSpans {
    std::string name;
    std::vector<OpenSpanLine> spans;  // oldest first
    uint64_t left_out = 0;            // openings skipped by sampling: they may be open too
};

}  // namespace lt
