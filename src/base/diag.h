// Diagnostics as values: a stage collects them and continues, so that one run shows every mistake; one function draws
// them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"

namespace lt {

enum class Severity { note, warning, error };

std::string_view severity_name(Severity s);

// A further sentence, with its own place in the text if it has one.
struct Note {
    Span span;
    std::string text;
    bool operator==(const Note&) const = default;
};

struct Diag {
    Severity severity = Severity::error;
    Span span;            // empty: the diagnostic is about the whole program or the machine
    std::string message;  // one sentence without a full stop
    std::vector<Note> notes;
    std::string hint;  // what to type next; may be empty
    bool operator==(const Diag&) const = default;
};

// All diagnostics of one run, in the order found.
class Diags {
  public:
    Diag& error(Span span, std::string message);
    Diag& warning(Span span, std::string message);
    Diag& note(Span span, std::string message);
    void take(Diags&& other);                     // appends all of the other's
    void forget(size_t from);                     // removes all from the index on
    void explain(size_t from, const Note& note);  // adds a note to each from the index on
    // Removes repeated diagnostics from the index on. A text that is compiled for each location of a pattern can have a
    // different error for each; the first three stay, and the last of them gets a note that counts the others.
    void fold(size_t from);
    bool has_errors() const { return errors_ > 0; }
    const std::vector<Diag>& all() const { return all_; }

  private:
    Diag& add(Severity severity, Span span, std::string message);
    std::vector<Diag> all_;
    int errors_ = 0;
};

// "name:line:column: error: message", the line with a caret below the span, then notes and hint. With color, adds ANSI
// escape codes.
std::string draw(const Source& source, const Diag& diag, bool color);

}  // namespace lt
