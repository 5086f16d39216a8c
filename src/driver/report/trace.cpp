#include "driver/report/trace.h"

#include <fmt/format.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <utility>

#include "runtime/border/internal_map.h"
#include "runtime/border/param_value.h"
#include "runtime/print/printer.h"
#include "runtime/values/decode.h"

namespace lt {

Trace::Trace(int number, std::string text, const Plan& plan, Session& session, TableView view)
    : number_(number),
      text_(std::move(text)),
      plan_(plan),
      session_(session),
      view_(std::move(view)),
      since_(plan.maps.size(), Clock::now()),
      clears_(plan.maps.size()) {}

PrintStyle Trace::style() const {
    return {.plain = plan_.conventions.plain_integers, .newlines = plan_.keeps_newlines, .view = view_};
}

std::string Trace::summary(size_t width) const {
    std::string line;
    for (const char c : text_) {
        const bool space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
        if (space && (line.empty() || line.back() == ' ')) continue;
        line += space ? ' ' : c;
    }
    while (!line.empty() && line.back() == ' ') line.pop_back();
    if (line.size() <= width) return line;
    line.resize(width - 3);
    return line + "...";
}

Status Trace::pause() {
    Status paused = session_.pause();
    if (paused && !paused_) paused_at_ = Clock::now();
    paused_ = paused_ || bool(paused);
    return paused;
}

Status Trace::resume() {
    Status resumed = session_.resume();
    if (resumed && paused_) idle_ += Clock::now() - paused_at_;
    paused_ = paused_ && !resumed;
    return resumed;
}

Status Trace::clear(size_t map) {
    const auto history = histories_.find(map);
    if (history != histories_.end()) {
        if (Status looked = look(); !looked) return looked;
        history->second.cleared();
    }
    since_[map] = traced_time();
    clears_[map]++;
    return session_.clear(map);
}

Status Trace::set(std::string_view name, std::string_view value) {
    for (size_t i = 0; i < plan_.params.size(); i++) {
        const PlannedParam& param = plan_.params[i];
        if (param.name != name) continue;
        Result<std::vector<uint8_t>> bytes = param_bytes(param.name, param.type, value);
        return bytes ? session_.set_param(i, *bytes) : Status(bytes.error());
    }
    return Error{fmt::format("there is no parameter `{}`", name), "", 0};
}

Result<std::vector<std::string>> Trace::params() {
    std::vector<std::string> all;
    if (plan_.params.empty()) return all;
    const Result<std::vector<uint8_t>> bytes = session_.params();
    if (!bytes) return bytes.error();
    for (const PlannedParam& param : plan_.params) {
        const Result<std::vector<Value>> value =
            decode_key({param.type}, std::span<const uint8_t>(*bytes).subspan(param.offset));
        if (!value) return value.error();
        all.push_back(fmt::format("{}={}", param.name, show(value->front(), false)));
    }
    return all;
}

std::vector<std::string> Trace::map_names() const {
    std::vector<std::string> names;
    for (const PlannedMap& map : plan_.maps) {
        if (!is_internal(map)) names.push_back(map.name);
    }
    return names;
}

std::string Trace::span_name(size_t span) const {
    const PlannedSpan& planned = plan_.spans[span];
    return planned.name.empty() ? planned.text : planned.name;
}

Result<Trace::Mark> Trace::snapshot() {
    Mark mark{{}, since_, traced_time(), clears_};
    for (size_t i = 0; i < plan_.maps.size(); i++) {
        Result<MapContent> content = MapContent{plan_.maps[i].name, {}};
        if (!is_internal(plan_.maps[i])) content = session_.map(i);
        if (!content) return content.error();
        content->entries.settle();  // the trace may have ended when the entries are shown
        mark.maps.push_back(*std::move(content));
    }
    return mark;
}

Status Trace::keep_history() {
    const auto kept = static_cast<size_t>(std::ranges::count_if(plan_.maps, History::keeps));
    if (kept == 0)
        return Error{"the script has no map whose history can be kept",
                     "collect with `dist()`, `hist()` or `lhist()` into a map that the script does not clear, for "
                     "example `sc:read < "
                     "@ns = dist(latency); >`",
                     0};
    timer_ = Descriptor(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
    const itimerspec period{{History::step.count(), 0}, {History::step.count(), 0}};
    if (!timer_ || timerfd_settime(timer_.get(), 0, &period, nullptr) < 0) return system_error("timerfd", errno);
    for (size_t i = 0; i < plan_.maps.size(); i++)
        if (History::keeps(plan_.maps[i])) histories_.try_emplace(i, since_[i], History::most_bytes / kept);
    return session_.watch(timer_.get(), [this] {
        uint64_t times = 0;
        if (read(timer_.get(), &times, sizeof times) != sizeof times) return;
        const Status looked = look();
        failed_ = looked ? std::nullopt : std::optional(looked.error());
    });
}

Status Trace::look() {
    for (auto& [map, history] : histories_) {
        const Result<MapContent> content = session_.map(map);
        if (!content) return content.error();
        const Clock::time_point now = Clock::now();
        history.look(*content, now, paused_time(now));
    }
    return Done{};
}

Result<History::Period> Trace::last(size_t map, std::chrono::nanoseconds time) {
    const std::string& name = plan_.maps[map].name;
    if (!keeps_history()) return Error{fmt::format("no history of `{}` is kept", name), "start lt with `--history`", 0};
    const auto history = histories_.find(map);
    if (history == histories_.end())
        return Error{fmt::format("no history of `{}` is kept", name),
                     plan_.maps[map].shrinks ? "the script clears it, or removes keys from it"
                                             : "only maps of `dist()`, `hist()` and `lhist()` have a history",
                     0};
    if (failed_) return *failed_;
    if (Status looked = look(); !looked) return looked.error();
    return history->second.last(time);
}

}  // namespace lt
