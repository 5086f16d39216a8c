#include "console_entry.h"

#include <fmt/format.h>

#include <utility>

namespace lt {

Entry::Entry(int number, std::string text, const Command& command, const Shared& shared)
    : number_(number), text_(std::move(text)), pipeline_(command, Source{fmt::format("[{}]", number), text_}, shared) {}

bool Entry::start() {
    if (!pipeline_.start()) return false;
    trace_ = std::make_unique<Trace>(number_, text_, pipeline_.plan(), pipeline_.session());
    return true;
}

void Entry::end(Ended how) { pipeline_.end(how); }

}  // namespace lt
