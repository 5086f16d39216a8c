#include "console_entry.h"

#include <fmt/format.h>

#include <utility>

namespace lt {

namespace {

Shared printing_to(Shared shared, Sink& sink) {
    shared.sink = &sink;
    return shared;
}

}  // namespace

Entry::Entry(int number, std::string text, const Command& command, Shared shared, Sink& sink)
    : number_(number),
      text_(std::move(text)),
      sink_(sink),
      pipeline_(command, Source{fmt::format("[{}]", number), text_}, printing_to(shared, sink_)) {}

bool Entry::prints() const { return sink_.wrote_within(std::chrono::seconds(3)); }

bool Entry::start() {
    if (!pipeline_.start()) return false;
    trace_ = std::make_unique<Trace>(number_, text_, pipeline_.plan(), pipeline_.session());
    return true;
}

void Entry::end(Ended how) { pipeline_.end(how); }

}  // namespace lt
