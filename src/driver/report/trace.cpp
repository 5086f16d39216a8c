#include "driver/report/trace.h"

#include <fmt/format.h>

#include <span>
#include <utility>

#include "codegen/compile.h"
#include "runtime/print/printer.h"
#include "runtime/values/decode.h"

namespace lt {

Trace::Trace(int number, std::string text, const Plan& plan, Session& session)
    : number_(number), text_(std::move(text)), plan_(plan), session_(session), since_(plan.maps.size(), Clock::now()) {}

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
    paused_ = paused_ || bool(paused);
    return paused;
}

Status Trace::resume() {
    Status resumed = session_.resume();
    paused_ = paused_ && !resumed;
    return resumed;
}

Status Trace::clear(size_t map) {
    since_[map] = Clock::now();
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
    for (const PlannedMap& map : plan_.maps) names.push_back(map.name);
    return names;
}

std::string Trace::span_name(size_t span) const {
    const PlannedSpan& planned = plan_.spans[span];
    return planned.name.empty() ? planned.text : planned.name;
}

Result<Trace::Mark> Trace::snapshot() {
    Mark mark{{}, since_, Clock::now()};
    for (size_t i = 0; i < plan_.maps.size(); i++) {
        Result<MapContent> content = session_.map(i);
        if (!content) return content.error();
        content->entries = content->entries.all();  // the trace may have ended when the entries are shown
        mark.maps.push_back(*std::move(content));
    }
    return mark;
}

}  // namespace lt
