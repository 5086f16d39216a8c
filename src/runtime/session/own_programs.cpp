#include "runtime/session/own_programs.h"

#include <fmt/format.h>

#include <chrono>

namespace lt {

Status OwnPrograms::run(const PlannedProbe& probe) {
    for (const Rung& rung : probe.rungs)
        for (const Attachment& attachment : rung.attachments) {
            auto ran = rung.way == Way::host ? run_here(probe, attachment.program) : object_.run(attachment.program);
            if (!ran) return ran.error_in(probe.text);
        }
    return Done{};
}

Status OwnPrograms::run(When when, int signal) {
    for (const PlannedProbe& probe : plan_.probes)
        if (probe.when == when && probe.signal == signal)
            if (auto ran = run(probe); !ran) return ran;
    return Done{};
}

Status OwnPrograms::run_last() {
    for (const When when : {When::end, When::error}) {
        if (collector_.failed() != (when == When::error)) continue;
        collector_.restart();
        const Status ran = run(when);
        while (collector_.drain() != Collector::Drained::nothing) {
        }
        if (!ran) return ran;
    }
    return Done{};
}

// Output that programs in the kernel have already written comes before the block's, unless they write faster than lt
// prints.
Status OwnPrograms::run_here(const PlannedProbe& probe, const std::string& program) {
    if (!host_) {
        auto host = Host::open(plan_, port_);
        if (!host) return host.error();
        host_ = *std::move(host);
    }
    const auto latest = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    while (collector_.drain() == Collector::Drained::some && std::chrono::steady_clock::now() < latest) {
    }
    if (collector_.is_over()) return Done{};
    auto ran = host_->run(program);
    printer_.flush();
    if (!ran) return ran.error();
    if (*ran == Host::Ran::interrupted) {
        fmt::print(stderr, "lt: {} was interrupted\n", probe.text);
        interrupted_();
    }
    return Done{};
}

}  // namespace lt
