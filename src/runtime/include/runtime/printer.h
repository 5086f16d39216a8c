// How results reach a person or a program: one interface, a printer per form.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "runtime/buckets.h"
#include "runtime/plan.h"
#include "runtime/value.h"

namespace lt {

// Where a printer's bytes go; a file descriptor in real runs, a string in tests.
class Sink {
  public:
    virtual ~Sink() = default;
    virtual void write(std::string_view bytes) = 0;
    virtual void flush() = 0;  // at the end of what came together
    virtual Status finish() {
        return flush(), Done{};
    }  // writes all that is left; what could not be written is an error
};

// Facts about a run that are no results: text for people has them on standard error, other forms among the results.

// A loss of one kind.
struct LossFact {
    LossKind kind;
    std::string name;     // of the kind: "map_full"
    std::string subject;  // of which map or span; may be empty
    uint64_t count = 0;
    std::string text;  // the same for people
};

// Events that a probe of the script did not see.
struct MissedFact {
    std::string probe;  // as typed
    std::string kind;   // "recursion"
    uint64_t count = 0;
    std::string text;
};

// The account of a span: opened = closed + open + lost + unexplained.
struct AccountFact {
    std::string span;  // its endpoints as typed
    uint64_t opened = 0;
    uint64_t closed = 0;
    uint64_t open = 0;
    std::vector<std::pair<std::string, uint64_t>> lost = {};  // by kind
    int64_t unexplained = 0;
};

// What else is told about a run. Without members it is for people only.
struct Fact {
    using Member = std::variant<std::string, int64_t, double, bool, std::vector<std::string>>;
    std::string_view type;  // in JSON
    std::vector<std::pair<std::string_view, Member>> members;
    std::string text;  // whole lines for people
};

// What a text was made by.
enum class MadeBy : uint8_t { printf, time, cat, join, system };

// What the program says went wrong, or what did.
struct Complaint {
    enum class Kind : uint8_t { error, warning, raised };  // errorf(), warnf(), an error at run time
    Kind kind = Kind::error;
    std::string text;
    PlannedPosition where;
};

class Printer {
  public:
    virtual ~Printer() = default;
    // When what is printed next happened, in nanoseconds since 1970; no value: now. Only printers with timestamps mind.
    virtual void at(std::optional<int64_t> time) = 0;
    virtual void text(std::string_view text) = 0;  // what printf made
    virtual void text(MadeBy, std::string_view made) { text(made); }
    virtual void complaint(const Complaint&) {}          // people read it on standard error
    virtual void map(const MapContent& content) = 0;     // print(@x) and the maps at the end; sorts by value
    virtual void open_spans(const OpenSpans& open) = 0;  // print(NAME)
    virtual void value(const Value& value) = 0;          // print(expression): a line
    virtual void histogram(const Value& samples, SampleHistogram which) = 0;  // print(hist_log(@x))
    virtual void maps_follow() {}              // the maps at the end, apart from the rest; text only
    virtual void attached(size_t probes) = 0;  // from here on so many places are traced
    virtual void lost(const LossFact& loss) = 0;
    virtual void missed(const MissedFact& missed) = 0;
    virtual void account(const AccountFact& account) = 0;
    virtual void fact(const Fact& fact) = 0;
    virtual void flush() = 0;
};

struct PrintStyle {
    bool plain = false;       // as bpftrace prints: bare integers, statistics as records; otherwise values carry
                              // their units
    bool timestamps = false;  // when it happened: before each line of text, in each object of JSON
};

// Text for people. It leaves out attached(), lost(), missed() and account().
std::unique_ptr<Printer> text_printer(Sink& sink, PrintStyle style = {});

// One JSON object a line, with the members "type" and "data", in bpftrace's shapes where it has them; lt(1) documents
// them. Durations are integers of nanoseconds.
std::unique_ptr<Printer> json_printer(Sink& sink, PrintStyle style = {});

// When collected bytes are written: as soon as they come, at the end of what came together, or 64 KiB at a time.
enum class Buffering : uint8_t { none, together, full };

// Collects up to 64 KiB before it writes.
std::unique_ptr<Sink> file_sink(int fd, Buffering buffering = Buffering::together);

// The text of one value: 1.53ms, 0x1f, mysqld ...
std::string show(const Value& value, bool plain);

// 1530000 -> "1.53ms": three significant digits, the largest unit of which there is at least one, no trailing zeros.
std::string show_duration(int64_t nanoseconds);

// The text of a printf whose format has been checked; integers, strings and durations as the conversions ask.
// As in C: conversions without `l` print 32 bits.
std::string format_text(std::string_view format, const std::vector<Value>& values, bool plain, bool as_in_c = false);

}  // namespace lt
