// One of the console's traces: the text that was typed, compiled and running.
#pragma once

#include <memory>
#include <string>

#include "command.h"
#include "pipeline.h"
#include "trace.h"

namespace lt {

class Entry {
  public:
    // `command` has the options that all entries share; it outlives the entry, as what is shared does.
    Entry(int number, std::string text, const Command& command, const Shared& shared);

    bool start();  // false: what was wrong has been told
    Trace& trace() { return *trace_; }
    int number() const { return number_; }
    const std::string& text() const { return text_; }
    size_t places() const { return pipeline_.places(); }
    std::optional<Ended> turn() { return pipeline_.session().turn(); }
    void end(Ended how);  // prints what there is to print

  private:
    const int number_;
    const std::string text_;
    Pipeline pipeline_;
    std::unique_ptr<Trace> trace_;
};

}  // namespace lt
