// How results reach a person or a program: one interface, a printer per form.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "runtime/value.h"

namespace lt {

// Where a printer's bytes go; a file descriptor in real runs, a string in tests.
class Sink {
  public:
    virtual ~Sink() = default;
    virtual void write(std::string_view bytes) = 0;
    virtual void flush() = 0;
};

class Printer {
  public:
    virtual ~Printer() = default;
    virtual void text(std::string_view text) = 0;        // what printf made
    virtual void map(const MapContent& content) = 0;     // print(@x) and the maps at the end; sorts by value
    virtual void open_spans(const OpenSpans& open) = 0;  // print(NAME)
    virtual void value(const Value& value) = 0;          // print(expression): a line
    virtual void flush() = 0;
};

// Text for people: `plain` prints bare integers as bpftrace does, otherwise values carry their units.
std::unique_ptr<Printer> text_printer(Sink& sink, bool plain);

// Collects up to 64 KiB before it writes, and flush() writes the rest; or else writes all at once.
std::unique_ptr<Sink> file_sink(int fd, bool in_blocks = true);

// The text of one value: 1.53ms, 0x1f, mysqld ...
std::string show(const Value& value, bool plain);

// 1530000 -> "1.53ms": three significant digits, the largest unit of which there is at least one, no trailing zeros.
std::string show_duration(int64_t nanoseconds);

// The text of a printf whose format has been checked; integers, strings and durations as the conversions ask.
std::string format_text(std::string_view format, const std::vector<Value>& values, bool plain);

}  // namespace lt
