#include "driver/run/read_start.h"

#include <fmt/format.h>

#include <cstring>
#include <ctime>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "runtime/border/duration.h"
#include "runtime/border/param_value.h"

namespace lt {
namespace {

constexpr int64_t ns_of_second = 1'000'000'000;
constexpr std::string_view start_forms =
    "write `--at /10s`, `--at 14:30`, `--at 14:30:05Z` or `--at 2026-11-27T14:30:05Z`";

Result<StartTime> read_period(const std::string& text) {
    constexpr int64_t least = 1'000'000;
    const Result<std::vector<uint8_t>> bytes = param_bytes("period", duration_type(), text.substr(1));
    int64_t period = 0;
    if (bytes) std::memcpy(&period, bytes->data(), sizeof period);
    if (period >= least) return StartTime{period, 0};
    return Error{fmt::format("`{}` is not a period of at least 1ms", text), std::string(start_forms), 0};
}

// The clock's parts from the whole text.
bool take_parts(const std::string& text, const char* form, std::tm& parts) {
    const char* const end = ::strptime(text.c_str(), form, &parts);
    return end != nullptr && *end == '\0';
}

int64_t seconds_of(std::tm parts, bool is_utc) {
    parts.tm_isdst = -1;
    return is_utc ? ::timegm(&parts) : ::mktime(&parts);
}

// "6 years", "3 days", "1h20m"
std::string rough(int64_t nanoseconds) {
    constexpr int64_t day = 24 * 3600 * ns_of_second, year = 365 * day;
    if (nanoseconds >= year) return plural(static_cast<uint64_t>(nanoseconds / year), "year");
    if (nanoseconds >= day) return plural(static_cast<uint64_t>(nanoseconds / day), "day");
    return show_duration(nanoseconds);
}

}  // namespace

Result<StartTime> read_start(const std::string& text, int64_t now) {
    if (text.starts_with('/')) return read_period(text);
    const bool is_utc = text.ends_with('Z');
    const std::string clock = text.substr(0, text.size() - (is_utc ? 1 : 0));
    std::tm date{};
    if (take_parts(clock, "%Y-%m-%dT%H:%M:%S", date)) {
        const int64_t time = seconds_of(date, is_utc) * ns_of_second;
        if (time > now) return StartTime{0, time};
        return Error{fmt::format("`--at {}` is in the past, by {}", text, rough(now - time)),
                     "leave it out to begin now", 0};
    }
    const std::time_t today = now / ns_of_second;
    std::tm parts{};
    if (is_utc)
        gmtime_r(&today, &parts);
    else
        localtime_r(&today, &parts);
    parts.tm_sec = 0;
    if (!take_parts(clock, "%H:%M:%S", parts) && !take_parts(clock, "%H:%M", parts))
        return Error{fmt::format("`{}` is not a time to start at", text), std::string(start_forms), 0};
    int64_t time = seconds_of(parts, is_utc) * ns_of_second;
    if (time <= now) {
        parts.tm_mday++;
        time = seconds_of(parts, is_utc) * ns_of_second;
    }
    return StartTime{0, time};
}

}  // namespace lt
