#include "driver/console/entry.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "driver/pipeline/plan_compiler.h"
#include "driver/run/work.h"

namespace lt {

namespace {

Shared printing_to(Shared shared, Sink& sink) {
    shared.sink = &sink;
    return shared;
}

}  // namespace

Entry::Entry(int number, Source source, Command command, Shared shared, Sink& sink)
    : number_(number),
      text_(source.text),
      command_(std::move(command)),
      sink_(sink),
      job_(script_job(command_, std::move(source), printing_to(shared, sink_))) {}

bool Entry::prints() const { return sink_.wrote_within(std::chrono::seconds(3)); }

bool Entry::start() {
    if (!lt::start(job_)) return false;
    trace_ = std::make_unique<Trace>(number_, text_, job_.plan, job_.run->session(), job_.run->view());
    if (!job_.command.has(Option::history) || !std::ranges::any_of(trace_->plan().maps, History::keeps)) return true;
    if (const Status kept = trace_->keep_history(); !kept)
        fmt::print(job_.shared.messages, "lt: {}\n", kept.error().what);
    return true;
}

void Entry::end(Ended how) { lt::end(job_, how); }

}  // namespace lt
