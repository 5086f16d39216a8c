// The interface through which results are printed; one implementation for each output form.
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
#include "runtime/border/plan.h"
#include "runtime/os/start_time.h"
#include "runtime/values/buckets.h"
#include "runtime/values/value.h"
#include "stdlib/conventions.h"

namespace lt {

// The destination of a printer's bytes; a file descriptor in real runs, a string in tests.
class Sink {
  public:
    virtual ~Sink() = default;
    virtual void write(std::string_view bytes) = 0;
    virtual void flush() = 0;  // at the end of a batch
    virtual Status finish() {
        return flush(), Done{};
    }  // writes everything that is left; an error if something could not be written
};

// Keeps everything as one text.
class TextSink final : public Sink {
  public:
    void write(std::string_view bytes) override { text += bytes; }
    void flush() override {}
    std::string text;
};

// Facts about a run that are not results: text output has them on standard error, other forms among the results.

// A loss of one kind.
struct LossFact {
    LossKind kind;
    std::string name;     // of the kind: "map_full"
    std::string subject;  // the map or span; may be empty
    uint64_t count = 0;
    std::string text;  // the same as a sentence
};

// Events that a probe of the script missed.
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

// Any other fact about a run. Without members it is only for text.
struct Fact {
    using Member = std::variant<std::string, int64_t, uint64_t, double, bool, std::vector<std::string>>;
    std::string_view type;  // in JSON
    std::vector<std::pair<std::string_view, Member>> members;
    std::string text;         // whole lines of text
    std::string notice = {};  // at the top of a page; with text output it is on standard error
};

// A map as it was printed last.
struct ResultFact {
    std::string name;
    std::vector<Type> key;
    Type value;
    size_t entries = 0;   // in the map then, even if only the largest were printed
    int64_t divisor = 1;  // of the values that were printed
    size_t alike = 0;     // in a file of JSON: entries with a number after the key, since others have the same text
};

// The version of the object "run" in JSON.
constexpr int run_version = 1;

// A whole run, for `lt merge`: what it takes to know that two runs collected the same.
struct RunFact {
    std::string version;                 // of lt
    std::vector<std::string> hosts;      // several if it is a merge of runs
    std::string script;                  // its name
    std::string checksum;                // of its text
    std::vector<std::string> arguments;  // of the script
    std::vector<ResultFact> maps;
    std::optional<double> seconds = {};   // of tracing; of a merge, those of all runs together
    std::optional<Started> started = {};  // if it was to start at a given time; of a merge, if all runs were
};

// The function that made a text.
enum class MadeBy : uint8_t { printf, time, cat, join, system };

// An error or warning that the script reported or caused.
struct Complaint {
    enum class Kind : uint8_t { error, warning, raised };  // errorf(), warnf(), an error at run time
    Kind kind = Kind::error;
    std::string text;
    PlannedPosition where;
};

// How distributions and statistics with keys are printed.
struct TableView {
    std::string sort = {};     // a column, or "key"; empty: by the total
    std::string columns = {};  // names separated by blanks; empty: the usual ones
    size_t most = 0;           // rows; 0: all
    bool rows = false;         // no table: each key apart, with its histogram
};

class Printer {
  public:
    virtual ~Printer() = default;
    // The time of the event that is printed next, in nanoseconds since 1970; no value: now. Only for printers with
    // timestamps.
    virtual void at(std::optional<int64_t> time) = 0;
    virtual void text(std::string_view text) = 0;  // text of printf
    virtual void text(MadeBy, std::string_view made) { text(made); }
    virtual void complaint(const Complaint&) {}       // text output has it on standard error
    virtual void map(const MapContent& content) = 0;  // print(@x) and the maps at the end; sorts by value
    virtual void map_as(const MapContent& content, const TableView&) { map(content); }  // the same, if print() says how
    virtual void open_spans(const OpenSpans& open) = 0;                                 // print(NAME)
    virtual void value(const Value& value) = 0;                                         // print(expression): a line
    virtual void histogram(const Value& samples, SampleHistogram which) = 0;            // print(hist_log(@x))
    virtual void maps_follow() {}              // precedes the maps at the end; text only
    virtual void attached(size_t probes) = 0;  // from here on this many locations are traced
    virtual void lost(const LossFact& loss) = 0;
    virtual void missed(const MissedFact& missed) = 0;
    virtual void account(const AccountFact& account) = 0;
    virtual void fact(const Fact& fact) = 0;
    virtual void run(const RunFact&) {}  // the last result; for programs only
    virtual void flush() = 0;
};

struct PrintStyle {
    bool plain = false;             // as bpftrace prints: bare integers, statistics as records; otherwise values carry
                                    // their units
    Keep newlines = Keep::nothing;  // what ValueStyle keeps
    bool timestamps = false;        // the time of the event: before each line of text, in each JSON object
    TableView view = {};            // where print() does not say it in another way
};

// Text for people. It does not print attached(), lost(), missed() and account().
std::unique_ptr<Printer> text_printer(Sink& sink, PrintStyle style = {});

// One JSON object per line, with the members "type" and "data", in bpftrace's shapes if it has them; lt(1) documents
// them. Durations are integers of nanoseconds.
std::unique_ptr<Printer> json_printer(Sink& sink, PrintStyle style = {});

// When to write collected bytes: immediately, at the end of a batch, or 64 KiB at a time.
enum class Buffering : uint8_t { none, together, full };

// Collects up to 64 KiB before it writes. `empties`: what the file holds goes at the first write() that reaches it, at
// flush() or at finish().
std::unique_ptr<Sink> file_sink(int fd, Buffering buffering = Buffering::together, bool empties = false);

// The text of one value: 1.53ms, 0x1f, mysqld ...
std::string show(const Value& value, ValueStyle style);

// The text of a printf whose format was checked; integers, strings and durations are printed as the conversions say.
std::string format_text(std::string_view format, const std::vector<Value>& values, ValueStyle style,
                        const Conventions& conventions = {});

}  // namespace lt
